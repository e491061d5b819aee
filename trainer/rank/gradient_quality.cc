#include "trainer/rank/gradient_quality.h"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace pacbench::trainer {

GradientError& GradientError::operator+=(const GradientError& other) {
  error += other.error;
  mean += other.mean;
  aggregate += other.aggregate;
  product += other.product;
  nonzero += other.nonzero;
  entries += other.entries;
  return *this;
}

double GradientError::cosine() const {
  return aggregate == 0 ? 0 : product / std::sqrt(aggregate * mean);
}

GradientError gradient_error(const float* aggregate, const std::vector<const float*>& ranks,
                             std::int64_t count) {
  GradientError sums;
  const auto size = static_cast<double>(ranks.size());
  for (std::int64_t i = 0; i < count; ++i) {
    double sum = 0;
    for (const auto* rank : ranks) sum += static_cast<double>(rank[i]);
    const double mean = sum / size;
    const double found = static_cast<double>(aggregate[i]);
    sums += {(found - mean) * (found - mean),
             mean * mean,
             found * found,
             found * mean,
             found == 0 ? 0.0 : 1.0,
             1};
  }
  return sums;
}

std::optional<QualityEvent> gradient_quality(const std::vector<Parameter>& parameters,
                                             const SharedGradients& laid, std::int64_t iteration) {
  QualityEvent event;
  event.iteration = iteration;
  event.residual_norm = laid.mean_residual_norm();
  GradientError all;
  std::vector<const float*> ranks;
  for (int rank = 0; rank < laid.ranks(); ++rank) ranks.push_back(laid.of(rank));
  for (const auto& parameter : parameters) {
    const auto aggregate = parameter.tensor.grad().cpu().contiguous();
    const auto sums = gradient_error(aggregate.const_data_ptr<float>(), ranks, aggregate.numel());
    for (auto& rank : ranks) rank += aggregate.numel();
    if (!std::isfinite(sums.error) || !std::isfinite(sums.mean)) {
      throw std::runtime_error{fmt::format("the gradient of {} is not finite in iteration {}",
                                           parameter.name, iteration)};
    }
    all += sums;
    if (sums.mean > 0) event.layers.push_back({parameter.name, sums.vnmse()});
  }
  if (all.mean == 0) return std::nullopt;
  event.vnmse = all.vnmse();
  event.cosine = all.cosine();
  event.density = all.density();
  event.mean_norm = std::sqrt(all.mean);
  return event;
}

}  // namespace pacbench::trainer
