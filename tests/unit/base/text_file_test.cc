#include "base/text_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/subprocess.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TextFiles : public ::testing::Test {
 protected:
  std::string path() const { return folder_.path() + "/lines"; }
  std::string compressed() const { return path() + ".gz"; }

  void write(const std::string& text) const { write_file_atomically(path(), text); }

  /// Leaves only the compressed form of the text.
  void compress(const std::string& text) const {
    write(text);
    compress_text(path());
    fs::remove(path());
  }

  std::vector<std::string> lines() const {
    LineReader reader{path()};
    std::vector<std::string> all;
    for (std::string line; reader.next(line);) all.push_back(line + (reader.whole() ? "" : "…"));
    return all;
  }

  std::string error() const {
    return testing::refusal_words([this] { lines(); });
  }

 private:
  TemporaryFolder folder_;
};

TEST_F(TextFiles, GiveTheirLines) {
  write("one\n\nthree\n");
  EXPECT_THAT(lines(), ElementsAre("one", "", "three"));
  write("one\ntwo");
  EXPECT_THAT(lines(), ElementsAre("one", "two…"));
  write("");
  EXPECT_THAT(lines(), ElementsAre());
}

TEST_F(TextFiles, GiveTheSameLinesWhenTheyAreCompressedAsGzipDoes) {
  std::string text;
  for (std::int64_t i = 0; i < 100'000; ++i) text += std::to_string(i * i) + "\n";
  compress(text + "torn");
  const auto all = lines();
  ASSERT_EQ(all.size(), 100'001u);
  EXPECT_EQ(all[99'999], std::to_string(std::int64_t{99'999} * 99'999));
  EXPECT_EQ(all.back(), "torn…");
  EXPECT_LT(fs::file_size(compressed()), text.size() / 2);
  EXPECT_EQ(run_checked({"/bin/gzip", "-dc", compressed()}), text + "torn");
}

TEST_F(TextFiles, AreThereWithEitherNameAndReadUncompressedWhereBothAreThere) {
  EXPECT_FALSE(text_exists(path()));
  compress("old\n");
  EXPECT_TRUE(text_exists(path()));
  write("new\n");
  EXPECT_TRUE(text_exists(path()));
  EXPECT_THAT(lines(), ElementsAre("new"));
}

TEST_F(TextFiles, ThatAreDamagedOrCutOffAreRefused) {
  compress(std::string(100'000, 'x') + "\nend\n");
  const auto whole = read_file(compressed());
  auto damaged = whole;
  damaged[whole.size() / 2] = static_cast<char>(damaged[whole.size() / 2] ^ 0x10);
  for (const auto& bytes : {whole.substr(0, whole.size() - 5), damaged}) {
    write_file_atomically(compressed(), bytes);
    EXPECT_THAT(error(), HasSubstr(compressed()));
  }
}

TEST_F(TextFiles, CannotFillTheMemory) {
  // 64 MB of zeros compress to 64 KB. The line is refused before it is read as a whole.
  compress(std::string(64u << 20, '\0'));
  EXPECT_THAT(error(), HasSubstr("a line of more than 16777216 bytes"));
}

TEST_F(TextFiles, ThatCannotBeReadSaySo) {
  EXPECT_THROW(LineReader{path()}, std::system_error);
  fs::create_directory(path());
  EXPECT_THROW(lines(), std::system_error);
}

}  // namespace
}  // namespace pacbench
