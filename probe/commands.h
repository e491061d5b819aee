#pragma once

#include <cstdint>
#include <string>

#include "probe/hello.h"
#include "probe/quota.h"
#include "probe/request.h"

/// What pacbench-probe can be told to do.
namespace pacbench::probe {

/// Receives flows, messages, pings and datagrams until standard input ends, each connection in a
/// thread of its own. Sends pings back, and prints a report of all else. Connections still open at
/// the end are closed. A flow among them is reported as far as it came.
void serve(std::uint16_t port);

struct FlowOptions {
  std::string address;
  std::uint16_t port = kDefaultPort;
  double seconds = 0;
  double rate_mbit = 0;  ///< of TCP payload; 0: what TCP gets
  bool await_go = false;
};

/// Runs one TCP flow, and prints lines from TCP_INFO every 100 ms and at its end.
void run_flow(const FlowOptions& options);

struct MessagesOptions {
  std::string address;
  std::uint16_t port = kDefaultPort;
  std::int64_t bytes = 0;
  int count = 0;
  int warm_up = 3;
  double idle_ms = 60;
};

/// Sends messages over one connection, each `idle_ms` after the one before had arrived.
void send_messages(const MessagesOptions& options);

struct PingOptions {
  std::string address;
  std::uint16_t port = kDefaultPort;
  int count = 0;
  double interval_ms = 10;
};

/// Connects and sends pings of one byte over one TCP connection.
void ping(const PingOptions& options);

struct AskOptions {
  std::string address;
  std::uint16_t port = kDefaultPort;
  Request request;
  bool await_go = false;
};

/// Exchanges traffic with `answer` on another host. Prints the receiver's counts of a flow or of
/// datagrams; for pings, each round trip.
void ask(const AskOptions& options);

struct AnswerOptions {
  std::string bind = "0.0.0.0";
  std::uint16_t port = kDefaultPort;
  AnswerLimits limits;
};

/// Receives and sends the traffic that `ask` on other hosts requests (probe/request.h), within
/// limits, until standard input ends.
void answer(const AnswerOptions& options);

/// Measures how much of the CPUs' time others take from the program that started this one, until
/// told to stop. One thread on each CPU, above every class that pacbench uses, wakes every 15 ms
/// and notes where it woke late. Prints a line each second, and when a line comes on standard input
/// (see --help). Where a real-time class is not allowed there are no such threads, since lateness
/// would say as much of pacbench's own work.
void run_meter();

}  // namespace pacbench::probe
