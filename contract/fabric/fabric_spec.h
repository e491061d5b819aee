#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace pacbench::netd {

/// Delay, loss and reordering of packets in one direction.
struct Impairment {
  double delay_ms = 0;
  double jitter_ms =
      0;               ///< uniform, within delay_ms ± jitter_ms; packets overtake each other by it
  double loss = 0;     ///< share of packets lost, independently
  double reorder = 0;  ///< share of packets that are not delayed and so overtake others

  bool any() const { return delay_ms > 0 || jitter_ms > 0 || loss > 0 || reorder > 0; }
};

/// One direction of a link.
struct Direction {
  double rate_mbit = 0;          ///< as shaped, after rate accounting
  std::int64_t queue_bytes = 0;  ///< in front of it; 0: what its rate and flows need
  Impairment impairment;
};

/// A worker's link to its switch. Directions "worker3.up" (sent by the worker), "worker3.down".
struct WorkerLink {
  int attached_to = 0;  ///< switch
  Direction up;
  Direction down;
};

/// A link between two switches. Directions "trunk0.forward" (from a to b), "trunk0.backward".
struct Trunk {
  int a = 0;
  int b = 0;
  Direction forward;
  Direction backward;
};

/// The kernel's tick. The kernel holds HTB's bursts and netem's times as 32-bit numbers of ticks.
inline constexpr double kTick_s = 64e-9;

/// How HTB is to hold a rate.
struct Shaper {
  std::int64_t burst_bytes = 15 * 1024;  ///< the bucket where packets come spaced already
  std::int64_t ceil_burst_bytes = 1600;  ///< the bucket where packets are spaced
  std::int64_t gso_max_bytes = 16384;    ///< of the packets that workers hand to their links
};

/// Returns the shaper that was measured to be the most exact for links of a rate, for messages and
/// rings together (docs/fidelity/messages.md). Its packets are smaller where they cost little. Its
/// bucket holds the bytes that are due by the time of a late wake-up.
Shaper usual_shaper(double rate_mbit);

/// A fabric: switches joined by trunks to a tree, and workers' links on them.
struct CreateRequest {
  static constexpr int kMaxWorkers = 128;
  static constexpr int kMaxSwitches = 32;

  std::vector<WorkerLink> workers;  ///< worker 0, 1, ...
  int switches = 1;
  std::vector<Trunk> trunks;
  int mtu = 1500;
  std::string congestion_control = "cubic";
  Shaper shaper;
  /// A second device in each worker's namespace, without shaping, for what is to cross no link.
  bool control_network = false;
};

/// One switch, and links of the same rate in both directions.
CreateRequest star(int workers, double rate_mbit);

/// The IPv4 address of a worker within its fabric.
std::string worker_address(int worker);

/// The IPv4 address of a worker on the control network.
std::string control_address(int worker);

std::string up_name(int worker);       ///< "worker3.up"
std::string down_name(int worker);     ///< "worker3.down"
std::string forward_name(int trunk);   ///< "trunk0.forward"
std::string backward_name(int trunk);  ///< "trunk0.backward"

/// Names of all directions: of worker 0 up, down, of worker 1 ..., then of the trunks.
std::vector<std::string> direction_names(const CreateRequest& request);

/// The direction of that name; nullptr when there is none.
const Direction* find_direction(const CreateRequest& request, const std::string& name);

/// Names of the directions that a packet from one worker to another crosses, in order. The
/// trunks make a tree.
std::vector<std::string> route(const CreateRequest& request, int from, int to);

/// How HTB is to hold the rate of one direction: as the request's shaper says, but with the larger
/// bucket at a worker's down link when every packet to it has already been spaced, by the links
/// before, at that rate or a lower one. Packets then come no closer than the link carries them, and
/// the small bucket would do nothing but wait for a timer whenever two come closer by chance.
Shaper shaper_of(const CreateRequest& request, const std::string& direction);

/// The number of ordered pairs of workers whose packets cross a direction: the flows over it when
/// every worker sends to every other.
int flows_over(const CreateRequest& request, const std::string& name);

}  // namespace pacbench::netd
