#include "harness/calibration/calibrated.h"

#include <cmath>
#include <filesystem>
#include <map>

#include "harness/calibration/saved.h"

namespace pacbench::calibration {

std::optional<double> calibrated_ring_share(double rate_mbit, int workers) {
  const auto path = saved_path(Environment::read());
  if (!std::filesystem::exists(path)) return std::nullopt;
  return ring_share(calibration_from_json(path, read_json_file(path)), rate_mbit, workers);
}

std::optional<double> ring_share(const Calibration& calibration, double rate_mbit, int workers) {
  if (workers > calibration.network.workers) return std::nullopt;
  std::map<double, double> shares;
  for (const auto& row : calibration.rows) {
    if (row.subject.quantity == Quantity::kSlowestOfRing && row.subject.shaped == Shaped::kBoth) {
      shares[row.subject.rate_mbit] = row.ratio(calibration.network).median;
    }
  }
  const auto above = shares.lower_bound(rate_mbit);
  if (above == shares.end()) return std::nullopt;
  if (above == shares.begin()) return above->second;
  const auto below = std::prev(above);
  const double way = std::log(rate_mbit / below->first) / std::log(above->first / below->first);
  return below->second + way * (above->second - below->second);
}

}  // namespace pacbench::calibration
