#pragma once

#include <string>
#include <vector>

#include "harness/calibration/calibrate.h"

namespace pacbench::calibration {

/// A way to hold a rate.
struct Candidate {
  netd::Shaper shaper;
  std::string congestion_control = "cubic";
  std::int64_t queue_bytes = 0;  ///< 0: what the rate and the flows need
};

/// The ways worth comparing: sizes of packets against bursts (HTB lets a packet go when there are
/// tokens for its first byte, so a message is early by its last packet and a full bucket), other
/// congestion controls (bbr paces), other queues. The first is the default.
std::vector<Candidate> candidates();

std::string describe(const Candidate& candidate);

/// A candidate's rows, over all rates and passes; or why the daemon refused it.
struct Trial {
  Candidate candidate;
  std::vector<Row> rows;
  std::string refused;
};

/// The tests that judge a candidate at one rate: messages, and a ring for bulk. One message is of a
/// size that does not end in a small packet.
std::vector<Test> sweep_tests(double rate_mbit);

/// How often each candidate is measured, so that none is measured only while the host is busy.
inline constexpr int kSweepPasses = 2;

/// Mean of |measured / ideal − 1| / aim over the rows that have an aim: 1 is off by just the aim.
/// Messages together weigh as much as the ring, and each rate as much as the others.
double score(const Trial& trial, const Network& network);
double score_at(const Trial& trial, const Network& network, double rate_mbit);

/// Tries all candidates at all rates; best first, refused ones last.
std::vector<Trial> sweep(const Options& options, const Context& context);

/// The table of a sweep, best first, over all rates or by the score at one.
std::string sweep_text(const std::vector<Trial>& trials, const Options& options,
                       std::size_t columns);
std::string sweep_markdown(const std::vector<Trial>& trials, const Options& options);
Json sweep_json(const std::vector<Trial>& trials, const Options& options);

}  // namespace pacbench::calibration
