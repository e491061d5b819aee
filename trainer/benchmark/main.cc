// pacbench-exchange-cost: compares the time that encoding and decoding add to an exchange with the
// time on the wire that they save.
//
//   pacbench-exchange-cost [--check]
//   pacbench-exchange-cost --every-method [TEXT [ITERATIONS]]
//
// One rank of eight exchanges a model's buckets through each method while nothing else runs. Its
// collectives only compute in memory, so the time is mostly that of encoding and decoding. The
// model is ResNet-18 (3x3 stem, 11.2 M parameters). With --check the exit code is 1 when a variant
// of PacTrain adds too much time. The limit is a tenth of the time that its bytes save over float32
// at 1 Gbit/s. With --every-method the model is wan100.json's (301,066 parameters), and the program
// measures every method whose ranks all make the same calls and that decides nothing by measured
// times. With TEXT it measures only methods with TEXT in the label. ITERATIONS is the number of
// measured exchanges of each method, by default 50.
#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <future>
#include <string>
#include <string_view>
#include <torch/csrc/distributed/c10d/reducer.hpp>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "trainer/collectives/identical_ranks.h"
#include "trainer/data/dataset.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/exchange/exchange_engine.h"
#include "trainer/methods/method.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {
namespace {

/// The cost of an iteration's exchanges for one rank of ExchangeRun::ranks, while nothing else
/// runs. This process is that rank alone: collectives only compute in its memory
/// (identical_ranks.h), so both times are mostly those of encoding and decoding.
struct MeasuredCost {
  double wall_s = 0;            ///< median over iterations
  double cpu_s = 0;             ///< median CPU time of this process
  std::int64_t sent_bytes = 0;  ///< by that rank in the last iteration
};

struct ExchangeRun {
  int ranks = 8;
  double rate_mbit = 0;  ///< of the link that the method is made for
  int first_iteration = 1;
  int iterations = 9;  ///< measured ones, after two that are not measured
};

constexpr double kAllowedShare = 0.1;
constexpr double kShare = 0.01;
constexpr ExchangeRun kOnResNet18{.ranks = 8, .rate_mbit = 1000};
/// By iteration 101 every method's warm-up has ended.
constexpr ExchangeRun kOnWan100{
    .ranks = 8, .rate_mbit = 100, .first_iteration = 101, .iterations = 50};

struct Row {
  std::string label;
  Choice method;
};

constexpr std::size_t kFirstBucketBytes = 1 << 20;
constexpr std::size_t kBucketBytes = 25 << 20;

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
  const RandomKey key{.seed = 1, .use = RandomUse::kPruning, .parameter = slice.parameter};
  slice.mask = random_uniform(key, 0, slice.elements, at::kCPU).lt(0.5);
  return slice;
}

/// Returns `layout` as a single bucket, for methods of scope kModel.
Layout as_one_bucket(const Layout& layout) {
  BucketLayout whole;
  for (const auto& bucket : layout) {
    for (const auto& slice : bucket.slices) append(slice, whole);
  }
  return {whole};
}

/// float[elements], normally distributed: the same numbers at each call with this bucket.
at::Tensor gradient_of(const BucketLayout& bucket) {
  return random_normal({.seed = 2, .parameter = bucket.index}, bucket.elements);
}

/// Iterations before the measured ones: they allocate what later ones use again.
constexpr int kUnmeasured = 2;

