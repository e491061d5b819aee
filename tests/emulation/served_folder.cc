#include "tests/emulation/served_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include "base/check.h"

namespace pacbench {

ServedFolder::ServedFolder(uid_t user) : server_{::open("/dev/fuse", O_RDWR | O_CLOEXEC)} {
  if (!server_) return;
  check("unshare", ::unshare(CLONE_NEWNS));
  check("mount /", ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr));
  const auto options =
      fmt::format("fd={},rootmode=40000,user_id={},group_id=0", server_.get(), user);
  check("mount", ::mount("none", folder_.path().c_str(), "fuse", 0, options.c_str()));
}

ServedFolder::~ServedFolder() { ::umount2(folder_.path().c_str(), MNT_DETACH); }

UniqueFd ServedFolder::open() const {
  return UniqueFd{check("open", ::open(folder_.path().c_str(), O_PATH | O_CLOEXEC))};
}

}  // namespace pacbench
