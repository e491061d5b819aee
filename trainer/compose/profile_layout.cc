#include "trainer/compose/profile_layout.h"

#include <fmt/format.h>

#include <unordered_map>

namespace pacbench::trainer {
namespace {

[[noreturn]] void other_model(const std::string& pointer, const std::string& what) {
  throw ConfigError{
      "profile",
      {{pointer,
        what + "; this profile is of another model: make one of the scenario's model with pacbench "
               "profile"}}};
}

}  // namespace

Layout layout_of(const Profile& profile, const std::vector<Parameter>& parameters) {
  std::unordered_map<std::string, int> numbers;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    numbers[parameters[i].name] = static_cast<int>(i);
  }
  Layout layout;
  for (std::size_t b = 0; b < profile.buckets.size(); ++b) {
    const auto& bucket = profile.buckets[b];
    BucketLayout described;
    described.index = static_cast<int>(b);
    for (std::size_t p = 0; p < bucket.parameters.size(); ++p) {
      const auto found = numbers.find(bucket.parameters[p]);
      if (found == numbers.end()) {
        other_model(fmt::format("/buckets/{}/parameters/{}", b, p),
                    fmt::format("found \"{}\", expected a parameter of the model that no other "
                                "bucket has",
                                bucket.parameters[p]));
      }
      const auto& parameter = parameters[static_cast<std::size_t>(found->second)];
      const auto elements = parameter.tensor.numel();
      described.slices.push_back({found->second, found->first, parameter.tensor.sizes().vec(),
                                  described.elements, elements, at::Tensor{}, parameter.embedding,
                                  parameter.prunable});
      described.elements += elements;
      numbers.erase(found);
    }
    if (described.elements != bucket.elements) {
      other_model(
          fmt::format("/buckets/{}/elements", b),
          fmt::format(
              "found {} elements, expected {}, which the bucket's parameters have in this model",
              bucket.elements, described.elements));
    }
    layout.push_back(std::move(described));
  }
  if (!numbers.empty()) {
    other_model("/buckets", fmt::format("{} of the model's parameters are in no bucket, \"{}\" "
                                        "among them",
                                        numbers.size(), numbers.begin()->first));
  }
  return layout;
}

BucketLayout joined(const Layout& layout) {
  BucketLayout whole;
  for (const auto& bucket : layout) {
    for (auto slice : bucket.slices) {
      slice.offset += whole.elements;
      whole.slices.push_back(std::move(slice));
    }
    whole.elements += bucket.elements;
  }
  return whole;
}

}  // namespace pacbench::trainer
