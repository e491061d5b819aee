#include "analysis/report/section_contents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/report/words.h"
#include "base/subprocess.h"
#include "contract/catalogue/python_name.h"
#include "contract/scenario/program.h"

namespace pacbench::report {
namespace {

constexpr const char* kTimeTitle =
    "Time to accuracy (TTA): seconds on the training clock to the sustained crossing of the "
    "target, median over seeds";
constexpr const char* kPartsTitle =
    "Parts of the TTA: time per iteration × iterations, and the rest (pruning, agreement on masks, "
    "longer steps)";
constexpr const char* kStepTitle =
    "Time per iteration: the median, or that of whole periods where exchanges come every few "
    "iterations; median over seeds; without a curve there is no time to accuracy";
constexpr const char* kProgramTitle =
    "Time, bytes that a rank sent, and how far to trust the row; medians over seeds";
constexpr const char* kCostTitle = "Cost of an iteration, bytes sent, and how far to trust the row";
constexpr const char* kLearningTitle =
    "Learning: iterations to the sustained crossing of the target, accuracies or losses, errors of "
    "the aggregated gradient, and declared bytes; medians over seeds";

std::string network_words(const ReportSection& section) {
  if (!has_network(section)) return "all workers in one process, no network";
  const auto& network = section.scenario.at("network");
  return fmt::format(
      "{} · MTU {} · rates count {}", network.at("congestion_control").get<std::string>(),
      network.at("mtu").get<int>(), network.at("rate_accounting").get<std::string>());
}

/// Says how much each worker does; empty for a program of the user's own, which does not say.
std::string work_words(const Json& scenario) {
  if (is_program_alone(scenario)) return "";
  const auto& workload = scenario.at("workload");
  return fmt::format(" × batch {} · {} iterations", workload.at("batch_per_worker").get<int>(),
                     workload.at("max_iterations").get<std::int64_t>());
}

bool any_link(const ReportSection& section, bool (*holds)(const LinkReport&)) {
  return std::ranges::any_of(section.links, holds);
}

/// Every value of a workload by its JSON pointer, except the model and the data set's name, which
/// all titles have.
Json other_values(const ReportSection& section) {
  auto values = section.scenario.at("workload");
  if (is_program_alone(section.scenario)) return values.flatten();
  values.erase("model");
  values.at("dataset").erase("name");
  return values.flatten();
}

/// A value of one section; absent when the section lacks it.
using Value = std::optional<std::string>;

Value value_at(const ReportSection& section, const std::string& pointer) {
  const auto values = other_values(section);
  const auto found = values.find(pointer);
  if (found == values.end()) return std::nullopt;
  return found->is_string() ? found->get<std::string>() : found->dump();
}

/// Whether the sections have several values of something.
template <typename ValueOf>
bool differ(const std::vector<ReportSection>& sections, const ValueOf& value_of) {
  const auto first = value_of(sections.front());
  return std::ranges::any_of(
      sections, [&](const ReportSection& section) { return value_of(section) != first; });
}

std::vector<std::string> differing_pointers(const std::vector<ReportSection>& sections) {
  std::set<std::string> pointers;
  for (const auto& section : sections) {
    const auto values = other_values(section);
    for (const auto& item : values.items()) {
      const auto value = [&](const ReportSection& one) { return value_at(one, item.key()); };
      if (differ(sections, value)) pointers.insert(item.key());
    }
  }
  return {pointers.begin(), pointers.end()};
}

/// A model with its options: "mlp hidden [512,512]". The hash of a user's file is left out.
std::string model_words(const Json& workload) {
  const auto& model = workload.at("model");
  auto words = model.at("name").get<std::string>();
  for (const auto& [key, value] : model.items()) {
    if (key != "name" && key != "sha256") words += fmt::format(" {} {}", key, value.dump());
  }
  return words;
}

}  // namespace

std::string workload_words(const Json& scenario) {
  const auto& workload = scenario.at("workload");
  if (is_program_alone(scenario)) {
    return shell_words(workload.at("command").get<std::vector<std::string>>());
  }
  const std::string dataset = workload.at("dataset").at("name");
  if (is_users_class(dataset)) return model_words(workload);  // a task is model and data at once
  return fmt::format("{} on {}", model_words(workload), dataset);
}

void fill_titles(std::vector<ReportSection>& sections) {
  const auto workers = [](const ReportSection& section) {
    return section.scenario.at("workers").get<int>();
  };
  const bool mixed_modes =
      differ(sections, [](const ReportSection& section) { return section.mode; });
  const bool mixed_workers = differ(sections, workers);
  const auto pointers = differing_pointers(sections);
  for (auto& section : sections) {
    section.title = workload_words(section.scenario);
    for (const auto& pointer : pointers) {
      const auto value = value_at(section, pointer);
      if (value) section.title += fmt::format(" · {} {}", pointer.substr(1), *value);
    }
    if (mixed_workers) section.title += fmt::format(" · {} workers", workers(section));
    if (mixed_modes) section.title += fmt::format(" · mode {}", word_of(section.mode));
  }
  // Sections that differ in nothing but their targets are told apart by the names of their runs.
  std::map<std::string, int> count;
  for (const auto& section : sections) ++count[section.title];
  for (auto& section : sections) {
    if (count.at(section.title) > 1) section.title += " · " + section.name;
  }
}

Footnotes::Footnotes(const LinkReport& link) {
  std::vector<std::string> notes;
  std::vector<std::vector<std::string>> labels;
  for (const auto& row : link.rows) {
    std::vector<std::size_t> numbers;
    for (const auto& note : row.notes) {
      const auto place = static_cast<std::size_t>(std::ranges::find(notes, note) - notes.begin());
      if (place == notes.size()) {
        notes.push_back(note);
        labels.emplace_back();
      }
      labels[place].push_back(row.label);
      numbers.push_back(place + 1);
    }
    references_[row.label] = fmt::format("{}", fmt::join(numbers, ", "));
  }
  for (std::size_t i = 0; i < notes.size(); ++i) {
    texts_.push_back(fmt::format("{}: {}", fmt::join(labels[i], ", "), notes[i]));
  }
}

std::string Footnotes::references(const ReportRow& row) const {
  const auto found = references_.find(row.label);
  return found == references_.end() ? "" : found->second;
}

std::vector<std::string> header_lines(const ReportSection& section) {
  std::vector<std::string> lines{
      fmt::format("{} · {} workers{} · seed{} {}", workload_words(section.scenario),
                  section.scenario.at("workers").get<int>(), work_words(section.scenario),
                  section.seeds.size() == 1 ? "" : "s", fmt::join(section.seeds, ", ")),
      fmt::format("{} · comparison hash {}", network_words(section),
                  section.comparison_hash.substr(0, 12))};
  if (const int factor = section.scenario.value("time_dilation", 1); factor > 1) {
    lines.push_back(
        fmt::format("Emulated time: links, computing and clock ran {0} × slower, as on a machine "
                    "with {0} times as many cores; 1 s below took {0} s",
                    factor));
  }
  return lines;
}

std::string link_title(const LinkReport& link) {
  return fmt::format("Link {} ({})", link.link, link.words);
}

std::string probe_line(const LinkReport& link) {
  if (!link.probe) return "";
  return fmt::format(
      "Probes before and after the cells, in which every worker sends to the next one: the worst "
      "flow had {} % of the goodput that its rate allows",
      significant(100 * *link.probe));
}

std::vector<TitledTable> tables_of(const ReportSection& section, const LinkReport& link,
                                   const Footnotes& footnotes) {
  if (!has_network(section)) return {{kLearningTitle, learning_table(link, footnotes)}};
  if (!has_curve(section.scenario)) {
    if (is_of_programs(link)) return {{kProgramTitle, program_table(link, footnotes)}};
    return {{kStepTitle, step_table(link)}, {kCostTitle, cost_table(link, footnotes)}};
  }
  return {{kTimeTitle, time_to_accuracy_table(link)},
          {kPartsTitle, decomposition_table(link)},
          {kCostTitle, cost_table(link, footnotes)}};
}

std::vector<std::string> diagnosis_lines(const LinkReport& link) {
  std::vector<std::string> lines;
  for (const auto& row : link.rows) {
    if (!row.diagnosis) continue;
    lines.push_back(fmt::format("{}: {}", row.label, diagnosis_words(*row.diagnosis)));
  }
  return lines;
}

std::string legend(const ReportSection& section) {
  const bool learned = has_curve(section.scenario);
  std::vector<std::string> parts;
  if (learned) parts.emplace_back("k/n: seeds that reached the target · DNF: half or more did not");
  if (has_network(section)) {
    if (any_link(section, has_intervals)) {
      parts.emplace_back(
          "95 %: confidence interval of the median, at 95 % or more; for a speed-up, of the ratio "
          "seed by seed");
    }
    if (any_link(section, has_ranges)) {
      parts.emplace_back(
          "range: where the times of all seeds lie, from the evaluation before the earliest "
          "crossing; the seeds are too few for a 95 % interval of the median");
    }
    if (any_link(section, has_intervals_of_steps)) {
      parts.emplace_back(
          "95 % of steps: interval from the scatter of the steps within one run; it does not "
          "include differences between runs and seeds");
    }
    if (any_link(section, has_several_runs)) {
      parts.emplace_back(
          "range of runs: least and largest value of several runs of the same cells; the tables "
          "show the run in the middle");
    }
    if (is_program_alone(section.scenario)) {
      parts.emplace_back(
          "×first: time of the first row over that of the row · wire: the time that the bytes need "
          "at the link's rate");
      if (any_link(section, any_is_whole)) {
        parts.emplace_back(
            "a program that reports no steps is measured as a whole, start-up included; with "
            "pacbench.begin() before training and pacbench.step() after each step, numbers are "
            "those of a step (docs/OWN_PROGRAM.md)");
      }
    } else {
      parts.emplace_back(
          learned ? "×AR, ×FP16: speed-up, median TTA of all-reduce or fp16 over that of the row"
                  : "×AR, ×FP16: time per iteration of all-reduce or fp16 over that of the row");
      parts.emplace_back(
          "% of it: share of the time per iteration; encoding is also counted in compute or "
          "exposed, so the shares may add up to more than 100");
    }
  }
  parts.emplace_back("—: cannot be said");
  return fmt::format("{}", fmt::join(parts, " · "));
}

}  // namespace pacbench::report
