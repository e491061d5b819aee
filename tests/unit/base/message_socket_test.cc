#include "base/json/message_socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <cstring>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

#include "base/subprocess.h"

namespace pacbench {
namespace {

using ::testing::HasSubstr;

class MessageSockets : public ::testing::Test {
 protected:
  MessageSockets() { connect(); }

  void connect() {
    auto ends = socket_pair();
    left_.emplace(std::move(ends.first));
    right_.emplace(std::move(ends.second));
  }

  /// Sends bytes as a faulty or hostile peer could.
  void send_raw(std::string_view bytes) const {
    ASSERT_EQ(::send(left_->fd(), bytes.data(), bytes.size(), 0),
              static_cast<ssize_t>(bytes.size()));
  }

  /// Sends bytes together with `count` descriptors.
  void send_raw_with_descriptors(const std::string& bytes, std::size_t count) const {
    const std::vector<int> fds(count, left_->fd());
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * MessageSocket::kMaxFds)> control{};
    iovec part{const_cast<char*>(bytes.data()), bytes.size()};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = CMSG_SPACE(sizeof(int) * count);
    auto* attached = CMSG_FIRSTHDR(&header);
    attached->cmsg_level = SOL_SOCKET;
    attached->cmsg_type = SCM_RIGHTS;
    attached->cmsg_len = CMSG_LEN(sizeof(int) * count);
    std::memcpy(CMSG_DATA(attached), fds.data(), sizeof(int) * count);
    ASSERT_EQ(::sendmsg(left_->fd(), &header, 0), static_cast<ssize_t>(bytes.size()));
  }

  static std::string length_prefix(std::uint32_t bytes) {
    const std::uint32_t network_order = htonl(bytes);
    return {reinterpret_cast<const char*>(&network_order), sizeof network_order};
  }

  void expect_refused(const char* reason) {
    EXPECT_THAT([&] { right_->receive(); },
                ::testing::ThrowsMessage<ProtocolError>(HasSubstr(reason)));
  }

  std::optional<MessageSocket> left_;
  std::optional<MessageSocket> right_;
};

TEST_F(MessageSockets, CarryDocumentsInOrderWithTheirOpenDescriptors) {
  const auto pipe = Pipe::create();
  left_->send({{"n", 1}});
  left_->send({{"n", 2}}, {pipe.read.get(), pipe.write.get()});
  auto message = right_->receive();
  EXPECT_EQ(message->body, (Json{{"n", 1}}));
  EXPECT_TRUE(message->fds.empty());
  message = right_->receive();
  EXPECT_EQ(message->body, (Json{{"n", 2}}));
  ASSERT_EQ(message->fds.size(), 2U);
  EXPECT_TRUE(::fcntl(message->fds[0].get(), F_GETFD) & FD_CLOEXEC);
  ASSERT_EQ(::write(message->fds[1].get(), "hi", 2), 2);
  char text[2];
  ASSERT_EQ(::read(pipe.read.get(), text, 2), 2);
  EXPECT_EQ(std::string(text, 2), "hi");
}

TEST_F(MessageSockets, CarryMessagesLargerThanTheSocketBuffer) {
  const Json body = std::string(MessageSocket::kMaxBytes - 2, 'x');
  auto sent = std::async(std::launch::async, [&] { left_->send(body); });
  EXPECT_EQ(right_->receive()->body, body);
  sent.get();
}

TEST_F(MessageSockets, RefuseToSendWhatThePeerWouldRefuse) {
  EXPECT_THROW(left_->send(std::string(MessageSocket::kMaxBytes, 'x')), ProtocolError);
  EXPECT_THROW(left_->send({}, std::vector<int>(MessageSocket::kMaxFds + 1, 0)), ProtocolError);
}

TEST_F(MessageSockets, TellTheEndOfTheConnectionFromAnErrorAndCannotSendAfterIt) {
  left_.reset();
  EXPECT_FALSE(right_->receive().has_value());
  connect();
  right_.reset();
  EXPECT_THROW(left_->send({{"n", 1}}), std::system_error);
}

TEST_F(MessageSockets, RefuseWhatIsNoMessageOrIsCutShort) {
  const auto message = [](const std::string& text) {
    return length_prefix(static_cast<std::uint32_t>(text.size())) + text;
  };
  const std::vector<std::pair<std::string, const char*>> all{
      {length_prefix(0xffffffff), "message of 4294967295 bytes"},  // none of which is read
      {length_prefix(100) + "{\"type\":", "in the middle of a message"},
      {std::string(2, '\0'), "in the middle of a message"},
      {message("{nope"), "not valid JSON"},
      {message(""), "not valid JSON"},
      {message(std::string(50000, '[') + std::string(50000, ']')), "more than 64 deep"},
      {message("[1e999]"), "1e999"}};
  for (const auto& [bytes, reason] : all) {
    connect();
    send_raw(bytes);
    left_.reset();
    expect_refused(reason);
  }
}

TEST_F(MessageSockets, CountTheDescriptorsOfAMessageOverAllItsParts) {
  send_raw_with_descriptors(length_prefix(2), MessageSocket::kMaxFds - 1);
  send_raw_with_descriptors("{", 1);
  send_raw("}");
  EXPECT_EQ(right_->receive()->fds.size(), MessageSocket::kMaxFds);
  send_raw_with_descriptors(length_prefix(2), MessageSocket::kMaxFds);
  send_raw_with_descriptors("{", 1);
  send_raw("}");
  expect_refused("too many descriptors in one message");
}

TEST_F(MessageSockets, WaitForAWholeMessageNoLongerThanTheirLimit) {
  right_->limit_waiting(std::chrono::milliseconds{200});
  send_raw(length_prefix(1000));
  const auto start = std::chrono::steady_clock::now();
  // Each byte comes long before a single wait would time out.
  const auto slow = std::async(std::launch::async, [this, start] {
    while (std::chrono::steady_clock::now() - start < std::chrono::seconds{2}) {
      ::send(left_->fd(), " ", 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
    }
  });
  EXPECT_THROW(right_->receive(), std::system_error);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{1});
}

}  // namespace
}  // namespace pacbench
