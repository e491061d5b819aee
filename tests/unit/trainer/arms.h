#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "trainer/methods/method.h"

namespace pacbench::trainer::test {

/// Arms (methods with options) for the tests that all methods have to pass: every method of the
/// table, with every option that changes what it does. A new method adds its line here. Warm-ups
/// are short enough for small cells.
inline std::vector<Choice> every_arm() {
  const auto pactrain = [](Json options) {
    if (!options.contains("stable_after")) options["stable_after"] = 2;
    options["check_every"] = 2;
    return with_preset("pactrain", "paper", options);
  };
  return {
      with_defaults("all-reduce"),
      with_defaults("tree"),
      with_defaults("hierarchical"),
      with_defaults("parameter-server"),
      with_defaults("parameter-server", {{"servers", "one"}}),
      with_defaults("fp16", {{"sum", "ring"}}),
      with_defaults("fp16", {{"sum", "direct"}}),
      with_defaults("bf16", {{"sum", "ring"}}),
      with_defaults("bf16", {{"sum", "direct"}}),
      with_defaults("topk", {{"ratio", 0.1}}),
      with_defaults("topk", {{"ratio", 1.0}}),
      with_defaults("topk", {{"ratio", 0.1}, {"indices", "int32"}}),
      with_defaults("topk", {{"ratio", 0.01}, {"error_feedback", false}}),
      with_defaults("random-k", {{"ratio", 0.3}}),
      with_defaults("random-k", {{"ratio", 0.7}, {"error_feedback", true}}),
      with_defaults("dgc", {{"ratio", 0.1}, {"warm_up_iterations", 3}}),
      with_defaults("dgc", {{"ratio", 0.1}, {"warm_up_iterations", 0}, {"clip_norm", 1.0}}),
      with_defaults("omnireduce"),
      with_defaults("omnireduce", {{"ratio", 0.5}, {"error_feedback", true}}),
      with_defaults("zen"),
      with_defaults("zen", {{"ratio", 0.1}, {"error_feedback", true}}),
      with_defaults("embrace"),
      with_defaults("spardl", {{"ratio", 0.1}}),
      with_defaults("spardl", {{"ratio", 0.5}, {"error_feedback", false}}),
      with_defaults("micro", {{"ratio", 0.05}}),
      with_defaults("exdyna", {{"ratio", 0.05}}),
      with_defaults("ef21", {{"ratio", 0.2}}),
      with_defaults("adacgd", {{"ratio", 0.5}}),
      with_defaults("adacgd", {{"ratio", 0.5}, {"tolerance", 0}}),
      with_defaults("qsgd"),
      with_defaults("qsgd", {{"bits", "4"}, {"error_feedback", true}}),
      with_defaults("qsgd", {{"bits", "2"}}),
      with_defaults("thc"),
      with_defaults("thc", {{"table", "uniform"}, {"error_feedback", false}}),
      with_defaults("ef-signsgd"),
      with_defaults("ef-signsgd", {{"error_feedback", false}}),
      with_defaults("signsgd"),
      with_defaults("powersgd", {{"dense_iterations", 2}}),
      with_defaults("powersgd", {{"dense_iterations", 0}, {"rank", 3}, {"error_feedback", false}}),
      with_defaults("one-bit-adam", {{"eps", 1.0}}),
      with_defaults("distributed-lion"),
      with_defaults("distributed-lion", {{"vote", "average"}}),
      with_defaults("local-sgd", {{"every", 3}}),
      with_defaults("local-sgd", {{"every", 4}, {"begin_after", 6}}),
      with_defaults("diloco", {{"every", 5}}),
      with_defaults("zeroth-order", {{"directions", 16}, {"mu", 0.01}}),
      with_defaults("zeroth-order", {{"directions", 16}, {"difference", "forward"}}),
      with_defaults("prunex", {{"every", 3}}),
      with_defaults("prunex", {{"every", 2}, {"structure", "channels"}, {"masks_until", 0.0}}),
      with_defaults("prunex", {{"every", 5}, {"structure", "both"}, {"masks_until", 1.0}}),
      with_defaults("prunex", {{"sites", 1}, {"every", 1}, {"pruning_ratio", 0.0}}),
      with_defaults("espresso", {{"costs", "wire"}, {"plan", {2, 3, 1}}}),
      with_defaults("espresso", {{"rounds", 1}, {"plan", {3, 2}}}),
      with_defaults("espresso", {{"costs", "wire"}}),
      with_defaults("mergecomp", {{"plan", {2}}, {"inner", {{"name", "topk"}, {"ratio", 0.1}}}}),
      with_defaults("mergecomp", {{"plan", {2, 3, 2}},
                                  {"probe_iterations", 3},
                                  {"inner", {{"name", "terngrad"}, {"error_feedback", true}}}}),
      with_defaults("terngrad"),
      with_preset("terngrad", "paper"),
      with_preset("terngrad", "paper", {{"encoding", "lanes"}, {"error_feedback", true}}),
      with_preset("terngrad", "paper", {{"encoding", "all-to-all"}, {"scale_from", "last"}}),
      with_preset("terngrad", "paper", {{"encoding", "auto"}, {"scale", "max"}}),
      with_defaults("terngrad", {{"quantize", "8-bit"}, {"encoding", "lanes"}}),
      with_defaults("prune-and-regrow", {{"regrow_every", 4}}),
      with_defaults("prune-and-regrow",
                    {{"regrow_every", 5}, {"decay", "cosine"}, {"score", "random"}}),
      with_defaults("prune-and-regrow", {{"regrow_every", 3}, {"grow_by", "votes"}}),
      with_defaults("pactrain"),
      pactrain(Json::object()),
      pactrain({{"mask_source", "weights"}}),
      pactrain({{"gradient_masking", false}, {"stable_after", 1}}),
      pactrain({{"prune_steps", 3}, {"prune_every", 5}}),
      pactrain({{"quantize", "fp16"}, {"error_feedback", true}}),
      pactrain({{"quantize", "ternary"}}),
      pactrain({{"quantize", "ternary"}, {"error_feedback", true}, {"score", "magnitude"}}),
      pactrain({{"quantize", "ternary"}, {"encoding", "lanes"}, {"scale", "max"}}),
      pactrain({{"quantize", "ternary"}, {"encoding", "lanes"}, {"mask_source", "weights"}}),
      pactrain({{"quantize", "ternary"}, {"encoding", "all-to-all"}, {"scale_from", "last"}}),
      pactrain({{"quantize", "4-bit"}, {"encoding", "auto"}, {"error_feedback", true}}),
      pactrain({{"quantize", "4-bit"}, {"encoding", "lanes"}, {"score", "random"}}),
  };
}

/// Arms for which the number of ranks must be a multiple of `teams`.
inline std::vector<Choice> arms_of_even_ranks() {
  return {
      with_defaults("spardl", {{"ratio", 0.1}, {"teams", 2}}),
      with_defaults("spardl", {{"ratio", 0.3}, {"teams", 4}, {"error_feedback", false}}),
  };
}

/// The name of an arm's tests: its method's name, and the arm's number, since a method may have
/// several arms.
inline std::string arm_name(const ::testing::TestParamInfo<Choice>& arm) {
  auto name = arm.param.name + '_' + std::to_string(arm.index);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace pacbench::trainer::test
