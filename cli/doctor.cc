#include <fmt/format.h>

#include <memory>

#include "cli/command.h"
#include "harness/doctor/doctor.h"
#include "harness/doctor/leftovers.h"
#include "harness/links/fabric.h"

namespace pacbench::cli {
namespace {

int examine(const std::string& format) {
  auto programs = Programs::find();
  programs.daemon = links::choose_daemon("auto", programs.daemon);
  const auto findings = doctor::examine_machine(programs);
  fmt::print("{}", format == "json" ? json_text(to_json(findings), 2) + '\n'
                                    : doctor::render_text(findings));
  return doctor::is_usable(findings) ? kFine : kBad;
}

struct Cleaning {
  bool wanted = false;
  bool dry_run = false;
  std::string state = netd::kServiceState;
  std::string socket = netd::kServiceSocket;
};

int clean(const Cleaning& options) {
  const doctor::Leftovers leftovers{options.state, options.socket};
  if (leftovers.in_use()) {
    fmt::print(
        "nothing was removed: a running pacbench-netd service (or another `pacbench doctor "
        "--clean`) holds the lock of this journal\n");
    return kFine;
  }
  if (leftovers.items().empty()) fmt::print("found nothing to remove\n");
  int exit_code = kFine;
  for (const auto& item : leftovers.items()) {
    try {
      if (!options.dry_run) doctor::Leftovers::remove(item);
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
  auto* wanted = command->add_flag("--clean", cleaning->wanted,
                                   "Instead of examining the machine, end the processes and "
                                   "remove the files that a pacbench-netd service left behind");
  command->add_flag("--dry-run", cleaning->dry_run, "Only say what --clean would remove")
      ->needs(wanted);
  command->add_option("--state", cleaning->state, "Folder of the service's journal")
      ->needs(wanted)
      ->capture_default_str();
  command->add_option("--socket", cleaning->socket, "Socket of the service")
      ->needs(wanted)
      ->capture_default_str();
  const auto format = std::make_shared<std::string>("text");
  command->add_option("--format", *format, "Output format")
      ->check(one_of({"text", "json"}))
      ->excludes(wanted)
      ->capture_default_str();
  command->callback([cleaning, format, &exit_code] {
    exit_code = cleaning->wanted ? clean(*cleaning) : examine(*format);
  });
}

}  // namespace pacbench::cli
