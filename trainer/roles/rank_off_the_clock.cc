// The work of a rank while the clock is stopped: it evaluates, compares gradients, limits its
// iterations, and saves and restores its state.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "contract/result/crossing.h"
#include "trainer/rank/compute_threads.h"
#include "trainer/roles/rank.h"

namespace pacbench::trainer {
namespace {

// The samples of one pass. The rank writes an AliveEvent after each pass, so a pass must be short
// even for a large model.
constexpr std::int64_t kEvaluatedAtOnce = 1000;

}  // namespace

/// Stops the clock when all ranks have called this function, and starts it again when all have run
/// `body`.
void Rank::off_the_clock(const std::function<void()>& body) {
  wait_for_all();
  clock_.stop();
  be_ordinary();
  log_.flush();
  body();
  wait_for_all();
  clock_.start();
}

void Rank::wait_for_all() {
  place_.control->barrier([this] { log_.write(AliveEvent{spec_.rank}); });
}

/// Compares the hashes that must be equal on all ranks: of weights, of a method's consensus, or of
/// gradients where ranks do not train. Throws when they differ, or when pruned weights are not
/// zero. Where ranks train, rank 0 then evaluates the weights or the consensus. Returns whether
/// training must stop now, as rank 0 decides for all.
bool Rank::evaluate() {
  bool stop = false;
  auto& control = *place_.control;
  off_the_clock([&] {
    const auto* consensus = source_->trains() ? engine_.method().consensus() : nullptr;
    control.set_hash(consensus != nullptr ? hash_of(*consensus) : source_->hash());
    wait_for_all();
    check_weights();
    if (!source_->trains()) return;
    if (spec_.rank == 0) control.set_word(evaluate_here() ? 1 : 0);
    wait_for_all();
    stop = control.word() == 1;
  });
  return stop;
}

void Rank::check_weights() {
  const int other = place_.control->first_different_hash();
  // Without training the hashes are of the gradients, which are equal only where they hold the
  // aggregate. Where ranks keep gradients of their own (Method::leaves_mean), they differ.
  if (other >= 0 && (source_->trains() || aggregate_is_there_)) {
    throw std::runtime_error{fmt::format(
        "the {} of rank {} and rank 0 differ after iteration {}: method {} did not give all ranks "
        "the same mean",
        source_->trains() ? "weights" : "means", other, iteration_, spec_.method.name)};
  }
  pruning_.check(iteration_);
}

bool Rank::evaluate_here() {
  Evaluation result;
  auto& task = replica_.task();
  const auto samples = task.evaluated_samples();
  {
    const AllCores all_cores{spec_.workers};
    std::optional<ValuesKept> own_weights;
    if (const auto* consensus = engine_.method().consensus()) {
      const auto weights = tensors_of(replica_.parameters());
      own_weights.emplace(weights);
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i].detach().copy_((*consensus)[i]);
    }
    for (std::int64_t first = 0; first < samples; first += kEvaluatedAtOnce) {
      result += task.evaluate(first, std::min(kEvaluatedAtOnce, samples - first));
      log_.write(AliveEvent{spec_.rank});
    }
  }
  check_loss(result.loss());
  EvaluationEvent event{iteration_, clock_.seconds(), std::nullopt, result.loss()};
  if (result.has_accuracy) event.accuracy = result.accuracy();
  log_.write(event);
  curve_.push_back(event);
  return targets_are_met();
}

/// Whether the scenario stops at its targets, has some, and all of them are met. A target is met
/// once one of its crossings is confirmed: the mean of the evaluations that follow it is at the
/// target too (first_crossing).
bool Rank::targets_are_met() const {
  const auto& targets = spec_.targets;
  if (targets.empty() || spec_.workload.stop != "targets") return false;
  return std::all_of(targets.begin(), targets.end(), [&](const Target& target) {
    return first_crossing(curve_, target, false).has_value();
  });
}

/// Copies this rank's own gradient of the coming iteration to gradients_, from a pass that leaves
/// no trace.
void Rank::lay_gradient() {
  off_the_clock([this] {
    source_->compute_alone(iteration_);
    gradients_->lay(replica_.parameters(),
                    pruning_.masks_gradients() ? pruning_.masks() : WeightMasks{});
  });
}

void Rank::compare_gradients() {
  off_the_clock([this] {
    gradients_->set_residual_norm(engine_.method().residual_norm());
    gradients_->show();
    wait_for_all();
    if (spec_.rank != 0) return;
    gradients_->collect();
    const auto quality = gradient_quality(replica_.parameters(), *gradients_, iteration_);
    if (quality) log_.write(*quality);
  });
}

/// Limits the cell's iterations, those done included, to as many as fit into compose.cell_s
/// seconds. All ranks go by rank 0's clock.
void Rank::limit_iterations() {
  auto& control = *place_.control;
  off_the_clock([&] {
    if (spec_.rank == 0) {
      control.set_word(
          static_cast<std::uint64_t>(iterations_that_fit(*spec_.compose, clock_.seconds())));
    }
    wait_for_all();
    iterations_ = static_cast<std::int64_t>(control.word());
  });
}

void Rank::save_state() {
  off_the_clock([this] {
    auto& state = *place_.state;
    CellState::Saver shared{state, spec_.rank, CellState::kShared};
    if (spec_.rank == 0) visit_shared_state(shared);
    CellState::Saver own{state, spec_.rank, CellState::part_of(spec_.rank)};
    visit_own_state(own);
    wait_for_all();
    if (spec_.rank == 0) state.write(iteration_);
  });
}

void Rank::restore_state() {
  CellState::Loader shared{*place_.state, CellState::kShared};
  visit_shared_state(shared);
  pruning_.settle();
  CellState::Loader own{*place_.state, CellState::part_of(spec_.rank)};
  visit_own_state(own);
}

/// Visits rank 0's curve, as rows of iteration, clock, accuracy (NaN: none) and loss.
void Rank::visit_curve(StateVisitor& visitor) {
  auto rows = at::empty({std::ssize(curve_), 4}, at::kDouble);
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const auto& event = curve_[static_cast<std::size_t>(i)];
    rows[i] = at::tensor({static_cast<double>(event.iteration), event.training_s,
                          event.accuracy.value_or(std::nan("")), event.loss});
  }
  visitor.tensor("curve", rows);
  curve_.clear();
  const auto values = rows.accessor<double, 2>();
  for (std::int64_t i = 0; i < rows.size(0); ++i) {
    const auto accuracy =
        std::isnan(values[i][2]) ? std::nullopt : std::optional<double>{values[i][2]};
    curve_.push_back(
        {static_cast<std::int64_t>(values[i][0]), values[i][1], accuracy, values[i][3]});
  }
}

void Rank::visit_shared_state(StateVisitor& visitor) {
  visitor.number("iteration", iteration_);
  visit_curve(visitor);
  if (weights_are_shared()) replica_.visit_weights(visitor);
  pruning_.visit_state(visitor);
}

void Rank::visit_own_state(StateVisitor& visitor) {
  visitor.number("training_ns", clock_.elapsed_ns());
  visitor.number("pruning_ns", pruning_ns_);
  if (!weights_are_shared()) replica_.visit_weights(visitor);
  replica_.visit_buffers(visitor);
  engine_.method().visit_state(visitor);
}

}  // namespace pacbench::trainer
