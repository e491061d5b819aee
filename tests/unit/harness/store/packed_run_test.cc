#include "harness/store/packed_run.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/errors.h"
#include "base/text_file.h"

namespace pacbench::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

namespace fs = std::filesystem;

class PackedRun : public ::testing::Test {
 protected:
  /// A folder with the files of a run, one of them compressed.
  PackedRun() {
    fs::create_directories(path("run/cells/a-b-1"));
    write_file_atomically(path("run/result.json"), "{\"result\": 1}");
    write_file_atomically(path("run/manifest.json"), "{\"manifest\": 1}");
    write_file_atomically(path("run/cells/a-b-1/cell.json"), "{}");
    write_file_atomically(path("run/cells/a-b-1/iterations.jsonl"), "{\"i\": 1}\n{\"i\": 2}\n");
    compress_text(path("run/cells/a-b-1/iterations.jsonl"));
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

 private:
  TemporaryFolder folder_;
};

TEST_F(PackedRun, BeginsWithItsHeadAndHasEachTextOnce) {
  pack_run(path("run"), path("run.tar.xz"));
  std::vector<std::string> names;
  ArchiveReader reader{path("run.tar.xz")};
  while (auto name = reader.next()) names.push_back(*name);
  EXPECT_THAT(names, ElementsAre("manifest.json", "result.json", "cells/a-b-1/cell.json",
                                 "cells/a-b-1/iterations.jsonl"));
  std::string unpacked;
  {
    const RunPath run{path("run.tar.xz")};
    EXPECT_EQ(run.shown(), path("run.tar.xz"));
    EXPECT_EQ(run.read_head("result.json"), "{\"result\": 1}");
    EXPECT_EQ(run.read_head("manifest.json"), "{\"manifest\": 1}");
    unpacked = run.folder();
    EXPECT_EQ(read_file(unpacked + "/cells/a-b-1/iterations.jsonl"), "{\"i\": 1}\n{\"i\": 2}\n");
    const auto copy = run;
    EXPECT_EQ(copy.folder(), unpacked);
  }
  EXPECT_FALSE(fs::exists(unpacked)) << "it goes with the last copy";
}

TEST_F(PackedRun, HasTheSameBytesWheneverItIsPacked) {
  pack_run(path("run"), path("one.tar.xz"));
  fs::last_write_time(path("run/result.json"), fs::file_time_type::clock::now());
  pack_run(path("run"), path("two.tar.xz"));
  EXPECT_EQ(read_file(path("one.tar.xz")), read_file(path("two.tar.xz")));
}

TEST_F(PackedRun, HasAFolderWhereItsResultIsNamedFromInsideIt) {
  const auto before = fs::current_path();
  fs::current_path(path("run"));
  EXPECT_EQ(RunPath{"result.json"}.folder(), ".");
  fs::current_path(before);
}

TEST_F(PackedRun, IsFoundWithoutItsSuffixUnlessAFolderHasThatName) {
  pack_run(path("run"), path("other.tar.xz"));
  EXPECT_TRUE(is_packed(path("other")));
  EXPECT_EQ(RunPath{path("other")}.shown(), path("other.tar.xz"));
  pack_run(path("run"), path("run.tar.xz"));
  EXPECT_FALSE(is_packed(path("run")));
}

TEST_F(PackedRun, IsMadeOnlyOfARunThatEnded) {
  fs::remove(path("run/result.json"));
  EXPECT_THAT([&] { pack_run(path("run"), path("run.tar.xz")); },
              ThrowsMessage<ConfigError>(HasSubstr("holds no result.json")));
  EXPECT_FALSE(fs::exists(path("run.tar.xz")));
}

TEST_F(PackedRun, IsRefusedWhereItIsDamagedOrLeadsOutOfItself) {
  pack_run(path("run"), path("run.tar.xz"));
  const auto bytes = read_file(path("run.tar.xz"));
  write_file_atomically(path("cut.tar.xz"), bytes.substr(0, bytes.size() / 2));
  EXPECT_THROW(RunPath{path("cut.tar.xz")}.folder(), ConfigError);
  {
    ArchiveWriter writer{path("out.tar.xz")};
    writer.add("manifest.json", "{}");
    writer.add("../outside", "x");
    writer.finish();
  }
  EXPECT_THAT([&] { RunPath{path("out.tar.xz")}.folder(); },
              ThrowsMessage<ConfigError>(HasSubstr("\"../outside\", which is no plain file")));
  EXPECT_THROW(RunPath{path("out.tar.xz")}.read_head("result.json"), ConfigError);
}

}  // namespace
}  // namespace pacbench::store
