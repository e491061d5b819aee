#pragma once

#include <memory>
#include <simgrid/s4u.hpp>
#include <string>
#include <unordered_map>

namespace pacbench::simulate {

/// The senders and receivers of the flows that cross a link now.
class Crossing {
 public:
  void add(int sender, int receiver);
  void remove(int sender, int receiver);
  /// Whether three hosts or more send to a single host over the link.
  bool meet() const { return senders_.size() > 2 && receivers_.size() == 1; }

 private:
  std::unordered_map<int, int> senders_;    ///< flows of each
  std::unordered_map<int, int> receivers_;  ///< flows to each
};

/// The share of a link's rate that its flows use together: `sharing_factor` when three hosts or
/// more send to a single host, else all of it. Flows of one host wait in front of its link until it
/// has room, and share it evenly. Flows to several hosts that meet between switches keep that link
/// busy, as measured flows did. Flows to one host end one after another, and leave the link idle.
class Sharing {
 public:
  explicit Sharing(double sharing_factor) : factor_{sharing_factor} {}

  /// Makes the policy of a link before any flow crosses it. The link must not outlive this object.
  simgrid::s4u::NonLinearResourceCb policy_of(const std::string& link);
  /// The flows over a link that has its policy. Throws std::out_of_range for any other link.
  Crossing& crossing(const std::string& link) { return *crossing_.at(link); }

 private:
  double factor_;
  std::unordered_map<std::string, std::unique_ptr<Crossing>> crossing_;
};

}  // namespace pacbench::simulate
