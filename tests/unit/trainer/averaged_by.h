#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "trainer/methods/method.h"

namespace pacbench::trainer::test {

/// An averager that does not declare its calls, for tests that make any calls.
class Undeclared : public Averager {
 public:
  Declares declares() const override { return Declares::kNothing; }
  std::vector<PlannedCollective> traffic(const BucketLayout&, const Step&) const override {
    return {};
  }
};

/// The method that averages gradients by an averager made from `arguments`.
template <typename Kind, typename... Arguments>
std::unique_ptr<Method> averaged_by(Arguments&&... arguments) {
  return std::make_unique<Method>(std::make_unique<Kind>(std::forward<Arguments>(arguments)...));
}

}  // namespace pacbench::trainer::test
