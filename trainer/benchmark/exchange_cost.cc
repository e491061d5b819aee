// pacbench-exchange-cost: what encoding and decoding add to an exchange, beside the time on the
// wire that they save.
//
// One rank of eight exchanges the buckets of ResNet-18 (3x3 stem, 11.2 M parameters) through each
// method while nothing else runs; its collectives end at once, so that what is timed is encoding
// and decoding alone. Prints a table; exit code 1 with --check when an arm of PacTrain needs more
// than a tenth of the time that its bytes save over float32 at 1 Gbit/s.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <string_view>
#include <torch/csrc/distributed/c10d/reducer.hpp>

#include "base/clock.h"
#include "trainer/data/dataset.h"
#include "trainer/ddp/exchange_engine.h"
#include "trainer/kernels/philox.h"
#include "trainer/methods/with_defaults.h"
#include "trainer/models/model.h"

namespace pacbench::trainer {
namespace {

constexpr int kRanks = 8;
constexpr int kRounds = 9;
constexpr double kRateMbit = 1000;
constexpr double kAllowedShare = 0.1;
constexpr std::size_t kFirstBucketBytes = 1 << 20;
constexpr std::size_t kBucketBytes = 25 << 20;

/// Rank 0 of eight that all send the same: collectives end at once.
class InstantBackend final : public Backend {
 public:
  int rank() const override { return 0; }
  int size() const override { return kRanks; }
  void start(const Collective& call, Completion done) override {
    if (call.kind == CollectiveKind::kAllGather) call.output.copy_(call.input.repeat({kRanks}));
    if (call.kind == CollectiveKind::kAllToAll) {
      const auto own = call.input.narrow(0, 0, call.send_counts.front());
      call.output.copy_(own.repeat({kRanks}));
    }
    done(nullptr);
  }
  std::shared_ptr<Backend> sub_group(const std::vector<int>&) override {
    throw std::logic_error{"no method measured here has teams"};
  }
};

Layout resnet18_layout() {
  const auto catalogue = dataset_catalogue();
  const auto cifar = std::find_if(catalogue.begin(), catalogue.end(),
                                  [](const auto& info) { return info.name == "cifar10"; });
  const auto model = make_model({"resnet18", Json::object()}, *cifar, 1);
  const auto parameters = parameters_of(*model);
  std::vector<at::Tensor> tensors;
  for (const auto& parameter : parameters) tensors.push_back(parameter.tensor.detach());
  auto buckets = std::get<0>(
      c10d::compute_bucket_assignment_by_size(tensors, {kFirstBucketBytes, kBucketBytes}));
  std::reverse(buckets.begin(), buckets.end());
  Layout layout;
  RandomKey key{.seed = 1, .use = RandomUse::kPruning};
  for (const auto& bucket : buckets) {
    BucketLayout described;
    described.index = static_cast<int>(layout.size());
    for (const auto number : bucket) {
      const auto& parameter = parameters[number];
      const auto elements = parameter.tensor.numel();
      at::Tensor mask;
      if (parameter.prunable) {
        auto values = at::empty({elements});
        key.parameter = static_cast<std::int64_t>(number);
        fill_uniform(key, 0, elements, values.data_ptr<float>());
        mask = values.lt(0.5);
      }
      described.slices.push_back({static_cast<int>(number), parameter.name,
                                  parameter.tensor.sizes().vec(), described.elements, elements,
                                  mask});
      described.elements += elements;
    }
    layout.push_back(described);
  }
  return layout;
}

at::Tensor gradient_of(const BucketLayout& bucket) {
  auto values = at::empty({bucket.elements});
  RandomKey key{.seed = 2, .parameter = bucket.index};
  fill_uniform(key, 0, bucket.elements, values.data_ptr<float>());
  return values.sub_(0.5);
}

struct Cost {
  double codec_s = 0;  ///< median over rounds
  std::int64_t sent_bytes = 0;
};

Cost cost_of(const Choice& method, const Layout& layout) {
  ExchangeEngine engine{std::make_shared<InstantBackend>(),
                        make_method(method, {{"star", kRateMbit}}), 1};
  engine.settle(layout);
  std::vector<at::Tensor> originals;
  for (const auto& bucket : layout) originals.push_back(gradient_of(bucket));
  std::vector<double> times_s;
  for (int round = 1; round <= kRounds; ++round) {
    std::vector<at::Tensor> gradients;
    for (const auto& original : originals) gradients.push_back(original.clone());
    engine.begin_iteration({round});
    const auto start_ns = monotonic_ns();
    std::vector<std::promise<void>> ended(layout.size());
    for (std::size_t bucket = 0; bucket < layout.size(); ++bucket) {
      engine.exchange(static_cast<int>(bucket), gradients[bucket],
                      [&ended, bucket](std::exception_ptr failure) {
                        failure ? ended[bucket].set_exception(failure) : ended[bucket].set_value();
                      });
    }
    for (auto& bucket : ended) bucket.get_future().get();
    times_s.push_back(seconds(monotonic_ns() - start_ns));
    engine.finish_iteration();
  }
  std::nth_element(times_s.begin(), times_s.begin() + kRounds / 2, times_s.end());
  return {times_s[kRounds / 2], engine.expected_sent_bytes()};
}

double wire_s(std::int64_t bytes) { return static_cast<double>(bytes) * 8 / (kRateMbit * 1e6); }

/// Returns whether the arm keeps within the allowed share.
bool print_row(const std::string& label, const Cost& cost, const Cost& dense, bool has_target) {
  const double added_s = cost.codec_s - dense.codec_s;
  const double saved_s = wire_s(dense.sent_bytes) - wire_s(cost.sent_bytes);
  const double share = saved_s > 0 ? added_s / saved_s : 0;
  fmt::print("{:<28} {:>9.2f} {:>9.2f} {:>10.1f} {:>8.1f} {}\n", label,
             static_cast<double>(cost.sent_bytes) * 1e-6, cost.codec_s * 1e3, saved_s * 1e3,
             share * 100,
             !has_target              ? ""
             : share <= kAllowedShare ? "ok"
                                      : "MISSED");
  return !has_target || share <= kAllowedShare;
}

int run(bool check) {
  at::set_num_threads(1);
  const auto layout = resnet18_layout();
  fmt::print("ResNet-18, {} buckets, {} ranks, {:g} Mbit/s; medians of {} exchanges\n",
             layout.size(), kRanks, kRateMbit, kRounds);
  fmt::print("{:<28} {:>9} {:>9} {:>10} {:>8}\n", "method", "MB sent", "codec ms", "saved ms",
             "share %");
  const auto dense = cost_of(with_defaults("all-reduce", Json::object()), layout);
  bool kept = print_row("all-reduce", dense, dense, false);
  kept &= print_row("fp16", cost_of(with_defaults("fp16", Json::object()), layout), dense, false);
  kept &= print_row("topk-keep1%", cost_of(with_defaults("topk", {{"ratio", 0.01}}), layout), dense,
                    false);
  for (const char* quantize : {"none", "fp16", "ternary", "4-bit"}) {
    for (const char* encoding : {"int8", "lanes", "all-to-all"}) {
      const bool levels =
          quantize != std::string_view{"none"} && quantize != std::string_view{"fp16"};
      if (!levels && encoding != std::string_view{"int8"}) continue;
      const Json options{
          {"quantize", quantize}, {"encoding", encoding}, {"mask_source", "weights"}};
      const auto label = levels ? fmt::format("pactrain-prune50%-{}-{}", quantize, encoding)
                                : fmt::format("pactrain-prune50%-{}", quantize);
      kept &= print_row(label, cost_of(with_defaults("pactrain", options), layout), dense, true);
    }
  }
  return check && !kept ? 1 : 0;
}

}  // namespace
}  // namespace pacbench::trainer

int main(int argc, char** argv) {
  return pacbench::trainer::run(argc == 2 && std::string_view{argv[1]} == "--check");
}
