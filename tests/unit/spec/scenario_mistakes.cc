#include "tests/unit/spec/scenario_mistakes.h"

namespace pacbench::testing {

// Functions with local tables: the test suites are instantiated while statics are initialised.
const std::vector<Mistake>& mistakes() {
  static const std::vector<Mistake> table{
      {"UnknownKey", "/workload/batch_per_wrker", "32", "/workload/batch_per_wrker",
       "did you mean \"batch_per_worker\"?"},
      {"UnknownTopLevelKey", "/colour", "1", "/colour", "unknown key"},
      {"UnknownLinkKey", "/network/links/0/rate_gbit", "1", "/network/links/0/rate_gbit",
       "did you mean \"rate_mbit\"?"},
      {"UnknownMethodOption", "/methods/2/ration", "0.1", "/methods/2/ration",
       "did you mean \"ratio\"?"},
      {"OptionOfAnotherMethod", "/methods/0/ratio", "0.1", "/methods/0/ratio", "unknown key"},
      {"WrongType", "/workers", "\"8\"", "/workers", "found \"8\" (a string), expected a number"},
      {"Fraction", "/workload/max_iterations", "1.5", "/workload/max_iterations",
       "without a fraction"},
      {"ObjectExpected", "/network", "[]", "/network", "expected an object"},
      {"ArrayExpected", "/methods", "{}", "/methods", "expected an array of objects"},
      {"EmptyName", "/name", "\"\"", "/name", "expected a non-empty string"},
      {"NameLeavesItsFolder", "/name", "\"../x\"", "/name", "no '/' or ','"},
      {"UnknownMethod", "/methods/0/name", "\"topkk\"", "/methods/0/name",
       "found \"topkk\" (a string), expected one of all-reduce, fp16, topk, pactrain"},
      {"UnknownModel", "/workload/model/name", "\"vgg\"", "/workload/model/name",
       "expected one of mlp, resnet8"},
      {"UnknownDataset", "/workload/dataset/name", "\"mnist\"", "/workload/dataset/name",
       "expected one of digits, cifar10"},
      {"UnknownChoice", "/methods/4/quantize", "\"int8\"", "/methods/4/quantize",
       "expected one of none, ternary"},
      {"RatioZero", "/methods/2/ratio", "0", "/methods/2/ratio", "expected a number in (0, 1]"},
      {"RatioAboveOne", "/methods/2/ratio", "1.01", "/methods/2/ratio",
       "found 1.01 (a number), expected a number in (0, 1]"},
      {"RatioNotANumber", "/methods/2/ratio", "null", "/methods/2/ratio", "found null, expected"},
      {"PruningEverything", "/methods/4/pruning_ratio", "1", "/methods/4/pruning_ratio",
       "expected a number in (0, 0.99]"},
      {"BooleanExpected", "/methods/4/gradient_masking", "0", "/methods/4/gradient_masking",
       "expected true or false"},
      {"RateZero", "/network/links/0/rate_mbit", "0", "/network/links/0/rate_mbit",
       "expected a number in [0.1, 100000]"},
      {"RateNegative", "/network/links/0/rate_mbit", "-100", "/network/links/0/rate_mbit",
       "found -100"},
      {"RateInBitsPerSecond", "/network/links/0/rate_mbit", "100000000",
       "/network/links/0/rate_mbit", "expected a number in [0.1, 100000]"},
      {"RateWithUnit", "/network/links/0/rate_mbit", "\"100Mbit\"", "/network/links/0/rate_mbit",
       "found \"100Mbit\" (a string)"},
      {"NoLinks", "/network/links", "[]", "/network/links", "expected at least one link"},
      {"UnknownTopology", "/network/topology", "\"ring\"", "/network/topology",
       "expected one of star"},
      {"NoMethods", "/methods", "[]", "/methods", "expected at least one method"},
      {"NoSeeds", "/seeds", "[]", "/seeds", "expected at least one seed"},
      {"SeedTwice", "/seeds", "[1, 1]", "/seeds", "twice"},
      {"SeedNegative", "/seeds/1", "-1", "/seeds/1", "found -1"},
      {"TargetZero", "/targets/accuracy/0", "0", "/targets/accuracy/0",
       "expected a number in (0, 1]"},
      {"TargetInPercent", "/targets/accuracy/2", "97", "/targets/accuracy/2", "found 97"},
      {"TargetTwice", "/targets/accuracy", "[0.9, 0.9]", "/targets/accuracy", "twice"},
      {"NoTargets", "/targets/accuracy", "[]", "/targets/accuracy", "expected at least one target"},
      {"OneWorker", "/workers", "1", "/workers", "expected a number in [2, 128]"},
      {"LearningRateZero", "/workload/optimizer/lr", "0", "/workload/optimizer/lr",
       "expected a number above 0"},
      {"ScheduleUnknown", "/workload/optimizer/schedule", R"({"kind": "linear"})",
       "/workload/optimizer/schedule/kind", "expected one of constant, step, cosine"},
      {"MilestonesWithoutStep", "/workload/optimizer/schedule",
       R"({"kind": "cosine", "milestones": [1]})", "/workload/optimizer/schedule/milestones",
       "unknown key"},
      {"HiddenOfZero", "/workload/model/hidden", "[512, 0]", "/workload/model/hidden/1",
       "expected a number of at least 1"},
      {"OtherVersion", "/version", "2", "/version", "found 2, expected 1"},
      {"LabelLeavesItsFolder", "/methods/0/label", "\"../x\"", "/methods/0/label", "no '/' or ','"},
  };
  return table;
}

const std::vector<Mistake>& mistakes_beyond_the_schema() {
  static const std::vector<Mistake> table{
      {"SameMethodTwice", "/methods/3/ratio", "0.1", "/methods/3/label",
       "two methods have the label \"topk-0.1\""},
      {"SameLabelTwice", "/methods/1/label", "\"all-reduce\"", "/methods/1/label",
       "two methods have the label \"all-reduce\""},
      {"SameLinkNameTwice", "/network/links",
       R"([{"name": "a", "rate_mbit": 1}, {"name": "a", "rate_mbit": 2}])", "/network/links/1/name",
       "\"a\" names two links"},
      {"BatchLargerThanDataset", "/workload/batch_per_worker", "200", "/workload/batch_per_worker",
       "8 workers take 1600 samples an iteration, but digits has 898"},
      {"PretrainedOnOtherImages", "/workload/initial/dataset", R"({"name": "cifar10"})",
       "/workload/initial/dataset/name", "do not fit"},
  };
  return table;
}

}  // namespace pacbench::testing
