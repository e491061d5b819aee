#include "trainer/rank/gradient_quality.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

#include "base/check.h"
#include "base/unique_fd.h"

namespace pacbench::trainer {

SharedGradients::SharedGradients(StorePtr store, int rank, int ranks, std::int64_t elements)
    : SharedGradients{
          UniqueFd{check("memfd_create", ::memfd_create("pacbench-gradients", MFD_CLOEXEC))}.get(),
          rank, ranks, elements} {
  store_ = std::move(store);
}

SharedGradients::SharedGradients(int fd, int rank, int ranks, std::int64_t elements)
    : rank_{rank},
      ranks_{ranks},
      elements_{elements},
      bytes_{static_cast<std::size_t>(ranks) *
             (sizeof(double) + sizeof(float) * static_cast<std::size_t>(elements))} {
  // Every rank sets the size, to the same value.
  check("size the ranks' gradient memory", ::ftruncate(fd, static_cast<off_t>(bytes_)));
  address_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address_ == MAP_FAILED) {
    throw std::system_error{errno, std::generic_category(), "map the ranks' gradient memory"};
  }
}

SharedGradients::~SharedGradients() { ::munmap(address_, bytes_); }

void SharedGradients::lay(const std::vector<Parameter>& parameters, const WeightMasks& masks) {
  const at::NoGradGuard no_grad;
  auto* place = of(rank_);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& tensor = parameters[i].tensor;
    auto laid = at::from_blob(place, tensor.sizes(), at::kFloat);
    laid.copy_(tensor.grad());
    if (!masks.empty() && masks.mask(i).defined()) {
      laid.masked_fill_(masks.mask(i).logical_not(), 0);
    }
    place += tensor.numel();
  }
}

/// The pieces of a rank's data, of at most kPieceBytes each, to keep requests to the store small.
std::vector<SharedGradients::Piece> SharedGradients::pieces_of(int rank) const {
  constexpr std::size_t kPieceBytes = 4 << 20;
  std::vector<Piece> pieces;
  const auto add = [&](void* begin, std::size_t bytes) {
    for (std::size_t done = 0; done < bytes; done += kPieceBytes) {
      pieces.push_back({fmt::format("{}/{}", rank, pieces.size()),
                        static_cast<std::uint8_t*>(begin) + done,
                        std::min(kPieceBytes, bytes - done)});
    }
  };
  add(residual_norms() + rank, sizeof(double));
  add(of(rank), sizeof(float) * static_cast<std::size_t>(elements_));
  return pieces;
}

void SharedGradients::show() {
  if (!store_ || rank_ == 0) return;
  for (const auto& piece : pieces_of(rank_)) {
    store_->set(piece.key, std::vector<std::uint8_t>{piece.bytes, piece.bytes + piece.count});
  }
}

void SharedGradients::collect() {
  if (!store_) return;
  for (int rank = 1; rank < ranks_; ++rank) {
    for (const auto& piece : pieces_of(rank)) {
      const auto bytes = store_->get(piece.key);
      store_->deleteKey(piece.key);
      std::copy_n(bytes.begin(), std::min(bytes.size(), piece.count), piece.bytes);
    }
  }
}

std::optional<double> SharedGradients::mean_residual_norm() const {
  double sum = 0;
  int count = 0;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto norm = residual_norms()[rank];
    if (std::isnan(norm)) continue;
    sum += norm;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional{sum / count};
}

GradientError& GradientError::operator+=(const GradientError& other) {
  error += other.error;
  mean += other.mean;
  aggregate += other.aggregate;
  product += other.product;
  nonzero += other.nonzero;
  entries += other.entries;
  return *this;
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
    const double error = found - mean;
    const double nonzero = found == 0 ? 0 : 1;
    sums += {error * error, mean * mean, found * found, found * mean, nonzero, 1};
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
