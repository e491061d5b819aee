#include "analysis/cite/cite.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>
#include <string_view>

#include "analysis/report/words.h"

namespace pacbench::cite {
namespace {

using report::latex_text;

struct Titled {
  std::string_view identifier;
  std::string_view title;
};

constexpr Titled kTitles[] = {
    {"10.1016/j.jpdc.2008.09.002",
     "Bandwidth optimal all-reduce algorithms for clusters of workstations"},
    {"10.1177/1094342005051521", "Optimization of Collective Communication Operations in MPICH"},
    {"10.1145/3452296.3472904",
     "Efficient Sparse Collective Communication and its Application to Accelerate Distributed Deep "
     "Learning"},
    {"1610.02132", "QSGD: Communication-Efficient SGD via Gradient Quantization and Encoding"},
    {"1704.05021", "Sparse Communication for Distributed Gradient Descent"},
    {"1705.07878",
     "TernGrad: Ternary Gradients to Reduce Communication in Distributed Deep Learning"},
    {"1710.03740", "Mixed Precision Training"},
    {"1712.01887",
     "Deep Gradient Compression: Reducing the Communication Bandwidth for Distributed Training"},
    {"1802.04434", "signSGD: Compressed Optimisation for Non-Convex Problems"},
    {"1805.09767", "Local SGD Converges Fast and Communicates Little"},
    {"1807.11205",
     "Highly Scalable Deep Learning Training System with Mixed-Precision: Training ImageNet in "
     "Four "
     "Minutes"},
    {"1809.07599", "Sparsified SGD with Memory"},
    {"1901.09847", "Error Feedback Fixes SignSGD and other Gradient Compression Schemes"},
    {"1905.13727",
     "PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization"},
    {"1911.11134", "Rigging the Lottery: Making All Tickets Winners"},
    {"2102.02888",
     "1-bit Adam: Communication Efficient Large-Scale Training with Adam's Convergence Speed"},
    {"2103.15195",
     "MergeComp: A Compression Scheduler for Scalable Communication-Efficient Distributed "
     "Training"},
    {"2106.05203",
     "EF21: A New, Simpler, Theoretically Better, and Practically Faster Error Feedback"},
    {"2110.09132",
     "EmbRace: Accelerating Sparse Communication for Distributed Training of NLP Neural Networks"},
    {"2201.09531",
     "Communication-Efficient Stochastic Zeroth-Order Optimization for Federated Learning"},
    {"2205.14465", "Espresso: Revisiting Gradient Compression from the System Perspective"},
    {"2211.00188", "Adaptive Compression for Communication-Efficient Distributed Training"},
    {"2302.08545",
     "THC: Accelerating Distributed Deep Learning Using Tensor Homomorphic Compression"},
    {"2304.00737",
     "SparDL: Distributed Deep Learning Training with Efficient Sparse Communication"},
    {"2305.17333", "Fine-Tuning Language Models with Just Forward Passes"},
    {"2306.10015",
     "Just One Byte (per gradient): A Note on Low-Bandwidth Decentralized Language Model "
     "Finetuning "
     "Using Shared Randomness"},
    {"2309.13254", "Zen: Near-Optimal Sparse Tensor Synchronization for Distributed DNN Training"},
    {"2310.00967",
     "MiCRO: Near-Zero Cost Gradient Sparsification for Scaling and Accelerating Distributed DNN "
     "Training"},
    {"2311.08105", "DiLoCo: Distributed Low-Communication Training of Language Models"},
    {"2402.13781",
     "Preserving Near-Optimal Gradient Sparsification Cost for Scalable Distributed Deep Learning"},
    {"2404.00438", "Communication Efficient Distributed Training with Distributed Lion"},
    {"2505.18563",
     "PacTrain: Pruning and Adaptive Sparse Gradient Compression for Efficient Collective "
     "Communication in Distributed Deep Learning"},
    {"2512.14628",
     "PruneX: A Hierarchical Communication-Efficient System for Distributed CNN Training with "
     "Structured Pruning"},
};

/// The title of the work with this identifier, an arXiv number or a DOI; empty where it is unknown.
std::string_view title_of(std::string_view identifier) {
  const auto found = std::ranges::find(kTitles, identifier, &Titled::identifier);
  return found == std::end(kTitles) ? std::string_view{} : found->title;
}

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
    if (std::ranges::find(run.methods, method.name) == run.methods.end()) continue;
    for (auto& each : entries_of(method.paper)) {
      if (said.insert(each).second) text += each;
    }
  }
  return text;
}

}  // namespace pacbench::cite
