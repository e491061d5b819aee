// Makes two hundred changes to a run, each to one value or to one or two lines. `verify` must find
// each change.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "base/text_file.h"
#include "harness/record/cell_result.h"
#include "harness/record/probe_book.h"
#include "harness/store/checksums.h"
#include "harness/store/manifest.h"
#include "harness/store/run_folder.h"
#include "harness/verify/numbers.h"
#include "tests/unit/harness/example.h"

namespace pacbench::store::mutation_test {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMs = 1'000'000;

/// Two cells over a link whose rate moves and which carries a load, so that every kind of file is
/// there.
Scenario moving_scenario() {
  auto scenario = fake_scenario_json();
  scenario["seeds"] = {1};
  scenario["network"]["links"] = Json::parse(R"([{"name": "moving",
      "schedule": {"steps": [{"at_s": 0, "rate_mbit": 100}, {"at_s": 1, "rate_mbit": 50}]},
      "load": [{"from": 0, "to": 1, "start_s": 0, "end_s": 60, "rate_mbit": 1}]}])");
  return scenario_from_json("moving.json", scenario, fake_catalogue());
}

record::LinkProbe probe(const char* when, const std::vector<plan::Cell>& cells) {
  record::LinkProbe probe;
  probe.link = cells.front().link.name;
  probe.when = when;
  for (const auto& cell : cells) probe.cells.push_back(cell.folder_name());
  record::ProbedFlow flow;
  flow.directions = {"up 0", "down 1"};
  flow.expected_mbit = flow.goodput_mbit = 95;
  flow.window_s = 2;
  probe.flows = {flow, flow};
  return probe;
}

std::vector<Json> events_of(int rank) {
  std::vector<Json> events{to_json(ReadyEvent{rank, 10, {10}, 1, false, 0.01, 4, 1 << 20, 0})};
  for (std::int64_t i = 1; i <= 6; ++i) {
    IterationEvent event;
    event.rank = rank;
    event.iteration = i;
    event.step = {i * 100 * kMs, (i * 100 + 90 + i) * kMs};
    event.training_s = 0.1 * static_cast<double>(i);
    event.loss = 1.0 / static_cast<double>(i + rank);
    event.traffic.sent_bytes = 100'000 + i;  // more than the load
    event.traffic.received_bytes = 100'000 + i;
    events.push_back(to_json(event));
    if (rank == 0) {
      events.push_back(
          to_json(EvaluationEvent{i, event.training_s, 0.1 * static_cast<double>(i), 1}));
    }
  }
  events.push_back(to_json(DoneEvent{rank, 6, 0.6, 0, {}, 1, 1 << 21}));
  return events;
}

void record_cell(const RunFolder& folder, const Scenario& scenario, const plan::Cell& cell,
                 const record::ProbeBook& probes) {
  record::CellRecord record{record::RateLimits{scenario, cell.link}};
  auto recorder = folder.start(cell);
  const auto add = [&](const Json& event) { recorder.event(record.add(event), event.dump()); };
  add(record::NetworkTrace::scheduled_event({0, 100 * kMs}));
  add(record::NetworkTrace::stepped_event({0, 100 * kMs, 101 * kMs, 100}));
  for (std::int64_t i = 1; i < 8; ++i) {
    const Json sample{{"at_ns", i * 100 * kMs}, {"bytes", i * 50},        {"sent_bytes", i * 60},
                      {"segments", i},          {"segments_received", i}, {"retransmits", 0}};
    add(record::NetworkTrace::load_event(0, sample));
  }
  for (const int rank : {0, 1}) {
    for (const auto& event : events_of(rank)) add(event);
  }
  for (const double idle : {0.5, 0.6, 0.7}) {
    add(record::CellRecord::host_event(HostSample{idle, 0.1, 0.2}));
  }
  recorder.worker_log("rank 0", "one\ntwo\nthree\n");
  add(record::CellRecord::ended_event({CellStatus::kDone, ""}));
  record.set_probes(probes.of(cell.folder_name()));
  folder.finish(cell, record::summarise(scenario, cell, record));
}

void record_run(const std::string& path) {
  const auto scenario = moving_scenario();
  const auto folder = RunFolder::create(path);
  folder.write_manifest(new_manifest(scenario, fake_catalogue()));
  record::ProbeBook probes{path, store::Broken::kEnd};
  const auto cells = plan::plan(scenario);
  probes.add(probe("before", cells));
  probes.add(probe("after", cells));
  for (const auto& cell : cells) record_cell(folder, scenario, cell, probes);
  folder.write_result(scenario);
}

