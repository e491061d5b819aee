#include "trainer/training/pretrain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <cmath>
#include <cstdio>

#include "base/clock.h"
#include "trainer/collectives/gpu_work.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/evaluator.h"
#include "trainer/training/optimizer.h"

namespace pacbench::trainer {
namespace {

constexpr double kMomentum = 0.9;
constexpr const char* kSource = "worker specification";

/// The checkpoint is for the workload's model, so both data sets must have the same shape and
/// classes.
void check_same_task(const DatasetInfo& found, const DatasetInfo& expected) {
  if (found.shape == expected.shape && found.classes == expected.classes) return;
  throw ConfigError{
      kSource,
      {{"/workload/initial/dataset/name",
        fmt::format(
            "{} has {} of shape {} in {} classes, expected the same as {}: shape {} in {} classes",
            found.name, found.input, found.shape, found.classes, expected.name, expected.shape,
            expected.classes)}}};
}

void train(Model& model, const Dataset& dataset, const WorkerSpec& spec, c10::Device device) {
  const auto& initial = spec.workload.initial;
  Optimizer options;
  options.momentum = kMomentum;
  const auto sgd = make_optimizer(options, model.parameters());
  model.train();
  for (std::int64_t iteration = 1; iteration <= initial.iterations; ++iteration) {
    const auto batch = dataset.training_batch(
        {.seed = spec.seed, .iteration = iteration, .batch_per_worker = initial.batch});
    const auto loss = torch::nn::functional::cross_entropy(model.forward(batch.inputs.to(device)),
                                                           batch.labels.to(device).flatten());
    if (!std::isfinite(loss.item<double>())) {
      throw ConfigError{kSource,
                        {{"/workload/initial/lr",
                          fmt::format("pre-training diverged: the loss is {} in iteration {}; "
                                      "expected a smaller learning rate than {}",
                                      loss.item<double>(), iteration, initial.lr)}}};
    }
    sgd->zero_gradients();
    loss.backward();
    sgd->step(initial.lr);
  }
}

}  // namespace

Pretraining pretrain(const WorkerSpec& spec, c10::Device device) {
  const auto& workload = spec.workload;
  const auto expected = dataset_info(workload.dataset.name);
  check_same_task(dataset_info(workload.initial.dataset.name), expected);
  const auto dataset =
      load_dataset(workload.initial.dataset, spec.data_folder, workload.validation_samples);
  const auto model = make_model(workload.model, expected, spec.seed);
  // Random weights are drawn on the CPU: the same ones for every device.
  model->to(device);
  const auto start_ns = monotonic_ns();
  train(*model, *dataset, spec, device);
  wait_for_gpu(device);
  const auto elapsed_s = seconds(monotonic_ns() - start_ns);
  const auto accuracy = evaluate(*model, *dataset, dataset->training()).accuracy();
  save_checkpoint(*model, spec.checkpoint);
  return {elapsed_s, accuracy};
}

int run_pretraining(const WorkerSpec& spec, c10::Device device) {
  const auto result = pretrain(spec, device);
  const Json line{
      {"event", "pretrained"}, {"seconds", result.seconds}, {"accuracy", result.accuracy}};
  fmt::print("{}\n", line.dump());
  return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace pacbench::trainer
