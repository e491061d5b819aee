#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "base/unique_fd.h"

namespace pacbench::cluster {

/// One end of a pipe: bytes are read from it, or written to it.
class PipeEnd : public std::enable_shared_from_this<PipeEnd> {
 public:
  PipeEnd(boost::asio::io_context& io, UniqueFd fd);

  /// Calls `take` with the bytes that come, and with an empty string at the pipe's end.
  void read(std::function<void(std::string)> take);

  /// Writes in order, as the pipe has room. Empty `bytes` close the pipe once all is written. What
  /// a closed pipe does not accept is dropped.
  void write(std::string bytes);

 private:
  void write_next();

  boost::asio::posix::stream_descriptor end_;
  std::string buffer_;
  std::deque<std::string> waiting_;
};

}  // namespace pacbench::cluster
