#include "contract/scenario/time_dilation.h"

#include "contract/fabric/dilated.h"
#include "contract/fabric/fabric_spec.h"
#include "contract/scenario/fabric_request.h"
#include "tests/unit/contract/example_catalogue.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::testing {
namespace {

Scenario with(const Json& patch) {
  auto document = example_scenario();
  document.merge_patch(patch);
  return read_scenario(document);
}

Scenario with_dilation(const Json& dilation) { return with({{"time_dilation", dilation}}); }

std::string refusal_of(const Json& patch) {
  return refusal_words([&] { with(patch); });
}

Json over(const Json& link) { return {{"time_dilation", 4}, {"network", {{"links", {link}}}}}; }

TEST(TimeDilation, IsWrittenWhereTimeRunsSlower) {
  EXPECT_EQ(to_json(with_dilation(4))["time_dilation"], 4);
  EXPECT_FALSE(to_json(with_dilation(1)).contains("time_dilation"));
  EXPECT_TRUE(with_dilation("auto").time_dilation.is_auto);
  EXPECT_NE(comparison_hash(with_dilation(4)), comparison_hash(with_dilation(1)));
}

TEST(TimeDilation, RefusesWhatIsNoWholeNumberOfTimes) {
  for (const Json& wrong : {Json(0), Json(-1), Json(0.5), Json(129), Json("slow"), Json(true)}) {
    EXPECT_THAT(refusal_of({{"time_dilation", wrong}}), HasSubstr("/time_dilation")) << wrong;
  }
}

TEST(TimeDilation, RefusesWhatCannotRunSlower) {
  EXPECT_THAT(refusal_of({{"time_dilation", 4}, {"mode", "learn"}}), HasSubstr("mode learn"));
  EXPECT_THAT(refusal_of({{"time_dilation", 4}, {"device", "cuda"}}), HasSubstr("GPU"));
  EXPECT_THAT(refusal_of(over({{"name", "a"}, {"rate_mbit", 100}, {"delay_ms", 10}})),
              HasSubstr("delay"));
  EXPECT_THAT(refusal_of(over({{"name", "a"}, {"measured", true}})), HasSubstr("cluster"));
  EXPECT_THAT(refusal_of(over({{"name", "a"}, {"rate_mbit", 0.15}})), HasSubstr("0.0375 Mbit/s"));
  EXPECT_EQ(refusal_of(over({{"name", "a"}, {"rate_mbit", 100}})), "");
}

TEST(TimeDilation, IsChosenSoThatEachWorkerHasTwoCores) {
  const auto scenario = with({{"workers", 8}});
  EXPECT_EQ(chosen_dilation(scenario, 16).factor, 1);
  EXPECT_EQ(chosen_dilation(scenario, 15.5).factor, 2);
  EXPECT_EQ(chosen_dilation(scenario, 2).factor, 8);
  EXPECT_EQ(chosen_dilation(scenario, 0.5).factor, 32);
  EXPECT_EQ(chosen_dilation(with({{"mode", "learn"}}), 2).factor, 1);
  auto composed = scenario;
  composed.mode = Mode::kCompose;
  EXPECT_EQ(chosen_dilation(composed, 2).factor, 4) << "one thread sleeps, the other one encodes";
}

TEST(WorkerSpeed, DividesTheTimeOfComputing) {
  const auto scenario =
      with({{"worker_speed", 0.5}, {"slow_workers", {{{"worker", 7}, {"compute_factor", 3}}}}});
  EXPECT_EQ(worker_traits(scenario, 0).compute_factor, 2);
  EXPECT_EQ(worker_traits(scenario, 7).compute_factor, 6);
  EXPECT_EQ(to_json(scenario)["worker_speed"], 0.5);
  EXPECT_FALSE(to_json(with(Json::object())).contains("worker_speed"));
  const Json in_ms{{"compute_ms", 40}};
  EXPECT_EQ(with({{"worker_speed", in_ms}}).worker_speed.compute_ms, 40);
  EXPECT_EQ(to_json(with({{"worker_speed", in_ms}}))["worker_speed"], in_ms);
}

TEST(WorkerSpeed, IsAtMostThatOfTheCoresInEmulatedTime) {
  EXPECT_THAT(refusal_of({{"worker_speed", 8}}), HasSubstr("/worker_speed"));
  EXPECT_EQ(refusal_of({{"worker_speed", 8}, {"time_dilation", 8}}), "");
  EXPECT_EQ(refusal_of({{"worker_speed", 8}, {"time_dilation", "auto"}}), "");
  EXPECT_EQ(chosen_dilation(with({{"worker_speed", 8}, {"time_dilation", "auto"}}), 2).factor, 64);
  for (const Json& wrong : {Json(0), Json(-1), Json("fast"), Json::object(), Json{{"ms", 4}}}) {
    EXPECT_THAT(refusal_of({{"worker_speed", wrong}}), HasSubstr("/worker_speed")) << wrong;
  }
}

TEST(EncodeSpeed, IsAtMostTheDilation) {
  EXPECT_EQ(to_json(with({{"encode_speed", 4}, {"time_dilation", 4}}))["encode_speed"], 4);
  EXPECT_FALSE(to_json(with({{"encode_speed", 1}})).contains("encode_speed"));
  EXPECT_EQ(refusal_of({{"encode_speed", 0.5}}), "") << "slower than a core, at full speed";
  EXPECT_THAT(refusal_of({{"encode_speed", 8}, {"time_dilation", 4}}), HasSubstr("/encode_speed"));
  EXPECT_THAT(refusal_of({{"encode_speed", 2}, {"device", "cuda"}}), HasSubstr("on CPUs"));
  EXPECT_EQ(chosen_dilation(with({{"encode_speed", 3}, {"time_dilation", "auto"}}), 2).factor, 16);
}

TEST(TimeDilation, OfAFabricLeavesItsQueuesAndPackets) {
  const auto scenario = with({{"network", {{"links", {{{"name", "a"}, {"rate_mbit", 100}}}}}}});
  auto declared = fabric_request(scenario, scenario.network.links[0]);
  declared.workers[0].up.impairment = {10, 2, 0.01, 0};
  const auto slow = netd::dilated(declared, 4);
  for (const auto& name : netd::direction_names(declared)) {
    const auto& one_way = *netd::find_direction(slow, name);
    EXPECT_EQ(one_way.rate_mbit, 25) << name;
    EXPECT_EQ(one_way.queue_bytes, netd::queue_bytes(declared, name)) << name;
  }
  EXPECT_EQ(slow.rto_min_ms, 800);
  EXPECT_EQ(slow.workers[0].up.impairment.delay_ms, 40);
  EXPECT_EQ(slow.workers[0].up.impairment.jitter_ms, 8);
  EXPECT_EQ(slow.workers[0].up.impairment.loss, 0.01);
  EXPECT_EQ(netd::gso_max_bytes(slow), netd::gso_max_bytes(declared));
  EXPECT_EQ(slow.shaper.burst_bytes, declared.shaper.burst_bytes);
  EXPECT_EQ(slow.shaper.ceil_burst_bytes, declared.shaper.ceil_burst_bytes);
}

TEST(TimeDilation, OfAScheduleAndOfItsReportsIsUndone) {
  const netd::ScheduleRequest declared{{"worker0.up"}, {{0, 100}, {500, 20}}, 1000};
  const auto slow = netd::dilated(declared, 4);
  EXPECT_EQ(slow.steps[1].at_ms, 2000);
  EXPECT_EQ(slow.steps[1].rate_mbit, 5);
  EXPECT_EQ(slow.repeat_ms, 4000);
  const auto step = netd::undilated(netd::SteppedEvent{0, 4000, 4040, 5}, 4);
  EXPECT_EQ(step.due_ns, 1000);
  EXPECT_EQ(step.applied_ns, 1010);
  EXPECT_EQ(step.rate_mbit, 20);
}

}  // namespace
}  // namespace pacbench::testing
