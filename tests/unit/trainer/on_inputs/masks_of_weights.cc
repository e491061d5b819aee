// masks_of_weights JSON: prunes weights of a file and writes their masks to another file. These are
// the keys of the file JSON.
//
// - "layers" has the shape of each weight: four dimensions of a convolution, two of a linear layer.
//   No layer has a bias.
// - "ratio", "score", "normalize", "per_layer" and "seed" are the plan.
// - "samples" is a number, "inputs" the path of float32[samples][channels][8][8] and "labels" that
//   of int64[samples], for the score grasp. Each layer but the last has a ReLU behind it, and the
//   first linear one gets the means of the channels.
// - "weights" is the path of float32[all weights].
// - "masks" is the path to write a byte for each weight to, 1 where it is kept.
#include <fmt/format.h>
#include <torch/torch.h>

#include "tests/unit/trainer/on_inputs/raw_floats.h"
#include "trainer/pruning/importance.h"
#include "trainer/pruning/prune.h"

namespace pacbench::trainer::test {
namespace {

struct Layers final : Model {
  at::Tensor forward(at::Tensor values) override {
    std::size_t left = children().size();
    for (const auto& layer : children()) {
      if (auto* linear = layer->as<torch::nn::Linear>()) {
        if (values.dim() == 4) values = values.mean({2, 3});
        values = linear->forward(values);
      } else {
        values = layer->as<torch::nn::Conv2d>()->forward(values);
      }
      if (--left > 0) values = values.relu();
    }
    return values;
  }

  void add(const std::vector<std::int64_t>& shape) {
    const auto name = fmt::format("layer{}", children().size());
    if (shape.size() == 2) {
      torch::nn::LinearOptions options{shape[1], shape[0]};
      register_module(name, torch::nn::Linear{options.bias(false)});
    } else {
      torch::nn::Conv2dOptions options{shape.at(1), shape.at(0), {shape.at(2), shape.at(3)}};
      register_module(name, torch::nn::Conv2d{options.bias(false)});
    }
  }
};

void take_weights(const Json& input, const Model& model) {
  const torch::NoGradGuard no_grad;
  std::int64_t elements = 0;
  for (const auto& weight : model.parameters()) elements += weight.numel();
  const auto values = read_raw(input.at("weights"), at::kFloat, elements);
  std::int64_t begin = 0;
  for (auto& weight : model.parameters()) {
    weight.copy_(values.narrow(0, begin, weight.numel()).view_as(weight));
    begin += weight.numel();
  }
}

Batch batch_of(const Json& input, const Model& model) {
  constexpr std::int64_t kSide = 8;
  const auto labels = read_raw(input.at("labels"), at::kLong, input.at("samples"));
  const auto channels = model.parameters().front().size(1);
  const auto pixels =
      read_raw(input.at("inputs"), at::kFloat, labels.numel() * channels * kSide * kSide);
  return {pixels.view({labels.numel(), channels, kSide, kSide}), labels};
}

Importances importances_of(const Json& input, Model& model) {
  const std::string score = input.at("score");
  if (score == "random") return random_importances(parameters_of(model), input.at("seed"));
  if (score == "grasp") return grasp_importances(model, batch_of(input, model));
  return magnitude_importances(parameters_of(model));
}

void prune(const Json& input) {
  const auto owner = std::make_shared<Layers>();
  auto& model = *owner;
  for (const auto& shape : input.at("layers")) model.add(shape);
  take_weights(input, model);
  auto importances = importances_of(input, model);
  normalise(importances, input.at("normalize"), {});
  const auto parameters = parameters_of(model);
  const auto masks =
      masks_of(parameters, importances, input.at("ratio"), {}, input.at("per_layer"));
  std::vector<at::Tensor> bits;
  for (std::size_t i = 0; i < masks.size(); ++i) bits.push_back(masks.mask(i).flatten());
  write_raw(input.at("masks"), at::cat(bits).to(at::kByte));
}

}  // namespace
}  // namespace pacbench::trainer::test

int main(int argc, char** argv) {
  return pacbench::trainer::test::run_on_json(argc, argv, pacbench::trainer::test::prune);
}
