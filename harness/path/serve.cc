#include "harness/path/measure.h"

#include <fmt/format.h>

#include "harness/links/probe_program.h"
#include "harness/machine/process.h"

namespace pacbench::path {
namespace {

constexpr int kServeTickMs = 1000;

std::vector<std::string> words(const ServeOptions& options) {
  return {"answer",
          "--bind",
          options.bind,
          "--port",
          fmt::format("{}", options.port),
          "--most-clients",
          fmt::format("{}", options.most_clients),
          "--most-bytes",
          fmt::format("{:.0f}", options.most_mb * kBytesInMb)};
}

}  // namespace

std::string describe(const Json& line, const ServeOptions& options) {
  const auto event = line.value("event", "");
  if (event == "answering") {
    return fmt::format(
        "listening on {} port {}, TCP and UDP, for at most {} client addresses in all, {:g} MB "
        "each; Ctrl-C ends it",
        line.value("address", ""), line.value("port", 0), options.most_clients, options.most_mb);
  }
  const auto client = line.value("from", "");
  if (event == "answered") {
    const auto traffic = line.value("traffic", "");
    if (traffic == "pings") return fmt::format("{}: {} pings", client, line.value("bytes", 0));
    return fmt::format("{}: {} {}, {:.1f} MB", client, traffic,
                       line.value("sender", "") == "client" ? "received" : "sent",
                       line.value("bytes", 0.0) / kBytesInMb);
  }
  if (event == "refused") return fmt::format("{}: refused: {}", client, line.value("message", ""));
  return fmt::format("{}: {}", client, line.value("message", event));
}

void serve(const std::string& program, const ServeOptions& options, const Interrupt& interrupt,
           const std::function<void(const std::string&)>& say) {
  links::ThisHost host;
  links::ProbeProgram probe{host, 0, program, words(options)};
  while (!interrupt.requested()) {
    std::vector<pollfd> polls{{interrupt.fd(), POLLIN, 0}};
    probe.add_to(polls);
    ::poll(polls.data(), polls.size(), kServeTickMs);
    for (const auto& line : probe.exchange()) say(describe(line, options));
    if (!probe.closed()) continue;
    const auto errors = last_lines(probe.errors(), 3);
    throw ProtocolError{"the server ended: " +
                        (errors.empty() ? "pacbench-probe does not say why" : errors)};
  }
  interrupt.throw_if_requested();
}

}  // namespace pacbench::path
