#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>

namespace pacbench::simulate {

/// Those whose flows cross a link now.
class Senders {
 public:
  void add(int sender) { ++flows_[sender]; }
  void remove(int sender);
  std::size_t count() const { return flows_.size(); }

 private:
  std::unordered_map<int, int> flows_;  ///< by sender
};

/// The share of a link's rate that its flows take together: all of it when they come from one host
/// or two, `sharing_factor` when from three or more. Flows of one host wait in front of its link
/// until it has room, and share it evenly; flows of several hosts meet in the queue of a switch,
/// where TCP finds out by loss how much of it is theirs.
class Sharing {
 public:
  explicit Sharing(double sharing_factor) : factor_{sharing_factor} {}

  /// For a link of this name, before anything crosses it. The link must not outlive this object.
  simgrid::s4u::NonLinearResourceCb policy_of(const std::string& link);
  /// Of a link that has got its policy. Throws std::out_of_range for another.
  Senders& senders_on(const std::string& link) { return *senders_.at(link); }

 private:
  double factor_;
  std::unordered_map<std::string, std::unique_ptr<Senders>> senders_;
};

}  // namespace pacbench::simulate
