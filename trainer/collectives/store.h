#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace pacbench::trainer {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

/// The store through which the ranks of one host tell each other where they listen: the file at
/// `path`, which all of them have open. No byte of it crosses a network.
StorePtr store_in_file(const std::string& path, int ranks, std::chrono::milliseconds timeout);

/// The same for ranks of several hosts, over TCP.
struct StoreAddress {
  std::string host;  ///< of rank 0, dotted IPv4 on the control network
  std::uint16_t port = 0;

  /// From "10.0.0.1:4711". Throws std::invalid_argument for anything else.
  static StoreAddress parse(const std::string& text);
};

/// Rank 0 serves the store on `listening_fd`, a socket that listens at the address; the others have
/// no use for it. Blocks until rank 0 serves. Throws c10::Error when it does not within the
/// timeout.
StorePtr store_at(const StoreAddress& address, int rank, int ranks, int listening_fd,
                  std::chrono::milliseconds timeout);

/// The part of a store whose keys begin with `name`, so that its users do not meet.
StorePtr part_of(const StorePtr& store, const std::string& name);

}  // namespace pacbench::trainer
