#include "harness/machine/devices.h"

#include <gmock/gmock.h>

namespace pacbench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const Devices kOne{{"one"}, "", "2.28.9", ""};

TEST(RequireSameGpus, NamesThoseOfTheStartAndThoseThatAreHere) {
  const auto require_same_as = [](const Json& started_with) {
    return [=] { require_same_gpus("manifest.json", started_with, kOne); };
  };
  EXPECT_NO_THROW(require_same_as({{"gpus", {"one"}}})());
  EXPECT_THAT(
      require_same_as({{"gpus", {"another"}}}),
      ThrowsMessage<ConfigError>(HasSubstr("GPUs [\"another\"], but here are GPUs [\"one\"]")));
  EXPECT_THAT(require_same_as(Json{}),
              ThrowsMessage<ConfigError>(HasSubstr("the manifest does not say with which GPUs")));
}

}  // namespace
}  // namespace pacbench
