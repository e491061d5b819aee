#include "cluster/pipe_end.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadAtOnce = 64 << 10;

}  // namespace

PipeEnd::PipeEnd(asio::io_context& io, UniqueFd fd) : end_{io, fd.release()} {}

void PipeEnd::read(std::function<void(std::string)> take) {
  buffer_.resize(kReadAtOnce);
  end_.async_read_some(asio::buffer(buffer_),
                       [this, alive = shared_from_this(), take = std::move(take)](
                           const boost::system::error_code& error, std::size_t count) {
                         if (error == asio::error::operation_aborted) return;
                         take(buffer_.substr(0, error ? 0 : count));
                         if (!error) read(take);
                       });
}

void PipeEnd::write(std::string bytes) {
  if (!end_.is_open()) return;
  waiting_.push_back(std::move(bytes));
  if (waiting_.size() == 1) write_next();
}

void PipeEnd::write_next() {
  if (waiting_.front().empty()) {
    waiting_.clear();
    boost::system::error_code ignored;
    end_.close(ignored);
    return;
  }
  asio::async_write(
      end_, asio::buffer(waiting_.front()),
      [this, alive = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        waiting_.pop_front();
        if (error) waiting_.assign(1, "");
        if (!waiting_.empty()) write_next();
      });
}

}  // namespace pacbench::cluster
