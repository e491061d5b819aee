#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/json/json_reader.h"
#include "harness/statistics/spread.h"
#include "harness/statistics/two_sides.h"

namespace pacbench::statistics {
namespace {

/// The values of SciPy, which record_scipy_cases.py beside this file recorded.
const Json& recorded() {
  static const Json cases = read_json_file(SCIPY_CASES);
  return cases;
}

/// The values of a list, in which null is a censored value.
std::vector<double> values(const Json& list) {
  std::vector<double> all;
  for (const auto& value : list) {
    all.push_back(value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>());
  }
  return all;
}

TEST(MannWhitney, GivesTheExactPOfScipyAndTheNormalOneWhereCountingIsTooMuch) {
  for (const auto& [tests, exact] :
       {std::pair{"mann_whitney", true}, {"mann_whitney_normal", false}}) {
    for (const auto& test : recorded().at(tests)) {
      SCOPED_TRACE(test.at("name").get<std::string>());
      const auto found = mann_whitney({{1, values(test.at("base")), values(test.at("next"))}});
      EXPECT_EQ(found.exact, exact);
      EXPECT_EQ(found.u, test.at("u").get<double>());
      EXPECT_NEAR(found.p_greater, test.at("p_greater"), 1e-12);
      EXPECT_NEAR(found.p_less, test.at("p_less"), 1e-12);
      EXPECT_NEAR(found.p_two_sided, test.at("p_two_sided"), 1e-12);
    }
  }
}

TEST(MedianInterval, HasScipysEndsAndCoverage) {
  for (const auto& test : recorded().at("median_interval")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    std::vector<std::optional<double>> times;
    for (const auto value : values(test.at("values"))) times.emplace_back(value);
    const auto found = median_interval(times, test.at("confidence"));
    ASSERT_EQ(found.has_value(), !test.at("low").is_null());
    if (!found) continue;
    EXPECT_EQ(found->low, test.at("low").get<double>());
    EXPECT_EQ(found->high, test.at("high").get<double>());
    EXPECT_NEAR(found->coverage, test.at("coverage"), 1e-12);
  }
}

TEST(HodgesLehmann, IsNumpysMedianOfPairsWithinScipysBootstrapInterval) {
  for (const auto& test : recorded().at("hodges_lehmann")) {
    SCOPED_TRACE(test.at("name").get<std::string>());
    const auto found = hodges_lehmann({{1, values(test.at("base")), values(test.at("next"))}});
    EXPECT_NEAR(found.value, test.at("ratio"), 1e-12);
    // Both ends come from random resamples: 20,000 by SciPy, 2,000 by hodges_lehmann().
    EXPECT_NEAR(found.low, test.at("low"), 0.003);
    EXPECT_NEAR(found.high, test.at("high"), 0.003);
  }
}

TEST(Holm, AdjustsAsStatsmodelsDoes) {
  for (const auto& test : recorded().at("holm")) {
    const auto found = holm(test.at("p"));
    const std::vector<double> expected = test.at("adjusted");
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-15);
  }
}

}  // namespace
}  // namespace pacbench::statistics
