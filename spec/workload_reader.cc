#include "spec/workload_reader.h"

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
  optimizer.name = reader.choice("name", {"sgd"});
  optimizer.lr = reader.number("lr", {0.0, std::nullopt, true});
  optimizer.momentum = reader.number_or("momentum", 0, {0.0, 1.0, false});
  optimizer.weight_decay = reader.number_or("weight_decay", 0, Range::at_least(0));
  if (reader.has("schedule")) optimizer.schedule = read_schedule(reader.object("schedule"));
  reader.raw("schedule");
  reader.finish();
  return optimizer;
}

Initial read_initial(ObjectReader reader, const Catalogue& catalogue) {
  Initial initial;
  initial.kind = reader.choice("kind", {"random", "pretrain"});
  if (initial.kind == "pretrain") {
    auto dataset = reader.object("dataset");
    initial.dataset = read_choice(dataset, catalogue.datasets);
    dataset.finish();
    initial.iterations = reader.integer_or("iterations", initial.iterations, Range::at_least(1));
    initial.batch = reader.integer_or("batch", initial.batch, Range::at_least(1));
    initial.lr = reader.number_or("lr", initial.lr, {0.0, std::nullopt, true});
  }
  reader.finish();
  return initial;
}

}  // namespace

Workload read_workload(ObjectReader reader, const Catalogue& catalogue) {
  Workload workload;
  auto model = reader.object("model");
  workload.model = read_choice(model, catalogue.models);
  model.finish();
  auto dataset = reader.object("dataset");
  workload.dataset = read_choice(dataset, catalogue.datasets);
  dataset.finish();
  workload.batch_per_worker = reader.integer("batch_per_worker", {1.0, 65536.0, false});
  workload.optimizer = read_optimizer(reader.object("optimizer"));
  if (reader.has("initial")) workload.initial = read_initial(reader.object("initial"), catalogue);
  reader.raw("initial");
  workload.max_iterations = reader.integer("max_iterations", {1.0, 1e9, false});
  workload.evaluate_every = reader.integer("evaluate_every", {1.0, 1e9, false});
  workload.stop = reader.choice_or("stop", workload.stop, {"iterations", "targets"});
  reader.finish();
  return workload;
}

}  // namespace pacbench
