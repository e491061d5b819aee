#pragma once

#include <string>

#include "harness/path/links_block.h"

namespace pacbench::path {

/// The measurement as text: two or three sentences with the answer, the table, lines with further
/// numbers and notes, and the block for a scenario.
std::string render_text(const Measurement& measurement, const LinksBlock& block);

/// The measurement as a document, whose key "links" is the block.
Json to_json(const Measurement& measurement, const LinksBlock& block);

}  // namespace pacbench::path
