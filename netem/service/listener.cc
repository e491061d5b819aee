#include "netem/service/listener.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/check.h"
#include "base/unix_socket.h"

namespace pacbench::netem {
namespace {

constexpr int kBacklog = 64;

int option(int fd, int name) {
  int value = 0;
  socklen_t size = sizeof value;
  check("LISTEN_FDS: not a socket", ::getsockopt(fd, SOL_SOCKET, name, &value, &size));
  return value;
}

int number(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Sets the process's umask, and restores the earlier one when destroyed.
class Umask {
 public:
  explicit Umask(mode_t mask) : before_{::umask(mask)} {}
  Umask(const Umask&) = delete;
  Umask& operator=(const Umask&) = delete;
  ~Umask() { ::umask(before_); }

 private:
  mode_t before_;
};

void make_folder(const std::filesystem::path& folder, gid_t group) {
  const Umask exactly{0};
  if (::mkdir(folder.c_str(), 0750) == 0) {
    check(folder.c_str(), ::lchown(folder.c_str(), static_cast<uid_t>(-1), group));
  } else if (errno != EEXIST) {
    check(folder.c_str(), -1);
  }
}

void remove_when_stale(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) < 0) return;
  if (!S_ISSOCK(found.st_mode)) {
    throw std::runtime_error{fmt::format(
        "found {}, which is not a socket; remove it, or give another path with --listen", path)};
  }
  if (!nobody_listens(path)) {
    throw std::runtime_error{
        fmt::format("another program listens at {} already, or this process may not connect to it: "
                    "nothing was changed",
                    path)};
  }
  check(path.c_str(), ::unlink(path.c_str()));
}

}  // namespace

Listener Listener::inherited() {
  constexpr int kFirst = 3;  // sd_listen_fds(3)
  if (number("LISTEN_PID") != ::getpid() || number("LISTEN_FDS") != 1) {
    throw std::runtime_error{
        "expected exactly one socket from systemd (LISTEN_PID, LISTEN_FDS); without systemd, start "
        "the service with --listen PATH"};
  }
  for (const char* name : {"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"}) ::unsetenv(name);
  if (option(kFirst, SO_DOMAIN) != AF_UNIX || option(kFirst, SO_TYPE) != SOCK_STREAM ||
      option(kFirst, SO_ACCEPTCONN) == 0) {
    throw std::runtime_error{"LISTEN_FDS: expected a listening Unix stream socket"};
  }
  check("F_SETFD", ::fcntl(kFirst, F_SETFD, FD_CLOEXEC));
  return Listener{UniqueFd{kFirst}};
}

Listener Listener::at(const std::string& path, gid_t group) {
  make_folder(std::filesystem::path{path}.parent_path(), group);
  remove_when_stale(path);
  Listener listener{unix_socket()};
  {
    // Nobody can connect before the group is right: listen() comes last.
    const Umask exactly{0117};
    bind_to(listener.fd(), path);
  }
  struct stat made {};
  check(path.c_str(), ::lstat(path.c_str(), &made));
  listener.path_ = path;
  listener.inode_ = made.st_ino;
  check(path.c_str(), ::lchown(path.c_str(), static_cast<uid_t>(-1), group));
  check("listen", ::listen(listener.fd(), kBacklog));
  return listener;
}

Listener::Listener(Listener&& other) noexcept
    : fd_{std::move(other.fd_)}, path_{std::exchange(other.path_, {})}, inode_{other.inode_} {}

Listener::~Listener() {
  struct stat found {};
  const bool ours = !path_.empty() && ::lstat(path_.c_str(), &found) == 0 &&
                    S_ISSOCK(found.st_mode) && found.st_ino == inode_;
  if (ours) ::unlink(path_.c_str());
}

}  // namespace pacbench::netem
