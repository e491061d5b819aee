#pragma once

#include <string>

namespace pacbench::cluster {

/// The IPv4 address of an interface, dotted. Throws std::runtime_error when it has none, naming the
/// interfaces that have one.
std::string address_of(const std::string& interface);

/// The interface that has this IPv4 address. Throws std::runtime_error when none has it.
std::string interface_with(const std::string& address);

}  // namespace pacbench::cluster
