#include "analysis/report/section_contents.h"

#include "tests/unit/analysis/report/example_run.h"
#include "tests/unit/contract/matchers.h"

namespace pacbench::report {
namespace {

std::string lines_for(const char* method) {
  return python_lines(Json::parse(method)).value_or("there are none");
}

TEST(PythonLines, MakeTheStateWithTheMethodsOptionsAndRegisterItsHook) {
  EXPECT_THAT(lines_for(R"({"name": "topk", "label": "t", "ratio": 0.01, "indices": "packed",
                            "error_feedback": true})"),
              AllOf(HasSubstr("hooks.TopK(model, ratio=0.01, error_feedback=True)"),
                    HasSubstr("model.register_comm_hook(state, hooks.topk)")));
  EXPECT_THAT(lines_for(R"({"name": "pactrain", "label": "p", "pruning_ratio": 0.5,
                            "score": "magnitude", "mask_source": "weights", "quantize": "ternary",
                            "scale": "clip", "scale_from": "step", "error_feedback": false})"),
              HasSubstr("hooks.PacTrain(model, ratio=0.5, score=\"magnitude\", "
                        "quantize=\"ternary\", scale=\"clip\", scale_from=\"step\")"));
}

TEST(PythonLines, NameFeedbackAndTheTrackerWhereTheMethodHasThem) {
  EXPECT_THAT(lines_for(R"({"name": "terngrad", "quantize": "4-bit", "error_feedback": true})"),
              HasSubstr("hooks.TernGrad(model, quantize=\"4-bit\", error_feedback=True)"));
  EXPECT_THAT(lines_for(R"({"name": "pactrain", "mask_source": "tracker", "stable_after": 3,
                            "quantize": "fp16", "error_feedback": true})"),
              HasSubstr("hooks.PacTrain(model, mask_source=\"tracker\", stable_after=3, "
                        "quantize=\"fp16\", error_feedback=True)"));
}

TEST(PythonLines, PruneFirstWhereTheStateWouldPruneInAnotherWay) {
  EXPECT_THAT(lines_for(R"({"name": "pactrain", "pruning_ratio": 0.5, "score": "grasp",
                            "normalize": "none", "temperature": 200.0, "score_batches": 1,
                            "quantize": "none"})"),
              AllOf(HasSubstr("masks = hooks.prune(model, ratio=0.5, score=\"grasp\", "
                              "temperature=200.0, batches=batches)"),
                    HasSubstr("# batches: 1 of (inputs, labels), 25 samples of each class"),
                    HasSubstr("hooks.PacTrain(model, masks=masks, quantize=None)")));
  EXPECT_THAT(lines_for(R"({"name": "pactrain", "pruning_ratio": 0.5, "score": "magnitude",
                            "normalize": "l2", "quantize": "none"})"),
              HasSubstr("hooks.prune(model, ratio=0.5, score=\"magnitude\", normalize=\"l2\")"));
}

TEST(PythonLines, AreMissingForWhatTheHooksLack) {
  for (const char* text : {R"({"name": "diloco"})", R"({"name": "pactrain", "prune_steps": 4})",
                           R"({"name": "pactrain", "gradient_masking": false})",
                           R"({"name": "pactrain", "score": "grasp", "hessian": "differences"})"}) {
    EXPECT_EQ(python_lines(Json::parse(text)), std::nullopt) << text;
  }
}

TEST(PythonLines, AreMissingForDenseIterationsThatPyTorchsPowerSgdRefuses) {
  auto powersgd = Json::parse(R"({"name": "powersgd", "rank": 4, "error_feedback": false})");
  for (const int too_few : {0, 1}) {
    powersgd["dense_iterations"] = too_few;
    EXPECT_EQ(python_lines(powersgd), std::nullopt) << too_few;
  }
  powersgd["dense_iterations"] = 2;
  EXPECT_THAT(python_lines(powersgd).value(),
              HasSubstr("hooks.powersgd_state(rank=4, dense_iterations=2, error_feedback=False)"));
}

TEST(PythonLines, AreThoseOfTheFastestRow) {
  EXPECT_THAT(python_lines_of_fastest(report_of(example_run())), HasSubstr("PacTrain(model"));
}

}  // namespace
}  // namespace pacbench::report
