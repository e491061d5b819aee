#include <gtest/gtest.h>

#include "spec/catalogue.h"
#include "tests/unit/spec/example_catalogue.h"

namespace pacbench::testing {
namespace {

MethodTraits traits(const char* method, const Json& entry) {
  return traits_of(*example_catalogue().find_method(method), entry);
}

TEST(MethodTraits, AreThoseOfTheMethodWhileItsOptionsRoundNothing) {
  EXPECT_TRUE(traits("pactrain", {{"quantize", "none"}, {"encoding", "int8"}}).lossless);
  EXPECT_FALSE(traits("topk", {{"ratio", 0.1}}).lossless);
}

TEST(MethodTraits, AreNotLosslessWithAnOptionThatRounds) {
  EXPECT_FALSE(traits("pactrain", {{"quantize", "ternary"}}).lossless);
  EXPECT_TRUE(traits("pactrain", {{"quantize", "ternary"}}).stateless);
}

TEST(MethodTraits, AreNotStatelessWithErrorFeedback) {
  EXPECT_FALSE(traits("topk", {{"ratio", 0.1}}).stateless);
  auto method = *example_catalogue().find_method("all-reduce");
  OptionSpec option;
  option.name = "error_feedback";
  option.default_value = false;
  method.options.push_back(option);
  EXPECT_TRUE(traits_of(method, {{"error_feedback", false}}).stateless);
  EXPECT_FALSE(traits_of(method, {{"error_feedback", true}}).stateless);
}

TEST(MethodTraits, SurviveTheCatalogue) {
  const auto read = catalogue_from_json("here", to_json(example_catalogue()));
  EXPECT_FALSE(traits_of(*read.find_method("pactrain"), {{"quantize", "ternary"}}).lossless);
}

}  // namespace
}  // namespace pacbench::testing