/// The complaints of `pacbench verify` about a run; empty when it has none.
std::string verdict_on(const std::string& path) {
  try {
    const auto run = store::open_run(path, fake_catalogue());
    const auto cells = plan::plan(run.scenario);
    const auto checksums = store::verify_checksums(run, cells);
    if (!checksums.findings.empty()) return checksums.findings.front();
    const auto numbers = verify::verify_numbers(run, cells);
    if (!numbers.findings.empty()) return numbers.findings.front();
    return numbers.missing.empty() ? "" : "missing: " + numbers.missing.front();
  } catch (const ConfigError& error) {
    return error.what();
  }
}

/// Makes one change to a file of a run, and undoes it when destroyed.
class Mutation {
 public:
  Mutation(std::string path, std::mt19937& random)
      : path_{std::move(path)}, before_{read_file(path_)}, random_{random} {
    std::string line;
    for (LineReader lines{path_}; lines.next(line);) lines_.push_back(line);
  }
  ~Mutation() { write_file_atomically(path_, before_); }
  Mutation(const Mutation&) = delete;

  /// Makes a change and returns its description. Where the content would stay the same, leaves the
  /// file as it is and returns an empty text.
  std::string make() {
    std::string done;
    switch (below(4)) {
      case 0:
        done = "changed a value";
        change_value();
        break;
      case 1:
        done = "left out a line";
        lines_.erase(any_line());
        break;
      case 2:
        done = "doubled a line";
        lines_.insert(any_line(), std::string{*any_line()});
        break;
      default:
        done = "swapped two lines";
        std::iter_swap(any_line(), any_line());
    }
    std::string text;
    for (const auto& line : lines_) text += line + '\n';
    if (says_the_same(text)) return "";
    write_file_atomically(path_, text);
    // Compresses the changed text again if the file was compressed.
    if (path_.ends_with(kCompressed)) recompress();
    return done;
  }

 private:
  std::size_t below(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>{0, count - 1}(random_);
  }
  std::vector<std::string>::iterator any_line() {
    return lines_.begin() + static_cast<std::ptrdiff_t>(below(lines_.size()));
  }

  /// Replaces one character of a number or a word.
  void change_value() {
    for (;;) {
      auto& line = *any_line();
      if (line.empty()) continue;
      auto& c = line[below(line.size())];
      if (!std::isalnum(static_cast<unsigned char>(c))) continue;
      c = c == '7' ? '8' : '7';
      return;
    }
  }

  /// Whether the text has the same content as before. Lines have an order. A JSON document has
  /// it when its values and its length are the same, whatever the order of its keys.
  bool says_the_same(const std::string& text) const {
    if (!path_.ends_with(".json")) return text == text_before();
    const auto now = parse_json_line(text);
    return !now.is_discarded() && now == parse_json_line(before_) && text.size() == before_.size();
  }

  std::string text_before() const {
    std::string text;
    TextReader reader{path_};
    for (auto part = reader.read(); !part.empty(); part = reader.read()) text += part;
    return text;
  }

  void recompress() const {
    const auto plain = path_.substr(0, path_.size() - std::string_view{kCompressed}.size());
    fs::rename(path_, plain);
    compress_text(plain);
    fs::remove(plain);
  }

  std::string path_;
  std::string before_;
  std::mt19937& random_;
  std::vector<std::string> lines_;
};

TEST(VerifiedRun, ShowsEveryOneOfTwoHundredChanges) {
  const TemporaryFolder folder;
  const auto run = folder.path() + "/run";
  record_run(run);
  ASSERT_EQ(verdict_on(run), "");
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator{run}) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  ASSERT_EQ(files.size(), 3u + 2 * 6)
      << "manifest, result, probes; lines, log and numbers of cells";
  std::mt19937 random{1};
  int changes = 0;
  for (std::size_t turn = 0; changes < 200; ++turn) {
    const auto& file = files[turn % files.size()];
    Mutation mutation{file, random};
    const auto done = mutation.make();
    if (done.empty()) continue;
    ++changes;
    EXPECT_NE(verdict_on(run), "") << changes << ": " << done << " of " << file;
  }
  EXPECT_EQ(verdict_on(run), "") << "everything was taken back";
}

}  // namespace
}  // namespace pacbench::store::mutation_test
