// Sends known traffic over links and says what became of it. See --help for what it prints.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <memory>

#include "probe/answer.h"
#include "probe/ask.h"
#include "probe/datagrams.h"
#include "probe/flow.h"
#include "probe/hello.h"
#include "probe/messages.h"
#include "probe/ping.h"
#include "probe/serve.h"

namespace {

using namespace pacbench::probe;

constexpr const char* kLines = R"(
All print JSON objects, one a line, and end when standard input does (so give them one that
stays open). Times end in _ns and are CLOCK_MONOTONIC, the same for all programs of a host.
"from" and "port" are the sender's address and the port of its connection; a sender's first
line has the same "port". "real_time": SCHED_RR was allowed.

serve      {"event":"serving","port":4501,"real_time":true}                      first
           {"event":"flow","from":"10.77.0.1","port":40112,"bytes":N,"start_ns":T,"end_ns":T,
            "samples":[[T,N],...]}     at the end of a flow; start, end: first and last arrival;
                                       samples: payload bytes so far, at arrivals 10 ms apart
           {"event":"message","from":A,"port":P,"number":0,"bytes":N,"start_ns":T,"arrived_ns":T,
            "end_ns":T}                start: handed to the sender's socket; arrived: the kernel had
                                       its last byte; end: all of it read
           {"event":"datagrams","from":A,"port":P,"sent":N,"received":N,"duplicates":N,
            "reordered":N,"delays_us":[D,...]}   reordered: came after one sent later
                                       (RFC 4737); delays one way, in the order of arrival
           {"event":"error","from":A,"port":P,"message":TEXT}
flow       {"event":"connected","port":40112,"congestion_control":"cubic","real_time":true}
           {"event":"sent","at_ns":T,"bytes":N,"sent_bytes":N,"segments":N,
            "segments_received":N,"retransmits":N,"rtt_us":N}           every 100 ms
           {"event":"done", the same, "start_ns":T}                     when all has arrived
                                       bytes: payload acknowledged; sent_bytes: with what was sent
                                       again; retransmits: segments sent again; all since the
                                       connection began, whose first 8 bytes say what is to come
messages   {"event":"connected","port":P,"real_time":B}, then {"event":"done","count":N}
ping       {"event":"connected",...}, {"event":"ping","number":0,"rtt_us":105.2}...,
           {"event":"done","count":N}
datagrams  {"event":"connected",...}, then {"event":"done","count":N}

Between two hosts, one serves with `answer`, the other one uses `ask`, which opens all connections.
Times are of the clock of whoever took the traffic.
answer     {"event":"answering","address":A,"port":4501,"real_time":true}          first
           {"event":"answered","from":A,"port":P,"traffic":"flow","sender":"client","bytes":N}
           {"event":"refused","from":A,"port":P,"message":TEXT}     beyond the limits
ask        {"event":"connected","port":P,"congestion_control":"cubic","mtu":1500,"real_time":true}
           {"event":"flow", as of serve}, {"event":"ping", as of ping}..., or
           {"event":"datagrams","sent":N,"received":N,"duplicates":N,"reordered":N,"jitter_us":D,
            "first_ns":T,"last_ns":T}   jitter: mean difference of delays of neighbours
           {"event":"done"}
Errors go to standard error, and the exit code is then 1; 2: usage.)";

struct Options {
  std::uint16_t port = kDefaultPort;
  FlowOptions flow;
  MessagesOptions messages;
  PingOptions ping;
  DatagramsOptions datagrams;
  AnswerOptions answer;
  AskOptions ask;
};

void add_serve(CLI::App& app, Options& options) {
  auto* command = app.add_subcommand("serve", "Take what the others send, and report it");
  command->add_option("--port", options.port, "TCP port")->capture_default_str();
  command->callback([&options] { serve(options.port); });
}

void add_answer(CLI::App& app, Options& options) {
  auto* command =
      app.add_subcommand("answer", "Take and send what `ask` of other hosts wants, within limits");
  auto& limits = options.answer.limits;
  command->add_option("--bind", options.answer.bind, "IPv4 address of this host")
      ->capture_default_str();
  command->add_option("--port", options.port, "TCP and UDP port")->capture_default_str();
  command->add_option("--most-clients", limits.most_clients, "Addresses, all in all")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--most-bytes", limits.most_bytes, "Of payload, for each client")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([&options] {
    options.answer.port = options.port;
    answer(options.answer);
  });
}

