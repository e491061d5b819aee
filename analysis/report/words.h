#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/report/report.h"

namespace pacbench::report {

/// Breaks text at spaces so that no line is wider than `columns`, unless a single word with its
/// indent is. Lines after the first are indented by `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent, std::size_t columns);

/// Returns LaTeX source that prints the text. Special characters are escaped, and the signs of
/// reports become commands. Every other character beyond ASCII becomes its code point, since
/// pdflatex stops at a character that its fonts lack. Control characters become spaces, and bytes
/// that are no UTF-8 become question marks.
std::string latex_text(std::string_view text);

/// The words of formats and tables: whether a link was as declared, and whether computing on this
/// host set the step time.
inline const char* link_verdict_word(bool suspect) { return suspect ? "suspect" : "ok"; }
inline const char* host_verdict_word(bool cpu_bound) { return cpu_bound ? "cpu-bound" : "ok"; }
/// The word that tables and sentences show in place of the verdicts of a simulation, which has
/// neither a link nor a host to judge. JSON and CSV give both of its verdicts as "ok".
inline constexpr const char* kSimulatedWord = "simulated";

/// The text for a value that is absent.
inline constexpr const char* kNone = "—";

/// The text of a report's numbers: medians in a few digits, and "—" for an absent value. "DNF"
/// stands for a median that was not reached, and for an end of a range or an interval that was not.
std::string number(const std::optional<statistics::Spread>& value, double scale = 1);
/// In a form for values that span many powers of ten.
std::string error(const std::optional<statistics::Spread>& value);
std::string cosine(const std::optional<statistics::Spread>& value);
std::string percent(const std::optional<statistics::Spread>& value);
std::string reached(const statistics::CensoredSpread& time);
/// Whole, except a median of an even number of seeds.
std::string iterations(const statistics::CensoredSpread& count);
/// Where the TTAs of all seeds lie (tta_within()); its upper end is DNF where a seed missed the
/// target.
std::string tta_range(const TargetSummary& summary);
std::string interval(const std::optional<statistics::MedianInterval>& of_median);
std::string ends(const std::optional<Ends>& of_steps);
/// "1.53–2.34"; "≤2.34" where next to nothing is known of the lower end (fill_crossings()).
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
/// Returns "1.24 times the TTA of fp16 to 97 % (1.09 × the time per iteration, 1.14 × the
/// iterations); " and then the causes.
std::string diagnosis_words(const Diagnosis& diagnosis);

}  // namespace pacbench::report