double cpu_s() {
  timespec spent{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return static_cast<double>(spent.tv_sec) + static_cast<double>(spent.tv_nsec) * 1e-9;
}

double median_of(std::vector<double> times_s) {
  const auto middle = times_s.begin() + std::ssize(times_s) / 2;
  std::nth_element(times_s.begin(), middle, times_s.end());
  return *middle;
}

void exchange_all(ExchangeEngine& engine, std::vector<at::Tensor>& gradients) {
  std::vector<std::promise<void>> ended(gradients.size());
  for (std::size_t bucket = 0; bucket < gradients.size(); ++bucket) {
    engine.exchange(static_cast<int>(bucket), gradients[bucket],
                    [&ended, bucket](std::exception_ptr failure) {
                      failure ? ended[bucket].set_exception(failure) : ended[bucket].set_value();
                    });
  }
  for (auto& bucket : ended) bucket.get_future().get();
}

/// The buckets that DistributedDataParallel makes of a model before its first backward pass. A
/// bucket ends with the parameter that brings it to its limit. The limit is 1 MiB for the bucket
/// with the model's first parameters, which comes last, and 25 MiB for the others. Each prunable
/// weight is masked with probability 1/2.
Layout pruned_buckets(const Choice& model, const std::string& dataset) {
  const auto parameters = parameters_of(*make_model(model, dataset_info(dataset), 1));
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor.detach());
  auto buckets = std::get<0>(
      c10d::compute_bucket_assignment_by_size(tensors, {kFirstBucketBytes, kBucketBytes}));
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

MeasuredCost exchange_cost(const Choice& method, const Layout& layout, const ExchangeRun& run) {
  auto made = make_method(method, {{"star", run.rate_mbit}});
  const bool whole = made->scope() == Method::Scope::kModel;
  ExchangeEngine engine{make_identical_ranks(run.ranks), std::move(made), 1};
  engine.settle(whole ? as_one_bucket(layout) : layout);
  std::vector<at::Tensor> originals;
  for (const auto& bucket : engine.layout()) originals.push_back(gradient_of(bucket));
  std::vector<double> wall_s;
  std::vector<double> spent_s;
  for (int i = 0; i < kUnmeasured + run.iterations; ++i) {
    std::vector<at::Tensor> gradients;
    for (const auto& original : originals) gradients.push_back(original.clone());
    engine.begin_iteration({run.first_iteration + i, 0.1, 0.1});
    const auto start_ns = monotonic_ns();
    const auto start_cpu_s = cpu_s();
    exchange_all(engine, gradients);
    engine.finish_iteration();
    if (i < kUnmeasured) continue;
    wall_s.push_back(seconds(monotonic_ns() - start_ns));
    spent_s.push_back(cpu_s() - start_cpu_s);
  }
  return {median_of(wall_s), median_of(spent_s), engine.expected_sent_bytes()};
}

double wire_s(std::int64_t bytes) {
  return static_cast<double>(bytes) * 8 / (kOnResNet18.rate_mbit * 1e6);
}

/// Prints a method's line of the table. Returns false when `has_target` and the added time is more
/// than kAllowedShare of the saved time. A method that saves no time is not judged: returns true.
bool print_row(const std::string& label, const MeasuredCost& cost, const MeasuredCost& dense,
               bool has_target) {
  const double added_s = cost.wall_s - dense.wall_s;
  const double saved_s = wire_s(dense.sent_bytes) - wire_s(cost.sent_bytes);
  const double share = saved_s > 0 ? added_s / saved_s : 0;
  fmt::print("{:<28} {:>9.2f} {:>9.2f} {:>10.1f} {:>8.1f} {}\n", label,
             static_cast<double>(cost.sent_bytes) * 1e-6, cost.wall_s * 1e3, saved_s * 1e3,
             share * 100,
             !has_target              ? ""
             : share <= kAllowedShare ? "ok"
                                      : "MISSED");
  return !has_target || share <= kAllowedShare;
}

std::vector<Row> pactrain_rows() {
  std::vector<Row> rows;
  for (const std::string quantize : {"none", "fp16", "ternary", "4-bit"}) {
    const bool levels = quantize != "none" && quantize != "fp16";
    for (const std::string encoding : {"int8", "lanes", "all-to-all"}) {
      if (!levels && encoding != "int8") continue;
      const Json options{
          {"quantize", quantize}, {"encoding", encoding}, {"mask_source", "weights"}};
      auto label = fmt::format("pactrain-prune50%-{}", quantize);
      if (levels) label += "-" + encoding;
      rows.push_back({label, with_defaults("pactrain", options)});
    }
  }
  return rows;
}

int run_resnet18(bool check) {
  const auto layout = pruned_buckets({"resnet18", Json::object()}, "cifar10");
  const auto cost_of = [&](const Choice& method) {
    return exchange_cost(method, layout, kOnResNet18);
  };
  fmt::print(
      "ResNet-18, {} buckets, {} ranks, {:g} Mbit/s; medians of {} exchanges\n"
      "saved: all-reduce's wire time minus the method's; share: codec time beyond all-reduce's, in "
      "% of saved\n",
      layout.size(), kOnResNet18.ranks, kOnResNet18.rate_mbit, kOnResNet18.iterations);
  fmt::print("{:<28} {:>9} {:>9} {:>10} {:>8}\n", "method", "MB sent", "codec ms", "saved ms",
             "share %");
  const auto dense = cost_of(with_defaults("all-reduce"));
  print_row("all-reduce", dense, dense, false);
  print_row("fp16", cost_of(with_defaults("fp16")), dense, false);
  print_row("topk-keep1%", cost_of(with_defaults("topk", {{"ratio", 0.01}})), dense, false);
  bool kept = true;
  for (const auto& [label, method] : pactrain_rows()) {
    kept &= print_row(label, cost_of(method), dense, true);
  }
  return check && !kept ? 1 : 0;
}

/// Each method with its defaults, and with 1 % for an option without a default; then variants of
/// some methods. Leaves out methods that decide by measured times (espresso, mergecomp), since they
/// cost what their decision costs, and methods whose ranks make different calls.
std::vector<Row> rows_of_every_method() {
  std::vector<Row> rows;
  for (const auto& entry : method_table()) {
    if (entry.info.depends_on_time) continue;
    auto method = with_defaults(entry.info.name);
    for (const auto& option : entry.info.options) {
      if (option.default_value.is_null()) method.options[option.name] = kShare;
    }
    if (make_method(method)->recording().ranks_are_alike) rows.push_back({method.name, method});
  }
  rows.push_back({"terngrad-lanes", with_defaults("terngrad", {{"encoding", "lanes"}})});
  for (auto& row : pactrain_rows()) rows.push_back(std::move(row));
  return rows;
}

int run_every_method(std::string_view text, const ExchangeRun& run) {
  const auto layout = pruned_buckets({"mlp", {{"hidden", {512, 512}}}}, "digits");
  fmt::print("mlp of wan100.json, {} buckets, {} ranks; medians of {} exchanges\n", layout.size(),
             run.ranks, run.iterations);
  fmt::print("{:<28} {:>9} {:>9} {:>9}\n", "method", "MB sent", "wall ms", "CPU ms");
  for (const auto& [label, method] : rows_of_every_method()) {
    if (label.find(text) == std::string::npos) continue;
    const auto cost = exchange_cost(method, layout, run);
    fmt::print("{:<28} {:>9.3f} {:>9.3f} {:>9.3f}\n", label,
               static_cast<double>(cost.sent_bytes) * 1e-6, cost.wall_s * 1e3, cost.cpu_s * 1e3);
  }
  return 0;
}

int run(const std::vector<std::string_view>& arguments) {
  at::set_num_threads(1);
  if (arguments.empty()) return run_resnet18(false);
  if (arguments[0] == "--check" && arguments.size() == 1) return run_resnet18(true);
  if (arguments[0] == "--every-method" && arguments.size() <= 3) {
    auto run = kOnWan100;
    if (arguments.size() == 3) run.iterations = std::stoi(std::string{arguments[2]});
    return run_every_method(arguments.size() > 1 ? arguments[1] : "", run);
  }
  fmt::print(stderr,
             "usage: pacbench-exchange-cost [--check], or pacbench-exchange-cost --every-method "
             "[TEXT [ITERATIONS]]\n");
  return 2;
}

}  // namespace
}  // namespace pacbench::trainer

int main(int argc, char** argv) { return pacbench::trainer::run({argv + 1, argv + argc}); }
