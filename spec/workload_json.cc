#include "spec/workload_json.h"

namespace pacbench {
namespace {

Json schedule_to_json(const Schedule& schedule) {
  Json node{{"kind", schedule.kind}};
  if (schedule.kind == "step") {
    node["milestones"] = schedule.milestones;
    node["gamma"] = schedule.gamma;
  }
  return node;
}

Json initial_to_json(const Initial& initial) {
  Json node{{"kind", initial.kind}};
  if (initial.kind == "file") {
    node["path"] = initial.path;
    node["sha256"] = initial.sha256;
  }
  if (initial.kind == "pretrain") {
    node["dataset"] = choice_to_json(initial.dataset);
    node["iterations"] = initial.iterations;
    node["batch"] = initial.batch;
    node["lr"] = initial.lr;
  }
  return node;
}

Schedule schedule_from_json(const Json& node) {
  Schedule schedule;
  schedule.kind = node.at("kind");
  if (schedule.kind == "step") {
    schedule.milestones = node.at("milestones").get<std::vector<std::int64_t>>();
    schedule.gamma = node.at("gamma");
  }
  return schedule;
}

Initial initial_from_json(const Json& node) {
  Initial initial;
  initial.kind = node.at("kind");
  if (initial.kind == "file") {
    initial.path = node.at("path");
    initial.sha256 = node.at("sha256");
  }
  if (initial.kind == "pretrain") {
    initial.dataset = choice_from_canonical_json(node.at("dataset"));
    initial.iterations = node.at("iterations");
    initial.batch = node.at("batch");
    initial.lr = node.at("lr");
  }
  return initial;
}

}  // namespace

Json choice_to_json(const Choice& choice) {
  Json node = choice.options;
  node["name"] = choice.name;
  return node;
}

Choice choice_from_canonical_json(const Json& node) {
  Choice choice{node.at("name"), node};
  choice.options.erase("name");
  return choice;
}

/// Each has what it takes, so that a scenario's hash does not depend on what others take.
Json optimizer_to_json(const Optimizer& optimizer) {
  Json node{{"name", optimizer.name},
            {"lr", optimizer.lr},
            {"weight_decay", optimizer.weight_decay},
            {"schedule", schedule_to_json(optimizer.schedule)}};
  if (optimizer.name == "sgd") {
    node["momentum"] = optimizer.momentum;
    return node;
  }
  node["beta1"] = optimizer.beta1;
  node["beta2"] = optimizer.beta2;
  if (optimizer.name != "lion") node["eps"] = optimizer.eps;
  return node;
}

Optimizer optimizer_from_json(const Json& node) {
  Optimizer optimizer;
  optimizer.name = node.at("name");
  optimizer.lr = node.at("lr");
  optimizer.momentum = node.value("momentum", optimizer.momentum);
  optimizer.beta1 = node.value("beta1", optimizer.beta1);
  optimizer.beta2 = node.value("beta2", optimizer.beta2);
  optimizer.eps = node.value("eps", optimizer.eps);
  optimizer.weight_decay = node.at("weight_decay");
  optimizer.schedule = schedule_from_json(node.at("schedule"));
  return optimizer;
}

Json workload_to_json(const Workload& workload) {
  Json node{{"model", choice_to_json(workload.model)},
            {"dataset", choice_to_json(workload.dataset)},
            {"batch_per_worker", workload.batch_per_worker},
            {"optimizer", optimizer_to_json(workload.optimizer)},
            {"initial", initial_to_json(workload.initial)},
            {"max_iterations", workload.max_iterations},
            {"evaluate_every", workload.evaluate_every},
            {"stop", workload.stop}};
  if (workload.evaluate_samples > 0) node["evaluate_samples"] = workload.evaluate_samples;
  if (workload.validation_samples > 0) node["validation_samples"] = workload.validation_samples;
  return node;
}

Workload workload_from_canonical_json(const Json& node) {
  Workload workload;
  workload.model = choice_from_canonical_json(node.at("model"));
  workload.dataset = choice_from_canonical_json(node.at("dataset"));
  workload.batch_per_worker = node.at("batch_per_worker");
  workload.optimizer = optimizer_from_json(node.at("optimizer"));
  workload.initial = initial_from_json(node.at("initial"));
  workload.max_iterations = node.at("max_iterations");
  workload.evaluate_every = node.at("evaluate_every");
  workload.evaluate_samples = node.value("evaluate_samples", std::int64_t{0});
  workload.validation_samples = node.value("validation_samples", std::int64_t{0});
  workload.stop = node.at("stop");
  return workload;
}

}  // namespace pacbench
