#include "spec/workload_reader.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/files.h"
#include "base/sha256.h"

namespace pacbench {
namespace {

Schedule read_schedule(ObjectReader reader) {
  Schedule schedule;
  schedule.kind = reader.choice("kind", {"constant", "step", "cosine"});
  if (schedule.kind == "step") {
    schedule.milestones = reader.integers("milestones", Range::at_least(1));
    schedule.gamma = reader.number_or("gamma", schedule.gamma, Range::ratio());
  }
  reader.finish();
  return schedule;
}

Optimizer read_optimizer(ObjectReader reader) {
  Optimizer optimizer;
  optimizer.name = reader.choice("name", {"sgd", "adam", "adamw", "lion"});
  optimizer.lr = reader.number("lr", Range::positive());
  if (optimizer.name == "sgd") {
    optimizer.momentum = reader.number_or("momentum", 0, {0.0, 1.0, false});
  } else {
    const Range decay{0.0, 0.9999};
    if (optimizer.name == "lion") optimizer.beta2 = 0.99;
    optimizer.beta1 = reader.number_or("beta1", optimizer.beta1, decay);
    optimizer.beta2 = reader.number_or("beta2", optimizer.beta2, decay);
    if (optimizer.name != "lion") {
      optimizer.eps = reader.number_or("eps", optimizer.eps, Range::positive());
    }
  }
  optimizer.weight_decay = reader.number_or("weight_decay", 0, Range::at_least(0));
  if (reader.has("schedule")) optimizer.schedule = read_schedule(reader.object("schedule"));
  reader.raw("schedule");
  reader.finish();
  return optimizer;
}

/// The hash is read from the file; one that is given must be that, so that a recorded scenario
/// never goes on with other weights.
void read_file_of_weights(ObjectReader& reader, const std::string& source, Initial& initial) {
  const auto file = reader.text("path");
  const auto expected = reader.text_or("sha256", "");
  if (file.empty()) return;
  const auto path = std::filesystem::absolute(source).parent_path() / file;
  initial.path = path.lexically_normal().string();
  try {
    initial.sha256 = sha256(read_file(initial.path));
  } catch (const std::system_error& error) {
    reader.complain("path", error.what());
    return;
  }
  if (expected.empty() || expected == initial.sha256) return;
  reader.complain("sha256", fmt::format("found {}, but {} has {}: it is another file", expected,
                                        initial.path, initial.sha256));
}

Initial read_initial(ObjectReader reader, const Catalogue& catalogue, const std::string& source) {
  Initial initial;
  initial.kind = reader.choice("kind", {"random", "pretrain", "file"});
  if (initial.kind == "file") read_file_of_weights(reader, source, initial);
  if (initial.kind == "pretrain") {
    auto dataset = reader.object("dataset");
    initial.dataset = read_choice(dataset, catalogue.datasets);
    dataset.finish();
    initial.iterations = reader.integer_or("iterations", initial.iterations, Range::at_least(1));
    initial.batch = reader.integer_or("batch", initial.batch, Range::at_least(1));
    initial.lr = reader.number_or("lr", initial.lr, Range::positive());
  }
  reader.finish();
  return initial;
}

}  // namespace

Workload read_workload(ObjectReader reader, const Catalogue& catalogue, const std::string& source) {
  Workload workload;
  auto model = reader.object("model");
  workload.model = read_choice(model, catalogue.models);
  model.finish();
  auto dataset = reader.object("dataset");
  workload.dataset = read_choice(dataset, catalogue.datasets);
  dataset.finish();
  workload.batch_per_worker = reader.integer("batch_per_worker", {1.0, 65536.0, false});
  workload.optimizer = read_optimizer(reader.object("optimizer"));
  if (reader.has("initial")) {
    workload.initial = read_initial(reader.object("initial"), catalogue, source);
  }
  reader.raw("initial");
  workload.max_iterations = reader.integer("max_iterations", {1.0, 1e9, false});
  workload.evaluate_every = reader.integer("evaluate_every", {1.0, 1e9, false});
  workload.evaluate_samples = reader.integer_or("evaluate_samples", 0, Range::at_least(0));
  workload.validation_samples = reader.integer_or("validation_samples", 0, Range::at_least(0));
  workload.stop = reader.choice_or("stop", workload.stop, {"iterations", "targets"});
  reader.finish();
  return workload;
}

}  // namespace pacbench
