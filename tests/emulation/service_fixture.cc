#include "tests/emulation/service_fixture.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <grp.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>

#include "base/check.h"
#include "base/unix_socket.h"
#include "contract/fabric/session_entry.h"
#include "tests/emulation/eventually.h"

namespace pacbench {
namespace {

// The longest that the kernel, or a daemon that starts or ends, may take.
constexpr double kPatience_s = 20;

}  // namespace

As::As(uid_t user, const std::vector<gid_t>& groups) {
  before_.resize(static_cast<std::size_t>(check("getgroups", ::getgroups(0, nullptr))));
  check("getgroups", ::getgroups(static_cast<int>(before_.size()), before_.data()));
  check("setgroups", ::setgroups(groups.size(), groups.data()));
  check("setegid", ::setegid(user));
  check("seteuid", ::seteuid(user));
}

As::~As() {
  const bool back =
      ::seteuid(0) == 0 && ::setegid(0) == 0 && ::setgroups(before_.size(), before_.data()) == 0;
  if (!back) std::abort();
}

std::vector<std::string> capabilities_of_the_unit() {
  std::istringstream lines{read_file(PACBENCH_UNIT)};
  constexpr std::string_view kKey = "AmbientCapabilities=";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kKey)) continue;
    std::vector<std::string> names;
    std::istringstream words{line.substr(kKey.size())};
    for (std::string word; words >> word;) names.push_back(word);
    return names;
  }
  throw std::runtime_error{"no AmbientCapabilities in " PACBENCH_UNIT};
}

ServiceFixture::ServiceFixture(std::vector<std::string> options) : options_{std::move(options)} {
  const auto run = folder_.path() + "/run";
  socket_ = run + "/socket/netd.sock";
  state_ = run + "/state";
  std::filesystem::permissions(folder_.path(), std::filesystem::perms{0755});
  for (const char* program : {PACBENCH_NETD, PACBENCH_PROBE}) {
    std::filesystem::copy(program, folder_.path());
  }
  std::filesystem::create_directory(run);
  check("chown", ::chown(run.c_str(), kServiceUser, kServiceGroup));
  start();
}

void ServiceFixture::start() {
  std::string set = "-all";
  for (auto name : capabilities_of_the_unit()) {
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    set += ",+" + name.substr(std::string_view{"cap_"}.size());
  }
  // The daemon gets a mount namespace of its own, as the unit's protections make one.
  std::vector<std::string> argv{"unshare",
                                "--mount",
                                "setpriv",
                                fmt::format("--reuid={}", kServiceUser),
                                fmt::format("--regid={}", kServiceGroup),
                                "--clear-groups",
                                "--no-new-privs",
                                "--inh-caps=" + set,
                                "--ambient-caps=" + set,
                                "--bounding-set=" + set,
                                folder_.path() + "/pacbench-netd",
                                "--service",
                                "--listen",
                                socket_,
                                "--group",
                                std::to_string(kServiceGroup),
                                "--state",
                                state_};
  argv.insert(argv.end(), options_.begin(), options_.end());
  const auto words = exec_words(argv);
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    ::execvp(words.front(), words.data());
    ::_exit(127);
  }
  service_ = ChildProcess{pid};
  const auto answers = [&] {
    try {
      return connect(0).ask(netd::counters_request()).is_object();
    } catch (const std::system_error&) {
      return false;
    }
  };
  const bool up = eventually(answers, kPatience_s);
  if (!up) throw std::runtime_error{"the service does not come up"};
}

void ServiceFixture::kill() {
  service_.signal(SIGKILL);
  service_.wait();
}

ExitStatus ServiceFixture::stop() {
  service_.signal(SIGTERM);
  return service_.wait();
}

std::vector<std::string> ServiceFixture::journal() const {
  std::vector<std::string> paths;
  for (const auto& file : netd::read_sessions(state_)) paths.push_back(file.path);
  return paths;
}

bool ServiceFixture::journal_empties() const {
  return eventually([&] { return journal().empty(); }, kPatience_s);
}

DaemonClient ServiceFixture::connect(uid_t user, const std::vector<gid_t>& groups) const {
  const As as{user, groups};
  return DaemonClient{connect_to(socket_)};
}

DaemonClient ServiceFixture::fabric_of(uid_t user) const {
  auto client = connect(user);
  client.create(star(2, 100));
  return client;
}

void ServiceFixture::open_to_all() const {
  namespace fs = std::filesystem;
  fs::permissions(fs::path{socket_}.parent_path(), fs::perms{0755});
  fs::permissions(socket_, fs::perms{0666});
}

bool ends(pid_t pid) {
  return eventually([&] { return ::kill(pid, 0) < 0 && errno == ESRCH; }, kPatience_s);
}

ChildProcess sleeper_of(uid_t user) {
  auto started = Pipe::create();
  const auto pid = check("fork", ::fork());
  if (pid == 0) {
    if (::setgid(user) == 0 && ::setuid(user) == 0) ::execl("/bin/sleep", "sleep", "600", nullptr);
    ::_exit(127);
  }
  started.write.reset();
  read_to_end(started.read.get());  // exec has closed the other end
  return ChildProcess{pid};
}

}  // namespace pacbench
