#include "analysis/cite/cite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

#include "analysis/cite/titles.h"
#include "analysis/report/latex_text.h"

namespace pacbench::cite {
namespace {

using report::latex_text;

/// A paper as the catalogue names it: "Wen et al. 2017, arXiv 1705.07878".
struct Paper {
  std::string authors;  ///< "Wen and others", as BibTeX separates them
  std::string year;     ///< may be empty
  std::string where;    ///< arXiv, doi, or a venue
  std::string identifier;
};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

Paper parsed(const std::string& text) {
  static const std::regex with_number{R"((.*?)(?: (\d{4}))?, (arXiv|doi) (\S+))"};
  static const std::regex at_venue{R"re((.*?)(?: (\d{4}))?, (\S+), "(.*)")re"};
  std::smatch found;
  if (!std::regex_match(text, found, with_number) && !std::regex_match(text, found, at_venue)) {
    return {text, "", "", ""};
  }
  const auto authors = replaced(replaced(found[1], " et al.", " and others"), ", ", " and ");
  return {authors, found[2], found[3], found[4]};
}

/// "wen2017", and of a paper without a year its first word and number.
std::string key_of(const Paper& paper) {
  std::string key;
  for (const char each : paper.authors.substr(0, paper.authors.find(' '))) {
    if (std::isalnum(static_cast<unsigned char>(each)) != 0) {
      key += static_cast<char>(std::tolower(static_cast<unsigned char>(each)));
    }
  }
  return key + (paper.year.empty() ? paper.identifier.substr(0, 4) : paper.year);
}

std::string entry(const char* kind, const std::string& key,
                  const std::vector<std::pair<std::string, std::string>>& fields) {
  auto text = fmt::format("@{}{{{},\n", kind, key);
  for (const auto& [name, value] : fields) {
    if (!value.empty()) text += fmt::format("  {} = {{{}}},\n", name, value);
  }
  return text + "}\n";
}

std::string entry_of(const Paper& paper) {
  const auto by_number = title_of(paper.identifier);
  const bool at_venue = paper.where != "arXiv" && paper.where != "doi";
  const std::string title{at_venue ? paper.identifier : by_number};
  std::vector<std::pair<std::string, std::string>> fields{
      {"author", latex_text(paper.authors)},
      {"title", title.empty() ? "" : "{" + latex_text(title) + "}"},
      {"year", paper.year}};
  if (paper.where == "arXiv") {
    fields.insert(fields.end(), {{"eprint", paper.identifier}, {"archivePrefix", "arXiv"}});
  } else {
    fields.emplace_back(at_venue ? "howpublished" : "doi",
                        at_venue ? paper.where : paper.identifier);
  }
  return entry("misc", key_of(paper), fields);
}

}  // namespace

std::vector<std::string> entries_of(const std::string& paper) {
  std::vector<std::string> entries;
  for (std::size_t at = 0; at < paper.size();) {
    const auto end = std::min(paper.find("; ", at), paper.size());
    entries.push_back(entry_of(parsed(paper.substr(at, end - at))));
    at = end + 2;
  }
  return entries;
}

std::string bibtex(const CitedRun& run, const Catalogue& catalogue, bool is_anonymous) {
  auto text = entry("software", "pacbench",
                    {{"author", is_anonymous ? "" : "{the pacbench authors}"},
                     {"title",
                      "{pacbench: which way of exchanging gradients trains fastest over "
                      "your links}"},
                     {"version", run.version},
                     {"note", is_anonymous ? "" : "commit " + run.commit}});
  text += entry(
      "misc", "pacbench-run-" + run.comparison_hash.substr(0, 12),
      {{"title",
        is_anonymous ? "{A run of pacbench}" : "{A run of pacbench: " + latex_text(run.name) + "}"},
       {"note", fmt::format("pacbench {}, comparison hash {}, SHA-256 of result.json {}",
                            run.version, run.comparison_hash.substr(0, 12), run.result_sha256)}});
  std::set<std::string> said;
  for (const auto& method : catalogue.methods) {
    if (std::find(run.methods.begin(), run.methods.end(), method.name) == run.methods.end())
      continue;
    for (auto& each : entries_of(method.paper)) {
      if (said.insert(each).second) text += each;
    }
  }
  return text;
}

}  // namespace pacbench::cite
