#include "trainer/training/evaluator.h"

#include <torch/torch.h>

#include <algorithm>

namespace pacbench::trainer {

// Large enough to be quick, small enough that activations of 64 channels of 32x32 images stay below
// 300 MB. Networks of bottlenecks, and models that resize images to 224x224, take more.
constexpr std::int64_t kBatch = 250;

Evaluation& Evaluation::operator+=(const Evaluation& other) {
  samples += other.samples;
  correct += other.correct;
  loss_sum += other.loss_sum;
  has_accuracy = has_accuracy && other.has_accuracy;
  return *this;
}

Evaluation evaluate(Model& model, const Dataset& dataset, const Samples& part, std::int64_t first,
                    std::optional<std::int64_t> asked) {
  const auto count = asked.value_or(part.count());
  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode{model};
  const auto device = model.parameters().front().device();
  Evaluation total;
  for (std::int64_t done = 0; done < count; done += kBatch) {
    const auto batch = dataset.plain_batch(part, first + done, std::min(kBatch, count - done));
    const auto labels = batch.labels.to(device).flatten();
    const auto logits = model.forward(batch.inputs.to(device));
    const auto loss = torch::nn::functional::cross_entropy(
        logits, labels, torch::nn::functional::CrossEntropyFuncOptions{}.reduction(torch::kSum));
    total += {labels.size(0), logits.argmax(1).eq(labels).sum().item<std::int64_t>(),
              loss.item<double>()};
  }
  return total;
}

}  // namespace pacbench::trainer
