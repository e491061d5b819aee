#include "trainer/roles/pruning_stage.h"

#include <fmt/format.h>

#include <stdexcept>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"
#include "trainer/pruning/prune.h"
#include "trainer/rank/compute_threads.h"

namespace pacbench::trainer {
namespace {

/// Throws when a run ends before the last step: the run would be named by a pruning ratio that it
/// never reached.
void require_all_steps(const PruningPlan& plan, std::int64_t max_iterations) {
  const auto last = (plan.steps - 1) * plan.every + 1;
  if (last <= max_iterations) return;
  throw ConfigError{"worker specification",
                    {{"/method/prune_steps",
                      fmt::format("found {} steps, one every {} iterations: the last step would "
                                  "come before iteration {}, but the run has only {} iterations; "
                                  "expected fewer steps, a smaller prune_every or more iterations",
                                  plan.steps, plan.every, last, max_iterations)}}};
}

}  // namespace

PruningStage::PruningStage(const WorkerSpec& spec, Replica& replica, ExchangeEngine& engine,
                           const GradientSource& source)
    : spec_{spec},
      replica_{replica},
      engine_{engine},
      source_{source},
      plan_{engine.method().pruning()} {
  if (plan_) require_all_steps(*plan_, spec.workload.max_iterations);
}

void PruningStage::step() {
  ++steps_done_;
  if (plan_) choose_and_share_masks();
  settle();
}

void PruningStage::choose_and_share_masks() {
  if (masks_.empty()) masks_ = WeightMasks{replica_.parameters()};
  if (spec_.rank == 0) {
    // The other ranks wait for rank 0. With time dilation it has one core of its own, like them.
    std::optional<AllCores> all_cores;
    if (time_dilation == 1) all_cores.emplace(spec_.workers);
    masks_ = choose_masks(replica_.parameters(), replica_.task().importances(*plan_, spec_.seed),
                          *plan_, ratio_of_step(*plan_, steps_done_), masks_);
  }
  auto packed = masks_.pack();
  OwnCore::of_this_thread().catch_up();
  engine_.run([&](Group& group) -> Task<> { co_await group.broadcast(packed, 0); });
  masks_.unpack(packed);
  masks_.apply(replica_.optimizer());
}

void PruningStage::regrow(std::int64_t iteration) {
  const auto share = plan_.value().regrown_share_after(iteration);
  masks_ = regrown(masks_, replica_.parameters(), share);
  masks_.apply(replica_.optimizer());
  settle();
}

void PruningStage::take(const WeightMasks& masks) {
  steps_done_ = plan_.value().steps;
  masks_ = masks;
  masks_.apply(replica_.optimizer());
  settle();
}

void PruningStage::visit_state(StateVisitor& visitor) {
  visitor.number("pruning_steps", steps_done_);
  auto packed = masks_.empty() ? at::Tensor{} : masks_.pack();
  visitor.tensor("masks", packed);
  if (!packed.defined()) return;
  masks_ = WeightMasks{replica_.parameters()};
  masks_.unpack(packed);
}

void PruningStage::settle() {
  OwnCore::of_this_thread().catch_up();
  auto layout = source_.layout();
  for (auto& bucket : layout) {
    for (auto& slice : bucket.slices) {
      if (masks_.empty()) continue;
      const auto& mask = masks_.mask(static_cast<std::size_t>(slice.parameter));
      if (mask.defined()) slice.mask = mask.flatten();
    }
  }
  engine_.settle(std::move(layout));
}

void PruningStage::check(std::int64_t iteration) const {
  if (!masks_gradients()) return;
  if (const auto moved = masks_.first_violation(replica_.parameters())) {
    throw std::runtime_error{
        fmt::format("a pruned weight of {} is not zero after iteration {}", *moved, iteration)};
  }
}

}  // namespace pacbench::trainer
