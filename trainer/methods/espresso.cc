// Espresso (Wang et al. 2023, EuroSys, arXiv 2205.14465): each bucket is exchanged by one of
// several methods, chosen so that the exchanges of an iteration end as early as they can. Computing
// time is measured in the first iterations, or not counted; wire time follows from the link's rate.
// Espresso is biased as far as the methods are. In the paper, units are tensors, computing is
// measured before the training, and the search goes by size. That search also decides whether a GPU
// or the CPU compresses, and how tensors travel within a machine; here each rank has one device and
// one link.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/exchange_times.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

double seconds_of(std::int64_t ns) { return 1e-9 * static_cast<double>(ns); }

/// Has several averagers, of which each bucket gets one in each iteration. When that changes, the
/// old averager hands what Feedback (feedback.h) holds back of the bucket to the new one, so that
/// none of that is lost.
class Espresso final : public Averager {
 public:
  Espresso(const Json& options, const RunFacts& run)
      : given_plan_{options.at("plan").get<ExchangePlan>()},
        link_{run.link},
        last_iteration_{std::max<std::int64_t>(run.max_iterations, 1)} {
    if (options.at("costs") == "measured") rounds_ = options.at("rounds");
    for (const auto& inner : options.at("methods")) {
      averagers_.push_back(make_averager(choice_from_canonical_json(inner), run));
    }
    for (const auto method : given_plan_) {
      if (method < averagers_.size()) continue;
      throw std::invalid_argument{
          fmt::format("espresso: found {} in \"plan\", expected the number of one of its {} "
                      "methods, counted from 0",
                      method, averagers_.size())};
    }
    if (rounds_ > 0 || !given_plan_.empty() || declares() == Declares::kBefore) return;
    throw std::invalid_argument{
        "espresso: found \"costs\" \"wire\" and a method whose bytes depend on its data, so that "
        "they are not known beforehand; leave that method out, or use \"costs\" \"measured\""};
  }

  Task<> settle(const Layout& layout, Group& group) override {
    for (const auto& bucket : layout) last_.try_emplace(bucket.index, 0);
    for (auto& averager : averagers_) co_await averager->settle(layout, group);
    plan_ = given_plan_;
    if (!plan_.empty()) plan_.resize(layout.size(), plan_.back());
    costs_ = ExchangeTimings{layout.size(), averagers_.size()};
    if (!plan_.empty() || rounds_ > 0) co_return;
    take_wire(layout, group);
    co_await costs_.agree(group);
    plan_ = fastest_plan(costs_.buckets());
  }

  Declares declares() const override {
    const bool after = std::any_of(averagers_.begin(), averagers_.end(), [](const auto& averager) {
      return averager->declares() == Declares::kAfter;
    });
    return after ? Declares::kAfter : Declares::kBefore;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    const auto& averager = *averagers_.at(method_of(bucket, step));
    return keeps_declaration_of(averager) ? declared_.at(bucket.index)
                                          : averager.traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& layout = bucket.layout;
    step_ = bucket.step;
    if (layout.index == 0) first_ns_ = group.handed_over_ns();
    const auto method = method_of(layout, step_);
    auto& averager = *averagers_.at(method);
    group.notes()["method"] = method;
    const auto begun_ns = group.work().total_ns();
    PlannedCalls calls;
    const bool before = declares() == Declares::kBefore;
    if (measures(step_) && before) calls = traffic(layout, step_);
    auto& last = last_.at(layout.index);
    const auto last_method = static_cast<std::size_t>(last);
    if (last_method != method) averagers_.at(last_method)->hand_over_rest(layout, bucket.own);
    last = static_cast<std::int64_t>(method);
    if (keeps_declaration_of(averager)) {
      declared_[layout.index] = averager.traffic(layout, bucket.step);
    }
    co_await averager.average(bucket, group);
    if (!measures(step_)) co_return;
    if (!before) calls = traffic(layout, step_);
    const auto encoded_ns = group.work().encode_ns();
    costs_.take(layout.index, method, seconds_of(group.handed_over_ns() - first_ns_),
                {seconds_of(encoded_ns - begun_ns), expected_wire_s(calls, group, link_),
                 seconds_of(group.work().total_ns() - encoded_ns)});
  }

  Task<> finish_iteration(Group& group) override {
    for (auto& averager : averagers_) co_await averager->finish_iteration(group);
    if (!decides(step_)) co_return;
    co_await costs_.agree(group);
    plan_ = fastest_plan(costs_.buckets());
    const auto& costs = costs_.buckets();
    group.notes()["decided"] = plan_;
    group.notes()["expected_ms"] = 1e3 * finish_s(costs, plan_);
    group.notes()["expected_ms_of_first"] = 1e3 * finish_s(costs, ExchangePlan(plan_.size(), 0));
  }

