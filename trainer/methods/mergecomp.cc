// MergeComp (Wang, Wu and Ng 2021, arXiv 2103.15195): gradients are merged into two groups, and
// each group is compressed as a whole. That spares calls and keeps some overlap with backward. A
// search during training finds where the second group begins, by the time that exchanges take.
// MergeComp is biased as far as the method inside is. As in the authors' code, the search is binary
// and there are two groups. Here units are buckets, in the paper tensors, and a single group of all
// buckets is among the splits. When the split changes, error feedback keeps its residual, which the
// authors' code forgets.
#include <ATen/Functions.h>

#include <algorithm>

#include "base/clock.h"
#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/merged.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/split_search.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

class MergeComp final : public Averager {
 public:
  MergeComp(Merged::Make make, std::int64_t probe_iterations, std::vector<std::int64_t> plan)
      : merged_{std::move(make)}, probe_iterations_{probe_iterations}, plan_{std::move(plan)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    layout_ = layout;
    search_ = {std::ssize(layout), {}};
    // A restored state may be of any split of the plan, so all splits of the plan are prepared.
    for (auto& split : plan_) {
      split = std::clamp<std::int64_t>(split, 1, std::ssize(layout));
      co_await merged_.regroup(layout_, split, group);
    }
    split_ = plan_.empty() ? search_.next() : plan_.front();
    co_await merged_.regroup(layout_, split_, group);
  }

  Declares declares() const override { return merged_.declares(); }
  Recording recording() const override {
    return {.ranks_are_alike = merged_.recording().ranks_are_alike, .ends_alone = false};
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket,
                                         const Step& step) const override {
    return merged_.traffic(bucket, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    step_ = bucket.step;
    if (bucket.layout.index == 0) first_ns_ = group.handed_over_ns();
    return merged_.average(bucket, group);
  }

  Task<> finish_iteration(Group& group) override {
    times_s_.push_back(1e-9 * static_cast<double>(emulated_ns() - first_ns_));
    co_await merged_.finish_iteration(group);
    if (step_.number % probe_iterations_ != 0) co_return;
    const auto before = split_;
    if (decides()) {
      co_await measure(group);
    } else if (!plan_.empty()) {
      split_ = planned_after(step_.number);
    }
    if (split_ != before) co_await merged_.regroup(layout_, split_, group);
    times_s_.clear();
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    auto calls = merged_.finish_traffic();
    if (decides()) calls.push_back({CollectiveKind::kAllReduce, 4});
    return calls;
  }

  /// States are saved in mode learn alone, where a plan is given. settle() has prepared all splits
  /// of the plan.
  void visit_state(StateVisitor& visitor) override {
    visitor.number("split", split_);
    merged_.use(split_);
    merged_.visit_state(visitor);
  }
  std::optional<double> residual_norm() const override { return merged_.residual_norm(); }

 private:
  bool decides() const {
    return plan_.empty() && !search_.found() && step_.number % probe_iterations_ == 0 &&
           step_.number > warm_up();
  }

  /// The iterations in which the method inside warms up, rounded up to whole probes.
  std::int64_t warm_up() const {
    const auto settles = merged_.recording().iterations_to_settle;
    return (settles + probe_iterations_ - 1) / probe_iterations_ * probe_iterations_;
  }

  std::int64_t planned_after(std::int64_t iteration) const {
    const auto probes = std::max<std::int64_t>(iteration - warm_up(), 0) / probe_iterations_;
    return plan_.at(static_cast<std::size_t>(std::min(probes, std::ssize(plan_) - 1)));
  }

  /// Ends a probe: records the median time of its iterations and chooses the next split. Of several
  /// iterations the first is left out, since it makes what later ones reuse. The largest median of
  /// all ranks is recorded, since all ranks wait for the last one.
  Task<> measure(Group& group) {
    if (times_s_.size() > 1) times_s_.erase(times_s_.begin());
    const auto middle = times_s_.begin() + std::ssize(times_s_) / 2;
    std::nth_element(times_s_.begin(), middle, times_s_.end());
    const auto time = at::full({1}, *middle);
    co_await group.all_reduce(time, Reduction::kMax);
    const bool first = search_.times_s.empty();
    search_.times_s[split_] = time.item<float>();
    group.notes()["measured_ms"] = 1e3 * search_.times_s[split_];
    auto& decided = group.notes()["decided"] = Json::array();
    if (first) decided.push_back(split_);
    split_ = search_.next();
    decided.push_back(split_);
  }

  Merged merged_;
  std::int64_t probe_iterations_;
  std::vector<std::int64_t> plan_;  ///< the split of each probe; the last one stays
  Layout layout_;
  SplitSearch search_;
  std::int64_t split_ = 1;
  std::vector<double> times_s_;  ///< of the iterations of this probe
  Step step_;
  std::int64_t first_ns_ = 0;  ///< when the first bucket of the iteration was handed over
};

}  // namespace

MethodDefinition mergecomp_method() {
  MethodInfo info;
  info.name = "mergecomp";
  info.summary = "buckets merged into two groups; another method averages each group as a whole";
  info.paper = "Wang, Wu and Ng 2021, arXiv 2103.15195";
  info.family = "scheduling";
  info.lossless = true;  // as far as the method inside is
  info.unbiased = true;  // as far as the method inside is
  auto inner = option::method("inner", {{"name", "topk"}, {"ratio", 0.01}},
                              "method that averages a group of buckets");
  inner.in_label.always = true;
  info.options = {
      inner,
      option::count("probe_iterations", 5, "number of iterations in which each split is measured"),
      option::decisions("plan",
                        "for each probe the index of the second group's first bucket, 1 or more; "
                        "the last index stays"),
  };
  info.collectives = {"all_reduce", "all_gather", "all_to_all"};
  info.state_floats = 1;  // the values of the groups
  info.depends_on_link = true;
  info.depends_on_time = true;
  return {
      std::move(info), [](const Json& options, const RunFacts& run) {
        const auto averager = choice_from_canonical_json(options.at("inner"));
        return std::make_unique<Method>(std::make_unique<MergeComp>(
            [averager, run] { return make_averager(averager, run); },
            options.at("probe_iterations"), options.at("plan").get<std::vector<std::int64_t>>()));
      }};
}

}  // namespace pacbench::trainer
