#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace pacbench::trainer {

/// Walks over all that a method remembers from one iteration to the next, by name: to save it, to
/// restore it, or to look at it.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// May be undefined, before and after.
  virtual void tensor(const std::string& name, at::Tensor& value) = 0;
  virtual void number(const std::string& name, std::int64_t& value) = 0;
};

}  // namespace pacbench::trainer
