// Sends known traffic over links and says what became of it. See --help for what it prints.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <exception>

#include "probe/commands.h"
#include "probe/datagrams.h"

namespace {

using namespace pacbench::probe;

constexpr const char* kLines = R"(
Each subcommand prints JSON objects, one a line. It ends when its standard input ends, so give it
an input that stays open. Only an `ask` that receives goes on until the server has sent all. Keys
that end in _ns are times of CLOCK_MONOTONIC, which is the same for all programs of a host. "from"
and "port" together are the address and the port of the program that connected; its first line has
the same "port". "real_time" says whether SCHED_RR was allowed.

serve      {"event":"serving","port":4501,"real_time":true}                      first
           {"event":"flow","from":"10.77.0.1","port":40112,"bytes":N,"start_ns":T,"end_ns":T,
            "packet_mbit":R,"samples":[[T,N],...]}   at the end of a flow; start, end: first and
                                       last arrival at the kernel; packet: rate that half of the
                                       bytes came at or faster, packet by packet;
                                       samples: payload bytes so far, at arrivals 10 ms or more
                                       apart and at the last one
           {"event":"message","from":A,"port":P,"number":0,"bytes":N,"start_ns":T,"arrived_ns":T,
            "end_ns":T}                start: handed to the sender's socket; arrived: the kernel had
                                       its last byte; end: all of it read
           {"event":"datagrams","from":A,"port":P,"sent":N,"received":N,"duplicates":N,
            "reordered":N,"delays_us":[D,...]}   reordered: came after one sent later
                                       (RFC 4737); delays: one way, in the order of arrival. Of a
                                       stream that overflows a queue also "bytes", "start_ns",
                                       "end_ns", "packet_mbit" and "samples", as of a flow
           {"event":"error","from":A,"port":P,"message":TEXT}
flow       {"event":"connected","port":40112,"congestion_control":"cubic","real_time":true}
           {"event":"sent","at_ns":T,"bytes":N,"sent_bytes":N,"segments":N,
            "segments_received":N,"retransmits":N,"rtt_us":N}           every 100 ms
           {"event":"done", the same, "start_ns":T}       when all has arrived, or 10 s later
                                       bytes: payload acknowledged; sent_bytes: payload sent, with
                                       what was sent again; retransmits: segments sent again. All
                                       count from the connection's start, so they include its
                                       first 8 bytes, which say what kind of traffic follows
messages   {"event":"connected","port":P,"real_time":B}, then {"event":"done","count":N}
ping       {"event":"connected",...}, {"event":"ping","number":0,"rtt_us":105.2}...,
           {"event":"done","count":N}
datagrams  {"event":"connected",...}, then {"event":"done","count":N}
meter      {"event":"metering","real_time":true,"cpus":[0,1],"from_ns":T,"stolen_ns":[[CPU,N],...]}
           {"event":"metered","until_ns":T,"late":[[CPU,FROM,TO,LOST],...],"stolen_ns":[[CPU,N],
            ...],"stolen_parts":[[FROM,TO,N],...],"others_ns":N}        each second, and when a line comes on standard input; late:
                                       the CPU was not to be had from FROM to TO (ns), at least for
                                       LOST ns; stolen: since boot, by a hypervisor; parts: tenths
                                       of a second in which it stole over a tenth; others: CPU
                                       time, since the last line, of processes other than those
                                       below the one that started the meter

Between two hosts, one host runs `answer` and the other runs `ask`, which opens all connections.
Times are those of the receiver's clock.
answer     {"event":"answering","address":A,"port":4501,"real_time":true}          first
           {"event":"answered","from":A,"port":P,"traffic":"flow","sender":"client","bytes":N}
           {"event":"refused","from":A,"port":P,"message":TEXT}     beyond the limits, or not valid
           {"event":"error", as of serve}
ask        {"event":"connected","port":P,"congestion_control":"cubic","mtu":1500,"real_time":true}
           {"event":"flow", as of serve, but without "from" and "port"},
           {"event":"ping", as of ping}..., or
           {"event":"datagrams","sent":N,"received":N,"duplicates":N,"reordered":N,"jitter_us":D,
            "first_ns":T,"last_ns":T}   jitter: mean absolute difference of successive delays
           {"event":"done"}
Errors go to standard error, and the exit code is then 1; 2: usage.)";

struct Options {
  std::uint16_t serve_port = kDefaultPort;
  FlowOptions flow;
  MessagesOptions messages;
  PingOptions ping;
  DatagramsOptions datagrams;
  AnswerOptions answer;
  AskOptions ask;
};

void add_serve(CLI::App& app, Options& options) {
  auto* command =
      app.add_subcommand("serve", "Report flows, messages and datagrams, and send pings back");
  command->add_option("--port", options.serve_port, "TCP port")->capture_default_str();
  command->callback([&options] { serve(options.serve_port); });
}

