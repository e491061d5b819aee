#pragma once

#include <string>

namespace pacbench::cluster {

struct NodeOptions {
  std::string hub;  ///< host name or address
  std::string port;
  int rank = 0;
  std::string token;
  std::string interface;  ///< crossed by exchanges; empty: the interface that leads to the hub
};

/// Serves one rank on its host: makes links when the hub asks for them, starts programs for the
/// hub, and reports their output and their end. All of it ends with the connection to the hub.
/// Returns when the hub ends the connection. Throws std::runtime_error saying why the node could
/// not join or go on, or which signal told it to end.
void run_node(NodeOptions options);

/// The first IPv4 address of an interface, dotted. Throws std::runtime_error when it has none,
/// naming the interfaces that have one.
std::string address_of(const std::string& interface);

/// The interface that has the IPv4 address `address` among its own. Throws std::runtime_error when
/// there is none.
std::string interface_with(const std::string& address);

}  // namespace pacbench::cluster
