#pragma once

#include <gmock/gmock.h>

#include <map>
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

  /// Datagrams of 200 bytes from one worker to another.
  struct Datagrams {
    links::DatagramsMeasurement seen;  ///< by the receiving program
    std::int64_t lost = 0;             ///< by the links
  };
  Datagrams send(const plan::Path& path, int count, double interval_us);

  /// Starts a program that stays in a worker's namespace. Returns its PID, by which the namespace
  /// can be entered.
  int hold(int slot);

 private:
  /// How many datagrams have come to a worker's host that its socket did not take. A receiver that
  /// does not run, as while the host pauses, has its buffer overflow: the link has carried these.
  std::int64_t refused_datagrams(int slot);

  Interrupt interrupt_;
  std::optional<pacbench::links::Fabric> fabric_;
  std::optional<links::Probing> probing_;
  std::map<int, int> held_;  ///< a program in a worker's namespace, by slot
};

}  // namespace pacbench
