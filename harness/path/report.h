#pragma once

#include <string>
#include <vector>

#include "contract/network/network.h"
#include "harness/path/figures.h"

namespace pacbench::path {

/// The measured path as a link of a scenario, and in words what a scenario cannot reproduce of it.
struct LinksBlock {
  Network network;
  std::vector<std::string> notes;

  Json links() const {
    return network.links.empty() ? Json::array() : to_json(network).at("links");
  }
};

/// The block for a star of `workers`. With two workers, worker 0 is this machine and worker 1 the
/// other machine. With more, each worker has a link like this machine's. A packet crosses two links
/// of a star, so each has half of the one-way delay, and both losses together make the measured
/// loss. There is no link, but a note, where a rate fell (path::fall). A median round trip below
/// 0.5 ms is taken as no delay. Throws ConfigError when a way's rate was not measured.
LinksBlock links_block(const Measurement& measurement, int workers);

/// The measurement as text: two or three sentences with the answer, the table, lines with further
/// numbers and notes, and the block for a scenario.
std::string render_text(const Measurement& measurement, const LinksBlock& block);

/// The measurement as a document, whose key "links" is the block.
Json to_json(const Measurement& measurement, const LinksBlock& block);

}  // namespace pacbench::path
