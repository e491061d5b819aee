#include "harness/links/probe_program.h"

#include <fmt/format.h>

#include "harness/machine/process.h"

namespace pacbench::links {

ProbeProgram::ProbeProgram(SlotHost& host, int slot, const std::string& program,
                           const std::vector<std::string>& words)
    : slot_{slot}, channel_{{}, ProcessChannel::Input::kHeldOpen} {
  std::vector<std::string> argv{program};
  argv.insert(argv.end(), words.begin(), words.end());
  command_ = shell_words(argv);
  host.spawn({slot, argv, minimal_environment()}, channel_.program_ends());
  channel_.started();
}

std::vector<Json> ProbeProgram::exchange() {
  std::vector<Json> events;
  for (const auto& line : channel_.exchange()) {
    events.push_back(parse_json_line(line));
    if (!events.back().is_object() || !events.back().contains("event")) {
      throw ProtocolError{fmt::format("{} wrote a line that is not an event: {}", command_, line)};
    }
  }
  errors_ += channel_.take_errors();
  return events;
}

}  // namespace pacbench::links
