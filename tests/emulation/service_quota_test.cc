// How much of a shared daemon one user may have.
#include <gmock/gmock.h>

#include "tests/emulation/service_fixture.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

std::string refusal(DaemonClient& client, int workers) {
  return client.ask(to_json(star(workers, 100))).value("message", "not refused");
}

TEST(ServiceQuota, FabricsAreCountedForEachUser) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--most-fabrics", "1"}};
  auto first = service.connect(kAlice);
  first.create(star(2, 100));
  auto second = service.connect(kAlice);
  EXPECT_THAT(refusal(second, 2), HasSubstr("user 64100 would have 2 fabrics with 4 workers in "
                                            "all; this service allows 1 with 256"));
  EXPECT_NO_THROW(service.connect(kBob).create(star(2, 100))) << "another user's own";
  first.hang_up();
  EXPECT_NO_THROW(second.create(star(2, 100))) << "there is room again";
}

TEST(ServiceQuota, WorkersAreCountedOverAllFabricsOfAUser) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--most-workers", "5"}};
  auto first = service.connect(kAlice);
  first.create(star(3, 100));
  auto second = service.connect(kAlice);
  EXPECT_THAT(refusal(second, 3), HasSubstr("2 fabrics with 6 workers"));
  EXPECT_NO_THROW(second.create(star(2, 100))) << "a smaller one fits, on the same connection";
}

TEST(ServiceQuota, RootHasNone) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--most-fabrics", "1", "--most-workers", "1"}};
  auto first = service.connect(0);
  EXPECT_NO_THROW(first.create(star(2, 100)));
  EXPECT_NO_THROW(service.connect(0).create(star(2, 100)));
}

TEST(ServiceQuota, ConnectionsWithoutAFabricAreBoundedToo) {
  REQUIRE_ROOT();
  const ServiceFixture service;
  std::vector<DaemonClient> idle;
  for (int i = 0; i < 32; ++i) idle.push_back(service.connect(kAlice));
  auto one_more = service.connect(kAlice);
  EXPECT_THAT(one_more.next().value("message", ""), HasSubstr("32 of user 64100"));
  EXPECT_NO_THROW(service.connect(kBob).create(star(2, 100)));
}

TEST(ServiceQuota, AConnectionEndsWithTheReasonWhenItsTimeIsUp) {
  REQUIRE_ROOT();
  const ServiceFixture service{{"--most-hours", "0.0002"}};
  auto alice = service.connect(kAlice);
  alice.create(star(2, 100));
  const auto worker = alice.start_inside(0, {"/bin/sleep", "60"}, STDERR_FILENO).pid;
  EXPECT_THAT(alice.next().value("message", ""), HasSubstr("has lasted 0.0002 hours"));
  EXPECT_TRUE(alice.next().is_null()) << "closed";
  EXPECT_TRUE(ends(worker));
}

}  // namespace
}  // namespace pacbench
