#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/report/report.h"
#include "base/files.h"
#include "base/json/hints.h"
#include "base/json/json_reader.h"
#include "cli/command.h"
#include "cli/run_command.h"
#include "contract/fabric/session_entry.h"
#include "harness/plan/scenario_file.h"

namespace pacbench::cli {
namespace {

/// The links in a document: of a scenario, of what `pacbench link measure` printed, or a link
/// itself.
Json links_in(const std::string& source, const Json& document) {
  if (document.contains(Json::json_pointer{"/network/links"})) {
    return document.at("network").at("links");
  }
  if (document.contains("links")) return document.at("links");
  if (document.contains("name")) return Json::array({document});
  throw ConfigError{source,
                    {{"",
                      "found no links, expected a scenario, what `pacbench link measure "
                      "--format json` prints, or a link: {\"name\": …, \"rate_mbit\": …}"}}};
}

}  // namespace

std::size_t report_columns() {
  winsize size{};
  const bool is_terminal = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_terminal ? size.ws_col : report::kReportWidth;
}

void print_or_write(const std::string& text, const std::string& path) {
  if (path.empty()) {
    fmt::print("{}", text);
  } else {
    write_file_atomically(path, text);
  }
}

void add_daemon_option(CLI::App& command, std::string& choice) {
  command
      .add_option(
          "--daemon", choice,
          std::string{"Which pacbench-netd makes the links: private (one for this command alone, "
                      "as root or in a user namespace), the socket of a running service, or auto. "
                      "For users other than root, auto takes the service at "} +
              netd::kServiceSocket +
              " if they may connect to it; in all other cases it takes private")
      ->capture_default_str();
}

void add_repeated(CLI::App& command, const std::string& name, std::vector<std::string>& values,
                  const std::string& help) {
  command.add_option(name, values, help)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

void add_set_option(CLI::App& command, std::vector<std::string>& assignments) {
  add_repeated(command, "--set", assignments,
               "Change a value: /json/pointer=VALUE (may be repeated)");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto all = fmt::format("{{{}}}", fmt::join(words, ","));
  const auto check = [words](const std::string& word) -> std::string {
    if (std::find(words.begin(), words.end(), word) != words.end()) return "";
    return fmt::format("found \"{}\", expected one of {}{}", word, fmt::join(words, ", "),
                       did_you_mean(word, words));
  };
  return {check, all};
}

CLI::Option& add_one_line_options(CLI::App& command, OneLineOptions& options, const char* help) {
  auto& line = options.line;
  command.add_option("-n,--workers", line.workers, "How many workers (ranks) there are")
      ->capture_default_str();
  command.add_option("--rate", line.rate, "Rate of each worker's link, each way: 100mbit, 1Gbit/s");
  command.add_option("--rtt", line.rtt, "Round trip between two workers: 20ms (default: none)");
  command.add_option("--loss", line.loss,
                     "Share of packets lost from one worker to another: 0.1% (default: none)");
  command.add_option("--link", options.link,
                     "In place of these three: a file with links, such as `pacbench link measure "
                     "--format json` prints, or the name of a scenario whose links are taken");
  return *command.add_option("COMMAND", line.command, help);
}

void read_links(OneLineOptions& options) {
  auto& line = options.line;
  const bool described = !line.rate.empty() || !line.rtt.empty() || !line.loss.empty();
  if (options.link.empty() && line.rate.empty()) {
    throw ConfigError{"--rate", {{"", "not given, expected a rate such as 100mbit, or --link"}}};
  }
  if (options.link.empty()) return;
  if (described) {
    throw ConfigError{"--link",
                      {{"",
                        "found beside --rate, --rtt or --loss, expected one or the "
                        "others"}}};
  }
  const auto path = plan::scenario_path(options.link);
  line.links = links_in(path, read_json_file(path));
}

}  // namespace pacbench::cli
