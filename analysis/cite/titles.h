#pragma once

#include <string_view>

namespace pacbench::cite {

/// The title of the work with this identifier, an arXiv number or a DOI; empty where it is unknown.
std::string_view title_of(std::string_view identifier);

}  // namespace pacbench::cite
