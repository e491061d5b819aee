#include <fmt/format.h>

#include "base/errors.h"
#include "harness/build_info.h"
#include "harness/cli/command.h"
#include "harness/report/merge.h"

namespace {

using namespace pacbench;

int run(int argc, char** argv) {
  CLI::App app{"Measures how methods of exchanging gradients fare over slow links.", "pacbench"};
  app.set_version_flag("--version", fmt::format("pacbench {} ({})", version(), git_commit()));
  app.require_subcommand(1);
  int exit_code = cli::kFine;
  for (const auto add :
       {cli::add_run, cli::add_validate, cli::add_schema, cli::add_list, cli::add_report,
        cli::add_compare, cli::add_reproduce, cli::add_plot, cli::add_verify, cli::add_recount,
        cli::add_doctor, cli::add_data, cli::add_calibrate, cli::add_export, cli::add_profile}) {
    add(app, exit_code);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? cli::kFine : cli::kInvalid;
  }
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const pacbench::ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return pacbench::cli::kInvalid;
  } catch (const pacbench::report::Incomparable& error) {
    fmt::print(stderr, "{}\n", error.what());
    return pacbench::cli::kIncomparable;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench: {}\n", error.what());
    return pacbench::cli::kBad;
  }
}
