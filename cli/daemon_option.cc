#include "cli/command.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::cli {

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

}  // namespace pacbench::cli
