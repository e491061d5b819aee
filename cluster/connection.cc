#include "cluster/connection.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstring>

#include "base/errors.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

// A host that has vanished sends nothing. After kIdle_s of silence TCP keepalive probes the host
// every kBetweenQuestions_s. Linux closes the connection after kUnacknowledged_ms without an answer
// to probes or data: this limit (TCP_USER_TIMEOUT) overrides kQuestions.
constexpr int kIdle_s = 5;
constexpr int kBetweenQuestions_s = 2;
constexpr int kQuestions = 3;
constexpr unsigned kUnacknowledged_ms = 11'000;

constexpr std::size_t kReadAtOnce = 64 << 10;

void notice_a_silent_end(Tcp::socket& socket) {
  const int fd = socket.native_handle();
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &kIdle_s, sizeof kIdle_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &kBetweenQuestions_s, sizeof kBetweenQuestions_s);
  ::setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &kQuestions, sizeof kQuestions);
  ::setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &kUnacknowledged_ms, sizeof kUnacknowledged_ms);
}

}  // namespace

Connection::Connection(Tcp::socket socket) : socket_{socket.get_executor()} {
  socket.set_option(Tcp::no_delay{true});
  notice_a_silent_end(socket);
  socket_ = std::move(socket);
}

Connection::Connection(asio::local::stream_protocol::socket socket) : socket_{std::move(socket)} {}

asio::awaitable<std::optional<Json>> Connection::receive(std::size_t most_bytes) {
  std::uint32_t length = 0;
  boost::system::error_code error;
  co_await asio::async_read(socket_, asio::buffer(&length, sizeof length),
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return std::nullopt;
  length = ntohl(length);
  if (length > most_bytes) {
    throw ProtocolError{
        fmt::format("found a message of {} bytes, expected at most {}", length, most_bytes)};
  }
  std::vector<std::uint8_t> bytes(length);
  co_await asio::async_read(socket_, asio::buffer(bytes),
                            asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return std::nullopt;
  auto message = Json::from_msgpack(bytes, true, false);
  if (!message.is_object()) throw ProtocolError{"found a message that is not an object"};
  co_return message;
}

void Connection::send(const Json& message) {
  const auto body = Json::to_msgpack(message);
  std::vector<std::uint8_t> frame(sizeof(std::uint32_t));
  const std::uint32_t length = htonl(static_cast<std::uint32_t>(body.size()));
  std::memcpy(frame.data(), &length, sizeof length);
  frame.insert(frame.end(), body.begin(), body.end());
  waiting_.push_back(std::move(frame));
  if (waiting_.size() == 1) send_next();
}

void Connection::send_next() {
  asio::async_write(
      socket_, asio::buffer(waiting_.front()),
      [this, alive = shared_from_this()](const boost::system::error_code& error, std::size_t) {
        waiting_.pop_front();
        if (error) waiting_.clear();
        if (!waiting_.empty()) send_next();
      });
}

void Connection::close() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::socket_base::shutdown_both, ignored);
  socket_.close(ignored);
}

std::string Connection::own_address() const {
  const auto end = socket_.local_endpoint();
  const auto* address = reinterpret_cast<const sockaddr_in*>(end.data());
  return asio::ip::address_v4{ntohl(address->sin_addr.s_addr)}.to_string();
}

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
