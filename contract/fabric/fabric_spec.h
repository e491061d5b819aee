#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/checked_keys.h"

/// The bounds of networks: of what users write, and of what the daemon takes.
namespace pacbench {

// A rate outside these bounds is more likely a mistyped unit than a link. The daemon takes half of
// the least one too: where tc does not see all bytes, a shaper's rate is below the declared one.
inline constexpr double kLeastLinkMbit = 0.1;
inline constexpr double kMostLinkMbit = 100'000;
inline constexpr double kLeastShapedMbit = kLeastLinkMbit / 2;

// Steps that are closer to each other could hardly be told from steps that come late. 200 s of a
// trace have this many steps at most, and a request with them is shorter than the longest message.
inline constexpr double kLeastStepS = 0.01;
inline constexpr std::size_t kMostSteps = 20'000;
inline constexpr double kMostScheduleS = 86'400;

inline constexpr int kMostOnASwitch = 1024;

inline constexpr Range kDelayBoundsMs{0.0, 10'000.0};
inline constexpr Range kMtuBounds{576.0, 65'535.0};

}  // namespace pacbench

namespace pacbench::netd {

/// Delay, loss and reordering of packets in one direction.
struct Impairment {
  double delay_ms = 0;
  double jitter_ms =
      0;               ///< uniform, within delay_ms ± jitter_ms; packets might overtake each other
  double loss = 0;     ///< share of packets lost, independently
  double reorder = 0;  ///< share of packets that are not delayed and so overtake others

  bool any() const { return delay_ms > 0 || jitter_ms > 0 || loss > 0 || reorder > 0; }
};

struct Direction {
  /// The shaper's rate: the declared rate, or less with rate_accounting "wire", which counts bytes
  /// that tc does not see.
  double rate_mbit = 0;
  std::int64_t queue_bytes = 0;  ///< at the sending end; 0: as netd::queue_bytes() chooses
  Impairment impairment;
  double most_rate_mbit = 0;  ///< the highest rate of a schedule to come; 0: there is none

  double fastest_mbit() const { return std::max(rate_mbit, most_rate_mbit); }
};

/// A worker's link to its switch. The directions of worker 3 are "worker3.up" (sent by the worker)
/// and "worker3.down".
struct WorkerLink {
  int attached_to = 0;  ///< switch
  Direction up;
  Direction down;
};

/// A link between two switches. The directions of trunk 0 are "trunk0.forward" (from a to b) and
/// "trunk0.backward".
struct Trunk {
  int a = 0;
  int b = 0;
  Direction forward;
  Direction backward;
};

/// The kernel's tick. Messages to and from the kernel give HTB's bursts as 32-bit numbers of ticks.
/// netem's times are in ticks too, where they are not given in nanoseconds.
inline constexpr double kTick_s = 64e-9;

/// How HTB holds a rate: by two token buckets, of which the smaller one takes effect.
struct Shaper {
  static constexpr std::int64_t kSingleFrames = 1;  ///< as gso_max_bytes: each frame is a packet

  std::int64_t burst_bytes = 15 * 1024;  ///< takes effect where earlier links space packets
  std::int64_t ceil_burst_bytes = 1600;  ///< takes effect where this link spaces the packets
  std::int64_t gso_max_bytes = 16384;    ///< largest packet that a worker hands to its link
};

/// Returns the shaper for links of a rate. In measurements of single messages and of rings it was
/// the most exact for both together (docs/fidelity/messages.md). Slower links get smaller packets,
/// because these cost little there. `ceil_burst_bytes` covers at least the bytes that become due
/// while the kernel wakes up late.
Shaper usual_shaper(double rate_mbit);

/// The network between hosts, in the place of a fabric's only switch. One worker is made on this
/// host, and its link leads to one of the host's interfaces.
struct Uplink {
  int worker = 0;                 ///< the worker that is made on this host
  std::string interface;          ///< of this host; the worker's link leads to it
  std::string control_interface;  ///< of this host; the control network leads to it
  /// Tells the hardware addresses of this fabric from those of another one on the same network.
  int fabric = 0;
  /// Tells the hardware addresses of one user from those of another. No message holds it: the
  /// daemon takes it from the caller's user number (modulo kOwners), so that no user can choose it.
  int owner = 0;

  static constexpr int kFabrics = 1 << 16;
  static constexpr int kOwners = 1 << 14;
};

/// A fabric: switches that trunks join to a tree, and the workers' links to the switches.
struct CreateRequest {
  static constexpr int kMaxWorkers = 128;
  static constexpr int kMaxSwitches = 32;

  std::vector<WorkerLink> workers;  ///< worker 0, 1, ...
  int switches = 1;
  std::vector<Trunk> trunks;
  int mtu = 1500;
  std::string congestion_control = "cubic";
  int rto_min_ms = 0;  ///< TCP's least retransmission time-out; 0: the kernel's, kKernelRtoMinMs
  static constexpr int kKernelRtoMinMs = 200;
  Shaper shaper;
  /// Adds a second device without shaping to each worker's namespace, for traffic that must not
  /// cross the shaped links.
  bool control_network = false;
  /// The links exist already, between the hosts of a cluster. Nothing shapes them to the rates.
  bool measured = false;
  std::optional<Uplink> uplink;
};

/// The workers that are made on this host: all of them, or the uplink's.
std::vector<int> workers_here(const CreateRequest& request);

/// A fabric of one switch, whose links all have the same rate in both directions.
CreateRequest star(int workers, double rate_mbit);

/// The IPv4 address of a worker within its fabric.
std::string worker_address(int worker);

/// The IPv4 address of a worker on the control network.
std::string control_address(int worker);

std::string up_name(int worker);       ///< "worker3.up"
std::string down_name(int worker);     ///< "worker3.down"
std::string forward_name(int trunk);   ///< "trunk0.forward"
std::string backward_name(int trunk);  ///< "trunk0.backward"

/// Calls `visit` with each direction and its name, in the order of direction_names(). The request
/// may be const.
template <typename Request, typename Visit>
void for_each_direction(Request& request, const Visit& visit) {
  for (int worker = 0; worker < static_cast<int>(request.workers.size()); ++worker) {
    auto& link = request.workers[static_cast<std::size_t>(worker)];
    visit(link.up, up_name(worker));
    visit(link.down, down_name(worker));
  }
  for (int number = 0; number < static_cast<int>(request.trunks.size()); ++number) {
    auto& trunk = request.trunks[static_cast<std::size_t>(number)];
    visit(trunk.forward, forward_name(number));
    visit(trunk.backward, backward_name(number));
  }
}

/// The names of all directions: up and down of worker 0, of worker 1 and so on, then those of the
/// trunks.
std::vector<std::string> direction_names(const CreateRequest& request);

std::vector<std::string> directions_here(const CreateRequest& request);

/// The place of a direction in the order of direction_names(); absent for an unknown name.
std::optional<std::size_t> place_of(const CreateRequest& request, std::string_view name);

/// The direction of that name; nullptr when there is none.
const Direction* find_direction(const CreateRequest& request, const std::string& name);

/// Names of the directions that a packet from one worker to another crosses, in order. The trunks
/// must make a tree.
std::vector<std::string> route(const CreateRequest& request, int from, int to);

/// The request's shaper for one direction. One kind of direction differs: a worker's down link
/// whose packets all come spaced already, because each way to it has a link of the same rate or a
/// lower one. There `ceil_burst_bytes` is raised to `burst_bytes`: a smaller bucket would only make
/// a packet wait for a timer whenever two packets come closer together by chance.
Shaper shaper_of(const CreateRequest& request, const std::string& direction);

/// The number of ordered pairs of workers whose packets cross a direction. These are its flows when
/// every worker sends to every other. 0 for an unknown name.
int flows_over(const CreateRequest& request, const std::string& name);

/// True when workers hand only packets of one frame to their links: where some direction has loss
/// or reordering, which must happen to single packets, and where the shaper says so.
bool needs_single_packets(const CreateRequest& request);

/// The most bytes that TCP may put into one packet for a worker's link (GSO). These are the
/// shaper's gso_max_bytes, but at least two MTUs and at most 65536.
std::int64_t gso_max_bytes(const CreateRequest& request);

/// The bytes of the largest packet that a worker hands to its link. It has several frames (GSO), or
/// a single one where needs_single_packets() says so.
std::int64_t largest_packet_bytes(const CreateRequest& request);

/// The bytes of the shortest queue that serves every flow over a direction. A queue drops whole
/// packets, so it must have room for one packet of each flow.
std::int64_t least_queue_bytes(const CreateRequest& request, const std::string& direction);

/// The bytes of a direction's queue. Where the request declares none, the queue has room for what
/// the direction's rate carries in 15 ms, but for at least 256 KiB and for what its flows need. An
/// undeclared queue of a trunk also has room for 1000 full frames.
std::int64_t queue_bytes(const CreateRequest& request, const std::string& direction);

/// Says why a declared queue is too short, with the arithmetic; empty when it is long enough.
std::string queue_shortage(const CreateRequest& request, const std::string& direction);

inline constexpr Range kSwitch{0.0, CreateRequest::kMaxSwitches - 1.0};

}  // namespace pacbench::netd

namespace pacbench {

template <>
struct JsonFields<netd::Impairment> {
  using T = netd::Impairment;
  static constexpr Range kShare{0.0, 1.0};
  static constexpr std::tuple kAll{required("delay_ms", &T::delay_ms, kDelayBoundsMs),
                                   required("jitter_ms", &T::jitter_ms, kDelayBoundsMs),
                                   required("loss", &T::loss, kShare),
                                   required("reorder", &T::reorder, kShare)};
};

template <>
struct JsonFields<netd::Direction> {
  using T = netd::Direction;
  static constexpr std::tuple kAll{
      required("rate_mbit", &T::rate_mbit, Range{kLeastShapedMbit, kMostLinkMbit}),
      required("queue_bytes", &T::queue_bytes, Range{0.0, 1e9}),
      required("impairment", &T::impairment),
      sparse("most_rate_mbit", &T::most_rate_mbit, Range{0.0, kMostLinkMbit})};
};

template <>
struct JsonFields<netd::Shaper> {
  using T = netd::Shaper;
  static constexpr Range kBurst{1.0, 1e8};
  static constexpr std::tuple kAll{
      required("burst_bytes", &T::burst_bytes, kBurst),
      required("ceil_burst_bytes", &T::ceil_burst_bytes, kBurst),
      required("gso_max_bytes", &T::gso_max_bytes, Range{1.0, 65536.0})};
};

template <>
struct JsonFields<netd::WorkerLink> {
  using T = netd::WorkerLink;
  static constexpr std::tuple kAll{required("attached_to", &T::attached_to, netd::kSwitch),
                                   required("up", &T::up), required("down", &T::down)};
};

template <>
struct JsonFields<netd::Trunk> {
  using T = netd::Trunk;
  static constexpr std::tuple kAll{
      required("a", &T::a, netd::kSwitch), required("b", &T::b, netd::kSwitch),
      required("forward", &T::forward), required("backward", &T::backward)};
};

template <>
struct JsonFields<netd::Uplink> {
  using T = netd::Uplink;
  static constexpr std::tuple kAll{
      required("worker", &T::worker, Range{0.0, netd::CreateRequest::kMaxWorkers - 1.0}),
      required("interface", &T::interface), required("control_interface", &T::control_interface),
      required("fabric", &T::fabric, Range{0.0, 65535.0})};
};

template <>
struct JsonFields<netd::CreateRequest> {
  using T = netd::CreateRequest;
  static constexpr std::array kControls{"cubic", "reno", "bbr"};
  static constexpr std::tuple kAll{
      required("workers", &T::workers),
      required("switches", &T::switches, Range{1.0, T::kMaxSwitches}),
      required("trunks", &T::trunks),
      required("mtu", &T::mtu, kMtuBounds),
      required("congestion_control", &T::congestion_control, kControls),
      sparse("rto_min_ms", &T::rto_min_ms, Range{0.0, 60'000.0}),
      required("shaper", &T::shaper),
      sparse("control_network", &T::control_network),
      sparse("measured", &T::measured),
      sparse("uplink", &T::uplink)};
};

}  // namespace pacbench

namespace pacbench::netd {

/// Reads a create request except for its type and version. Complains of errors, such as trunks that
/// make no tree, but not of those that contradictions() finds.
CreateRequest read_fabric(ObjectReader& reader);

/// The contradictions between values of a request that are each within bounds: queues too short for
/// their flows, bursts too long for the kernel, jitter above the delay, and reordering without
/// delay.
std::vector<Issue> contradictions(const CreateRequest& request);

}  // namespace pacbench::netd
