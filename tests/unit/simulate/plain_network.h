#pragma once

#include <algorithm>
#include <map>
#include <utility>

#include "contract/scenario/simulate.h"
#include "simulate/network/network.h"

namespace pacbench::simulate {

inline constexpr int kMtu = 1500;

/// A network without sharing: each flow has the rate for itself, and crosses one direction, that of
/// its sender.
class PlainNetwork : public Network {
 public:
  explicit PlainNetwork(double bytes_per_s = 1e6, double latency_s = 0)
      : bytes_per_s_{bytes_per_s}, latency_s_{latency_s} {}

  double now_s() const override { return now_s_; }
  void after(double seconds, Then then) override {
    events_.emplace(std::pair{now_s_ + seconds, number_++}, std::move(then));
  }
  void carry(int from, int to, double wire_bytes, Then then) override {
    ++flows;
    carried[{from, to}] += wire_bytes;
    after(wire_bytes / bytes_per_s_, std::move(then));
  }
  const Path& path(int from, int to) override {
    return paths_.try_emplace({from, to}, Path{{from}, latency_s_, -1}).first->second;
  }

  const Queue& queue(int /*direction*/) override { return queue_; }
  double standing_bytes(int direction, double most_of_each) override {
    return direction == 1 ? std::min(standing, most_of_each) : 0;
  }

  void run() {
    while (!events_.empty()) {
      auto event = events_.extract(events_.begin());
      now_s_ = event.key().first;
      event.mapped()();
    }
  }

  int flows = 0;
  double standing = 0;  ///< in front of worker 1's direction
  std::map<std::pair<int, int>, double> carried;

 private:
  Queue queue_{1e6, 1e5, 3e4};
  double bytes_per_s_;
  double latency_s_;
  double now_s_ = 0;
  int number_ = 0;
  std::map<std::pair<double, int>, Then> events_;  ///< of one time in the order of their making
  std::map<std::pair<int, int>, Path> paths_;
};

/// A model in which nothing takes time but the links.
inline Simulate only_links() { return {1, 1, 0, 0, 0, 0}; }

}  // namespace pacbench::simulate
