// Espresso (Wang et al. 2023, EuroSys, arXiv 2205.14465): each bucket is exchanged by one of
// several methods, chosen so that the exchanges of an iteration end as early as they can. Computing
// time is measured in the first iterations, or not counted; wire time follows from the link's rate.
// Espresso is biased as far as the methods are. In the paper, units are tensors, computing is
// measured before the training, and the search goes by size. That search also decides whether a GPU
// or the CPU compresses, and how tensors travel within a machine; here each rank has one device and
// one link.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/exchange_times.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/per_bucket.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

struct EspressoOptions {
  std::int64_t rounds = 0;  ///< how often each method is measured; 0: costs are wire times alone
  ExchangePlan plan;        ///< what is decided already; further buckets take its last entry
  LinkFacts link;
  std::int64_t last_iteration = 1;
};

double seconds_of(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

class Espresso final : public Averager {
 public:
  Espresso(std::vector<std::unique_ptr<Averager>> methods, EspressoOptions options)
      : options_{std::move(options)},
        buckets_{std::move(methods), [this](const BucketLayout& bucket, const Step& step) {
                   return method_of(bucket, step);
                 }} {
    for (const auto method : options_.plan) {
      if (method < buckets_.size()) continue;
      throw std::invalid_argument{
          fmt::format("espresso: found {} in \"plan\", expected the number of one of its {} "
                      "methods, counted from 0",
                      method, buckets_.size())};
    }
    if (options_.rounds > 0 || !options_.plan.empty() || declares() == Declares::kBefore) return;
    throw std::invalid_argument{
        "espresso: found \"costs\" \"wire\" and a method whose bytes depend on its data, so that "
        "they are not known beforehand; leave that method out, or use \"costs\" \"measured\""};
  }

  Task<> settle(const Layout& layout, Group& group) override {
    co_await buckets_.settle(layout, group);
    plan_ = options_.plan;
    if (!plan_.empty()) plan_.resize(layout.size(), plan_.back());
    costs_ = ExchangeTimings{layout.size(), buckets_.size()};
    if (!plan_.empty() || options_.rounds > 0) co_return;
    take_wire(layout, group);
    co_await costs_.agree(group);
    plan_ = fastest_plan(costs_.buckets());
  }

  Declares declares() const override { return buckets_.declares(); }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    return buckets_.traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    step_ = bucket.step;
    if (bucket.layout.index == 0) first_ns_ = group.handed_over_ns();
    group.notes()["method"] = method_of(bucket.layout, step_);
    const auto begun_ns = group.work().total_ns();
    std::vector<PlannedCollective> calls;
    const bool before = declares() == Declares::kBefore;
    if (measures(step_) && before) calls = traffic(bucket.layout, step_);
    co_await buckets_.average(bucket, group);
    if (!measures(step_)) co_return;
    if (!before) calls = traffic(bucket.layout, step_);
    const auto encoded_ns = group.work().encode_ns();
    costs_.take(bucket.layout.index, method_of(bucket.layout, step_),
                seconds_of(group.handed_over_ns() - first_ns_),
                {seconds_of(encoded_ns - begun_ns), expected_wire_s(calls, group, options_.link),
                 seconds_of(group.work().total_ns() - encoded_ns)});
  }

  Task<> finish_iteration(Group& group) override {
    co_await buckets_.finish_iteration(group);
    if (!decides(step_)) co_return;
    co_await costs_.agree(group);
    plan_ = fastest_plan(costs_.buckets());
    const auto& costs = costs_.buckets();
    group.notes()["decided"] = plan_;
    group.notes()["expected_ms"] = 1e3 * finish_s(costs, plan_);
    group.notes()["expected_ms_of_first"] = 1e3 * finish_s(costs, ExchangePlan(plan_.size(), 0));
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    auto calls = buckets_.finish_traffic();
    if (decides(step_)) calls.push_back(costs_.agreement());
    return calls;
  }

  Recording recording() const override {
    auto recording = buckets_.recording();
    recording.iterations_to_decide = iterations_in_turn();
    recording.iterations_to_settle =
        std::max(recording.iterations_to_decide, recording.iterations_to_settle);
    return recording;
  }

  /// Costs are not saved: states are saved in mode learn alone, where nothing is measured.
  void visit_state(StateVisitor& visitor) override { buckets_.visit_state(visitor); }
  std::optional<double> residual_norm() const override { return buckets_.residual_norm(); }

 private:
  /// The number of iterations at the start in which the methods take turns, each for all buckets.
  /// Their times are measured once the methods' warm-ups are over, unless a plan is given.
  std::int64_t iterations_in_turn() const {
    const auto measured = options_.rounds * static_cast<std::int64_t>(buckets_.size());
    return measured == 0 ? 0 : buckets_.recording().iterations_to_settle + measured;
  }
  bool measures(const Step& step) const {
    return options_.plan.empty() && step.number > buckets_.recording().iterations_to_settle &&
           step.number <= iterations_in_turn();
  }
  bool decides(const Step& step) const {
    return measures(step) && step.number == iterations_in_turn();
  }

  std::size_t method_of(const BucketLayout& bucket, const Step& step) const {
    if (step.number > iterations_in_turn()) {
      return plan_.at(static_cast<std::size_t>(bucket.index));
    }
    return static_cast<std::size_t>(step.number - 1) % buckets_.size();
  }

  /// Sets the costs to the expected wire times of the last iteration, because the methods' warm-ups
  /// are over by then.
  void take_wire(const Layout& layout, const Group& group) {
    const Step last{options_.last_iteration};
    for (const auto& bucket : layout) {
      for (std::size_t way = 0; way < buckets_.size(); ++way) {
        const auto calls = buckets_.averager(way).traffic(bucket, last);
        costs_.take(bucket.index, way, 0, {0, expected_wire_s(calls, group, options_.link), 0});
      }
    }
  }

  EspressoOptions options_;
  PerBucket buckets_;
  ExchangePlan plan_;  ///< empty while it is not decided
  ExchangeTimings costs_;
  Step step_;
  std::int64_t first_ns_ = 0;  ///< when the first bucket of the iteration was handed over
};

