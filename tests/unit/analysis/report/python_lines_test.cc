#include "analysis/report/python_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/analysis/report/example_run.h"

namespace pacbench::report {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Json method(const char* text) { return Json::parse(text); }

TEST(PythonLines, MakeTheStateWithTheMethodsOptionsAndRegisterItsHook) {
  EXPECT_THAT(python_lines(method(R"({"name": "topk", "label": "t", "ratio": 0.01,
                                      "indices": "packed", "error_feedback": true})"))
                  .value(),
              AllOf(HasSubstr("hooks.TopK(ratio=0.01, error_feedback=True)"),
                    HasSubstr("model.register_comm_hook(state, hooks.topk)")));
  EXPECT_THAT(python_lines(method(R"({"name": "pactrain", "label": "p", "pruning_ratio": 0.5,
                                      "score": "magnitude", "mask_source": "weights",
                                      "quantize": "ternary", "scale": "clip",
                                      "scale_from": "step", "error_feedback": false})"))
                  .value(),
              HasSubstr("hooks.PacTrain(model, ratio=0.5, score=\"magnitude\", "
                        "quantize=\"ternary\", scale=\"clip\", scale_from=\"step\")"));
  EXPECT_THAT(
      python_lines(method(R"({"name": "pactrain", "label": "p", "quantize": "none"})")).value(),
      HasSubstr("hooks.PacTrain(model, quantize=None)"));
}

TEST(PythonLines, AreMissingForWhatTheHooksLack) {
  for (const char* text : {R"({"name": "diloco"})", R"({"name": "pactrain", "score": "grasp"})",
                           R"({"name": "pactrain", "mask_source": "tracker"})",
                           R"({"name": "terngrad", "error_feedback": true})"}) {
    EXPECT_EQ(python_lines(method(text)), std::nullopt) << text;
  }
}

TEST(PythonLines, AreThoseOfTheFastestRow) {
  EXPECT_THAT(python_lines_of_fastest(report_of(example_run())), HasSubstr("PacTrain(model"));
}

}  // namespace
}  // namespace pacbench::report
