// `verify` finds each of two hundred changes to a run.
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <random>

#include "base/files.h"
#include "base/text_file.h"
#include "harness/record/cell_result.h"
#include "harness/record/probe_book.h"
#include "harness/store/manifest.h"
#include "harness/store/recorded_run.h"
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

/// Makes one change to the lines of a file, and says which.
const char* change(std::vector<std::string>& lines, std::mt19937& random) {
  const auto below = [&](std::size_t count) {
    return std::uniform_int_distribution<std::size_t>{0, count - 1}(random);
  };
  const auto any_line = [&] {
    return lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size()));
  };
  switch (below(4)) {
    case 0:
      for (;;) {
        auto& line = *any_line();
        if (line.empty()) continue;
        auto& c = line[below(line.size())];
        if (!std::isalnum(static_cast<unsigned char>(c))) continue;
        c = c == '7' ? '8' : '7';
        return "changed a character of a value";
      }
    case 1:
      lines.erase(any_line());
      return "left out a line";
    case 2:
      lines.insert(any_line(), std::string{*any_line()});
      return "doubled a line";
    default:
      std::iter_swap(any_line(), any_line());
      return "swapped two lines";
  }
}

/// Whether two JSON documents have the same values and length, whatever the order of their keys.
bool is_same_document(const std::string& one, const std::string& other) {
  const auto document = parse_json_line(one);
  return !document.is_discarded() && document == parse_json_line(other) &&
         one.size() == other.size();
}

/// Writes a file, compressed where its name says so.
void write_lines(const std::string& path, const std::string& text) {
  if (!path.ends_with(kCompressed)) return write_file_atomically(path, text);
  const auto plain = path.substr(0, path.size() - std::string_view{kCompressed}.size());
  write_file_atomically(plain, text);
  compress_text(plain);
  fs::remove(plain);
}

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
    const auto before = read_file(file);
    std::vector<std::string> lines;
    std::string line;
    for (LineReader reader{file}; reader.next(line);) lines.push_back(line);
    const auto lines_before = lines;
    const auto* done = change(lines, random);
    std::string text;
    for (const auto& each : lines) text += each + '\n';
    const bool is_document = file.ends_with(".json");
    if (is_document ? is_same_document(text, before) : lines == lines_before) continue;
    write_lines(file, text);
    ++changes;
    EXPECT_NE(verdict_on(run), "") << changes << ": " << done << " of " << file;
    write_file_atomically(file, before);
  }
  EXPECT_EQ(verdict_on(run), "") << "everything was taken back";
}

}  // namespace
}  // namespace pacbench::store::mutation_test
