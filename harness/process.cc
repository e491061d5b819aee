#include "harness/process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

#include "base/check.h"

namespace pacbench {
namespace {

/// What posix_spawn does in the child before the program starts.
class SpawnSetup {
 public:
  SpawnSetup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
    sigset_t all;
    ::sigfillset(&all);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

}  // namespace

ChildProcess start_process(const std::vector<std::string>& argv,
                           const std::vector<std::string>& environment,
                           const std::vector<int>& fds) {
  // Copies above all targets, so that no target overwrites a source that is yet to be placed.
  constexpr int kAboveTargets = 64;
  std::vector<UniqueFd> copies;
  SpawnSetup setup;
  for (const int fd : fds) {
    copies.emplace_back(check("duplicate descriptor", ::fcntl(fd, F_DUPFD_CLOEXEC, kAboveTargets)));
    ::posix_spawn_file_actions_adddup2(&setup.actions, copies.back().get(),
                                       static_cast<int>(copies.size()) - 1);
  }
  pid_t pid = -1;
  const int error = ::posix_spawn(&pid, argv.front().c_str(), &setup.actions, &setup.attributes,
                                  exec_words(argv).data(), exec_words(environment).data());
  if (error != 0) throw std::system_error{error, std::generic_category(), "start " + argv.front()};
  return ChildProcess{pid};
}

std::vector<std::string> minimal_environment() {
  std::vector<std::string> result;
  for (const char* name : {"PATH", "HOME", "LANG"}) {
    if (const char* value = std::getenv(name)) result.push_back(std::string{name} + '=' + value);
  }
  return result;
}

UniqueFd memory_file(const char* name, std::int64_t bytes) {
  UniqueFd fd{check("memfd_create", ::memfd_create(name, MFD_CLOEXEC))};
  check("size a memory file", ::ftruncate(fd.get(), bytes));
  return fd;
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::string result;
  auto end = text.size();
  while (end > 0 && count > 0) {
    if (text[end - 1] == '\n') {
      --end;
      continue;
    }
    const auto newline = text.rfind('\n', end - 1);
    const auto start = newline == std::string::npos ? 0 : newline + 1;
    result = text.substr(start, end - start) + (result.empty() ? "" : " | " + result);
    end = start;
    --count;
  }
  return result;
}

}  // namespace pacbench
