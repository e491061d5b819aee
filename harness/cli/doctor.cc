#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/doctor.h"
#include "harness/leftovers.h"

namespace pacbench::cli {
namespace {

int examine() {
  bool possible = true;
  for (const auto& finding : examine_machine(Programs::find())) {
    const char* word = finding.ok ? "ok" : finding.needed ? "MISSING" : "missing";
    fmt::print("{:8} {}: {}\n", word, finding.what, finding.found);
    if (!finding.ok && !finding.remedy.empty()) fmt::print("{:8} -> {}\n", "", finding.remedy);
    possible = possible && (finding.ok || !finding.needed);
  }
  return possible ? kFine : kBad;
}

struct Cleaning {
  bool wanted = false;
  bool dry_run = false;
  std::string state = netd::kServiceState;
  std::string socket = netd::kServiceSocket;
};

int clean(const Cleaning& options) {
  const Leftovers leftovers{options.state, options.socket};
  if (leftovers.in_use()) {
    fmt::print("a pacbench-netd service is running: all there is belongs to it\n");
    return kFine;
  }
  if (leftovers.items().empty()) fmt::print("nothing is left behind\n");
  int exit_code = kFine;
  for (const auto& item : leftovers.items()) {
    try {
      if (!options.dry_run) Leftovers::remove(item);
      fmt::print("{} {}\n", options.dry_run ? "would remove" : "removed", item.what);
    } catch (const std::exception& error) {
      fmt::print("cannot remove {}: {}\n", item.what, error.what());
      exit_code = kBad;
    }
  }
  return exit_code;
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "doctor", "Say what this machine can do, what is missing and how to get it");
  const auto cleaning = std::make_shared<Cleaning>();
  auto* wanted = command->add_flag(
      "--clean", cleaning->wanted,
      "Instead, end and remove what a service that has gone left behind, and nothing else");
  command->add_flag("--dry-run", cleaning->dry_run, "Only say what --clean would remove")
      ->needs(wanted);
  command->add_option("--state", cleaning->state, "Folder of the service's journal")
      ->needs(wanted)
      ->capture_default_str();
  command->add_option("--socket", cleaning->socket, "Socket of the service")
      ->needs(wanted)
      ->capture_default_str();
  command->callback(
      [cleaning, &exit_code] { exit_code = cleaning->wanted ? clean(*cleaning) : examine(); });
}

}  // namespace pacbench::cli
