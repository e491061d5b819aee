#include "harness/verify/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <regex>

#include "base/json/json_checksum.h"
#include "base/sha256.h"
#include "base/text_file.h"
#include "contract/result/result_fields.h"
#include "harness/record/probe_book.h"
#include "harness/store/cell_file.h"
#include "harness/store/files.h"
#include "harness/text/difference.h"
#include "harness/verify/recount.h"

namespace pacbench::verify {
namespace {

std::vector<std::string> measurements_in(const std::string& text) {
  static const std::regex kNumber{"[0-9]+([.][0-9]+)?"};
  return {std::sregex_token_iterator{text.begin(), text.end(), kNumber}, {}};
}

const Json* reasons_of(const Json& cell, const char* verdict) {
  if (!cell.is_object() || !cell.contains(verdict)) return nullptr;
  const auto& value = cell.at(verdict);
  if (!value.is_object() || !value.contains("reasons")) return nullptr;
  return value.at("reasons").is_array() ? &value.at("reasons") : nullptr;
}

/// Removes from `expected` the differences that come from another version of pacbench. Keys that an
/// earlier pacbench did not write and `found` lacks are erased; reasons get the words of `found`.
/// (A key or word that was changed later breaks the checksum of its file.)
Json as_counted_in(const Json& found, Json expected) {
  for (const auto& field : result_fields::kLater) {
    if (found.is_object() && !found.contains(field.key)) expected.erase(field.key);
  }
  return in_recorded_words(found, std::move(expected));
}

/// The numbers of a cell that follow from its curve and events, without the lines of its
/// iterations.
constexpr std::array kOfCurveAndEvents{
    "label",      "link",      "seed",       "status",    "reason",        "targets",
    "final_loss", "best_loss", "pretrain_s", "pruning_s", "kept_fraction", "final_accuracy",
    "vnmse",      "cosine",    "density",    "real_time", "residual_norm", "best_accuracy"};

Json of_curve_and_events(const Json& cell) {
  Json part = Json::object();
  for (const auto* key : kOfCurveAndEvents) {
    if (cell.is_object() && cell.contains(key)) part[key] = cell.at(key);
  }
  return part;
}

class Check {
 public:
  explicit Check(const store::RecordedRun& run)
      : run_{run}, book_{run.folder, store::Broken::kRefuse} {}

  NumbersCheck take() { return std::move(check_); }

  /// Compares result.json's mode, scenario and hash, and the manifest's hashes, with the scenario
  /// in the manifest.
  void identity() {
    const auto& scenario = run_.manifest.scenario;
    const auto comparison = sha256(compared_part(scenario).dump());
    compare(
        "manifest.json", to_json(run_.manifest),
        {{"scenario_hash", sha256(asked_part(scenario).dump())}, {"comparison_hash", comparison}});
    compare(
        "result.json", run_.result,
        {{"mode", run_.scenario.mode}, {"scenario", scenario}, {"comparison_hash", comparison}});
  }

  void cell(const plan::Cell& cell) {
    const auto name = fmt::format("cells/{}/cell.json", cell.folder_name());
    const bool has_file = std::filesystem::exists(run_.path(name));
    const auto index = index_in_result(cell);
    if (!has_file && !index) return check_.missing.push_back(cell.folder_name());
    try {
      if (is_under_way(cell, has_file, index)) return check_.missing.push_back(cell.folder_name());
      if (!has_file)
        return find(name, "", "nothing", "the numbers that result.json has of this cell");
      if (!index) find("result.json", "/cells", "nothing", "the cell " + cell.folder_name());
      ++check_.cells;
      numbers_of(cell, name, index);
    } catch (const std::exception& error) {
      check_.findings.emplace_back(error.what());
    }
  }

  /// Reports entries of result.json that are no cell of the scenario or repeat one.
  void strangers() {
    const auto planned = plan::plan(run_.scenario);
    for (std::size_t i = 0; i < run_.result.at("cells").size(); ++i) {
      const bool known = std::ranges::any_of(
          planned, [&](const plan::Cell& cell) { return index_in_result(cell) == i; });
      if (known) continue;
      find("result.json", fmt::format("/cells/{}", i),
           describe_found(run_.result.at("cells").at(i)), "only cells of the scenario, each once");
    }
  }

