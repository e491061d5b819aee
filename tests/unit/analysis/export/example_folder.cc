#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/harness/example_manifest.h"

#include <filesystem>

#include "analysis/export/exported_run.h"
#include "base/files.h"
#include "base/sha256.h"
#include "contract/scenario/scenario.h"

namespace pacbench::exports {
namespace {

constexpr std::int64_t kMs = 1'000'000;
constexpr std::int64_t kStep_ns = 100 * kMs;
constexpr std::int64_t kUp_ns = 5'000'000 * kMs;  ///< the host's uptime at the start

Span ms(std::int64_t start_ns, std::int64_t from, std::int64_t to) {
  return {start_ns + from * kMs, start_ns + to * kMs};
}

CollectiveTrace collective(std::int64_t start_ns, std::int64_t ready, std::int64_t from,
                           std::int64_t to, std::int64_t bytes) {
  return {"all_reduce",          "float32", bytes / 4, bytes, 2 * bytes, start_ns + ready * kMs,
          ms(start_ns, from, to)};
}

void write_cell(const std::string& folder) {
  std::filesystem::create_directories(folder);
  LineFile iterations{folder + "/iterations.jsonl"};
  LineFile curve{folder + "/curve.jsonl"};
  for (std::int64_t iteration = 1; iteration <= 3; ++iteration) {
    for (const int rank : {1, 0}) {
      iterations.append(json_text(to_json(example_iteration(rank, iteration))));
    }
    const auto done = static_cast<double>(iteration);
    curve.append(json_text(to_json(EvaluationEvent{iteration, 0.3 * done, 0.1 * done, 1.0})));
  }
}

}  // namespace

IterationEvent example_iteration(int rank, std::int64_t iteration) {
  const auto start_ns = kUp_ns + (iteration - 1) * kStep_ns + rank * kMs / 10;
  IterationEvent event;
  event.rank = rank;
  event.iteration = iteration;
  event.step = {start_ns, start_ns + kStep_ns - kMs};
  event.forward = ms(start_ns, 1, 10);
  event.backward = ms(start_ns, 10, 30);
  event.exposed = ms(start_ns, 30, 90);
  event.optimizer = ms(start_ns, 90, 95);
  event.training_s = 0.1 * static_cast<double>(iteration);
  event.loss = 1.5;
  event.buckets = {{0, 1000, ms(start_ns, 15, 60), {collective(start_ns, 17, 18, 55, 4000)}, {}},
                   {1,
                    500,
                    ms(start_ns, 25, 89),
                    {collective(start_ns, 28, 40, 65, 2000), collective(start_ns, 66, 66, 80, 100)},
                    {{"stable", true}}}};
  event.traffic.sent_bytes = 1'000'000;
  event.traffic.received_bytes = 500'000;
  return event;
}

void write_example_folder(const std::string& folder, const RunResult& result) {
  std::filesystem::create_directories(folder);
  write_file_atomically(folder + "/manifest.json",
                        to_json(example_manifest(result.scenario)).dump(2));
  auto document = to_json(result);
  document["comparison_hash"] = sha256(compared_part(result.scenario).dump());
  write_file_atomically(folder + "/result.json", document.dump(2));
  for (const auto& cell : result.cells) write_cell(folder + "/cells/" + cell.name());
}

Catalogue example_catalogue() {
  DatasetInfo digits;
  digits.name = "digits";
  digits.train_samples = 899;
  digits.test_samples = 898;
  Catalogue catalogue;
  catalogue.datasets = {digits};
  return catalogue;
}

}  // namespace pacbench::exports
