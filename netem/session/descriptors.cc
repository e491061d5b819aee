#include "netem/session/descriptors.h"

#include <fmt/format.h>
#include <sys/statfs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>

#include "base/check.h"

namespace pacbench::netem {
namespace {

struct ServedFiles {
  std::uint32_t magic;  ///< the type of file system, as statfs(2) lists it
  const char* name;
};

constexpr std::array kServed{
    ServedFiles{0x65735546, "FUSE"}, ServedFiles{0x01021997, "9p"},  ServedFiles{0x6969, "NFS"},
    ServedFiles{0xff534d42, "CIFS"}, ServedFiles{0xfe534d42, "SMB"}, ServedFiles{0x517b, "SMB"},
    ServedFiles{0x00c36400, "Ceph"}, ServedFiles{0x5346414f, "AFS"}, ServedFiles{0x6b414653, "AFS"},
};

}  // namespace

void refuse_served_files(const std::vector<UniqueFd>& fds) {
  for (std::size_t i = 0; i < fds.size(); ++i) {
    struct statfs found {};
    check("fstatfs", ::fstatfs(fds[i].get(), &found));
    const auto magic = static_cast<std::uint32_t>(found.f_type);
    const auto* served = std::find_if(kServed.begin(), kServed.end(),
                                      [&](const auto& one) { return one.magic == magic; });
    if (served == kServed.end()) continue;
    throw std::runtime_error{
        fmt::format("descriptor {} is a file on {}, and the server of that file system could keep "
                    "the program from ending; expected a pipe, a socket, or a file on this "
                    "machine. Send a pipe, and copy from it",
                    i, served->name)};
  }
}

}  // namespace pacbench::netem
