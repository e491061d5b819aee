#include "cli/one_line_options.h"

#include "base/json/json_reader.h"
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
