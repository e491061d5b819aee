#include "contract/fabric/netd_client.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "base/check.h"
#include "base/files.h"
#include "base/unique_fd.h"
#include "base/unix_socket.h"
#include "contract/fabric/features.h"
#include "tests/unit/contract/matchers.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::netd {
namespace {

/// A shared daemon that answers one client's first request with given messages. It then closes the
/// connection, or waits until the client does.
class FakeDaemon {
 public:
  enum class Then { kCloses, kIsSilent };

  FakeDaemon(std::vector<Json> answers, Then then)
      : path_{folder_.path() + "/netd.sock"}, listener_{unix_socket()} {
    bind_to(listener_.get(), path_);
    check("listen", ::listen(listener_.get(), 1));
    thread_ = std::jthread{[this, answers = std::move(answers), then] {
      MessageSocket client{UniqueFd{::accept(listener_.get(), nullptr, nullptr)}};
      client.receive();
      for (const auto& answer : answers) client.send(answer);
      if (then == Then::kIsSilent) client.receive();
    }};
  }

  Daemon daemon() const {
    constexpr std::chrono::milliseconds kAnswerTime{500};
    constexpr std::chrono::seconds kTeardownTime{5};
    return {path_, true, kAnswerTime, kTeardownTime};
  }

 private:
  TemporaryFolder folder_;
  std::string path_;
  UniqueFd listener_;
  std::jthread thread_;
};

std::string error_of(Client& client) {
  return testing::refusal_words<ProtocolError>([&] { client.counters(); });
}

std::string error_after(const std::vector<Json>& answers, FakeDaemon::Then then) {
  const FakeDaemon fake{answers, then};
  Client client{fake.daemon()};
  return error_of(client);
}

TEST(NetdClient, EventsThatComeBeforeAReplyAreKept) {
  const FakeDaemon fake{{to_json(ExitedEvent{3, 1, 2, 0}), to_json(CountersReply{{}, {7}, {}})},
                        FakeDaemon::Then::kIsSilent};
  Client client{fake.daemon()};
  EXPECT_EQ(client.counters().retransmitted_segments, std::vector<std::int64_t>{7});
  const auto exited = client.take_exited();
  ASSERT_THAT(exited, SizeIs(1));
  EXPECT_EQ(exited.front().process, 3);
  EXPECT_THAT(client.take_exited(), SizeIs(0));
}

TEST(NetdClient, SaysWhatCameInPlaceOfAReply) {
  using Then = FakeDaemon::Then;
  EXPECT_EQ(error_after({error_reply("there is no fabric")}, Then::kIsSilent),
            "there is no fabric");
  EXPECT_EQ(error_after({error_reply("told to stop")}, Then::kCloses), "told to stop");
  EXPECT_THAT(error_after({signalled_reply()}, Then::kIsSilent),
              HasSubstr("answered signalled, expected counters"));
  EXPECT_THAT(error_after({}, Then::kIsSilent), HasSubstr("has not answered for 0.5 s"));
  EXPECT_THAT(error_after({}, Then::kCloses), HasSubstr("journalctl"));
}

TEST(NetdClient, HowAPrivateDaemonEndedIsToldWithItsLog) {
  const TemporaryFolder folder;
  Daemon daemon{folder.path() + "/daemon"};
  std::ofstream{daemon.path} << "#!/bin/sh\necho no namespace >&2\nexit 3\n";
  std::filesystem::permissions(daemon.path, std::filesystem::perms::owner_all);
  daemon.answer_time = std::chrono::seconds{5};
  const auto log = folder.path() + "/log";
  daemon.log = UniqueFd{check("open", ::open(log.c_str(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600))};
  daemon.quote = [&](int) { return read_file(log); };
  Client client{std::move(daemon)};
  EXPECT_EQ(error_of(client), "pacbench-netd ended with exit code 3: no namespace\n");
}

TEST(NetdClient, ADaemonThatIsNotThereIsNamed) {
  for (const bool shared : {true, false}) {
    Daemon daemon{"/nowhere/netd", shared};
    daemon.log = UniqueFd{duplicate(STDERR_FILENO)};
    EXPECT_THAT(
        testing::refusal_words<std::system_error>([&] { const Client client{std::move(daemon)}; }),
        HasSubstr("/nowhere/netd"));
  }
}

TEST(Cure, OfMissingNetemNamesTheModuleTheKernelsThatHaveItAndAWayRound) {
  for (const char* each : {feature::kNetem, feature::kIfb, feature::kMirred}) {
    // Debian's -cloud kernel has these modules (tests/tools/kernel_run_test.py), so the cure must
    // not advise to replace that kernel.
    EXPECT_THAT(cure(each), AllOf(HasSubstr("sch_netem"), HasSubstr("act_mirred"),
                                  ContainsRegex("these modules[^;.]*linux-image-cloud-amd64"),
                                  Not(HasSubstr("in place of")), HasSubstr("tools/kernel-run")));
  }
}

}  // namespace
}  // namespace pacbench::netd
