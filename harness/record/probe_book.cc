#include "harness/record/probe_book.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/store/run_folder.h"

namespace pacbench::record {

ProbeBook::ProbeBook(const std::string& run_folder, store::Broken broken)
    : path_{run_folder + "/probes.jsonl"} {
  std::string whole;
  store::for_each_event(path_, broken,
                        [&](const Json& line, const std::string& text, std::size_t number) {
                          try {
                            const auto probe = link_probe_from_json(line);
                            if (broken == store::Broken::kRefuse) require_in_order(probe, number);
                            take(probe);
                            whole += text + '\n';
                          } catch (const Json::exception& error) {
                            throw ConfigError{fmt::format("{}:{}", path_, number),
                                              {{"", fmt::format("not a probe: {}", error.what())}}};
                          }
                        });
  const bool cut =
      std::filesystem::exists(path_) && whole.size() < std::filesystem::file_size(path_);
  if (broken == store::Broken::kEnd && cut) write_file_atomically(path_, whole);
}

void ProbeBook::add(const LinkProbe& probe) {
  try {
    LineFile{path_}.append(json_text(to_json(probe)));
  } catch (const std::system_error& error) {
    throw store::RecordingFailed{error.what()};
  }
  take(probe);
}

std::vector<LinkProbe> ProbeBook::of(const std::string& cell_folder_name) const {
  const auto found = of_cell_.find(cell_folder_name);
  return found == of_cell_.end() ? std::vector<LinkProbe>{} : found->second;
}

bool ProbeBook::lacks_after(const std::string& cell_folder_name) const {
  const auto probes = of(cell_folder_name);
  return !probes.empty() && (probes.back().when == "before" || !probes.back().failure.empty());
}

void ProbeBook::require_in_order(const LinkProbe& probe, std::size_t number) const {
  for (const auto& cell : probe.cells) {
    if (probe.when == "before" || lacks_after(cell)) continue;
    throw ConfigError{fmt::format("{}:{}", path_, number),
                      {{"", fmt::format("found a probe after the cell {}, which has none before it "
                                        "or already one after it; each cell has one before and "
                                        "one after",
                                        cell)}}};
  }
}

void ProbeBook::take(const LinkProbe& probe) {
  for (const auto& cell : probe.cells) {
    auto& probes = of_cell_[cell];
    // A cell that runs again needs new probes, so the earlier ones are dropped.
    if (probe.when == "before") probes.clear();
    // A probe that failed, as when a node was lost, is made again.
    if (!probes.empty() && probes.back().when == "after") probes.pop_back();
    probes.push_back(probe);
  }
}

}  // namespace pacbench::record
