#include "base/files.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "tests/unit/contract/refusals.h"

namespace pacbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// While an object of this class lives, no file of this process can grow beyond `bytes`. Writing
/// fails as on a full disk, after a part has been written.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = ::signal(SIGXFSZ, SIG_IGN);  // else the signal ends the process before EFBIG shows
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  sighandler_t handler_;
};

class Files : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::size_t files_in_folder() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator{folder_.path()}, {}));
  }

  TemporaryFolder folder_;
};

/// What the std::system_error says that `action` throws; empty when it throws none.
template <typename Action>
std::string words_of(const Action& action) {
  return testing::refusal_words<std::system_error>(action);
}

TEST_F(Files, ErrorsHaveTheKernelsReasonAndNameThePath) {
  LineFile full{"/dev/full"};
  const auto expect_error = [](const std::string& path, const char* reason, const auto& action) {
    EXPECT_THAT(words_of(action), AllOf(HasSubstr(path), HasSubstr(reason)));
  };
  expect_error(path("absent"), "No such file", [&] { read_file(path("absent")); });
  expect_error(folder_.path(), "Is a directory", [&] { read_file(folder_.path()); });
  expect_error(path("a/b"), "No such file", [&] { write_file_atomically(path("a/b"), "text"); });
  expect_error("/dev/full", "No space left", [&] { full.append("line"); });
}

TEST_F(Files, NamedByOthersAreReadOnlyWhenTheyEnd) {
  const auto words = [](const std::string& path) {
    return words_of([&] { read_ordinary_file(path, 1000); });
  };
  const auto path = folder_.path() + "/a";
  write_file_atomically(path, std::string(1000, 'a'));
  EXPECT_EQ(words(path), "");
  EXPECT_THAT(words("/dev/zero"), HasSubstr("/dev/zero is not a regular file"));
  ASSERT_EQ(::mkfifo((folder_.path() + "/pipe").c_str(), 0600), 0);
  EXPECT_THAT(words(folder_.path() + "/pipe"), HasSubstr("is not a regular file"));
  std::filesystem::resize_file(path, std::uintmax_t{1} << 40);
  EXPECT_THAT(words(path), HasSubstr("has 1099511627776 bytes, and at most 1000"));
}

TEST_F(Files, NamedByOthersCanBeReadInParts) {
  std::string text(200'000, 'x');
  text.back() = 'e';
  write_file_atomically(path("file"), text);
  std::string joined;
  std::size_t largest = 0;
  read_ordinary_file(path("file"), 1'000'000, [&](std::string_view part) {
    joined += part;
    largest = std::max(largest, part.size());
  });
  EXPECT_EQ(joined, text);
  EXPECT_LT(largest, text.size());
}

TEST_F(Files, AFailedReplacementLeavesTheOldFileAndNoOther) {
  write_file_atomically(path("file"), "old");
  const auto error = [&] {
    const FileSizeLimit limit{1000};
    return words_of([&] { write_file_atomically(path("file"), std::string(5000, 'n')); });
  }();
  EXPECT_THAT(error, HasSubstr("File too large"));
  EXPECT_EQ(read_file(path("file")), "old");
  EXPECT_EQ(files_in_folder(), 1U);
}

TEST_F(Files, ANewFileIsNotSeenBeforeItIsWholeOrWhenItIsGivenUp) {
  write_file_atomically(path("file"), "old");
  NewFile file{path("file")};
  file.write("new ");
  file.write("text");
  EXPECT_EQ(read_file(path("file")), "old");
  file.put_in_place();
  EXPECT_EQ(read_file(path("file")), "new text");
  { NewFile{path("given up")}.write("half"); }
  EXPECT_EQ(files_in_folder(), 1U) << "nothing is left of one that was given up";
}

TEST_F(Files, ALineThatDoesNotFitIsTakenBackWhole) {
  LineFile lines{path("lines")};
  lines.append(std::string(600, 'a'));
  {
    const FileSizeLimit limit{1000};
    EXPECT_THAT(words_of([&] { lines.append(std::string(600, 'b')); }),
                HasSubstr("File too large"));
    lines.append("short enough");
  }
  EXPECT_EQ(read_file(path("lines")), fmt::format("{:a<600}\nshort enough\n", ""));
}

TEST_F(Files, TemporaryFoldersArePrivateAndRemovedWithTheirContentsByTheLastThatHasThem) {
  TemporaryFolder first{"pacbench-test"};
  const auto gone = first.path();
  {
    const TemporaryFolder folder{std::move(first)};
    EXPECT_EQ(std::filesystem::status(gone).permissions(), std::filesystem::perms::owner_all);
    std::filesystem::create_directories(gone + "/a/b");
    write_file_atomically(gone + "/a/b/file", "text");
  }
  EXPECT_FALSE(std::filesystem::exists(gone));
}

}  // namespace
}  // namespace pacbench
