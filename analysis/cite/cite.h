#pragma once

#include <string>
#include <vector>

#include "base/json/json_reader.h"
#include "contract/catalogue/catalogue.h"

namespace pacbench::cite {

/// The facts by which a paper cites a run.
struct CitedRun {
  std::string name;
  std::string version;          ///< of the pacbench that made it
  std::string commit;           ///< of that pacbench
  std::string comparison_hash;  ///< of the scenario
  std::string result_sha256;    ///< of result.json
  std::vector<std::string> methods;
};

/// BibTeX entries of pacbench, of the run, and of the papers of its methods, each once, in the
/// catalogue's order. Methods that the catalogue lacks, such as the user's own programs, have none.
/// `is_anonymous` leaves out what may tell who made the run: its name and the commit.
std::string bibtex(const CitedRun& run, const Catalogue& catalogue, bool is_anonymous);

/// The entries of a method's paper as the catalogue names it: "Wen et al. 2017, arXiv 1705.07878",
/// or several of these with "; " between them.
std::vector<std::string> entries_of(const std::string& paper);

}  // namespace pacbench::cite
