#include "harness/reproduce/claims.h"

namespace pacbench::reproduce {
namespace {

using Words = std::vector<std::string>;

const Words kNetworks{"vgg19_bn", "resnet18", "resnet152", "vit_b_16"};
const Words kCifar{"cifar10", "cifar100"};
const std::vector<double> kRates{100, 500, 1000};

// The paper does not say whether its figures are with or without ternary digits.
const Words kPaperArms{"masked", "masked-ternary"};
const Words kExtras{
    "masked-fp16", "masked-ternary-lanes", "masked-ternary-all-to-all", "masked-levels",
    "ternary",     "ternary-lanes",        "ternary-all-to-all",        "unmasked"};
const Words kRivals{"fp16", "topk-0.1", "topk-0.01"};
const Words kOthers{"all-reduce", "fp16", "topk-0.1", "topk-0.01", "ternary"};

constexpr const char* kEitherArm =
    "the paper does not say whether digits are ternary: the arm with float32 values and the one "
    "with ternary digits of a byte may both answer";
constexpr const char* kGrid =
    "Fig. 3's grid: four networks, three rates, CIFAR-10 and -100, over Fig. 4's chain of switches";

Claim time_claim(const char* id, const char* words, const char* where, Form form, double value,
                 const Words& baselines) {
  return {id,        words,        where,      Quantity::kTimeToAccuracy,
          form,      value,        kNetworks,  kCifar,
          kRates,    std::nullopt, kPaperArms, kExtras,
          baselines, kGrid};
}

Claim throughput_claim(const char* id, const char* words, Form form, double value,
                       const Words& baselines) {
  auto claim = time_claim(id, words, "abstract", form, value, baselines);
  claim.quantity = Quantity::kThroughput;
  claim.reading =
      "training throughput is samples a second, so the inverse of the time per iteration; the "
      "text derives the same numbers from times to accuracy";
  return claim;
}

/// Fig. 5: ResNet-152 on CIFAR-10 over 1 Gbit/s, to 84 %.
Claim figure_5(const char* id, const char* words, double value, const Words& arms,
               const Words& extras, const char* baseline) {
  return {id,
          words,
          "IV-C2, Fig. 5",
          Quantity::kTimeToAccuracy,
          Form::kAt,
          value,
          {"resnet152"},
          {"cifar10"},
          {1000},
          0.84,
          arms,
          extras,
          {baseline},
          kEitherArm};
}

Claim accuracy_claim() {
  return {"accuracy-lost",
          "ResNet-152 loses less than 2 points of accuracy while the pruning ratio is at most 0.8",
          "IV-C3, Fig. 6",
          Quantity::kAccuracyLost,
          Form::kAtMost,
          2,
          {"resnet152"},
          {"cifar10"},
          {},
          std::nullopt,
          kPaperArms,
          kExtras,
          {"all-reduce"},
          "final accuracy after the paper's 100 epochs, against all-reduce with the same seeds; "
          "needs a run at the ratio 0.8"};
}

Claim near_optimal() {
  auto claim = time_claim("near-optimal", "the compression strategy is near-optimal", "abstract",
                          Form::kAtLeast, 1, kOthers);
  claim.reading =
      "none of all-reduce, FP16, top-k and TernGrad with a byte a digit gets to the same accuracy "
      "sooner";
  return claim;
}

Claim ring_traffic() {
  return {
      "all-reduce-compatible",
      "compressed gradients remain compatible with all-reduce",
      "abstract, Table 1",
      Quantity::kRingTraffic,
      Form::kAtMost,
      kMostOfARing,
      {},
      {},
      {},
      std::nullopt,
      kPaperArms,
      kExtras,
      {},
      "the bytes counted on a worker's link are at most twice what a ring all-reduce of the same "
      "payload sends, 2 (N − 1) / N times the payload; of eight workers an all-gather sends four "
      "times as much"};
}

Claim top_k_congests() {
  auto claim = throughput_claim("topk-congests",
                                "top-k at 0.1 congests the links, since it needs an all-gather",
                                Form::kAtMost, 1, {"fp16"});
  claim.where = "IV";
  claim.arms = {"topk-0.1"};
  claim.extras = {"topk-0.01"};
  claim.reading = "its iterations are no faster than those of FP16";
  return claim;
}

Claim top_k_loses_accuracy() {
  auto claim = accuracy_claim();
  claim.id = "topk-loses-accuracy";
  claim.words = "top-k at 0.01 loses accuracy";
  claim.where = "IV";
  claim.form = Form::kAtLeast;
  claim.arms = {"topk-0.01"};
  claim.extras = {"topk-0.1"};
  claim.networks = kNetworks;
  claim.datasets = kCifar;
  claim.reading = "at least the 2 points that the paper calls little, on every network";
  return claim;
}

}  // namespace

const std::vector<Claim>& paper_claims() {
  static const std::vector<Claim> claims{
      time_claim("best-tta", "time to accuracy up to 8.72 times shorter than with all-reduce",
                 "abstract, I, IV-C1, V", Form::kUpTo, 8.72, {"all-reduce"}),
      time_claim("tta-low", "at least 1.25 times shorter than with FP16 and top-k", "IV-C1",
                 Form::kAtLeast, 1.25, kRivals),
      time_claim("tta-high", "up to 7.05 times shorter than with FP16 and top-k", "IV-C1",
                 Form::kUpTo, 7.05, kRivals),
      figure_5("resnet152-all-reduce",
               "ResNet-152 over 1 Gbit/s gets to 84 % 5.64 times sooner than with all-reduce", 5.64,
               kPaperArms, kExtras, "all-reduce"),
      figure_5("resnet152-fp16", "… and 3.28 times sooner than with FP16", 3.28, kPaperArms,
               kExtras, "fp16"),
      [] {
        auto claim =
            figure_5("fp16-all-reduce", "so FP16 gets there 1.72 times sooner than all-reduce",
                     1.72, {"fp16"}, {}, "all-reduce");
        claim.reading = "not in the paper as such: the quotient of its two numbers, 5.64 / 3.28";
        return claim;
      }(),
      accuracy_claim(),
      throughput_claim("throughput-low", "training throughput at least 1.25 times that of others",
                       Form::kAtLeast, 1.25, kRivals),
      throughput_claim("throughput-high", "training throughput up to 8.72 times as high",
                       Form::kUpTo, 8.72, {"all-reduce"}),
      near_optimal(),
      ring_traffic(),
      top_k_congests(),
      top_k_loses_accuracy()};
  return claims;
}

const std::vector<UntestableClaim>& untestable_claims() {
  static const std::vector<UntestableClaim> claims{
      {"language models train faster too", "abstract",
       "the paper's own experiments have none: no model, data set or number to hold ours against"},
      {"DGC works with all-reduce (Table 1), and does not (introduction)", "I, Table 1",
       "the two places contradict each other, and there is no DGC among the methods here"},
      {"OmniReduce needs gradients of about 1 % density", "II-B",
       "there is no OmniReduce among the methods here"},
      {"pruning ratios of 30 to 80 % can be had", "II-B",
       "no accuracy is named; what is lost up to 80 % is the claim on ResNet-152 above"},
      {"times, accuracies and curves of Figs. 3, 5 and 6", "IV-C",
       "the figures have no values in the text, and the targets of Fig. 3 are not named"},
      {"seconds on eight A40 GPUs under ESXi", "IV-A",
       "other hardware: only ratios of two methods on the same hardware are compared"}};
  return claims;
}

}  // namespace pacbench::reproduce
