#include "base/json/json_reader.h"

#include <gmock/gmock.h>

#include <limits>

#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string parse_error(std::string_view text) {
  return testing::refusal_words([&] { parse_json("file.json", text); });
}

std::string nested(int depth) {
  const auto count = static_cast<std::size_t>(depth);
  return std::string(count, '[') + std::string(count, ']');
}

TEST(ParseJson, SaysWhatIsWrongAndWhere) {
  const std::vector<std::pair<std::string, const char*>> all{
      {"{\n  \"a\": 1,\n  \"b\" 2\n}", "file.json: not valid JSON at line 3, column 7"},
      {"{\"a\": [1,", "not valid JSON at line 1"},
      {"", "not valid JSON at line 1, column 1"},
      {"{\"a\": 1e999}", "double precision: '1e999'"},
      {R"({"a": 1, "a": 2})", "the key \"a\" twice"},
      {"{\n \"a\": " + nested(kMaxJsonDepth) + "}",
       "file.json: found arrays and objects nested more than 64 deep at line 2, column 70"},
      {nested(200'000), "expected at most 64"},
      {std::string(200'000, '{'), "expected at most 64"}};
  for (const auto& [text, said] : all) {
    EXPECT_THAT(parse_error(text), HasSubstr(said)) << text.substr(0, 20);
  }
}

TEST(ParseJson, TakesBracketsInStringsForTextAndCountsOnlyWhatIsOpen) {
  std::string many = "[0";
  for (int i = 0; i < 1000; ++i) many += ",[{}]";
  for (const auto& text : {nested(kMaxJsonDepth), many + "]",
                           "[\"\\\"" + std::string(1000, '[') + "\", \"\\\\\", [1]]",
                           std::string{R"({"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]})"}}) {
    EXPECT_EQ(parse_error(text), "") << text;
  }
}

TEST(ParseJsonLine, DiscardsWhatIsNoJsonOrTooDeep) {
  EXPECT_EQ(parse_json_line(R"({"a": [1]})"), (Json{{"a", {1}}}));
  for (const auto& line : {std::string{"{\"a\""}, std::string{}, nested(200'000)}) {
    EXPECT_TRUE(parse_json_line(line).is_discarded()) << line.substr(0, 20);
  }
}

TEST(Ranges, HoldTheirBounds) {
  EXPECT_EQ((Range{2, 4}.describe()), "a number in [2, 4]");
  EXPECT_FALSE(Range::ratio().contains(0));
  EXPECT_TRUE(Range::ratio().contains(1));
  EXPECT_TRUE(Range::at_least(0).contains(0));
  EXPECT_FALSE(Range{}.contains(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_FALSE(Range::at_least(0).contains(std::numeric_limits<double>::infinity()));
}

/// Reads a document and keeps the reader's complaints, as "pointer: message".
class Reading {
 public:
  explicit Reading(const char* text)
      : document_(Json::parse(text)) {}  // braces would make an array

  ObjectReader& reader() { return reader_; }

  std::vector<std::string> complaints() const {
    std::vector<std::string> lines;
    for (const auto& issue : issues_) lines.push_back(issue.pointer + ": " + issue.message);
    return lines;
  }

 private:
  Json document_;
  std::vector<Issue> issues_;
  ObjectReader reader_{document_, "", issues_};
};

TEST(ObjectReader, ReportsWhatWasFoundAndExpected) {
  Reading reading{R"({"ratio": "half", "n": 1.5, "flag": 1, "text": "", "list": 3, "zero": 0,
                      "rates": [100, -1], "stop": "never", "exact": 9007199254740992,
                      "more": 9007199254740994})"};
  auto& reader = reading.reader();
  reader.number("ratio", Range::ratio());
  reader.integer("n", Range::at_least(1));
  reader.boolean_or("flag", false);
  reader.text("text");
  reader.numbers("list", {});
  reader.number("zero", Range::ratio());
  reader.numbers("rates", Range::at_least(0));
  reader.choice("stop", {"iterations", "targets"});
  reader.integer("exact", Range::at_least(0));
  reader.integer("more", Range::at_least(0));
  EXPECT_THAT(reading.complaints(),
              ElementsAre("/ratio: found \"half\" (a string), expected a number in (0, 1]",
                          "/n: found 1.5 (a number), expected a number of at least 1 without a "
                          "fraction",
                          "/flag: found 1 (a number), expected true or false",
                          "/text: found \"\" (a string), expected a non-empty string",
                          "/list: found 3 (a number), expected an array of numbers",
                          "/zero: found 0 (a number), expected a number in (0, 1]",
                          "/rates/1: found -1 (a number), expected a number of at least 0",
                          "/stop: found \"never\" (a string), expected one of iterations, targets",
                          "/more: found 9007199254740994 (a number), expected a number of at least "
                          "0 without a fraction, at most 2^53 in magnitude"));
}

TEST(ObjectReader, ReportsAnIntegerThatInt64CannotHold) {
  Reading reading{R"({"seeds": [1e300], "n": 18446744073709551615})"};
  reading.reader().integers("seeds", {});
  reading.reader().integer("n", {});
  EXPECT_THAT(reading.complaints(), ::testing::SizeIs(2));
}

TEST(ObjectReader, GoesOnWithTheDefaultAfterAnError) {
  Reading reading{R"({"workers": "eight"})"};
  EXPECT_EQ(reading.reader().integer_or("workers", 8, {}), 8);
  EXPECT_EQ(reading.reader().integer_or("absent", 5, {}), 5);
}

TEST(ObjectReader, GuessesWhatAMisspeltKeyWasMeantToBe) {
  Reading reading{R"({"rate_mbits": 100, "colour": "red"})"};
  auto& reader = reading.reader();
  reader.number_or("rate_mbit", 1, {});
  EXPECT_FALSE(reader.has("name"));
  reader.finish();
  EXPECT_THAT(reading.complaints(),
              ElementsAre("/colour: unknown key; expected one of name, rate_mbit",
                          "/rate_mbits: unknown key; did you mean \"rate_mbit\"?"));
}

TEST(ObjectReader, PointsIntoNestedObjectsAndArrays) {
  Reading reading{R"({"a/b": {"links": [{"rate": 1}, {"rate": 0}, 7]}})"};
  for (auto& link : reading.reader().object("a/b").objects("links")) {
    link.number("rate", Range::at_least(1));
  }
  EXPECT_THAT(reading.complaints(),
              ElementsAre("/a~1b/links/2: found 7 (a number), expected an object",
                          "/a~1b/links/1/rate: found 0 (a number), expected a number of at least "
                          "1"));
}

TEST(DescribeFound, CutsBetweenCharactersAndNotInsideOne) {
  for (const char* character : {"\u00e9", "\u20ac", "\U0001f600"}) {
    for (const char* before : {"", "a", "ab", "abc"}) {
      std::string text = before;
      for (int i = 0; i < 100; ++i) text += character;
      const auto found = describe_found(Json(text));
      EXPECT_LT(found.size(), 90U);
      EXPECT_NO_THROW(Json(found).dump()) << found;
      EXPECT_THAT(found, HasSubstr(std::string{character} + "... (a string)"));
    }
  }
}

TEST(ConfigErrors, ShowTwentyProblemsOnALineEachAndCountTheOthers) {
  EXPECT_STREQ((ConfigError{"s.json", {{"", "two"}}}.what()), "s.json: two");
  const ConfigError some{"s.json", std::vector<Issue>(20, Issue{"/a", "missing"})};
  EXPECT_THAT(some.what(), ::testing::EndsWith("\ns.json: /a: missing"));
  const ConfigError many{"s.json", std::vector<Issue>(300, Issue{"/a", "missing"})};
  EXPECT_EQ(many.what(), std::string{some.what()} + "\ns.json: and 280 more problems");
  EXPECT_EQ(many.issues().size(), 300U) << "nothing is lost to what reads them one by one";
}

}  // namespace
}  // namespace pacbench
