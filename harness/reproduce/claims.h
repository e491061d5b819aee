#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace pacbench::reproduce {

/// What a number of the paper is the number of. docs/METRICS.md, "The paper's numbers", says how
/// each is computed from runs.
enum class Quantity {
  kTimeToAccuracy,  ///< TTA of the baseline over that of the arm
  kThroughput,      ///< time per iteration of the baseline over that of the arm
  kAccuracyLost,    ///< final accuracy of the baseline less that of the arm, in points
  kRingTraffic,     ///< bytes counted over those that a ring all-reduce of the payload sends
};

/// Up to so many times the bytes of a ring all-reduce of its payload, a method counts as one that
/// all-reduce can carry. An all-gather sends N / 2 times as many: four times among eight workers.
inline constexpr double kMostOfARing = 2;

/// Whether it is a ratio of times, which depends on the link.
inline bool is_of_time(Quantity quantity) {
  return quantity == Quantity::kTimeToAccuracy || quantity == Quantity::kThroughput;
}

/// How the number is meant.
enum class Form {
  kAt,       ///< in the one setting of the claim
  kUpTo,     ///< the largest of all settings
  kAtLeast,  ///< a bound that all settings keep
  kAtMost,   ///< likewise, from above
};

/// One statement of the paper (arXiv 2505.18563) that runs can answer.
struct Claim {
  std::string id;
  std::string words;  ///< ours, not a quotation
  std::string where;  ///< in the paper
  Quantity quantity = Quantity::kTimeToAccuracy;
  Form form = Form::kAt;
  double value = 1;
  /// Of the settings: models, data sets and rates (Mbit/s) by the names of a scenario. Empty: any.
  std::vector<std::string> networks;
  std::vector<std::string> datasets;
  std::vector<double> rates_mbit;
  std::optional<double> target;  ///< accuracy; absent: the paper does not say which
  /// Kinds of arm (reproduce/arms.h): those that the paper may have meant, which decide, and others
  /// that are shown beside them.
  std::vector<std::string> arms;
  std::vector<std::string> extras;
  std::vector<std::string> baselines;  ///< kinds of arm; empty for a quantity without
  std::string reading;                 ///< how we read what the paper leaves open; may be empty
};

/// A statement that no run can answer here.
struct UntestableClaim {
  std::string words;
  std::string where;
  std::string why;
};

/// What all claims have in common of the paper's set-up (IV-A, IV-B, Fig. 4).
struct PaperSetting {
  static constexpr int kWorkers = 8;
  static constexpr int kBatchPerWorker = 32;
  static constexpr int kEpochs = 100;
  static constexpr int kTrainingImages = 50'000;  ///< of CIFAR-10 and of CIFAR-100
  static constexpr double kPruningRatio = 0.5;
  static constexpr double kHighestRatio = 0.8;  ///< up to which little accuracy is said to be lost
  static constexpr const char* kTopology = "chain3";
  static constexpr std::array<int, 3> kGroups{3, 2, 3};  ///< workers at each switch
};

const std::vector<Claim>& paper_claims();
const std::vector<UntestableClaim>& untestable_claims();

}  // namespace pacbench::reproduce