  PlannedCalls finish_traffic() const override {
    PlannedCalls all;
    for (const auto& averager : averagers_) {
      const auto calls = averager->finish_traffic();
      all.insert(all.end(), calls.begin(), calls.end());
    }
    if (decides(step_)) all.push_back(costs_.agreement());
    return all;
  }

  Recording recording() const override {
    Recording all;
    for (const auto& averager : averagers_) {
      all.ranks_are_alike = all.ranks_are_alike && averager->recording().ranks_are_alike;
    }
    all.iterations_to_decide = iterations_in_turn();
    all.iterations_to_settle = std::max(all.iterations_to_decide, warm_up());
    return all;
  }

  /// Costs are not saved: states are saved in mode learn alone, where nothing is measured.
  void visit_state(StateVisitor& visitor) override {
    for (std::size_t number = 0; number < averagers_.size(); ++number) {
      PrefixedVisitor own{fmt::format("averager{}/", number), visitor};
      averagers_[number]->visit_state(own);
    }
    for (auto& [bucket, last] : last_) {
      visitor.number(fmt::format("bucket{}/averager", bucket), last);
    }
  }

  /// Each bucket has its residual in one of the averagers only, so that the squares can be added.
  std::optional<double> residual_norm() const override {
    std::optional<double> squares;
    for (const auto& averager : averagers_) {
      const auto norm = averager->residual_norm();
      if (norm) squares = squares.value_or(0) + *norm * *norm;
    }
    return squares ? std::optional<double>{std::sqrt(*squares)} : std::nullopt;
  }

 private:
  /// Where declarations are asked for after the exchange, an averager that declares before may
  /// already be in the state of the next exchange. So its earlier declaration is kept.
  bool keeps_declaration_of(const Averager& averager) const {
    return declares() == Declares::kAfter && averager.declares() == Declares::kBefore;
  }

  std::int64_t warm_up() const {
    std::int64_t iterations = 0;
    for (const auto& averager : averagers_) {
      iterations = std::max(iterations, averager->recording().iterations_to_settle);
    }
    return iterations;
  }

  /// The number of iterations at the start in which the methods take turns, each for all buckets.
  /// Their times are measured once the methods' warm-ups are over, unless a plan is given.
  std::int64_t iterations_in_turn() const {
    const auto measured = rounds_ * std::ssize(averagers_);
    return measured == 0 ? 0 : warm_up() + measured;
  }
  bool measures(const Step& step) const {
    return given_plan_.empty() && step.number > warm_up() && step.number <= iterations_in_turn();
  }
  bool decides(const Step& step) const {
    return measures(step) && step.number == iterations_in_turn();
  }

  /// The number of the averager that a bucket has in an iteration.
  std::size_t method_of(const BucketLayout& bucket, const Step& step) const {
    if (step.number > iterations_in_turn()) {
      return plan_.at(static_cast<std::size_t>(bucket.index));
    }
    return static_cast<std::size_t>(step.number - 1) % averagers_.size();
  }

  /// Sets the costs to the expected wire times of the last iteration, because the methods' warm-ups
  /// are over by then.
  void take_wire(const Layout& layout, const Group& group) {
    const Step last{last_iteration_};
    for (const auto& bucket : layout) {
      for (std::size_t way = 0; way < averagers_.size(); ++way) {
        const auto calls = averagers_[way]->traffic(bucket, last);
        costs_.take(bucket.index, way, 0, {0, expected_wire_s(calls, group, link_), 0});
      }
    }
  }

  std::vector<std::unique_ptr<Averager>> averagers_;
  std::int64_t rounds_ = 0;  ///< how often each method is measured; 0: costs are wire times alone
  ExchangePlan given_plan_;  ///< decided already; further buckets take its last entry
  LinkFacts link_;
  std::int64_t last_iteration_;
  ExchangePlan plan_;  ///< empty while it is not decided
  ExchangeTimings costs_;
  Step step_;
  std::int64_t first_ns_ = 0;         ///< when the first bucket of the iteration was handed over
  std::map<int, std::int64_t> last_;  ///< by bucket: its last averager, which holds the residual
  /// By bucket: the traffic of an averager that declares it before average(), kept where another
  /// averager declares its own after average().
  std::map<int, PlannedCalls> declared_;
};

}  // namespace

MethodDefinition espresso_method() {
  auto info = described(
      "espresso", "scheduling", "Wang et al. 2023, arXiv 2205.14465",
      "chooses for each bucket the method with which an iteration's exchanges end earliest");
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
  return {std::move(info), [](const Json& options, const RunFacts& run) {
            return std::make_unique<Method>(std::make_unique<Espresso>(options, run));
          }};
}

}  // namespace pacbench::trainer
