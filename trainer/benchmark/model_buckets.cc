#include "trainer/benchmark/model_buckets.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>

#include "trainer/data/dataset.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/philox.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {
namespace {

constexpr std::size_t kFirstBucketBytes = 1 << 20;

void append(ParameterSlice slice, BucketLayout& bucket) {
  slice.offset = bucket.elements;
  bucket.elements += slice.elements;
  bucket.slices.push_back(std::move(slice));
}

ParameterSlice slice_of(const Parameter& parameter, std::size_t number) {
  ParameterSlice slice;
  slice.parameter = static_cast<int>(number);
  slice.name = parameter.name;
  slice.shape = parameter.tensor.sizes().vec();
  slice.elements = parameter.tensor.numel();
  if (!parameter.prunable) return slice;
  RandomKey key{.seed = 1, .use = RandomUse::kPruning};
  key.parameter = slice.parameter;
  slice.mask = random_uniform(key, 0, slice.elements, at::kCPU).lt(0.5);
  return slice;
}

}  // namespace

Layout pruned_buckets(const Choice& model, const std::string& dataset, std::size_t bucket_bytes) {
  const auto catalogue = dataset_catalogue();
  const auto data = std::find_if(catalogue.begin(), catalogue.end(),
                                 [&](const auto& info) { return info.name == dataset; });
  const auto parameters = parameters_of(*make_model(model, *data, 1));
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor.detach());
  auto buckets = std::get<0>(
      c10d::compute_bucket_assignment_by_size(tensors, {kFirstBucketBytes, bucket_bytes}));
  std::reverse(buckets.begin(), buckets.end());
  Layout layout;
  for (const auto& numbers : buckets) {
    BucketLayout bucket;
    bucket.index = static_cast<int>(layout.size());
    for (const auto number : numbers) append(slice_of(parameters[number], number), bucket);
    layout.push_back(std::move(bucket));
  }
  return layout;
}

Layout as_one_bucket(const Layout& layout) {
  BucketLayout whole;
  for (const auto& bucket : layout) {
    for (const auto& slice : bucket.slices) append(slice, whole);
  }
  return {whole};
}

at::Tensor gradient_of(const BucketLayout& bucket) {
  return random_normal({.seed = 2, .parameter = bucket.index}, bucket.elements);
}

}  // namespace pacbench::trainer
