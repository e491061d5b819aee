#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/choice_json.h"

namespace pacbench::trainer {

/// A network that classifies images, or predicts which token follows each token. Parts that
/// torchvision has too bear torchvision's names, so that a checkpoint's keys mean the same to
/// Python.
struct Model : torch::nn::Module {
  /// Logits [batch, classes] of images [batch, channels, height, width], or [batch x context,
  /// classes] of tokens [batch, context].
  virtual at::Tensor forward(at::Tensor inputs) = 0;
};

/// All models, with their options.
std::vector<ModelInfo> model_catalogue();

/// Builds a model for a data set's shape and classes. Its weights are a pure function of `seed`
/// (initialise_weights in trainer/models/networks.h). Throws ConfigError for a name that is not in
/// the catalogue or a data set that the model cannot learn.
std::shared_ptr<Model> make_model(const Choice& choice, const DatasetInfo& dataset,
                                  std::int64_t seed);

/// One parameter of a model. The position in `parameters_of` is its number everywhere: in masks,
/// in keys of random numbers, in the state of methods.
struct Parameter {
  std::string name;  ///< "layer1.0.conv1.weight"
  at::Tensor tensor;
  bool prunable = false;   ///< the weight of a convolution or a linear layer, attention's included
  bool embedding = false;  ///< a table of which a batch looks up rows
};

/// A model's parameters, in the order of `model.parameters()`.
std::vector<Parameter> parameters_of(const Model& model);

/// Puts a model into evaluation mode, in which batch norm uses its running statistics. The
/// destructor restores the former mode.
class EvaluationMode {
 public:
  explicit EvaluationMode(Model& model) : model_{model}, was_training_{model.is_training()} {
    model_.eval();
  }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;
  ~EvaluationMode() { model_.train(was_training_); }

 private:
  Model& model_;
  bool was_training_;
};

}  // namespace pacbench::trainer
