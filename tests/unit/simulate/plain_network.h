#pragma once

#include <map>
#include <utility>

#include "contract/scenario/simulate.h"
#include "simulate/network/stream.h"

namespace pacbench::simulate {

inline constexpr int kMtu = 1500;

/// A network in which each packet crosses only its sender's direction. Directions are wires: they
/// have no token bucket.
class PlainNetwork : public Network {
 public:
  explicit PlainNetwork(double bytes_per_s = 1e6, double latency_s = 0)
      : service_{bytes_per_s, {}}, latency_s_{latency_s} {}

  double now_s() const override { return events_.now_s(); }
  void after(double seconds, Then then) override {
    events_.add(now_s() + seconds, std::move(then));
  }
  const Path& path(int from, int to) override {
    return paths_.try_emplace({from, to}, Path{{from}, latency_s_}).first->second;
  }
  const Service& service(int /*direction*/) override { return service_; }

  void run() { events_.run(); }

 private:
  Service service_;
  double latency_s_;
  Events events_;
  std::map<std::pair<int, int>, Path> paths_;
};

/// A model in which nothing takes time but the links.
inline Simulate only_links() { return {1, 0, 0, 0, 0, 0}; }

/// Connections that hand whole messages to their links, and whose window is never full.
inline Stream::Settings whole_messages() { return {kMtu, 1 << 30, 1 << 20}; }

}  // namespace pacbench::simulate
