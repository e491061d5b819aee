#include "trainer/rank/link_meter.h"

#include <net/if.h>

#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <utility>

#include "base/check.h"
#include "contract/worker/worker_spec.h"

namespace pacbench::trainer {
namespace {

int interface_index(const std::string& name) {
  const auto index = ::if_nametoindex(name.c_str());
  if (index == 0) check(("find interface " + name).c_str(), -1);
  return static_cast<int>(index);
}

int port_index() {
  const char* text = std::getenv(kPortIndexVariable);
  if (text == nullptr) {
    throw std::runtime_error{std::string{kPortIndexVariable} +
                             " is not set: a rank must be started by pacbench-netd"};
  }
  return std::atoi(text);
}

std::function<Traffic()> reader(TrafficCounters counters) {
  const auto shared = std::make_shared<TrafficCounters>(std::move(counters));
  return [shared] { return shared->read(); };
}

bool is_shaped(int interface_index) {
  try {
    TrafficCounters{interface_index}.read();
    return true;
  } catch (const std::system_error& error) {
    if (error.code().value() == ENODEV) return false;
    throw;
  }
}

}  // namespace

LinkMeter LinkMeter::of_link(const std::string& interface) {
  return {reader(TrafficCounters{interface_index(interface)}),
          reader(TrafficCounters{UniqueFd{worker_fd::kPortCounters}, port_index()})};
}

LinkMeter LinkMeter::of_device(const std::string& interface) {
  const auto received = [interface] { return device_traffic(interface).received; };
  const int index = interface_index(interface);
  if (is_shaped(index)) return {reader(TrafficCounters{index}), received};
  return {[interface] { return device_traffic(interface).sent; }, received};
}

Traffic LinkMeter::Way::lap() {
  const auto now = read();
  return now - std::exchange(last, now);
}

LinkTraffic LinkMeter::lap() {
  const auto sent = sent_.lap();
  const auto received = received_.lap();
  const auto retransmits = retransmitted_segments();
  return {sent.bytes,
          sent.packets,
          received.bytes,
          received.packets,
          sent.dropped_packets + received.dropped_packets,
          retransmits - std::exchange(last_retransmits_, retransmits)};
}

}  // namespace pacbench::trainer
