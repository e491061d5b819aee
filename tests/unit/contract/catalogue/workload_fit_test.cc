#include <sys/resource.h>

#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/sha256.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::testing {
namespace {

std::string refusal(const std::string& source, const Json& document, const Catalogue& catalogue) {
  return refusal_words([&] { scenario_from_json(source, document, catalogue); });
}

/// The refusal of a scenario with an mlp for digits, after `change` to the catalogue's mlp. Empty
/// when the scenario is accepted.
std::string refusal_of(void (*change)(ModelInfo&)) {
  auto catalogue = example_catalogue();
  change(catalogue.models[0]);
  return refusal("test.json", example_scenario(), catalogue);
}

TEST(ModelAndDataset, ThatDoNotFitAreRefusedWithBothSides) {
  EXPECT_EQ(refusal_of([](ModelInfo&) {}), "");
  EXPECT_THAT(refusal_of([](ModelInfo& model) { model.input = "tokens"; }),
              HasSubstr("/workload/model/name: found \"mlp\", a model for tokens"));
  EXPECT_THAT(refusal_of([](ModelInfo& model) { model.min_side = 32; }),
              AllOf(HasSubstr("at least 32x32 pixels"), HasSubstr("have 8x8 pixels")));
  EXPECT_THAT(refusal_of([](ModelInfo& model) { model.channels = 3; }),
              HasSubstr("takes images of 3 channels"));
}

TEST(Method, ThatIsForOtherModelsIsRefusedWithWhatItIsFor) {
  auto catalogue = example_catalogue();
  catalogue.methods[1].input = "images";
  EXPECT_EQ(refusal("test.json", example_scenario(), catalogue), "");
  catalogue.methods[1].input = "tokens";
  EXPECT_THAT(refusal("test.json", example_scenario(), catalogue),
              HasSubstr("/methods/1/name: found \"fp16\", a method for models of tokens"));
}

TEST(IntegerOption, ThatIsNotAMultipleOfWhatItMustBeIsRefused) {
  auto catalogue = example_catalogue();
  OptionSpec size{"image_size", OptionSpec::Type::kInteger, 224, {32.0, 1024.0, false}, {}, ""};
  size.multiple_of = 16;
  catalogue.models[0].options.push_back(size);
  auto document = example_scenario();
  document["workload"]["model"]["image_size"] = 64;
  EXPECT_EQ(refusal("test.json", document, catalogue), "");
  document["workload"]["model"]["image_size"] = 72;
  EXPECT_THAT(refusal("test.json", document, catalogue),
              HasSubstr("/workload/model/image_size: found 72, expected a multiple of 16"));
}

TEST(EvaluatedSamples, AreHeldToTheValidationSamplesThatReplaceTheTestSet) {
  auto document = example_scenario();
  document["workload"]["validation_samples"] = 300;
  document["workload"]["evaluate_samples"] = 200;  // the data set has 100 samples to test on
  EXPECT_EQ(refusal("test.json", document, example_catalogue()), "");
  document["workload"]["evaluate_samples"] = 301;
  EXPECT_THAT(refusal("test.json", document, example_catalogue()),
              HasSubstr("/workload/evaluate_samples: found 301, expected at most"));
}

class WeightsFromAFile : public ::testing::Test {
 protected:
  WeightsFromAFile() {
    std::ofstream{folder.path() + "/weights.pt"} << "some weights";
    document["workload"]["initial"] = {{"kind", "file"}, {"path", "weights.pt"}};
  }

  Scenario read() const { return scenario_from_json(source, document, example_catalogue()); }

  TemporaryFolder folder;
  std::string source = folder.path() + "/test.json";
  Json document = example_scenario();
};

TEST_F(WeightsFromAFile, AreKnownByPathAndHashWhichReadBack) {
  const auto scenario = read();
  EXPECT_EQ(scenario.workload.initial.path, folder.path() + "/weights.pt");
  EXPECT_EQ(scenario.workload.initial.sha256, sha256("some weights"));
  const auto canonical = to_json(scenario);
  const auto again = scenario_from_json("elsewhere.json", canonical, example_catalogue());
  EXPECT_EQ(to_json(again).dump(), canonical.dump());
}

TEST_F(WeightsFromAFile, AreComparedByWhatIsInItAndNotWhereItLies) {
  const auto hash = comparison_hash(read());
  std::ofstream{folder.path() + "/copy.pt"} << "some weights";
  document["workload"]["initial"]["path"] = "copy.pt";
  EXPECT_EQ(comparison_hash(read()), hash);
  std::ofstream{folder.path() + "/copy.pt"} << "other weights";
  EXPECT_NE(comparison_hash(read()), hash);
}

std::int64_t most_memory_kb() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  return used.ru_maxrss;
}

TEST_F(WeightsFromAFile, AreHashedWithoutBeingHeldInMemory) {
  std::filesystem::resize_file(folder.path() + "/weights.pt", 64 << 20);
  const auto before_kb = most_memory_kb();
  read();
  EXPECT_LT(most_memory_kb() - before_kb, 32 << 10);
}

TEST_F(WeightsFromAFile, AreRefusedWhenTheyAreNotThereOrOthersThanRecorded) {
  document["workload"]["initial"]["sha256"] = sha256("other weights");
  EXPECT_THAT(refusal(source, document, example_catalogue()),
              AllOf(HasSubstr("/workload/initial/sha256: found "), HasSubstr("another file")));
  document["workload"]["initial"] = {{"kind", "file"}, {"path", "missing.pt"}};
  EXPECT_THAT(refusal(source, document, example_catalogue()),
              AllOf(HasSubstr("/workload/initial/path: "), HasSubstr("missing.pt")));
}

}  // namespace
}  // namespace pacbench::testing