void add_ask(CLI::App& app, Options& options) {
  auto* command = app.add_subcommand("ask", "Have traffic with `answer` on another host");
  auto& request = options.ask.request;
  command->add_option("ADDRESS", options.ask.address, "IPv4 address of the server")->required();
  command->add_option("--port", options.port, "TCP port of the server")->capture_default_str();
  command
      ->add_option_function<std::string>(
          "--traffic",
          [&request](const std::string& word) {
            request.traffic = pacbench::from_word<Traffic>(word);
          },
          "flow, pings or datagrams")
      ->required()
      ->check(CLI::IsMember(pacbench::all_words<Traffic>()));
  command
      ->add_option_function<std::string>(
          "--sender",
          [&request](const std::string& word) {
            request.sender = pacbench::from_word<Sender>(word);
          },
          "client or server")
      ->check(CLI::IsMember(pacbench::all_words<Sender>()));
  command->add_option("--seconds", request.seconds, "At most so long")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--bytes", request.bytes, "At most so much payload; of pings: so many")
      ->required()
      ->check(CLI::PositiveNumber);
  command->add_option("--rate-mbit", request.rate_mbit, "Payload; without: what TCP gets")
      ->check(CLI::PositiveNumber);
  command->add_option("--datagram-bytes", request.datagram_bytes, "Of UDP payload, each")
      ->check(CLI::PositiveNumber);
  command->add_flag("--await-go", options.ask.await_go,
                    "Connect, then start at the first line on standard input");
  command->callback([&options] {
    options.ask.port = options.port;
    ask(options.ask);
  });
}

/// Adds the options that all senders have.
template <typename SenderOptions>
CLI::App* add_sender(CLI::App& app, const char* name, const char* purpose, Options& options,
                     SenderOptions& sender, void (*run)(const SenderOptions&)) {
  auto* command = app.add_subcommand(name, purpose);
  command->add_option("ADDRESS", sender.address, "IPv4 address of the server")->required();
  command->add_option("--port", options.port, "TCP port of the server")->capture_default_str();
  command->callback([&options, &sender, run] {
    sender.port = options.port;
    run(sender);
  });
  return command;
}

void add_senders(CLI::App& app, Options& options) {
  auto* flow = add_sender(app, "flow", "One TCP flow", options, options.flow, run_flow);
  flow->add_option("--seconds", options.flow.seconds, "How long")
      ->required()
      ->check(CLI::PositiveNumber);
  flow->add_option("--rate-mbit", options.flow.rate_mbit, "Payload; without: what TCP gets")
      ->check(CLI::PositiveNumber);
  flow->add_flag("--await-go", options.flow.await_go,
                 "Connect, then start at the first line on standard input");
  auto* messages = add_sender(app, "messages", "Messages after idleness", options, options.messages,
                              send_messages);
  messages->add_option("--bytes", options.messages.bytes, "Of each")
      ->required()
      ->check(CLI::Range(static_cast<std::int64_t>(sizeof(MessageHead)), std::int64_t{1} << 30));
  messages->add_option("--count", options.messages.count, "How many")
      ->required()
      ->check(CLI::PositiveNumber);
  messages->add_option("--idle-ms", options.messages.idle_ms, "Since the last one had arrived")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  messages->add_option("--warm-up", options.messages.warm_up, "Messages before that, not reported")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  auto* pings =
      add_sender(app, "ping", "1 byte there and back, over TCP", options, options.ping, ping);
  pings->add_option("--count", options.ping.count, "How often")
      ->required()
      ->check(CLI::PositiveNumber);
  pings->add_option("--interval-ms", options.ping.interval_ms, "Between them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  auto* datagrams = add_sender(app, "datagrams", "UDP: loss, order, delay one way", options,
                               options.datagrams, send_datagrams);
  datagrams->add_option("--count", options.datagrams.stream.count, "How many")
      ->required()
      ->check(CLI::PositiveNumber);
  datagrams->add_option("--bytes", options.datagrams.stream.bytes, "Of UDP payload")
      ->check(CLI::Range(static_cast<int>(sizeof(DatagramHead)), 65507))
      ->capture_default_str();
  datagrams->add_option("--interval-us", options.datagrams.stream.interval_us, "Between them")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Sends known traffic over links and says what became of it.", "pacbench-probe"};
  app.require_subcommand(1);
  app.footer(kLines);
  Options options;
  add_serve(app, options);
  add_senders(app, options);
  add_answer(app, options);
  add_ask(app, options);
  try {
    app.parse(argc, argv);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const std::exception& error) {
    fmt::print(stderr, "pacbench-probe: {}\n", error.what());
    return 1;
  }
}
