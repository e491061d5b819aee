#include <gtest/gtest.h>

#include "contract/catalogue/catalogue.h"
#include "tests/unit/contract/example_catalogue.h"

namespace pacbench::testing {
namespace {

MethodTraits traits(const char* method, const Json& entry) {
  const auto read = catalogue_from_json("here", to_json(example_catalogue()));
  return traits_of(*read.find_method(method), entry);
}

TEST(MethodTraits, AreThoseOfTheMethodWhileItsOptionsRoundNothing) {
  EXPECT_FALSE(traits("topk", {{"ratio", 0.1}}).lossless);
  EXPECT_TRUE(traits("pactrain", {{"quantize", "none"}, {"encoding", "int8"}}).lossless);
  EXPECT_FALSE(traits("pactrain", {{"quantize", "ternary"}}).lossless);
  EXPECT_TRUE(traits("pactrain", {{"quantize", "ternary"}}).stateless);
}

TEST(MethodTraits, AreNotStatelessWithErrorFeedback) {
  EXPECT_FALSE(traits("topk", {{"ratio", 0.1}}).stateless);
  auto catalogue = example_catalogue();
  OptionSpec option;
  option.name = "later";
  option.type = OptionSpec::Type::kBoolean;
  option.default_value = false;
  option.feeds_back = true;
  catalogue.methods.front().options.push_back(option);
  auto method = catalogue_from_json("here", to_json(catalogue)).methods.front();
  method.unbiased = true;
  EXPECT_TRUE(traits_of(method, {{"later", false}}).stateless);
  EXPECT_TRUE(traits_of(method, Json::object()).stateless) << "its default";
  EXPECT_TRUE(traits_of(method, Json::object()).unbiased);
  EXPECT_FALSE(traits_of(method, {{"later", true}}).stateless);
  EXPECT_FALSE(traits_of(method, {{"later", true}}).unbiased) << "what comes later is missing now";
}

TEST(MethodTraits, LookAtLinksWithTheValuesThatAreChosenByLink) {
  auto catalogue = example_catalogue();
  OptionSpec encoding;
  encoding.name = "encoding";
  encoding.type = OptionSpec::Type::kChoice;
  encoding.default_value = "int8";
  encoding.by_link = {"auto"};
  catalogue.methods.front().options = {encoding};
  const auto read = catalogue_from_json("here", to_json(catalogue));
  const auto& method = read.methods.front();
  EXPECT_FALSE(traits_of(method, Json::object()).looks_at_links);
  EXPECT_TRUE(traits_of(method, {{"encoding", "auto"}}).looks_at_links);
  EXPECT_FALSE(traits_of(method, {{"encoding", "auto"}}).depends_on_link) << "the same result";
  auto deciding = method;
  deciding.depends_on_link = true;
  EXPECT_TRUE(traits_of(deciding, Json::object()).looks_at_links);
}

}  // namespace
}  // namespace pacbench::testing
