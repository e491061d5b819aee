#include "trainer/compose/profiled_gradients.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <unordered_map>

#include "base/clock.h"
#include "base/errors.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kMost = 16384;  ///< the most values that a sample has of a parameter
constexpr std::int64_t kRun = 256;
constexpr double kGain = 0.1;

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, figure 14).
class Draws {
 public:
  explicit Draws(std::uint64_t key) : state_{key} {}

  std::uint64_t next() {
    auto bits = (state_ += 0x9E3779B97F4A7C15U);
    bits = (bits ^ (bits >> 30)) * 0xBF58476D1CE4E5B9U;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBU;
    return bits ^ (bits >> 31);
  }

  std::int64_t below(std::int64_t bound) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(bound));
  }

  double gain() { return 1 + kGain * (static_cast<double>(next() >> 11) * 0x1p-52 - 1); }

 private:
  std::uint64_t state_;
};

at::Tensor sampled(const at::Tensor& gradient) {
  const auto flat = gradient.detach().flatten().cpu();
  if (flat.numel() <= kMost) return flat.clone();
  constexpr auto kRuns = kMost / kRun;
  std::vector<at::Tensor> runs;
  for (std::int64_t run = 0; run < kRuns; ++run) {
    runs.push_back(flat.narrow(0, run * (flat.numel() - kRun) / (kRuns - 1), kRun));
  }
  return at::cat(runs);
}

[[noreturn]] void other_model(const std::string& pointer, const std::string& what) {
  throw ConfigError{
      "profile",
      {{pointer,
        what + "; this profile is of another model: make one of the scenario's model with pacbench "
               "profile"}}};
}

/// All buckets as one, in their order: for methods that take the whole model at once.
BucketLayout joined(const Layout& layout) {
  BucketLayout whole;
  for (const auto& bucket : layout) {
    for (auto slice : bucket.slices) {
      slice.offset += whole.elements;
      whole.slices.push_back(std::move(slice));
    }
    whole.elements += bucket.elements;
  }
  return whole;
}

}  // namespace

GradientSample::GradientSample(const std::vector<at::Tensor>& gradients) {
  for (const auto& gradient : gradients) {
    parts_.push_back(sampled(gradient));
    counts_.push_back(parts_.back().numel());
  }
}

GradientSample::GradientSample(const std::string& path, std::vector<std::int64_t> counts)
    : counts_{std::move(counts)} {
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(path) / sizeof(float));
  const auto expected = std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
  if (found != expected) {
    throw ConfigError{
        path,
        {{"", fmt::format("found {} values, expected {} as in the profile; make the profile again",
                          found, expected)}}};
  }
  parts_ = at::from_file(path, /*shared=*/false, expected, at::kFloat).split_with_sizes(counts_);
}

std::string GradientSample::bytes() const {
  const auto flat = at::cat(parts_);
  return {static_cast<const char*>(flat.const_data_ptr()), flat.nbytes()};
}

void GradientSample::draw(std::size_t position, at::Tensor gradient, std::uint64_t key) const {
  const auto& values = parts_.at(position);
  Draws draws{key};
  for (std::int64_t done = 0; done < gradient.numel();) {
    const auto first = draws.below(values.numel());
    const auto count = std::min(values.numel() - first, gradient.numel() - done);
    auto part = gradient.narrow(0, done, count);
    at::mul_out(part, values.narrow(0, first, count), at::scalar_tensor(draws.gain()));
    done += count;
  }
}

Layout layout_of(const Profile& profile, const std::vector<Parameter>& parameters) {
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    numbers[parameters[i].name] = i;
  }
  Layout layout;
  for (std::size_t b = 0; b < profile.buckets.size(); ++b) {
    const auto& bucket = profile.buckets[b];
    BucketLayout described;
    described.index = static_cast<int>(b);
    for (std::size_t p = 0; p < bucket.parameters.size(); ++p) {
      const auto found = numbers.find(bucket.parameters[p]);
      if (found == numbers.end()) {
        other_model(fmt::format("/buckets/{}/parameters/{}", b, p),
                    fmt::format("found \"{}\", expected a parameter of the model that no other "
                                "bucket has",
                                bucket.parameters[p]));
      }
      add_to(described, found->second, parameters[found->second]);
      numbers.erase(found);
    }
    if (described.elements != bucket.elements) {
      other_model(
          fmt::format("/buckets/{}/elements", b),
          fmt::format(
              "found {} elements, expected {}, which the bucket's parameters have in this model",
              bucket.elements, described.elements));
    }
    layout.push_back(std::move(described));
  }
  if (!numbers.empty()) {
    other_model("/buckets", fmt::format("{} of the model's parameters are in no bucket, \"{}\" "
                                        "among them",
                                        numbers.size(), numbers.begin()->first));
  }
  return layout;
}

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
  const ValuesKept buffers_kept{tensors_of(replica_.buffers())};
  replica_.loss(replica_.batch(1)).backward();
}

/// Warms up scoring, and makes the parameters' gradients views of their buckets, as Reducer does.
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
    const Ending ended;
    exchanges.push_back(ended.future());
    hand_over_.start(static_cast<int>(bucket), sample_ ? gradients_[bucket] : at::empty({0}),
                     ended);
  }
  for (auto& exchange : exchanges) exchange.wait();
  for (auto& exchange : exchanges) exchange.get();
}

void ProfiledGradients::step(double /*lr*/) {
  sleep_until(emulated_ns() + in_ns(times_->optimizer_ms));
}

double ProfiledGradients::loss() {
  const OwnCore::Pause pause;
  sleep_until(emulated_ns() + in_ns(times_->forward_ms));
  return 0;
}

}  // namespace pacbench::trainer
