// MergeComp (Wang, Wu and Ng 2021, arXiv 2103.15195): gradients are merged into two groups, and
// each group is compressed as a whole. That spares calls and keeps some overlap with backward. A
// search during training finds where the second group begins, by the time that exchanges take.
// MergeComp is biased as far as the method inside is. As in the authors' code, the search is binary
// and there are two groups. Here units are buckets, in the paper tensors, and a single group of all
// buckets is among the splits. When the split changes, error feedback keeps its residual, which the
// authors' code forgets.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/clock.h"
#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/split_search.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Averages the buckets before a split together, and those from the split on together. Buckets are
/// handed over in their order. A bucket waits for the last bucket of its part, which exchanges the
/// whole part. Each split has an averager of its own. When the split changes, the residual of error
/// feedback goes to the next split's averager.
class MergeComp final : public Averager {
 public:
  MergeComp(const Json& options, const RunFacts& run)
      : inner_{choice_from_canonical_json(options.at("inner"))},
        run_{run},
        probe_iterations_{options.at("probe_iterations")},
        plan_{options.at("plan").get<std::vector<std::int64_t>>()},
        example_{make_averager(inner_, run_)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    layout_ = layout;
    search_ = {std::ssize(layout), {}};
    // A restored state may be of any split of the plan, so all splits of the plan are prepared.
    for (auto& split : plan_) {
      split = std::clamp<std::int64_t>(split, 1, std::ssize(layout));
      co_await regroup(split, group);
    }
    split_ = plan_.empty() ? search_.next() : plan_.front();
    co_await regroup(split_, group);
  }

  Declares declares() const override { return example_->declares(); }
  Recording recording() const override {
    return {.ranks_are_alike = example_->recording().ranks_are_alike, .ends_alone = false};
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    const auto& layout = place_of(bucket.index).first->layout;
    if (layout.index != bucket.index) return {};
    return active_->inner->traffic(layout, step);
  }

  Task<> average(Bucket& bucket, Group& group) override {
    step_ = bucket.step;
    const auto number = bucket.layout.index;
    if (number == 0) first_ns_ = group.handed_over_ns();
    const auto place = place_of(number);
    auto& part = *place.first;
    if (place.second == 0) {
      part.values = at::empty({part.layout.elements}, bucket.own.options());
      part.averaged = Event{};
    }
    const auto own = part.values.narrow(0, place.second, bucket.layout.elements);
    own.copy_(bucket.own);
    if (auto& held = held_.at(number); held.defined()) own.add_(std::exchange(held, {}));
    if (number == part.layout.index) {
      co_await average_part(part, bucket, group);
    } else {
      group.notes()["averaged_with"] = part.layout.index;
      group.calls_nothing_more();
      co_await group.until(part.averaged);
    }
    bucket.mean.copy_(own);
  }

  Task<> finish_iteration(Group& group) override {
    times_s_.push_back(1e-9 * static_cast<double>(emulated_ns() - first_ns_));
    co_await active_->inner->finish_iteration(group);
    if (step_.number % probe_iterations_ != 0) co_return;
    const auto before = split_;
    if (decides()) {
      co_await measure(group);
    } else if (!plan_.empty()) {
      split_ = planned_after(step_.number);
    }
    if (split_ != before) co_await regroup(split_, group);
    times_s_.clear();
  }

  PlannedCalls finish_traffic() const override {
    auto calls = active_->inner->finish_traffic();
    if (decides()) calls.push_back({CollectiveKind::kAllReduce, 4});
    return calls;
  }

  /// States are saved in mode learn alone, where a plan is given. settle() has prepared all splits
  /// of the plan.
  void visit_state(StateVisitor& visitor) override {
    visitor.number("split", split_);
    active_ = &groupings_.at(split_);
    for (auto& [split, grouping] : groupings_) {
      PrefixedVisitor own{fmt::format("split{}/", split), visitor};
      grouping.inner->visit_state(own);
    }
    for (auto& [bucket, held] : held_) visitor.tensor(fmt::format("bucket{}/held", bucket), held);
  }

  std::optional<double> residual_norm() const override {
    const auto norm = (active_ == nullptr ? *example_ : *active_->inner).residual_norm();
    if (!norm) return norm;
    double squares = *norm * *norm;
    for (const auto& [bucket, held] : held_) {
      if (held.defined()) squares += held.square().sum().item<double>();
    }
    return std::sqrt(squares);
  }

 private:
  /// Buckets that are averaged as one. `values` has their values in this iteration. The others wait
  /// for `averaged`, which the last bucket announces.
  struct Part {
    std::vector<BucketLayout> buckets;
    BucketLayout layout;  ///< of all buckets as one; its index is the last bucket's
    at::Tensor values = {};
    Event averaged = {};
  };

