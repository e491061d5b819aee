#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <utility>

namespace pacbench::trainer {

/// Walks over all that a part of a rank (a method, its replica) remembers from one iteration to the
/// next, by name: to save it, to restore it, or to look at it.
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// `value` may be undefined, before and after the visit.
  virtual void tensor(const std::string& name, at::Tensor& value) = 0;
  virtual void number(const std::string& name, std::int64_t& value) = 0;
};

/// Prefixes names, so that the state of one of several like objects is distinct from the others'.
class PrefixedVisitor final : public StateVisitor {
 public:
  PrefixedVisitor(std::string prefix, StateVisitor& visitor)
      : prefix_{std::move(prefix)}, visitor_{visitor} {}
  void tensor(const std::string& name, at::Tensor& value) override {
    visitor_.tensor(prefix_ + name, value);
  }
  void number(const std::string& name, std::int64_t& value) override {
    visitor_.number(prefix_ + name, value);
  }

 private:
  std::string prefix_;
  StateVisitor& visitor_;
};

}  // namespace pacbench::trainer
