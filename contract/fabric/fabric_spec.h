#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// One direction of a link.
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

/// The names of the directions that are made on this host, in the order of direction_names().
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

}  // namespace pacbench::netd
