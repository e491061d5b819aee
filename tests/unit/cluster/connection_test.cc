#include "cluster/connection.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>
#include <future>
#include <string>

#include "base/errors.h"
#include "cluster/messages.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

class ConnectionTest : public ::testing::Test {
 protected:
  ConnectionTest() {
    Tcp::acceptor acceptor{io_, {asio::ip::address_v4::loopback(), 0}};
    raw_.connect(acceptor.local_endpoint());
    connection_ = std::make_shared<Connection>(acceptor.accept());
  }

  /// The next message of the connection; throws what receive() throws.
  std::optional<Json> received(Connection& connection) {
    auto next = asio::co_spawn(io_, connection.receive(), asio::use_future);
    io_.restart();
    io_.run();
    return next.get();
  }

  void write(const std::string& bytes) { asio::write(raw_, asio::buffer(bytes)); }
  static std::string length(std::uint32_t bytes) {
    const std::uint32_t ordered = htonl(bytes);
    return {reinterpret_cast<const char*>(&ordered), sizeof ordered};
  }

  asio::io_context io_;
  Tcp::socket raw_{io_};
  std::shared_ptr<Connection> connection_;
};

TEST_F(ConnectionTest, CarriesTheBytesOfAnyOutput) {
  std::string bytes;
  for (int i = 0; i < 70'000; ++i) bytes.push_back(static_cast<char>(i * 7));
  const auto other = std::make_shared<Connection>(std::move(raw_));
  other->send(message(kOutput, Bytes{3, 1, bytes}));
  other->send(message(kWelcome));
  const auto first = received(*connection_);
  ASSERT_TRUE(first);
  EXPECT_EQ(type_of(*first), kOutput);
  EXPECT_EQ(first->get<Bytes>().bytes, bytes);
  EXPECT_EQ(type_of(received(*connection_).value()), kWelcome);
}

TEST_F(ConnectionTest, EndsWhereTheOtherSideDoes) {
  write(length(10) + "abc");
  raw_.close();
  EXPECT_EQ(received(*connection_), std::nullopt);
}

TEST_F(ConnectionTest, RefusesALengthBeyondItsLimitBeforeItReserves) {
  write(length(0xffff'ffff));
  EXPECT_THROW(received(*connection_), ProtocolError);
}

TEST_F(ConnectionTest, RefusesWhatIsNoMessage) {
  write(length(3) + "\xc1\xc1\xc1");
  EXPECT_THROW(received(*connection_), ProtocolError);
}

TEST(ClusterMessages, ReadBackAsTheyWereWritten) {
  Join join;
  join.token = "t";
  join.rank = 3;
  join.host = "n3";
  const auto again = Json::from_msgpack(Json::to_msgpack(message(join))).get<Join>();
  EXPECT_EQ(again.rank, 3);
  EXPECT_EQ(again.host, "n3");
  const auto counted = message(Counted{{1, 2, 3}, {4, 5, 6}, 7, 8}).get<Counted>();
  EXPECT_EQ(counted.received.packets, 5);
  EXPECT_EQ(counted.control_bytes, 8);
  EXPECT_EQ(type_of(Json::array()), "");
}

}  // namespace
}  // namespace pacbench::cluster
