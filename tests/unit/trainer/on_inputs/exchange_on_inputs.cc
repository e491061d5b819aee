// exchange_on_inputs JSON: hands gradients of a file to a method over the thread group, with seed
// 7, and writes the means to another file. These are the keys of the file JSON.
//
// - "method" is an entry of a scenario; "ranks" and "iterations" are numbers.
// - "buckets" has for each bucket its parameters, each with "parameter" (its number), "shape" and
//   "masked".
// - "gradients" is the path of float32[iterations][ranks][elements of all buckets].
// - "masks" is the path of a byte for each element of all buckets, 1 where it is kept. It is needed
//   where any parameter is masked.
// - "means" is the path to write float32[iterations][elements] to.
#include <fmt/format.h>

#include <functional>
#include <numeric>

#include "tests/unit/trainer/exchange/thread_ranks.h"
#include "tests/unit/trainer/on_inputs/raw_floats.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::test {
namespace {

ParameterSlice slice_of(const Json& described, std::int64_t offset) {
  ParameterSlice slice;
  slice.parameter = described.at("parameter");
  slice.name = fmt::format("parameter{}", slice.parameter);
  slice.shape = described.at("shape").get<std::vector<std::int64_t>>();
  slice.offset = offset;
  slice.elements =
      std::accumulate(slice.shape.begin(), slice.shape.end(), std::int64_t{1}, std::multiplies<>{});
  return slice;
}

Layout layout_of(const Json& input) {
  Layout layout;
  for (const auto& bucket : input.at("buckets")) {
    auto& described = layout.emplace_back();
    described.index = static_cast<int>(layout.size()) - 1;
    for (const auto& parameter : bucket) {
      described.slices.push_back(slice_of(parameter, described.elements));
      described.elements += described.slices.back().elements;
    }
  }
  return layout;
}

std::int64_t elements_of(const Layout& layout) {
  std::int64_t elements = 0;
  for (const auto& bucket : layout) elements += bucket.elements;
  return elements;
}

void take_masks(const Json& input, Layout& layout) {
  if (!input.contains("masks")) return;
  const auto bits = read_raw(input.at("masks"), at::kByte, elements_of(layout)).to(at::kBool);
  std::int64_t begin = 0;
  for (auto& bucket : layout) {
    for (auto& slice : bucket.slices) {
      const auto& described = input.at("buckets").at(static_cast<std::size_t>(bucket.index));
      const auto place = static_cast<std::size_t>(&slice - bucket.slices.data());
      if (described.at(place).value("masked", false)) {
        slice.mask = bits.narrow(0, begin, slice.elements).clone();
      }
      begin += slice.elements;
    }
  }
}

/// Cuts float[elements of all buckets] into the buckets.
std::vector<at::Tensor> buckets_of(const at::Tensor& values, const Layout& layout) {
  std::vector<std::int64_t> sizes;
  for (const auto& bucket : layout) sizes.push_back(bucket.elements);
  return values.split_with_sizes(sizes);
}

Choice method_of(Json entry) {
  const std::string name = entry.at("name");
  entry.erase("name");
  return with_defaults(name, entry);
}

/// The mean. Throws when the ranks do not all have the same bits.
at::Tensor common_mean(const Gradients& means, std::int64_t iteration) {
  const auto first = at::cat(means.front());
  for (std::size_t rank = 1; rank < means.size(); ++rank) {
    if (at::equal(first, at::cat(means[rank]))) continue;
    throw std::runtime_error{
        fmt::format("iteration {}: ranks 0 and {} hold different means", iteration, rank)};
  }
  return first;
}

void exchange(const Json& input) {
  auto layout = layout_of(input);
  take_masks(input, layout);
  const int ranks = input.at("ranks");
  const std::int64_t iterations = input.at("iterations");
  const auto gradients =
      read_raw(input.at("gradients"), at::kFloat, iterations * ranks * elements_of(layout))
          .view({iterations, ranks, elements_of(layout)});
  auto threads = ranks_of(method_of(input.at("method")), ranks, layout);
  std::vector<at::Tensor> means;
  for (std::int64_t iteration = 0; iteration < iterations; ++iteration) {
    Gradients own;
    for (int rank = 0; rank < ranks; ++rank) {
      own.push_back(buckets_of(gradients[iteration][rank], layout));
    }
    means.push_back(common_mean(threads.exchange(own), iteration));
  }
  write_raw(input.at("means"), at::stack(means));
}

}  // namespace
}  // namespace pacbench::trainer::test

int main(int argc, char** argv) {
  return pacbench::trainer::test::run_on_json(argc, argv, pacbench::trainer::test::exchange);
}