void add_answer(CLI::App& app, Options& options) {
  auto* command = app.add_subcommand(
      "answer", "Receive and send the traffic that `ask` on other hosts requests, within limits");
  auto& limits = options.answer.limits;
  command->add_option("--bind", options.answer.bind, "IPv4 address of this host")
      ->capture_default_str();
  command->add_option("--port", options.answer.port, "TCP and UDP port")->capture_default_str();
  command
      ->add_option("--most-clients", limits.most_clients,
                   "How many client addresses to serve in all")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command
      ->add_option("--most-bytes", limits.most_bytes,
                   "Bytes of payload for each client, both ways together")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->callback([&options] { answer(options.answer); });
}

/// Adds a subcommand with the options of all that connect to a server.
template <typename SenderOptions>
CLI::App* add_sender(CLI::App& app, const char* name, const char* purpose, SenderOptions& sender,
                     void (*run)(const SenderOptions&)) {
  auto* command = app.add_subcommand(name, purpose);
  command->add_option("ADDRESS", sender.address, "IPv4 address of the server")->required();
  command->add_option("--port", sender.port, "TCP port of the server")->capture_default_str();
  command->callback([&sender, run] { run(sender); });
  return command;
}

void add_ask(CLI::App& app, Options& options) {
  auto* command =
      add_sender(app, "ask", "Exchange traffic with `answer` on another host", options.ask, ask);
  auto& request = options.ask.request;
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
          "Which side sends: client (this host, the default) or server; pings ignore this")
      ->check(CLI::IsMember(pacbench::all_words<Sender>()));
  command->add_option("--seconds", request.seconds, "Most seconds that the traffic may last")
      ->required()
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--bytes", request.bytes,
                   "Most bytes of payload; with pings, how many pings at most")
      ->required()
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--rate-mbit", request.rate_mbit,
          "Rate of payload in Mbit/s; by default a flow sends as fast as TCP allows; required for "
          "datagrams")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--datagram-bytes", request.datagram_bytes,
                   "Bytes of UDP payload in each datagram; required for datagrams")
      ->check(CLI::PositiveNumber);
  command->add_flag("--await-go", options.ask.await_go,
                    "Connect, then start at the first line on standard input");
}

void add_senders(CLI::App& app, Options& options) {
  auto* flow = add_sender(app, "flow", "Send one TCP flow", options.flow, run_flow);
  flow->add_option("--seconds", options.flow.seconds, "Seconds that the flow lasts")
      ->required()
      ->check(CLI::PositiveNumber);
  flow->add_option("--rate-mbit", options.flow.rate_mbit,
                   "Rate of payload in Mbit/s; by default as fast as TCP allows")
      ->check(CLI::PositiveNumber);
  flow->add_flag("--await-go", options.flow.await_go,
                 "Connect, then start at the first line on standard input");
  auto* messages = add_sender(app, "messages", "Send messages, each after an idle time",
                              options.messages, send_messages);
  messages->add_option("--bytes", options.messages.bytes, "Bytes of each message")
      ->required()
      ->check(CLI::Range(static_cast<std::int64_t>(sizeof(MessageHead)), std::int64_t{1} << 30));
  messages->add_option("--count", options.messages.count, "Number of messages")
      ->required()
      ->check(CLI::PositiveNumber);
  messages
      ->add_option("--idle-ms", options.messages.idle_ms,
                   "Idle time after a message has arrived, before the next is sent")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  messages
      ->add_option("--warm-up", options.messages.warm_up,
                   "Messages that are sent first, to warm the connection up, and are not reported")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  auto* pings =
      add_sender(app, "ping", "Send 1 byte over TCP and time its echo", options.ping, ping);
  pings->add_option("--count", options.ping.count, "Number of pings")
      ->required()
      ->check(CLI::PositiveNumber);
  pings->add_option("--interval-ms", options.ping.interval_ms, "Time between pings")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  auto* datagrams =
      add_sender(app, "datagrams", "Send UDP datagrams, to measure loss, order and one-way delay",
                 options.datagrams, send_datagrams);
  datagrams->add_option("--count", options.datagrams.stream.count, "Number of datagrams")
      ->required()
      ->check(CLI::PositiveNumber);
  datagrams
      ->add_option("--bytes", options.datagrams.stream.bytes,
                   "Bytes of UDP payload in each datagram")
      ->check(CLI::Range(static_cast<int>(sizeof(DatagramHead)), 65507))
      ->capture_default_str();
  datagrams
      ->add_option("--interval-us", options.datagrams.stream.interval_us, "Time between datagrams")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  datagrams
      ->add_option("--sockets", options.datagrams.stream.sockets,
                   "Sockets that send in turn; one alone cannot fill a long queue")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  datagrams
      ->add_option("--start-ms", options.datagrams.stream.start_ms,
                   "Time from the connection to the first datagram")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Sends known traffic over links and reports what arrived.", "pacbench-probe"};
  app.require_subcommand(1);
  app.footer(kLines);
  Options options;
  add_serve(app, options);
  add_senders(app, options);
  add_answer(app, options);
  add_ask(app, options);
  app.add_subcommand("meter", "Measure how much CPU time others take")->callback(run_meter);
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