  struct Grouping {
    std::unique_ptr<Averager> inner;
    std::vector<Part> parts;
    Layout layout;
  };

  /// Divides the buckets into two parts; bucket `split` is the first of the second part. When
  /// `split` is the number of buckets, there is one part alone.
  Task<> regroup(std::int64_t split, Group& group) {
    if (active_ != nullptr) hold_rests();
    const auto [found, is_new] = groupings_.try_emplace(split);
    active_ = &found->second;
    for (const auto& bucket : layout_) held_.try_emplace(bucket.index);
    if (!is_new) co_return;
    *active_ = grouping_of(split);
    co_await active_->inner->settle(active_->layout, group);
  }

  Grouping grouping_of(std::int64_t split) const {
    Grouping grouping{make_averager(inner_, run_), {}, {}};
    for (const auto& bucket : layout_) {
      if (bucket.index == 0 || bucket.index == split) grouping.parts.emplace_back();
      auto& part = grouping.parts.back();
      part.buckets.push_back(bucket);
      part.layout.index = bucket.index;
      for (auto slice : bucket.slices) {
        slice.offset += part.layout.elements;
        part.layout.slices.push_back(std::move(slice));
      }
      part.layout.elements += bucket.elements;
    }
    for (const auto& part : grouping.parts) grouping.layout.push_back(part.layout);
    return grouping;
  }

  /// The part that a bucket belongs to, and the place of the bucket's first element in that part.
  std::pair<Part*, std::int64_t> place_of(int bucket) const {
    auto part = active_->parts.begin();
    while (part->layout.index < bucket) ++part;
    std::int64_t offset = 0;
    for (const auto& other : part->buckets) {
      if (other.index < bucket) offset += other.elements;
    }
    return {&*part, offset};
  }

  void hold_rests() {
    if (!active_->inner->residual_norm()) return;
    for (auto& part : active_->parts) {
      if (!part.values.defined()) continue;
      const auto rest = at::zeros_like(part.values);
      active_->inner->hand_over_rest(part.layout, rest);
      std::int64_t offset = 0;
      for (const auto& bucket : part.buckets) {
        held_.at(bucket.index) = rest.narrow(0, offset, bucket.elements).clone();
        offset += bucket.elements;
      }
    }
  }

  Task<> average_part(Part& part, Bucket& bucket, Group& group) {
    Bucket all{part.layout, part.values, part.values, false, bucket.random, bucket.step};
    std::exception_ptr failure;
    try {
      co_await active_->inner->average(all, group);
    } catch (...) {
      failure = std::current_exception();
    }
    group.announce(part.averaged, failure);
    if (failure) std::rethrow_exception(failure);
  }

  bool decides() const {
    return plan_.empty() && !search_.found() && step_.number % probe_iterations_ == 0 &&
           step_.number > warm_up();
  }

  /// The iterations in which the method inside warms up, rounded up to whole probes.
  std::int64_t warm_up() const {
    const auto settles = example_->recording().iterations_to_settle;
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

  Choice inner_;
  RunFacts run_;
  std::int64_t probe_iterations_;
  std::vector<std::int64_t> plan_;     ///< the split of each probe; the last one stays
  std::unique_ptr<Averager> example_;  ///< answers what is asked before there are buckets
  Layout layout_;
  std::map<std::int64_t, Grouping> groupings_;  ///< by split
  Grouping* active_ = nullptr;
  /// By bucket: what the previous split's averager held back, until the next exchange.
  std::map<int, at::Tensor> held_;
  SplitSearch search_;
  std::int64_t split_ = 1;
  std::vector<double> times_s_;  ///< of the iterations of this probe
  Step step_;
  std::int64_t first_ns_ = 0;  ///< when the first bucket of the iteration was handed over
};

}  // namespace

MethodDefinition mergecomp_method() {
  auto info =
      described("mergecomp", "scheduling", "Wang, Wu and Ng 2021, arXiv 2103.15195",
                "buckets merged into two groups; another method averages each group as a whole");
  info.lossless = true;  // as far as the method inside is
  info.unbiased = true;  // as far as the method inside is
  info.options = {
      option::always_shown(option::method("inner", {{"name", "topk"}, {"ratio", 0.01}},
                                          "method that averages a group of buckets")),
      option::count("probe_iterations", 5, "number of iterations in which each split is measured"),
      option::decisions("plan",
                        "for each probe the index of the second group's first bucket, 1 or more; "
                        "the last index stays"),
  };
  info.collectives = {"all_reduce", "all_gather", "all_to_all"};
  info.state_floats = 1;  // the values of the groups
  info.depends_on_link = true;
  info.depends_on_time = true;
  return {std::move(info), [](const Json& options, const RunFacts& run) {
            return std::make_unique<Method>(std::make_unique<MergeComp>(options, run));
          }};
}

}  // namespace pacbench::trainer
