#pragma once

#include <chrono>
#include <string>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace pacbench::trainer {

using StorePtr = c10::intrusive_ptr<c10d::Store>;

/// The store through which the ranks of one host exchange their addresses: the file at `path`,
/// which all ranks have open. No byte of it crosses a network.
StorePtr store_in_file(const std::string& path, int ranks, std::chrono::milliseconds timeout);

/// The address of the store for ranks of several hosts, over TCP.
struct StoreAddress {
  std::string host;  ///< of rank 0, dotted IPv4 on the control network
  std::uint16_t port = 0;

  /// Parses "10.0.0.1:4711". Throws std::invalid_argument when the text before the last colon is
  /// empty, or the text after it is no port from 1 to 65535.
  static StoreAddress parse(const std::string& text);
};

/// Connects to the store. Rank 0 serves it on `listening_fd`, a socket that listens at the address;
/// other ranks ignore that argument. Blocks until rank 0 serves. Throws c10::Error when that
/// exceeds the timeout.
StorePtr store_at(const StoreAddress& address, int rank, int ranks, int listening_fd,
                  std::chrono::milliseconds timeout);

/// The part of a store whose keys begin with `name`, so that the users of two parts do not collide.
StorePtr part_of(const StorePtr& store, const std::string& name);

}  // namespace pacbench::trainer
