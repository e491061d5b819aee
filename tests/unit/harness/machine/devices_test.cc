#include "harness/machine/devices.h"

#include <gmock/gmock.h>

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Property;
using ::testing::Throws;

const Devices kOne{{"one"}, "", "2.28.9", ""};

TEST(RequireSameGpus, NamesThoseOfTheStartAndThoseThatAreHere) {
  EXPECT_NO_THROW(require_same_gpus("manifest.json", {{"gpus", {"one"}}}, kOne));
  EXPECT_THAT(
      [] {
        require_same_gpus("manifest.json", {{"gpus", {"another"}}}, kOne);
      },
      Throws<ConfigError>(
          Property(&ConfigError::what, HasSubstr("the run was started with GPUs [\"another\"], but "
                                                 "here are GPUs [\"one\"]"))));
}

TEST(RequireSameGpus, SaysWhereAManifestNamesNone) {
  EXPECT_THAT([] { require_same_gpus("manifest.json", Json{}, kOne); },
              Throws<ConfigError>(Property(
                  &ConfigError::what,
                  AllOf(HasSubstr("the manifest does not say with which GPUs the run was started"),
                        Not(HasSubstr("null"))))));
}

}  // namespace
}  // namespace pacbench
