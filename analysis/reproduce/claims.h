#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_reader.h"
#include "base/words.h"

namespace pacbench::reproduce {

/// The quantity that a number of a paper measures. docs/STATISTICS.md, "A paper's numbers", says
/// how each is computed from runs.
enum class Quantity {
  kTimeToAccuracy,   ///< TTA of the baseline over that of the arm
  kThroughput,       ///< time per iteration of the baseline over that of the arm
  kMeanThroughput,   ///< mean time of an iteration of the baseline over that of the arm
  kAccuracyLost,     ///< final accuracy of the baseline minus that of the arm, in points
  kRingTraffic,      ///< bytes counted over those that a ring all-reduce of the payload sends
  kBytesSaved,       ///< counted bytes of the baseline over those of the arm
  kTrunkBytesSaved,  ///< the same for bytes between switches or sites
  kBuildUp,          ///< entries of the sum over those that each worker was to choose
  kImbalance,        ///< the longest of the workers' lists over the mean one
};

/// A method counts as one that all-reduce can carry when it sends at most this many times the bytes
/// of a ring all-reduce of its payload. An all-gather sends N / 2 times as many: four times among
/// eight workers.
inline constexpr double kMostOfARing = 2;

/// Whether a quantity is a ratio of times, which depends on the link.
inline bool is_of_time(Quantity quantity) {
  return quantity == Quantity::kTimeToAccuracy || quantity == Quantity::kThroughput ||
         quantity == Quantity::kMeanThroughput;
}

/// The way in which the paper's number is compared with ours.
enum class Form {
  kAt,       ///< in the claim's one setting; a larger number of ours is better
  kAbout,    ///< that number in all settings, and no other one
  kUpTo,     ///< the largest of all settings
  kAtLeast,  ///< a lower bound that all settings keep
  kAtMost,   ///< an upper bound that all settings keep
};

}  // namespace pacbench::reproduce

namespace pacbench {

template <>
struct Words<reproduce::Quantity> {
  static constexpr std::array kAll{"time-to-accuracy",  "throughput",   "mean-throughput",
                                   "accuracy-lost",     "ring-traffic", "bytes-saved",
                                   "trunk-bytes-saved", "build-up",     "imbalance"};
};

template <>
struct Words<reproduce::Form> {
  static constexpr std::array kAll{"at", "about", "up-to", "at-least", "at-most"};
};

}  // namespace pacbench

namespace pacbench::reproduce {

/// A kind of method that claims are about: a method whose options are those in `method`. There a
/// list holds all accepted values, and null stands for an absent option.
struct Arm {
  std::string kind;
  std::string words;
  Json method;
  std::string here_as;  ///< its kind in settings of our own; empty: `kind`
};

struct Workload {
  std::string network;
  std::string dataset;
  bool operator==(const Workload&) const = default;
};

/// The settings that a claim is about, in the words of a scenario. A member that is empty, absent
/// or 0 allows anything.
struct Population {
  std::string words;
  std::vector<Workload> workloads;
  std::vector<double> rates_mbit;
  std::string topology;  ///< when set, links must have one constant rate and nothing else
  Json groups;           ///< workers at each switch of a chain
  int workers = 0;
  int batch_per_worker = 0;
  std::int64_t iterations = 0;   ///< a final accuracy needs at least 99 % of this length
  std::optional<double> target;  ///< accuracy; absent: the paper does not say which
  double pruning_ratio = 0;
  bool lower_ratios_too = false;    ///< whether rows with lower ratios are evidence too
  std::vector<std::string> starts;  ///< kinds of initial weights
  std::size_t least_seeds = 1;
  /// Whether settings were chosen for each workload: tuned rows of one kind are then one arm.
  bool tuned_for_each_workload = false;
};

/// One statement of a paper that runs can answer.
struct Claim {
  std::string id;
  std::string words;   ///< the claim in our words, not a quotation
  std::string where;   ///< the place in the paper
  bool first = false;  ///< among those that a reader should see first
  Quantity quantity = Quantity::kTimeToAccuracy;
  Form form = Form::kAt;
  double value = 1;
  Population population;
  std::optional<Population> here;  ///< settings of our own that the claim is tested in too
  /// Kinds of arm: `arms` are those that the paper may have meant, which decide; `beside` are
  /// others that are shown too.
  std::vector<std::string> arms;
  std::vector<std::string> beside;
  std::vector<std::string> baselines;  ///< kinds of arm; empty if the quantity needs none
  std::string reading;                 ///< how we read what the paper leaves open; may be empty
  std::string settled_by;              ///< what would have to be run to settle the claim
};

/// A statement of a paper that no run can answer.
struct UntestableClaim {
  std::string words;
  std::string where;
  std::string why;
};

/// A paper's claims: a file of the folder claims/.
struct Claims {
  static constexpr const char* kFormat = "pacbench.claims/1";

  std::string paper;
  std::string source;  ///< where to find the paper
  std::string note;    ///< what a reader must know of all verdicts; may be empty
  std::vector<Arm> arms;
  std::vector<Claim> claims;
  std::vector<UntestableClaim> untestable;

  /// The kind of the first of `arms` that a method of a canonical scenario matches; the method's
  /// own name where none matches.
  std::string kind_of(const Json& method) const;
  /// The `words` of an arm of that kind; the kind itself when no such arm is declared.
  std::string words_of(const std::string& kind) const;
};

/// Reads a file of claims. Throws ConfigError with all its errors, and std::system_error when it
/// cannot be read.
Claims read_claims(const std::string& path);

/// The path of claims/NAME.json in the folders that were shipped. Throws ConfigError when there is
/// none.
std::string shipped_claims(const std::string& name);

}  // namespace pacbench::reproduce
