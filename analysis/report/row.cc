#include "analysis/report/row.h"

#include <algorithm>

namespace pacbench::report {

std::optional<Ends> tta_within(const TargetSummary& summary) {
  std::optional<Ends> all;
  for (const auto& [seed, crossing] : summary.crossings) {
    if (!all) all = Ends{crossing.from_s, crossing.until_s};
    all->low_s = std::min(all->low_s, crossing.from_s);
    all->high_s = std::max(all->high_s, crossing.until_s);
  }
  return all;
}

std::optional<SpeedUp> speed_up_of(const TargetSummary& baseline, const TargetSummary& own) {
  return speed_up_of(baseline.tta_s_of_seeds, baseline.crossings, own.tta_s_of_seeds,
                     own.crossings);
}

bool comparable(const ReportRow& one, const ReportRow& other) {
  const auto whole = [](const ReportRow& row) {
    return row.done > 0 && row.failed == 0 && row.unfinished == 0 && !row.suspect;
  };
  return whole(one) && whole(other) && one.seeds == other.seeds;
}

const ReportRow* first_of(const std::vector<ReportRow>& rows, std::string_view method) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const ReportRow& row) { return row.method == method; });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace pacbench::report
