#include "harness/calibration/measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "base/clock.h"
#include "contract/worker/measure_spec.h"
#include "harness/machine/process.h"
#include "harness/machine/process_channel.h"

namespace pacbench::calibration {
namespace {

constexpr int kTickMs = 100;
// A worker writes nothing while it loads torch, which takes less than this on a busy machine, too.
constexpr double kStart_s = 120;
// CPUs may be busy.
constexpr double kSlowness = 2;

/// One rank: the pipes to its worker, and what the worker wrote.
struct Rank {
  Rank(std::string specification, int number) : channel{std::move(specification)}, rank{number} {}

  ProcessChannel channel;
  int rank;
  std::string errors;
  std::vector<AllReduceEvent> events;
};

MeasureSpec specification(const Network& shape, const std::vector<Test>& tests, double silence_s) {
  MeasureSpec spec;
  spec.workers = shape.workers;
  spec.timeout_s = silence_s;
  for (const auto& test : tests) {
    spec.all_reduces.push_back({test.subject.bytes, test.repeat});
    spec.ordinary_rounds = std::max(spec.ordinary_rounds, test.repeat);
  }
  return spec;
}

/// The ranks of a group. The constructor starts them, and follow() waits until all have ended.
/// After an error the host ends those that still run.
class Ranks {
 public:
  Ranks(links::Fabric& host, MeasureSpec spec, const std::string& worker)
      : events_each_{spec.all_reduces.size() + 1} {
    const auto rendezvous = memory_file("pacbench-rendezvous", 0);
    const auto second_rendezvous = memory_file("pacbench-rendezvous", 0);
    for (spec.rank = 0; spec.rank < spec.workers; ++spec.rank) {
      spec.interface = host.interface(spec.rank);
      auto& rank = ranks_.emplace_back(to_json(spec).dump(), spec.rank);
      auto fds = rank.channel.program_ends();
      fds.insert(fds.end(), {rendezvous.get(), second_rendezvous.get()});
      host.spawn({spec.rank, {worker}, minimal_environment()}, fds);
      rank.channel.started();
    }
  }

  void add_to(std::vector<pollfd>& polls) const {
    for (const auto& rank : ranks_) rank.channel.add_to(polls);
  }

  /// Reads the events that the ranks wrote; true when any did.
  bool exchange() {
    bool heard = false;
    for (auto& rank : ranks_) {
      for (const auto& line : rank.channel.exchange()) {
        rank.events.push_back(all_reduce_event_from_json(parse_json("worker", line)));
        heard = true;
      }
      rank.errors += rank.channel.take_errors();
    }
    return heard;
  }

  bool all_ended() const {
    return std::ranges::all_of(ranks_, [](const Rank& rank) { return rank.channel.closed(); });
  }

  /// Throws ProtocolError for the first rank that has ended before all its events.
  void check() const {
    for (const auto& rank : ranks_) {
      if (!rank.channel.closed() || rank.events.size() == events_each_) continue;
      const auto words = last_lines(rank.errors, 3);
      throw ProtocolError{
          fmt::format("the worker of rank {} that times all-reduces ended early: {}", rank.rank,
                      words.empty() ? "it does not say why" : words)};
    }
  }

  /// The times on rank 0 of the all-reduces (rounds) of one event. Rounds follow each other, so
  /// their sum is the time of all of them.
  std::vector<double> times_ms(std::size_t event) const {
    auto times = ranks_.front().events.at(event).times_s;
    for (auto& time : times) time *= 1e3;
    return times;
  }

  bool real_time() const {
    return std::ranges::all_of(ranks_,
                               [](const Rank& rank) { return rank.events.front().real_time; });
  }

  std::size_t events() const {
    std::size_t least = events_each_;
    for (const auto& rank : ranks_) least = std::min(least, rank.events.size());
    return least;
  }

 private:
  std::size_t events_each_;
  std::deque<Rank> ranks_;
};

/// Waits until all ranks end; returns the circumstances while each event was measured. Throws
/// ProtocolError when all ranks are silent for `silence_s`.
std::vector<Circumstances> follow(Ranks& ranks, links::Fabric& fabric, double silence_s,
                                  const Interrupt& interrupt) {
  std::vector<Circumstances> all;
  Watch watch{fabric};
  auto heard_ns = monotonic_ns();
  while (!ranks.all_ended()) {
    interrupt.throw_if_requested();
    if (seconds(monotonic_ns() - heard_ns) > silence_s) {
      throw ProtocolError{
          fmt::format("the workers that time all-reduces wrote nothing for {:.0f} s, expected the "
                      "rounds of each size to take less; end other programs on this machine, and "
                      "run pacbench calibrate again",
                      silence_s)};
    }
    std::vector<pollfd> polls{{fabric.fd(), POLLIN, 0}, {interrupt.fd(), POLLIN, 0}};
    ranks.add_to(polls);
    ::poll(polls.data(), polls.size(), kTickMs);
    fabric.take_exited();
    if (ranks.exchange()) heard_ns = monotonic_ns();
    ranks.check();
    while (all.size() < ranks.events()) {
      all.push_back(watch.circumstances());
      watch = Watch{fabric};
    }
  }
  return all;
}

}  // namespace

double longest_silence_s(const Network& shape, const std::vector<Test>& tests) {
  double longest_s = 0;
  for (const auto& test : tests) longest_s = std::max(longest_s, expected_s(test, shape));
  return kStart_s + kSlowness * longest_s;
}

AllReduces time_all_reduces(links::Fabric& fabric, const Network& shape,
                            const std::vector<Test>& tests, const std::string& worker,
                            const Interrupt& interrupt) {
  const double silence_s = longest_silence_s(shape, tests);
  Ranks ranks{fabric, specification(shape, tests, silence_s), worker};
  const auto circumstances = follow(ranks, fabric, silence_s, interrupt);
  AllReduces result;
  result.real_time = ranks.real_time();
  for (std::size_t i = 0; i < tests.size(); ++i) {
    result.rows.push_back({tests[i].subject, ranks.times_ms(i), circumstances.at(i)});
  }
  const auto rate_mbit = tests.front().subject.rate_mbit;
  const auto floor = [&](Quantity quantity, std::size_t event) {
    const Subject subject{rate_mbit, quantity, Shaped::kBoth, kFloorBytes};
    result.rows.push_back({subject, ranks.times_ms(event), circumstances.at(event)});
  };
  for (std::size_t i = 0; i < tests.size(); ++i) {
    if (tests[i].subject.bytes == kFloorBytes) floor(Quantity::kFloor, i);
  }
  floor(Quantity::kOrdinaryFloor, tests.size());
  return result;
}

}  // namespace pacbench::calibration
