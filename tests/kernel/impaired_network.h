#pragma once

#include <gmock/gmock.h>

#include <optional>
#include <string>

#include "harness/links/fabric.h"
#include "harness/links/probing.h"

namespace pacbench {

/// Tests of a star whose links delay, lose or reorder packets.
class ImpairedNetwork : public ::testing::Test {
 protected:
  static constexpr double kRateMbit = 10;

  /// A star in which the impairment `up` applies to the packets that a worker sends, and `down` to
  /// those that it receives.
  static netd::CreateRequest request(int workers, const netd::Impairment& up,
                                     const netd::Impairment& down);

  void make(const netd::CreateRequest& request);
  pacbench::links::Fabric& fabric() { return *fabric_; }
  links::Probing& probing() { return *probing_; }
  const Interrupt& interrupt() const { return interrupt_; }

  /// The named direction with the settings that the kernel reports.
  const netd::ShapedLink& link(const std::string& name) const;

  /// Starts a program that stays in a worker's namespace. Returns its PID, by which the namespace
  /// can be entered.
  int hold(int slot);

 private:
  Interrupt interrupt_;
  std::optional<pacbench::links::Fabric> fabric_;
  std::optional<links::Probing> probing_;
};

/// The least and most successes of a two-sided interval that holds `coverage` of a binomial
/// distribution: either tail has at most half of the rest.
struct BinomialInterval {
  std::int64_t least = 0;
  std::int64_t most = 0;
};
BinomialInterval binomial_interval(std::int64_t trials, double probability, double coverage);

}  // namespace pacbench
