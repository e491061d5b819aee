#include "trainer/compose/profiled_gradients.h"

#include <ATen/Functions.h>

#include <functional>
#include <string_view>

#include "base/clock.h"
#include "trainer/collectives/own_core.h"
#include "trainer/collectives/sleep.h"
#include "trainer/compose/profile_layout.h"

namespace pacbench::trainer {
ProfiledGradients::ProfiledGradients(const WorkerSpec& spec, Replica& replica,
                                     ExchangeEngine& engine)
    : seed_{static_cast<std::uint64_t>(spec.seed)},
      rank_{spec.rank},
      compute_factor_{spec.traits.compute_factor},
      profile_{spec.compose->profile},
      replica_{replica},
      engine_{engine},
      hand_over_{engine},
      layout_{layout_of(profile_, replica.parameters())},
      iterations_{profile_, spec.seed, rank_},
      times_{&iterations_.of(1)} {
  for (std::size_t i = 0; i < layout_.size(); ++i) last_of_.push_back(i);
  if (engine.method().scope() == Method::Scope::kModel) {
    layout_ = {joined(layout_)};
    last_of_ = {profile_.buckets.size() - 1};
  }
  if (!replays_exchanges(*spec.compose)) {
    sample_.emplace(spec.compose->sample, profile_.sample.counts);
  }
}

/// On rank 0, when GraSP will score weights there: runs a first pass, in which torch sets up what
/// the model needs. Otherwise this setup would lengthen the scoring, whose time is measured.
void ProfiledGradients::warm_up_scoring() {
  const auto plan = engine_.method().pruning();
  if (rank_ != 0 || !plan || plan->score != "grasp") return;
  const BuffersKept buffers_kept{replica_};
  replica_.loss(replica_.batch(1)).backward();
}

/// Warms up scoring, and makes the parameters' gradients views of their buckets, as Reducer does.
/// Does nothing where exchanges are replayed.
void ProfiledGradients::warm_up() {
  if (!sample_) return;
  warm_up_scoring();
  for (const auto& bucket : layout_) {
    drawn_.push_back(at::zeros({bucket.elements}));
    gradients_.push_back(drawn_.back().to(replica_.device()));
    for (const auto& slice : bucket.slices) {
      auto parameter = replica_.parameters()[static_cast<std::size_t>(slice.parameter)].tensor;
      parameter.mutable_grad() =
          gradients_.back().narrow(0, slice.offset, slice.elements).view(slice.shape);
    }
  }
}

void ProfiledGradients::prepare(std::int64_t number) {
  std::size_t position = 0;
  for (std::size_t bucket = 0; bucket < layout_.size(); ++bucket) {
    for (const auto& slice : layout_[bucket].slices) {
      sample_->draw(position, drawn_[bucket].narrow(0, slice.offset, slice.elements),
                    draw_key(seed_, rank_, number, position));
      ++position;
    }
    if (!replica_.device().is_cpu()) gradients_[bucket].copy_(drawn_[bucket]);
  }
}

/// Takes the times of a profile iteration that is drawn for this rank alone, so that not all ranks
/// are slow at once.
void ProfiledGradients::begin(std::int64_t number) {
  start_ns_ = emulated_ns();
  times_ = &iterations_.of(number);
}

double ProfiledGradients::forward() {
  sleep_until(start_ns_ + in_ns(times_->forward_ms));
  return 0;
}

void ProfiledGradients::backward() {
  const auto backward_ns = emulated_ns();
  std::vector<std::future<void>> exchanges;
  for (std::size_t bucket = 0; bucket < layout_.size(); ++bucket) {
    sleep_until(backward_ns + in_ns(times_->ready_ms[last_of_[bucket]]));
    last_gradient_ns_ = emulated_ns();
    exchanges.push_back(hand_over(bucket));
  }
  for (auto& exchange : exchanges) exchange.wait();
  for (auto& exchange : exchanges) exchange.get();
}

std::future<void> ProfiledGradients::hand_over(std::size_t bucket) {
  // The promise is shared, because the executor may still be inside set_value after the wait.
  const auto ended = std::make_shared<std::promise<void>>();
  auto future = ended->get_future();
  hand_over_.start(static_cast<int>(bucket), sample_ ? gradients_[bucket] : at::empty({0}),
                   [ended](std::exception_ptr failure) {
                     failure ? ended->set_exception(failure) : ended->set_value();
                   });
  return future;
}

void ProfiledGradients::step(double /*lr*/) {
  sleep_until(emulated_ns() + in_ns(times_->optimizer_ms));
}

double ProfiledGradients::loss() {
  const OwnCore::Pause pause;
  sleep_until(emulated_ns() + in_ns(times_->forward_ms));
  return 0;
}

std::int64_t ProfiledGradients::in_ns(double profiled_ms) const {
  return static_cast<std::int64_t>(profiled_ms * compute_factor_ * 1e6);
}

std::uint64_t ProfiledGradients::hash() const {
  std::uint64_t hash = 0;
  for (const auto& on_device : gradients_) {
    const auto gradient = on_device.cpu();
    const std::string_view bytes{static_cast<const char*>(gradient.const_data_ptr()),
                                 gradient.nbytes()};
    hash = hash * 0x9E3779B97F4A7C15U + std::hash<std::string_view>{}(bytes);
  }
  return hash;
}

}  // namespace pacbench::trainer
