#include "harness/record/network_trace.h"

#include <algorithm>

#include "base/frames.h"
#include "base/json/checked_keys.h"

namespace pacbench {

template <>
struct JsonFields<record::NetworkTrace::LoadSample> {
  using T = record::NetworkTrace::LoadSample;
  static constexpr std::tuple kAll{required("at_ns", &T::at_ns),
                                   required("bytes", &T::bytes),
                                   required("sent_bytes", &T::sent_bytes),
                                   required("segments", &T::segments),
                                   required("segments_received", &T::segments_received),
                                   required("retransmits", &T::retransmits)};
};

}  // namespace pacbench

namespace pacbench::record {
namespace {

NetworkTrace::LoadFrames frames(const NetworkTrace::LoadSample& sample) {
  return {static_cast<double>(sample.sent_bytes + kFrameHeaderBytes * sample.segments),
          static_cast<double>(sample.bytes +
                              kFrameHeaderBytes * (sample.segments - sample.retransmits)),
          static_cast<double>(kFrameHeaderBytes * sample.segments_received)};
}

double between(double low, double high, double share) { return low + (high - low) * share; }

}  // namespace

Json NetworkTrace::scheduled_event(const netd::ScheduledReply& reply) {
  return {{"event", EventKind::kScheduled}, {"start_ns", reply.start_ns}};
}

Json NetworkTrace::stepped_event(const netd::SteppedEvent& event) {
  return {{"event", EventKind::kStepped},
          {"due_ns", event.due_ns},
          {"applied_ns", event.applied_ns},
          {"rate_mbit", event.rate_mbit}};
}

Json NetworkTrace::load_event(int load, const Json& line) {
  auto event = line;
  event["event"] = EventKind::kLoad;
  event["load"] = load;
  return event;
}

void NetworkTrace::add(EventKind kind, const Json& event) {
  if (kind == EventKind::kScheduled) {
    schedule_start_ns_ = event.at("start_ns");
  } else if (kind == EventKind::kStepped) {
    steps_.push_back({0, event.at("due_ns"), event.at("applied_ns"), event.at("rate_mbit")});
  } else if (kind == EventKind::kLoad) {
    loads_[event.at("load").get<int>()].push_back(event.get<LoadSample>());
  }
}

NetworkTrace::LoadFrames NetworkTrace::frames_at(int load, std::int64_t at_ns) const {
  const auto found = loads_.find(load);
  if (found == loads_.end()) return {};
  const auto& samples = found->second;
  const auto after = std::ranges::upper_bound(samples, at_ns, {}, &LoadSample::at_ns);
  if (after == samples.end()) return frames(samples.back());
  // The load began at most one report interval before its first report.
  constexpr std::int64_t kReportNs = 100'000'000;
  const bool first = after == samples.begin();
  const auto low = first ? LoadFrames{} : frames(*(after - 1));
  const auto low_ns = first ? after->at_ns - kReportNs / time_dilation_ : (after - 1)->at_ns;
  const auto high = frames(*after);
  const double share = std::clamp(
      static_cast<double>(at_ns - low_ns) / static_cast<double>(after->at_ns - low_ns), 0.0, 1.0);
  return {between(low.data_sent, high.data_sent, share),
          between(low.data_received, high.data_received, share),
          between(low.acknowledgements, high.acknowledgements, share)};
}

}  // namespace pacbench::record
