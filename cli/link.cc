#include <fmt/format.h>

#include <memory>

#include "base/clock.h"
#include "cli/command.h"
#include "contract/fabric/netd_protocol.h"
#include "harness/links/slot_host.h"
#include "harness/machine/meter.h"
#include "harness/machine/programs.h"
#include "harness/path/measure.h"
#include "harness/path/report.h"

namespace pacbench::cli {
namespace {

struct MeasureOptions {
  std::string host;
  std::uint16_t port = path::ServeOptions{}.port;
  path::Limits limits;
  int workers = 2;
  std::string format = "text";
};

void serve_path(const path::ServeOptions& options) {
  const Interrupt interrupt;
  path::serve(Programs::find().probe, options, interrupt, [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  });
}

void measure_path(const MeasureOptions& options) {
  const Interrupt interrupt;
  const auto probe = Programs::find().probe;
  links::ThisHost host;
  const path::Peer peer{options.host, path::ipv4_of(options.host), options.port};
  Meter meter{probe};
  const auto began_ns = monotonic_ns();
  auto measurement =
      path::measure(host, probe, peer, options.limits, interrupt,
                    [](const std::string& part) { fmt::print(stderr, "measuring {}\n", part); });
  measurement.taken_share = meter.since(began_ns).taken_share();
  const auto block = path::links_block(measurement, options.workers);
  fmt::print("{}", options.format == "json" ? to_json(measurement, block).dump(2) + '\n'
                                            : render_text(measurement, block));
}

void add_serve(CLI::App& link) {
  auto* command = link.add_subcommand(
      "serve", "Answer `pacbench link measure` from other machines, until Ctrl-C");
  const auto options = std::make_shared<path::ServeOptions>();
  add_checked(*command, "--port", options->port, "TCP and UDP port to listen on",
              CLI::Range(1, 65535));
  add_checked(*command, "--bind", options->bind, "IPv4 address of this machine to listen on",
              CLI::ValidIPV4);
  add_checked(*command, "--most-clients", options->most_clients,
              "How many client addresses are served in total", CLI::Range(1, 1000));
  add_checked(*command, "--most-mb", options->most_mb,
              "Most MB of payload for each client, both directions together", CLI::Range(1.0, 1e6));
  command->callback([options] { serve_path(*options); });
}

void add_measure(CLI::App& link) {
  auto* command = link.add_subcommand(
      "measure", "Measure the path to the machine on which `pacbench link serve` runs");
  const auto options = std::make_shared<MeasureOptions>();
  command->add_option("HOST", options->host, "Name or IPv4 address of the other machine")
      ->required();
  add_checked(*command, "--port", options->port, "Port on which the other machine listens",
              CLI::Range(1, 65535));
  add_checked(*command, "--seconds", options->limits.seconds,
              "Most seconds that the whole measurement may take", CLI::Range(5.0, 200.0));
  add_checked(*command, "--max-mb", options->limits.most_mb,
              "Most MB of payload that may cross the path, both directions together",
              CLI::Range(0.1, 1e6));
  command
      ->add_option(
          "--workers", options->workers,
          "Number of workers for which links are printed. With 2, worker 0 is this machine "
          "and worker 1 the other, with up and down swapped; with more, every worker has this "
          "machine's link")
      ->check(CLI::Range(2, netd::CreateRequest::kMaxWorkers))
      ->capture_default_str();
  command->add_option("--format", options->format, "Output format")
      ->check(one_of({"text", "json"}));
  command->callback([options] { measure_path(*options); });
}

}  // namespace

void add_link(CLI::App& app, int&) {
  auto* link = app.add_subcommand("link", "Measure the path between two machines");
  link->require_subcommand(1);
  add_serve(*link);
  add_measure(*link);
}

}  // namespace pacbench::cli
