// Compares whole trainings with those of PyTorch's communication hooks, and of plain versions of
// methods that PyTorch does not have. Both have the same initial weights, batches and optimiser,
// and no code in common but torch's own. record.py beside this file recorded the other trainings.
#include <ATen/Functions.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>

#include "base/files.h"
#include "base/json/json_reader.h"
#include "tests/unit/trainer/cell/cell.h"
#include "tests/unit/trainer/learning/formula.h"

namespace pacbench::trainer::test::against_pytorch_test {
namespace {

/// How near a method has to come to the recorded training, and a wrong method that must not.
struct Check {
  std::string name;  ///< of the recorded training
  double tolerance;  ///< of a loss, and of the weights relative to their norm
  Json wrong;        ///< options, or another method, in the place of the recorded ones
};

// Both sides compute in float32, but a matrix product's last bits depend on the processor. When
// torch uses plain instructions in place of AVX-512 on one side, losses move by 5e-7. With 16-bit
// floats, where an entry may round to its other neighbour, they move by 6e-6 in 30 iterations (8e-7
// in ten). In PowerSGD, whose Gram-Schmidt divides by small norms, they move by 4e-5. Tolerances
// are about ten times these numbers. A wrong method has to be ten tolerances away.
constexpr double kFloats = 1e-5;
constexpr double kRounded = 5e-5;
constexpr double kLowRank = 5e-4;

const Json kNoFeedback{{"error_feedback", false}};

const std::vector<Check> kChecks{
    {"all-reduce", kFloats, {{"name", "fp16"}}},
    {"fp16", kRounded, {{"name", "all-reduce"}}},
    {"fp16 in two buckets", kFloats, {{"name", "bf16"}}},
    {"bf16", kRounded, {{"name", "fp16"}}},
    {"powersgd of rank 1", kLowRank, kNoFeedback},
    {"powersgd of rank 2", kLowRank, kNoFeedback},
    {"powersgd of rank 4", kLowRank, kNoFeedback},
    {"powersgd without error feedback", kLowRank, {{"error_feedback", true}}},
    {"powersgd in two buckets", kLowRank, {{"rank", 1}}},
    {"local-sgd", kFloats, {{"every", 6}}},
    {"post-local SGD", kFloats, {{"begin_after", 5}}},
    {"topk", kFloats, kNoFeedback},
    {"ef21", kFloats, {{"name", "topk"}, {"ratio", 0.05}}},
    {"dgc", kFloats, {{"name", "topk"}, {"ratio", 0.01}}},
    {"ef-signsgd", kFloats, kNoFeedback},
    {"signsgd", kFloats, {{"name", "distributed-lion"}}},
    {"distributed-lion by majority", kFloats, {{"vote", "average"}}},
    {"distributed-lion by mean", kFloats, {{"beta2", 0.9}}},
    {"diloco", kFloats, {{"outer_momentum", 0}}},
};

const Json& recorded_cases() {
  static const Json recorded = read_json_file(RECORDED_TRAININGS);
  return recorded.at("cases");
}

const Json& recorded(const std::string& name) {
  for (const auto& one : recorded_cases()) {
    if (one.at("name") == name) return one;
  }
  throw std::out_of_range{"recorded.json has no training called " + name};
}

/// Initial weights by the formula (formula.h), in the format of safetensors.
std::string initial_weights(const WorkerSpec& spec) {
  const auto model = make_model(spec.workload.model, dataset_info("digits"), spec.seed);
  Json header;
  std::string values;
  for (const auto& parameter : parameters_of(*model)) {
    const auto shape = parameter.tensor.sizes();
    const auto tensor = testing::value(parameter.name, shape).to(at::kFloat);
    const auto begin = values.size();
    values.append(static_cast<const char*>(tensor.const_data_ptr()), tensor.nbytes());
    header[parameter.name] = {
        {"dtype", "F32"}, {"shape", shape.vec()}, {"data_offsets", {begin, values.size()}}};
  }
  const auto text = header.dump();
  std::string length;
  for (int byte = 0; byte < 8; ++byte) length += static_cast<char>(text.size() >> 8 * byte & 0xFF);
  return length + text + values;
}

Choice method_of(const Json& entry) {
  auto options = entry;
  options.erase("name");
  return with_defaults(entry.at("name"), options);
}

/// The recorded entry with some options changed, or `wrong` itself if it names a method.
Json changed(Json entry, const Json& wrong) {
  if (wrong.contains("name")) return wrong;
  entry.update(wrong);
  return entry;
}

WorkerSpec spec_of(const Json& expected, const Json& method) {
  auto spec = small_cell(method_of(method), expected.at("workers"));
  spec.seed = 7;
  auto& workload = spec.workload;
  workload.model.options["hidden"] = expected.at("hidden");
  workload.batch_per_worker = expected.at("batch");
  workload.max_iterations = workload.evaluate_every = expected.at("iterations");
  workload.optimizer.lr = expected.at("lr");
  workload.optimizer.momentum = expected.at("momentum");
  const std::vector<std::int64_t> milestones = expected.at("milestones");
  if (!milestones.empty()) workload.optimizer.schedule = {"step", milestones, 0.1};
  workload.initial.kind = "file";
  return spec;
}

using Train = Trained (*)(const WorkerSpec&);

Trained trained(const Json& expected, const Json& method, Train train) {
  auto spec = spec_of(expected, method);
  const TemporaryFolder folder;
  spec.checkpoint = folder.path() + "/initial.safetensors";
  write_file_atomically(spec.checkpoint, initial_weights(spec));
  return train(spec);
}

/// The largest difference of a loss, of any rank in any iteration.
double loss_difference(const Trained& found, const Json& expected) {
  double largest = 0;
  std::size_t compared = 0;
  for (const auto& event : found.of_kind("iteration")) {
    const auto iteration = event.at("iteration").get<std::size_t>();
    const double loss = expected.at("losses").at(iteration - 1).at(event.at("rank").get<int>());
    largest = std::max(largest, std::abs(event.at("loss").get<double>() - loss));
    ++compared;
  }
  EXPECT_EQ(compared, expected.at("workers").get<std::size_t>() * expected.at("losses").size());
  return largest;
}

/// The largest difference of a parameter's sum, norm, and first, middle and last element on rank 0,
/// relative to its norm.
double weight_difference(const Trained& found, const Json& expected, const WorkerSpec& spec) {
  const auto model = make_model(spec.workload.model, dataset_info("digits"), spec.seed);
  const auto parameters = parameters_of(*model);
  EXPECT_EQ(parameters.size(), expected.at("weights").size());
  double largest = 0;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const std::vector<double> numbers = expected.at("weights").at(parameters[i].name);
    const auto flat = found.weights[0][i].to(at::kDouble).flatten();
    const auto count = flat.numel();
    const auto* values = flat.const_data_ptr<double>();
    // The error of a sum of n terms is about sqrt(n) times the error of the norm.
    const auto root = std::sqrt(static_cast<double>(count));
    const double differences[] = {(flat.sum().item<double>() - numbers[0]) / root,
                                  flat.norm().item<double>() - numbers[1], values[0] - numbers[2],
                                  values[count / 2] - numbers[3], values[count - 1] - numbers[4]};
    for (const auto difference : differences) {
      largest = std::max(largest, std::abs(difference) / numbers[1]);
    }
  }
  return largest;
}

class AgainstPyTorch : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Check& check_ = kChecks[GetParam()];
  const Json& expected_ = recorded(check_.name);

