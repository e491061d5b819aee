#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/doctor.h"

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

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand(
      "doctor", "Say what this machine can do, what is missing and how to get it");
  command->callback([&exit_code] { exit_code = examine(); });
}

}  // namespace pacbench::cli
