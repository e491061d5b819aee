#pragma once

#include <string>

namespace pacbench::cluster {

/// The first IPv4 address of an interface, dotted. Throws std::runtime_error when it has none,
/// naming the interfaces that have one.
std::string address_of(const std::string& interface);

/// The interface that has the IPv4 address `address` among its own. Throws std::runtime_error when
/// there is none.
std::string interface_with(const std::string& address);

}  // namespace pacbench::cluster