  void expect_near(const char* where, Train train) {
    const auto& method = expected_.at("method");
    const auto found = trained(expected_, method, train);
    const auto loss = loss_difference(found, expected_);
    const auto weights = weight_difference(found, expected_, spec_of(expected_, method));
    std::cout << fmt::format(
        "{} over {}: losses within {:.1e}, weights within {:.1e}, allowed {:.0e}\n", check_.name,
        where, loss, weights, check_.tolerance);
    EXPECT_LT(loss, check_.tolerance) << where;
    EXPECT_LT(weights, check_.tolerance) << where;
  }
};

TEST_P(AgainstPyTorch, TrainsAsTheirsDoes) {
  expect_near("threads", train_over_threads);
  expect_near("Gloo", train_over_gloo);
}

TEST_P(AgainstPyTorch, NoticesAWrongMethod) {
  const auto wrong = changed(expected_.at("method"), check_.wrong);
  const auto loss = loss_difference(trained(expected_, wrong, train_over_threads), expected_);
  std::cout << fmt::format("{}, but {}: losses off by {:.1e}\n", check_.name, check_.wrong.dump(),
                           loss);
  EXPECT_GT(loss, 10 * check_.tolerance);
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) {
  auto name = kChecks[info.param].name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == ' '; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Recorded, AgainstPyTorch, ::testing::Range(std::size_t{0}, kChecks.size()),
                         name_of);

TEST(RecordedTrainings, AreAllChecked) { EXPECT_EQ(recorded_cases().size(), kChecks.size()); }

}  // namespace
}  // namespace pacbench::trainer::test::against_pytorch_test
