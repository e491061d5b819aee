#pragma once

#include <string>
#include <vector>

#include "harness/calibration/calibrate.h"

namespace pacbench::calibration {

/// A way to hold a link to a rate.
struct Candidate {
  netd::Shaper shaper;
  std::string congestion_control = "cubic";
  std::int64_t queue_bytes = 0;  ///< 0: a scenario's default
};

/// The candidates worth comparing; the first has the default values of netd::Shaper. They differ in
/// the sizes of packets and bursts, the congestion control (bbr paces) and the queue. Sizes matter
/// because HTB lets a packet go when there are tokens for its first byte: a message is early by its
/// last packet and a full bucket.
std::vector<Candidate> candidates();

std::string describe(const Candidate& candidate);

/// A candidate's rows, over all rates and passes; or why the daemon refused it.
struct Trial {
  Candidate candidate;
  std::vector<Row> rows;
  std::string refused;
};

/// The tests that judge a candidate at any rate: messages of six sizes, and a ring for bulk. A
/// packet holds whole segments, up to a size that a scenario's rate sets (8192, 13400 or 22100
/// bytes). With all three, messages of 64, 128 and 256 KB end in a small packet. A message of 70 KB
/// (with 8192 bytes) or 100 KB (with the other two) ends in a large one.
std::vector<Test> sweep_tests(double rate_mbit);

/// How often each candidate is measured, so that none is measured only while the host is busy.
inline constexpr int kSweepPasses = 2;

/// Mean of |r − 1| / aim over the rows that have an aim, where r is the median of measured / ideal.
/// A score of 1 means: off by just the aim. Messages together weigh as much as the ring, and each
/// rate as much as the others.
double score(const Trial& trial, const Network& network);
double score_at(const Trial& trial, const Network& network, double rate_mbit);

/// Tries all candidates at all rates; best first, refused ones last.
std::vector<Trial> sweep(const Options& options, const Context& context);

/// The table of a sweep, with the score over all rates and at each rate. It has a row for each
/// trial that was not refused, in the order given. Lines below it name the best candidate at each
/// rate and the refused ones.
std::string sweep_text(const std::vector<Trial>& trials, const Options& options,
                       std::size_t columns);
std::string sweep_markdown(const std::vector<Trial>& trials, const Options& options);
/// All trials in the order given, refused ones too, each with its measurements and score.
Json sweep_json(const std::vector<Trial>& trials, const Options& options);

}  // namespace pacbench::calibration
