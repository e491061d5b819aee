#include "analysis/evidence/archive.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "base/errors.h"
#include "base/files.h"
#include "base/subprocess.h"

namespace pacbench::evidence {
namespace {

using testing::HasSubstr;

constexpr const char* kFile = "-rw-r--r-- 0/0  12 2026-01-02 03:04:05 made/a.json\n";

TEST(Listing, IsReadAsKindBytesAndName) {
  const auto entries =
      entries_of(std::string{"drwxr-xr-x 0/0 0 2026-01-02 03:04:05 made/\n"} + kFile);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].kind, 'd');
  EXPECT_EQ(entries[1].name, "made/a.json");
  EXPECT_EQ(entries[1].bytes, 12);
  EXPECT_EQ(danger_of(entries, "made"), "");
}

TEST(Listing, OfALinkIsNotUnderstood) {
  EXPECT_THROW(entries_of("lrwxrwxrwx 0/0 0 2026-01-02 03:04:05 made/a -> /etc\n"),
               std::invalid_argument);
}

TEST(Danger, IsWhatLiesElsewhereIsNoFileOrIsTooLarge) {
  EXPECT_THAT(danger_of({{'-', 1, "/etc/passwd"}}, "made"), HasSubstr("/etc/passwd"));
  EXPECT_THAT(danger_of({{'-', 1, "other/a"}}, "made"), HasSubstr("other/a"));
  EXPECT_THAT(danger_of({{'-', 1, "made/../../a"}}, "made"), HasSubstr("leads out"));
  EXPECT_THAT(danger_of({{'l', 0, "made/a"}}, "made"), HasSubstr("neither"));
  EXPECT_THAT(danger_of({{'-', 600'000'000, "made/a"}, {'-', 600'000'000, "made/b"}}, "made"),
              HasSubstr("1 GB"));
  EXPECT_THAT(danger_of({}, "made"), HasSubstr("nothing"));
}

class Unpacking : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  void make(const std::string& name) const {
    std::filesystem::create_directories(std::filesystem::path{path(name)}.parent_path());
    std::ofstream{path(name)} << "text";
  }

  /// Packs the files that `words` name, under the same names. Returns the archive's path.
  std::string packed(const std::vector<std::string>& words) const {
    std::vector<std::string> command{"tar", "-C", folder_.path(), "-czPf", path("a.tar.gz")};
    command.insert(command.end(), words.begin(), words.end());
    run_checked(command);
    return path("a.tar.gz");
  }

  std::string refusal(const std::string& archive) const {
    std::filesystem::create_directory(path("into"));
    try {
      unpack(archive, "made", path("into"));
    } catch (const ConfigError& error) {
      EXPECT_TRUE(std::filesystem::is_empty(path("into")));
      return error.what();
    }
    return "unpacked";
  }

  TemporaryFolder folder_;
};

TEST_F(Unpacking, BringsBackWhatWasPacked) {
  make("made/deep/a.json");
  EXPECT_EQ(refusal(packed({"made"})), "unpacked");
  EXPECT_EQ(read_file(path("into/made/deep/a.json")), "text");
}

TEST_F(Unpacking, RefusesWaysOutAndLeavesNothing) {
  make("made/a");
  make("outside");
  EXPECT_THAT(refusal(packed({"made", "made/../outside"})), HasSubstr("leads out"));
  EXPECT_THAT(refusal(packed({path("outside")})), HasSubstr("not below made/"));
  std::filesystem::create_symlink("/etc", path("made/link"));
  EXPECT_THAT(refusal(packed({"made"})), HasSubstr("link"));
}

TEST_F(Unpacking, RefusesWhatIsNoArchive) {
  make("a.tar.gz");
  EXPECT_THAT(refusal(path("a.tar.gz")), HasSubstr("cannot read it as .tar.gz"));
}

}  // namespace
}  // namespace pacbench::evidence
