#include "trainer/methods/residuals.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <cmath>

namespace pacbench::trainer {

void Residuals::settle(const Layout& layout, c10::Device device) {
  for (const auto& bucket : layout) {
    auto& residual = residuals_[bucket.index];
    if (!residual.defined()) residual = at::zeros({bucket.elements}, device);
  }
}

void Residuals::visit_state(StateVisitor& visitor) {
  for (auto& [bucket, residual] : residuals_) {
    visitor.tensor(fmt::format("bucket{}/residual", bucket), residual);
  }
}

double Residuals::norm() const {
  double squares = 0;
  for (const auto& [bucket, residual] : residuals_) {
    const auto norm = residual.norm().item<double>();
    squares += norm * norm;
  }
  return std::sqrt(squares);
}

}  // namespace pacbench::trainer
