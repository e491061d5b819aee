#include "netem/service/admission.h"

#include <fmt/format.h>
#include <grp.h>

#include <algorithm>
#include <charconv>
#include <stdexcept>

namespace pacbench::netem {

gid_t Admission::gid() const {
  gid_t number = 0;
  const char* const end = group_.data() + group_.size();
  if (const auto [rest, error] = std::from_chars(group_.data(), end, number);
      error == std::errc{} && rest == end) {
    return number;
  }
  const auto* found = ::getgrnam(group_.c_str());
  if (found != nullptr) return found->gr_gid;
  throw std::runtime_error{
      fmt::format("there is no group \"{}\"; make it: groupadd --system {}", group_, group_)};
}

std::string Admission::refusal(const Caller& caller) const {
  if (caller.uid == 0) return {};
  try {
    const auto group = gid();
    const bool member = caller.gid == group || std::find(caller.groups.begin(), caller.groups.end(),
                                                         group) != caller.groups.end();
    if (member) return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return fmt::format(
      "user {} is not in the group \"{}\", whose members may use this service. Ask the "
      "administrator for `usermod -aG {} NAME`, and log in again",
      caller.uid, group_, group_);
}

}  // namespace pacbench::netem