 private:
  /// Whether a killed run left the cell unfinished, so that `--resume` goes on with it.
  bool is_under_way(const plan::Cell& cell, bool has_file, std::optional<std::size_t> index) const {
    // result.json is written after cell.json, so after a killed run result.json may lack the cell.
    if (has_file && !index && has_checksum(run_.result)) return true;
    // When a cell that failed or was interrupted runs again, its cell.json is deleted first.
    const bool was_done = index && run_.result.at("cells").at(*index).value("status", Json{}) ==
                                       word_of(CellStatus::kDone);
    if (!has_file && !was_done) return true;
    return std::filesystem::exists(run_.cell_folder(cell)) && !has_ended(run_, cell);
  }

  void numbers_of(const plan::Cell& cell, const std::string& name,
                  std::optional<std::size_t> index) {
    const auto now = recompute(run_, cell, book_);
    if (now.curve) times_of(cell, *now.curve);
    const bool whole_cell =
        has_network(run_.scenario) || text_exists(run_.cell_folder(cell) + "/iterations.jsonl");
    check_.without_iterations += whole_cell ? 0 : 1;
    const auto compared = [whole_cell](const Json& numbers) {
      return whole_cell ? numbers : of_curve_and_events(numbers);
    };
    const auto expected = compared(to_json(now.result));
    const auto of_cell = compared(store::numbers_in(read_json_file(run_.path(name))));
    whole(name, "", of_cell, as_counted_in(of_cell, expected));
    if (!index) return;
    const auto in_result = compared(run_.result.at("cells").at(*index));
    whole("result.json", fmt::format("/cells/{}", *index), in_result,
          as_counted_in(in_result, expected));
  }

  /// Modes compose and simulate: compares each evaluation's time with the time that follows from
  /// the measured iterations, up to the first difference.
  void times_of(const plan::Cell& cell, const std::vector<EvaluationEvent>& curve) {
    const auto path = run_.cell_folder(cell) + "/curve.jsonl";
    store::while_event(path, store::Broken::kRefuse,
                       [&](const Json& event, const std::string&, std::size_t number) {
                         const Json expected = curve.at(number - 1).training_s;
                         if (event.at("training_s") == expected) return true;
                         find(fmt::format("cells/{}/curve.jsonl:{}", cell.folder_name(), number),
                              "/training_s", event.at("training_s").dump(), expected.dump());
                         return false;
                       });
  }

  void find(const std::string& file, const std::string& pointer, const std::string& found,
            const std::string& expected) {
    check_.findings.push_back(fmt::format("{}{}: found {}, expected {}", run_.path(file),
                                          pointer.empty() ? "" : ": " + pointer, found, expected));
  }

  void whole(const std::string& file, const std::string& pointer, const Json& found,
             const Json& expected) {
    if (const auto difference = first_difference(found, expected, pointer)) {
      find(file, difference->pointer, difference->found, difference->expected);
    }
  }

  /// Compares the keys of `expected` alone.
  void compare(const std::string& file, const Json& found, const Json& expected) {
    Json part = Json::object();
    for (const auto& [key, value] : expected.items()) {
      if (found.contains(key)) part[key] = found.at(key);
    }
    whole(file, "", part, expected);
  }

  std::optional<std::size_t> index_in_result(const plan::Cell& cell) const {
    const auto& cells = run_.result.at("cells");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const auto is = [&](const char* key, const Json& value) {
        return cells[i].is_object() && cells[i].contains(key) && cells[i].at(key) == value;
      };
      if (is("label", cell.method.label) && is("link", cell.link.name) && is("seed", cell.seed)) {
        return i;
      }
    }
    return std::nullopt;
  }

  const store::RecordedRun& run_;
  record::ProbeBook book_;
  NumbersCheck check_;
};

}  // namespace

Json in_recorded_words(const Json& found, Json expected) {
  for (const auto* verdict : {"link_verdict", "host_verdict", "machine_verdict"}) {
    const auto* recorded = reasons_of(found, verdict);
    if (recorded == nullptr || reasons_of(expected, verdict) == nullptr) continue;
    auto& reasons = expected.at(verdict).at("reasons");
    for (std::size_t i = 0; i < std::min(recorded->size(), reasons.size()); ++i) {
      if (!recorded->at(i).is_string()) continue;
      const auto words = recorded->at(i).get<std::string>();
      if (measurements_in(words) == measurements_in(reasons[i].get<std::string>()))
        reasons[i] = words;
    }
  }
  return expected;
}

NumbersCheck verify_numbers(const store::RecordedRun& run, const std::vector<plan::Cell>& cells) {
  Check check{run};
  check.identity();
  for (const auto& cell : cells) check.cell(cell);
  check.strangers();
  return check.take();
}

}  // namespace pacbench::verify
