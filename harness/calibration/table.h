#pragma once

#include <string>

#include "harness/calibration/result.h"

namespace pacbench::calibration {

/// The calibration as a heading and tables. A table's lines have at most `columns` characters,
/// unless one rate alone needs more. Longer lines may follow: each missed aim with its reasons.
std::string render_text(const Calibration& calibration, std::size_t columns);

/// The table alone, for docs/FIDELITY.md.
std::string render_markdown(const Calibration& calibration);

/// Which aims were missed, a line each, such as
/// "message of 64 KB at 1000 Mbit/s: 0.840, aim ± 8.33333 %: REASON". The 0.840 is measured /
/// ideal. A subject without an ideal has its measured time there, in ms.
std::vector<std::string> missed_aims(const Calibration& calibration);

}  // namespace pacbench::calibration
