#include "base/json/checked_keys.h"
#include "base/json/object_schema.h"
#include "base/json/read_keys.h"

#include <gmock/gmock.h>

namespace pacbench {

struct Wheel {
  int spokes = 32;
};

struct Vehicle {
  std::string kind = "car";
  double weight_kg = 0;
  std::int64_t doors = 4;
  std::optional<double> sail_m2;
  std::vector<Wheel> wheels;
  Wheel spare;
};

template <>
struct JsonFields<Wheel> {
  static constexpr std::tuple kAll{defaulted("spokes", &Wheel::spokes, Range{1.0, 100.0})};
};

template <>
struct JsonFields<Vehicle> {
  using T = Vehicle;
  static constexpr auto kKind = &T::kind;
  static constexpr std::array kKinds{"car", "van", "boat"};
  static constexpr std::array kOnLand{"car", "van"};
  static constexpr std::array kBoat{"boat"};
  static constexpr std::tuple kAll{
      required("kind", &T::kind, kKinds),
      required("weight_kg", &T::weight_kg, Range::positive(), "without load"),
      sparse("doors", &T::doors, Range{1.0, 9.0}).of_kinds(kOnLand),
      sparse("sail_m2", &T::sail_m2, Range::positive()).of_kinds(kBoat),
      sparse("wheels", &T::wheels, Bounds{}.with_entries(3)).of_kinds(kOnLand),
      apart(sparse("spare", &T::spare).of_kinds(kOnLand)),
      DerivedKey<T, double>{"weight_g", [](const T& vehicle) { return 1000 * vehicle.weight_kg; },
                            Range::positive(), "a thousand times weight_kg"}};

  static T of(const std::string& kind) {
    T vehicle;
    if (kind == "van") vehicle.doors = 5;
    return vehicle;
  }
  static void check(ObjectReader& reader, const T& vehicle) {
    if (vehicle.weight_kg > 1e6) reader.complain("weight_kg", "found a mountain");
  }
};

namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> complaints(const Json& document) {
  std::vector<Issue> issues;
  read_object<Vehicle>(ObjectReader{document, "", issues});
  std::vector<std::string> all;
  for (const auto& issue : issues) all.push_back(issue.pointer + ": " + issue.message);
  return all;
}

Vehicle taken(const Json& document) {
  std::vector<Issue> issues;
  auto vehicle = read_object<Vehicle>(ObjectReader{document, "", issues});
  EXPECT_THAT(issues, IsEmpty()) << document;
  return vehicle;
}

const Json kCar{{"kind", "car"}, {"weight_kg", 1000}, {"weight_g", 1e6}};
const Json kVan{{"kind", "van"}, {"weight_kg", 2000}, {"weight_g", 2e6}};
const Json kBoat{{"kind", "boat"}, {"weight_kg", 100}, {"weight_g", 1e5}, {"sail_m2", 7.5}};

Json with(Json document, const char* key, const Json& value) {
  document[key] = value;
  return document;
}

TEST(CheckedKeys, ThatMayBeMissingHaveTheDefaultOfTheKind) {
  EXPECT_EQ(taken(kCar).doors, 4);
  EXPECT_EQ(taken(kVan).doors, 5);
  EXPECT_EQ(taken(kCar).sail_m2, std::nullopt);
}

TEST(CheckedKeys, AreWrittenAsTheyAreRead) {
  for (const auto& document :
       {kBoat,
        with(kCar, "wheels", Json::array({{{"spokes", 3}}, Json::object(), Json::object()}))}) {
    const Json written = taken(document);
    EXPECT_EQ(Json(taken(written)), written);
    EXPECT_EQ(Json(written.get<Vehicle>()), written) << "trusted readers read the same";
  }
  EXPECT_EQ(Json(taken(kBoat)), kBoat) << "what is sparse is left out";
}

TEST(CheckedKeys, ThatAreWrongAreReportedWithTheirPlace) {
  const auto only = [](const char* said) { return ElementsAre(HasSubstr(said)); };
  EXPECT_THAT(complaints(with(kCar, "sail_m2", 3)), only("/sail_m2: unknown"));
  EXPECT_THAT(complaints(with(kBoat, "doors", 2)), only("/doors: unknown"));
  EXPECT_THAT(complaints(with(kCar, "doors", 10)), only("/doors: found 10"));
  EXPECT_THAT(complaints(with(kCar, "wheels", Json::array({Json::object()}))),
              only("expected 3 or more"));
  EXPECT_THAT(complaints(with(kCar, "weight_g", 7)), only("expected 1000000.0: a thousand times"));
  EXPECT_THAT(complaints(with(kCar, "kind", "train")), Contains(HasSubstr("car, van, boat")));
  EXPECT_THAT(complaints({{"kind", "boat"}, {"weight_g", 1}}),
              Contains(HasSubstr("/weight_kg: missing")));
  const auto heavy = with(with(kCar, "weight_kg", 2e6), "weight_g", 2e9);
  EXPECT_THAT(complaints(heavy), only("mountain"));
  EXPECT_THAT(complaints(with(heavy, "doors", 0)), only("/doors")) << "each must be right first";
}

TEST(CheckedKeys, OfOnePlaceMakeTheSchemaOfEachKind) {
  const auto kinds = object_schema<Vehicle>({{"spare", {{"type", "object"}}}}).at("oneOf");
  ASSERT_EQ(kinds.size(), 3U) << "car and van differ in a default";
  const auto& car = kinds[0];
  EXPECT_EQ(car.at("required"), Json::array({"kind", "weight_kg", "weight_g"}));
  EXPECT_EQ(car.at("properties").at("kind").at("enum"), Json::array({"car"}));
  EXPECT_EQ(car.at("properties").at("doors"),
            Json({{"type", "integer"}, {"minimum", 1}, {"maximum", 9}, {"default", 4}}));
  EXPECT_EQ(kinds[1].at("properties").at("doors").at("default"), 5);
  EXPECT_EQ(car.at("properties").at("weight_kg").at("description"), "without load");
  EXPECT_EQ(car.at("properties").at("wheels").at("minItems"), 3);
  EXPECT_EQ(car.at("properties").at("spare").at("type"), "object");
  EXPECT_FALSE(kinds[2].at("properties").contains("doors"));
  EXPECT_THROW(object_schema<Vehicle>(), Json::out_of_range) << "an ApartKey's schema is missing";
}

}  // namespace
}  // namespace pacbench
