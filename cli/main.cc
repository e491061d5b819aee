#include <fmt/format.h>

#include "analysis/report/merge.h"
#include "base/errors.h"
#include "cli/command.h"
#include "harness/machine/build_info.h"
#include "harness/machine/interrupt.h"

namespace pacbench::cli {
namespace {

int run(int argc, char** argv) {
  CLI::App app{"Measures how methods of exchanging gradients fare over slow links.", "pacbench"};
  app.set_version_flag("--version", fmt::format("pacbench {} ({})", version(), git_commit()));
  app.require_subcommand(1);
  int exit_code = kFine;
  for (const auto add :
       {add_run,    add_exec,   add_shell,     add_validate, add_check,   add_schema,
        add_list,   add_report, add_compare,   add_plot,     add_verify,  add_recount,
        add_doctor, add_data,   add_calibrate, add_export,   add_profile, add_adapt,
        add_costs,  add_gate,   add_link,      add_cite,     add_pack,    add_completion}) {
    add(app, exit_code);
  }
  // The scripts of `pacbench completion` call `pacbench __complete`.
  if (argc > 1 && std::string_view{argv[1]} == "__complete") {
    for (const auto& word : words_that_may_follow(app, {argv + 2, argv + argc})) {
      fmt::print("{}\n", word);
    }
    return kFine;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    if (asks_for_nothing(app)) {
      fmt::print("{}", app.help());
      return kFine;
    }
    fmt::print(stderr, "{}", describe_mistake(app, error));
    return kInvalid;
  }
  return exit_code;
}

}  // namespace
}  // namespace pacbench::cli

int main(int argc, char** argv) {
  try {
    return pacbench::cli::run(argc, argv);
  } catch (const pacbench::ConfigError& error) {
    fmt::print(stderr, "{}\n", error.what());
    return pacbench::cli::kInvalid;
  } catch (const pacbench::report::Incomparable& error) {
    fmt::print(stderr, "{}\n", error.what());
    return pacbench::cli::kIncomparable;
  } catch (const pacbench::Interrupted& interrupted) {
    fmt::print(stderr, "pacbench: {}\n", interrupted.what());
    return pacbench::cli::kInterrupted;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench: {}\n", error.what());
    return pacbench::cli::kBad;
  }
}
