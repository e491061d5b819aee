#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

namespace pacbench::cli {

/// Exit codes of every command.
enum ExitCode : int {
  kFine = 0,
  kBad = 1,      ///< the answer is bad (a cell failed), or the command broke off
  kInvalid = 2,  ///< usage or invalid input
  kInconclusive = 3,
  kIncomparable = 4,
  kInterrupted = 130,
};

/// The width that reports may have, in characters: the width of the terminal on standard output,
/// else kReportWidth.
std::size_t report_columns();

/// Prints the text or, where a path is given, writes it into that file.
void print_or_write(const std::string& text, const std::string& path);

/// Adds --daemon to a subcommand that needs links; harness/links/fabric.h says what the
/// option's values mean.
void add_daemon_option(CLI::App& command, std::string& choice);

/// Adds an option that takes one value each time that it is given.
void add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                  const std::string& help);

/// Adds an option whose value must pass `check`, and whose default the help shows.
template <typename Value>
CLI::Option* add_checked(CLI::App& command, const std::string& name, Value& value,
                         const std::string& help, const CLI::Validator& check) {
  return command.add_option(name, value, help)->check(check)->capture_default_str();
}

/// Adds --set to a subcommand that reads a scenario; harness/plan/scenario_file.h says what its
/// assignments do.
void add_set_option(CLI::App& command, std::vector<std::string>& assignments);

/// A validator that accepts only `words`. Its message on another word lists them, and names the
/// nearest one if one is near.
CLI::Validator one_of(const std::vector<std::string>& words);

/// Whether the words that were typed end at a command that needs a subcommand, such as `pacbench`
/// or `pacbench data`.
bool asks_for_nothing(const CLI::App& app);

/// Says what is wrong with the words that were typed. For an unknown command or option it names the
/// nearest known one, if one is near.
std::string describe_mistake(const CLI::App& app, const CLI::ParseError& error);

/// Lists the words that may follow the whole words typed after `pacbench`: commands, options, names
/// of scenarios.
std::vector<std::string> words_that_may_follow(const CLI::App& app,
                                               const std::vector<std::string>& typed);

/// Each function registers one subcommand on `app`. Its callback does the work and puts the exit
/// code into `exit_code`, unless the code can only be kFine. Callbacks may throw; main() prints the
/// message. ConfigError and CLI::ParseError, which CLI11's checks (CLI::ExistingFile) throw too,
/// end in kInvalid, Incomparable in kIncomparable, Interrupted in kInterrupted, any other exception
/// in kBad. Arguments that can name nothing but a scenario go through plan::scenario_path.
void add_run(CLI::App& app, int& exit_code);
void add_exec(CLI::App& app, int& exit_code);
void add_shell(CLI::App& app, int& exit_code);
void add_validate(CLI::App& app, int& exit_code);
void add_check(CLI::App& app, int& exit_code);
void add_schema(CLI::App& app, int& exit_code);
void add_list(CLI::App& app, int& exit_code);
void add_report(CLI::App& app, int& exit_code);
void add_compare(CLI::App& app, int& exit_code);
void add_pack(CLI::App& app, int& exit_code);
void add_plot(CLI::App& app, int& exit_code);
void add_cite(CLI::App& app, int& exit_code);
void add_verify(CLI::App& app, int& exit_code);
void add_recount(CLI::App& app, int& exit_code);
void add_doctor(CLI::App& app, int& exit_code);
void add_data(CLI::App& app, int& exit_code);
void add_calibrate(CLI::App& app, int& exit_code);
void add_profile(CLI::App& app, int& exit_code);
void add_costs(CLI::App& app, int& exit_code);
void add_export(CLI::App& app, int& exit_code);
void add_adapt(CLI::App& app, int& exit_code);
void add_gate(CLI::App& app, int& exit_code);
void add_completion(CLI::App& app, int& exit_code);
void add_link(CLI::App& app, int& exit_code);

}  // namespace pacbench::cli
