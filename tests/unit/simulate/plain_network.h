#pragma once

#include <map>
#include <utility>

#include "contract/scenario/simulate.h"
#include "simulate/network/stream.h"

namespace pacbench::simulate {

inline constexpr int kMtu = 1500;

/// A network in which a packet crosses one direction, that of its sender, which is a wire.
class PlainNetwork : public Network {
 public:
  explicit PlainNetwork(double bytes_per_s = 1e6, double latency_s = 0)
      : service_{bytes_per_s, {}}, latency_s_{latency_s} {}

  double now_s() const override { return now_s_; }
  void after(double seconds, Then then) override {
    events_.emplace(std::pair{now_s_ + seconds, number_++}, std::move(then));
  }
  const Path& path(int from, int to) override {
    return paths_.try_emplace({from, to}, Path{{from}, latency_s_}).first->second;
  }
  const Service& service(int /*direction*/) override { return service_; }

  void run() {
    while (!events_.empty()) {
      auto event = events_.extract(events_.begin());
      now_s_ = event.key().first;
      event.mapped()();
    }
  }

 private:
  Service service_;
  double latency_s_;
  double now_s_ = 0;
  int number_ = 0;
  std::map<std::pair<double, int>, Then> events_;  ///< of one time in the order of their making
  std::map<std::pair<int, int>, Path> paths_;
};

/// A model in which nothing takes time but the links.
inline Simulate only_links() { return {1, 0, 0, 0, 0}; }

/// Connections that hand whole messages to their links, and whose window is never full.
inline Stream::Settings whole_messages() { return {kMtu, 1 << 30, 1 << 20}; }

}  // namespace pacbench::simulate
