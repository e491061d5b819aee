#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "contract/profile/profile.h"
#include "contract/worker/worker_spec.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

/// The buckets of a profile, made of a model's `parameters`. Throws ConfigError, with the place in
/// the profile, when a name is not the model's or occurs twice, an element count differs, or a
/// parameter is missing.
Layout layout_of(const Profile& profile, const std::vector<Parameter>& parameters);

/// Values of real gradients, enough of each parameter to represent it: all values of a small
/// parameter, else runs of neighbouring values from all over it.
class GradientSample {
 public:
  /// Samples the gradients of parameters, in the order of the buckets.
  explicit GradientSample(const std::vector<at::Tensor>& gradients);

  /// Maps the file of a profile's sample. Throws ConfigError when the number of values in the file
  /// is not the sum of `counts`, and another exception when the file cannot be read.
  GradientSample(const std::string& path, std::vector<std::int64_t> counts);

  const std::vector<std::int64_t>& counts() const { return counts_; }
  std::string bytes() const;  ///< the content of the sample's file

  /// Fills `gradient` (flat float) with values drawn from the sample of the parameter at `position`
  /// in the order of the buckets. It copies runs of values from random places and scales each run
  /// by a random factor from 0.9 to 1.1, so that neither values nor their order repeat. `key`
  /// seeds the random numbers.
  void draw(std::size_t position, at::Tensor gradient, std::uint64_t key) const;

 private:
  std::vector<std::int64_t> counts_;
  std::vector<at::Tensor> parts_;  ///< float32, of each parameter
};

/// Gradients drawn from a profile's sample before each iteration, and handed over bucket after
/// bucket at the profile's times. The rank sleeps while a model would compute; only GraSP's scores,
/// on rank 0, are computed with the model. The buckets are those of a rank that trains, and so are
/// the sent bytes where they do not depend on the gradients' values. Where exchanges are replayed
/// (compose.exchange "profile"), nothing reads gradients, so none are drawn or allocated.
class ProfiledGradients final : public GradientSource {
 public:
  /// Throws ConfigError unless the profile's buckets hold each parameter of the replica exactly
  /// once, and nothing else.
  ProfiledGradients(const WorkerSpec& spec, Replica& replica, ExchangeEngine& engine);

  void warm_up() override;
  Layout layout() const override { return layout_; }
  bool needs_preparation() const override { return sample_.has_value(); }
  void prepare(std::int64_t number) override;
  bool trains() const override { return false; }
  void begin(std::int64_t number) override;
  double forward() override;
  void backward() override;
  void step(double lr) override;
  double loss() override;

  /// The flat gradients of each bucket, as they were drawn or as the last exchange left them.
  const std::vector<at::Tensor>& gradients() const { return gradients_; }

  std::int64_t last_gradient_ns() const override { return last_gradient_ns_; }
  void compute_alone(std::int64_t number) override { prepare(number); }
  std::uint64_t hash() const override { return hash_of(gradients_); }

 private:
  void warm_up_scoring();
  std::int64_t in_ns(double profiled_ms) const {
    return static_cast<std::int64_t>(profiled_ms * compute_factor_ * 1e6);
  }

  std::uint64_t seed_;
  int rank_;
  double compute_factor_;
  Profile profile_;
  std::optional<GradientSample> sample_;  ///< none where exchanges are replayed
  Replica& replica_;
  ExchangeEngine& engine_;
  GradientHandOver hand_over_;
  Layout layout_;
  std::vector<std::size_t> last_of_;   ///< profile bucket that completes each layout bucket
  std::vector<at::Tensor> gradients_;  ///< of each bucket, flat; parameters' gradients are views
  std::vector<at::Tensor> drawn_;      ///< gradients_ on the host, where they are drawn
  DrawnIterations iterations_;
  const Profile::Iteration* times_;  ///< of the iteration under way
  std::int64_t start_ns_ = 0;        ///< of the iteration under way
  std::int64_t last_gradient_ns_ = 0;
};

}  // namespace pacbench::trainer