std::unique_ptr<Method> make_espresso(const Json& options, const RunFacts& run) {
  std::vector<std::unique_ptr<Averager>> methods;
  for (const auto& inner : options.at("methods")) {
    methods.push_back(make_averager(choice_from_canonical_json(inner), run));
  }
  const bool measured = options.at("costs") == "measured";
  const EspressoOptions chosen{measured ? options.at("rounds").get<std::int64_t>() : 0,
                               options.at("plan").get<ExchangePlan>(), run.link,
                               std::max<std::int64_t>(run.max_iterations, 1)};
  return std::make_unique<Method>(std::make_unique<Espresso>(std::move(methods), chosen));
}

}  // namespace

MethodDefinition espresso_method() {
  MethodInfo info;
  info.name = "espresso";
  info.summary =
      "chooses for each bucket the method with which an iteration's exchanges end earliest";
  info.paper = "Wang et al. 2023, arXiv 2205.14465";
  info.family = "scheduling";
  info.lossless = true;  // as far as the methods inside are
  info.unbiased = true;  // as far as the methods inside are
  auto costs = option::choice(
      "costs", {"measured", "wire"},
      "times by which a method is chosen: computing times measured in the first iterations "
      "and the wire time at the link's rate (measured), or the wire time alone (wire)");
  costs.untimed = {"wire"};
  info.options = {
      option::methods("methods",
                      {{{"name", "all-reduce"}},
                       {{"name", "fp16"}},
                       {{"name", "topk"}, {"ratio", 0.01}},
                       {{"name", "terngrad"}}},
                      "methods to choose from; among equally fast methods the first is chosen"),
      costs,
      option::only_with(
          option::count("rounds", 3,
                        "how often each method is measured; each time takes one iteration"),
          "costs", {"measured"}),
      option::decisions("plan",
                        "for each bucket the number of its method, counted from 0; the last number "
                        "is for all further buckets"),
  };
  info.collectives = {"all_reduce", "all_gather", "all_to_all"};
  info.depends_on_link = true;
  info.depends_on_time = true;
  return {std::move(info), make_espresso};
}

}  // namespace pacbench::trainer
