#include "harness/record/probe_book.h"

#include <gmock/gmock.h>

#include "base/files.h"

namespace pacbench::record {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

LinkProbe probe(const char* when, std::vector<std::string> cells) {
  LinkProbe probe;
  probe.when = when;
  probe.cells = std::move(cells);
  return probe;
}

TEST(ProbeBook, GivesEachCellTheProbeBeforeItAndTheOneAfter) {
  const TemporaryFolder folder;
  ProbeBook book{folder.path(), store::Broken::kEnd};
  book.add(probe("before", {"a", "b"}));
  EXPECT_TRUE(book.lacks_after("a"));
  book.add(probe("after", {"a"}));
  EXPECT_THAT(book.of("a"), SizeIs(2));
  EXPECT_FALSE(book.lacks_after("a"));
  EXPECT_THAT(book.of("b"), SizeIs(1)) << "it did not run";
  EXPECT_THAT(book.of("c"), IsEmpty());
  EXPECT_FALSE(book.lacks_after("c"));
  book.add(probe("before", {"a"}));
  EXPECT_THAT(book.of("a"), SizeIs(1)) << "it runs again";
}

TEST(ProbeBook, WaitsForAnotherProbeAfterOneThatFailed) {
  const TemporaryFolder folder;
  ProbeBook book{folder.path(), store::Broken::kEnd};
  book.add(probe("before", {"a"}));
  auto failed = probe("after", {"a"});
  failed.failure = "node n3 was lost";
  book.add(failed);
  EXPECT_TRUE(book.lacks_after("a"));
  book.add(probe("after", {"a"}));
  ASSERT_THAT(book.of("a"), SizeIs(2));
  EXPECT_EQ(book.of("a").back().failure, "");
  const ProbeBook read{folder.path(), store::Broken::kRefuse};
  EXPECT_FALSE(read.lacks_after("a"));
}

TEST(ProbeBook, RefusesASecondProbeAfterACellAndOneThatNoneCameBefore) {
  for (const auto& order : {std::vector{"before", "after", "after"}, std::vector{"after"}}) {
    const TemporaryFolder folder;
    ProbeBook book{folder.path(), store::Broken::kEnd};
    for (const char* when : order) book.add(probe(when, {"a"}));
    EXPECT_THROW((ProbeBook{folder.path(), store::Broken::kRefuse}), ConfigError);
  }
}

TEST(ProbeBook, IsReadBackAndCutsOffATornLine) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/probes.jsonl";
  ProbeBook{folder.path(), store::Broken::kEnd}.add(probe("before", {"a"}));
  const auto whole = read_file(path);
  write_file_atomically(path, whole + R"({"event": "pro)");
  EXPECT_THROW((ProbeBook{folder.path(), store::Broken::kRefuse}), ConfigError);
  ProbeBook book{folder.path(), store::Broken::kEnd};
  EXPECT_THAT(book.of("a"), SizeIs(1));
  EXPECT_EQ(read_file(path), whole);
  book.add(probe("after", {"a"}));
  EXPECT_THAT((ProbeBook{folder.path(), store::Broken::kRefuse}.of("a")), SizeIs(2));
}

}  // namespace
}  // namespace pacbench::record
