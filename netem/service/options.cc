#include "netem/service/options.h"

#include <charconv>

namespace pacbench::netem {
namespace {

template <typename Number>
bool read_number(const std::string& text, Number least, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value >= least;
}

bool read_path(const std::string& text, std::string& path) {
  path = text;
  return text.starts_with('/');
}

bool take(const std::string& name, const std::string& value, ServiceOptions& options) {
  if (name == "--listen") return read_path(value, options.listen);
  if (name == "--state") return read_path(value, options.state);
  if (name == "--most-fabrics") return read_number(value, 1, options.quota.fabrics);
  if (name == "--most-workers") return read_number(value, 1, options.quota.workers);
  if (name == "--most-users") return read_number(value, 1, options.quota.users);
  if (name == "--most-queue-mb") return read_number<std::int64_t>(value, 1, options.quota.queue_mb);
  if (name == "--most-namespaces-per-hour") {
    return read_number(value, 1, options.quota.namespaces_per_hour);
  }
  if (name == "--most-memory-percent") {
    return read_number(value, 1, options.limits.memory_percent) &&
           options.limits.memory_percent <= 100;
  }
  if (name == "--most-tasks") return read_number(value, 1, options.limits.tasks);
  // The limit is ten years, which a timer can hold.
  if (name == "--most-hours") {
    return read_number(value, 0.0, options.quota.hours) && options.quota.hours > 0 &&
           options.quota.hours <= 87600;
  }
  if (name == "--uplink") return !options.uplinks.emplace_back(value).empty();
  if (name != "--group" || value.empty()) return false;
  options.group = value;
  return true;
}

}  // namespace

std::optional<DaemonOptions> parse_options(const std::vector<std::string>& words) {
  DaemonOptions options;
  if (words.size() == 2 && words[0] == "--fd") {
    if (!read_number(words[1], 0, options.fd)) return std::nullopt;
    return options;
  }
  if (words.empty() || words[0] != "--service" || words.size() % 2 == 0) return std::nullopt;
  options.service.emplace();
  for (std::size_t i = 1; i < words.size(); i += 2) {
    if (!take(words[i], words[i + 1], *options.service)) return std::nullopt;
  }
  return options;
}

}  // namespace pacbench::netem
