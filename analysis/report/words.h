#pragma once

#include <optional>
#include <string>

#include "analysis/report/report.h"

namespace pacbench::report {

/// The text for a value that is absent.
inline constexpr const char* kNone = "—";

/// The text of a report's numbers: medians in a few digits, and "—" for an absent value. "DNF"
/// stands for a median that was not reached, and for an end of a range or an interval that was not.
std::string number(const std::optional<statistics::Spread>& value, double scale = 1);
std::string error(const std::optional<statistics::Spread>& value);
std::string cosine(const std::optional<statistics::Spread>& value);
std::string percent(const std::optional<statistics::Spread>& value);
std::string reached(const statistics::CensoredSpread& time);
std::string iterations(const statistics::CensoredSpread& count);
/// Where the TTAs of all seeds lie (tta_within()); its upper end is DNF where a seed missed the
/// target.
std::string tta_range(const TargetSummary& summary);
std::string interval(const std::optional<statistics::MedianInterval>& of_median);
std::string ends(const std::optional<Ends>& of_steps);
/// "1.53–2.34"; "≤2.34" where next to nothing is known of the lower end (crossings.h).
std::string from_to(double low_s, double high_s);
std::string product(const ReportRow& row, const TargetSummary& target);  ///< "0.0952 × 42"
std::string iteration_range(const statistics::CensoredSpread& count);
std::string k_of_n(
    const statistics::CensoredSpread& time);  ///< "2/3": seeds that reached the target
std::string times(const std::optional<SpeedUp>& speed_up);
std::string times_range(const std::optional<SpeedUp>& speed_up);
std::string times_interval(const std::optional<SpeedUp>& speed_up);
/// Measured bytes / explained bytes, minus 1. Where there are no explained bytes, expected bytes
/// take their place. Absent where measured bytes, or both of the others, are missing.
std::optional<double> share_of_bytes_off(const ReportRow& row);
std::string bytes_off(const ReportRow& row);  ///< share_of_bytes_off() in percent
std::string host_word(const ReportRow& row);
std::string link_word(const ReportRow& row);
std::string machine_word(const ReportRow& row);

}  // namespace pacbench::report
