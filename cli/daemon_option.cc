#include "cli/command.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::cli {

void add_daemon_option(CLI::App& command, std::string& choice) {
  command
      .add_option(
          "--daemon", choice,
          std::string{"Who makes the links: private (as root, or in a user namespace), the "
                      "socket of a service, or auto: for others than root the service at "} +
              netd::kServiceSocket + " where it lets them, else private")
      ->capture_default_str();
}

}  // namespace pacbench::cli
