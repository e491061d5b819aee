#pragma once

#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "contract/profile/profile_draws.h"
#include "contract/worker/worker_spec.h"
#include "trainer/compose/gradient_sample.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/exchange/gradient_hand_over.h"
#include "trainer/rank/gradient_source.h"
#include "trainer/rank/replica.h"

namespace pacbench::trainer {

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
  std::uint64_t hash() const override;

 private:
  void warm_up_scoring();
  std::future<void> hand_over(std::size_t bucket);
  std::int64_t in_ns(double profiled_ms) const;

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
