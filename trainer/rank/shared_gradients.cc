#include "trainer/rank/shared_gradients.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "base/check.h"

namespace pacbench::trainer {

SharedGradients::SharedGradients(int fd, int rank, int ranks, std::int64_t elements)
    : rank_{rank},
      ranks_{ranks},
      elements_{elements},
      bytes_{static_cast<std::size_t>(ranks) *
             (sizeof(double) + sizeof(float) * static_cast<std::size_t>(elements))} {
  // By every rank, to the same size.
  check("size the ranks' gradient memory", ::ftruncate(fd, static_cast<off_t>(bytes_)));
  address_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (address_ == MAP_FAILED) {
    throw std::system_error{errno, std::generic_category(), "map the ranks' gradient memory"};
  }
}

SharedGradients::~SharedGradients() { ::munmap(address_, bytes_); }

void SharedGradients::lay(const std::vector<Parameter>& parameters, const WeightMasks& masks) {
  const at::NoGradGuard no_grad;
  auto* place = gradient(rank_);
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

float* SharedGradients::gradient(int rank) const {
  return reinterpret_cast<float*>(residual_norms() + ranks_) + rank * elements_;
}

const float* SharedGradients::of(int rank) const { return gradient(rank); }

void SharedGradients::set_residual_norm(std::optional<double> norm) {
  residual_norms()[rank_] = norm.value_or(std::numeric_limits<double>::quiet_NaN());
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

}  // namespace pacbench::trainer
