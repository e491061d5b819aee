#include "harness/cell/program_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <sstream>

#include "base/clock.h"
#include "harness/cell/program_output.h"

namespace pacbench::cell {
namespace {

constexpr int kProgramTickMs = 100;
// The harness keeps listening for this time after a rank ended badly or wrote a line that is no
// event, so that it hears the cause. It also stops this long after the last rank's end, so that a
// child that keeps the descriptors does not hold up the cell.
constexpr std::int64_t kEndGraceNs = 700'000'000;
// A host's own interface may receive this much traffic of other programs and of the harness, which
// is no sign of life of the ranks.
constexpr double kOthersBytesPerS = 5e3;
// A load reports every 100 ms, and its report is read up to 100 ms later. So the counters are up to
// this time ahead of the reports.
constexpr double kReportLag_s = 0.2;
// Handshakes, and acknowledgements that were lost, make a load's frames differ from its report.
constexpr double kUnreportedShare = 0.01;
constexpr std::size_t kOutputShown = 16384;
constexpr std::size_t kLinesShown = 3;
constexpr std::size_t kFramesShown = 3;
constexpr std::size_t kStacksShown = 3;

/// Returns the kind of an event. Throws ProtocolError for what is no event, and for kinds that only
/// the harness or pacbench's own workers write.
EventKind kind_of_program_event(const Json& event) {
  constexpr std::array kTheirs{EventKind::kBegan, EventKind::kStep, EventKind::kEvaluation,
                               EventKind::kAlive};
  try {
    const auto kind = kind_of(event);
    if (std::find(kTheirs.begin(), kTheirs.end(), kind) != kTheirs.end()) return kind;
  } catch (const Json::exception&) {  // no object, or no "event"
  } catch (const std::invalid_argument&) {
  }
  throw ProtocolError{"\"event\" is none of began, step, evaluation and alive"};
}

/// The innermost frames of the first threads that Python's fault handler printed; empty when it
/// printed none.
std::string stacks_words(const std::string& output) {
  auto stacks = python_stacks_in(output);
  if (stacks.size() > kStacksShown) stacks.resize(kStacksShown);
  std::vector<std::string> words;
  for (auto& frames : stacks) {
    if (frames.size() > kFramesShown) frames.resize(kFramesShown);
    words.push_back(fmt::format("{}", fmt::join(frames, " < ")));
  }
  return fmt::format("{}", fmt::join(words, " | "));
}

/// Without the lines by which Python underlines a place in the line before.
std::string without_underlines(const std::string& output) {
  std::string kept;
  std::istringstream lines{output};
  for (std::string line; std::getline(lines, line);) {
    const auto text = line.substr(line.starts_with("[rank") ? line.find(']') + 1 : 0);
    if (text.find('^') == std::string::npos || text.find_first_not_of(": ~^") != std::string::npos)
      kept += line + '\n';
  }
  return kept;
}

/// The last lines that a rank printed before it ended, and the stacks of its threads then.
std::string last_words(const ProgramRank& program) {
  const auto words =
      last_lines(without_underlines(before_python_stacks(program.last_output)), kLinesShown);
  const auto stacks = stacks_words(program.last_output);
  return (words.empty() ? "" : ": " + words) +
         (stacks.empty() ? "" : "; Python's stacks: " + stacks) + hint_for(program.last_output);
}

}  // namespace

Received received_at(std::int64_t at_ns, const netd::CountersReply& counters,
                     const record::NetworkTrace& network) {
  Received received{at_ns, 0, 0};
  for (const auto& link : counters.links) {
    if (!link.name.starts_with("worker") || !link.name.ends_with(".down")) continue;
    received.all_bytes += static_cast<double>(link.bytes);
  }
  for (const auto& [load, samples] : network.loads()) {
    const auto frames = network.frames_at(load, at_ns);
    received.load_bytes += frames.data_received + frames.acknowledgements;
  }
  return received;
}

bool has_moved(const Received& before, const Received& now, double others_bytes_per_s) {
  const double since_s = seconds(now.at_ns - before.at_ns);
  const double load_bytes = now.load_bytes - before.load_bytes;
  const double unreported_bytes = load_bytes * (kReportLag_s / since_s + kUnreportedShare);
  const double own_bytes = now.all_bytes - before.all_bytes - load_bytes;
  return own_bytes > unreported_bytes + others_bytes_per_s * since_s;
}

ProgramWatch::ProgramWatch(const RunContext& context, links::Fabric& fabric, CellLog& log)
    : context_{context}, fabric_{fabric}, log_{log} {}

ProgramRank& ProgramWatch::add(ProcessChannel channel) {
  return ranks_.emplace_back(static_cast<int>(ranks_.size()), std::move(channel));
}

void ProgramWatch::run(const std::function<void()>& meanwhile) {
  started_ns_ = last_sign_ns_ = last_look_.at_ns = monotonic_ns();
  while (!all_ended()) {
    wait();
    for (auto& program : ranks_) listen(program);
    context_.interrupt.throw_if_requested();
    note_ends();
    meanwhile();
    sample_host();
    give_up_when_hopeless();
  }
  for (auto& program : ranks_) {
    if (!program.channel.rest().empty()) take_line(program, program.channel.rest());
  }
  if (const auto words = cause(); !words.empty()) throw CellFailed{words};
}

bool ProgramWatch::all_ended() const {
  if (all_exited_ns_ == 0) return false;
  if (monotonic_ns() - all_exited_ns_ > kEndGraceNs) return true;
  return std::ranges::all_of(ranks_, [](const auto& program) { return program.channel.closed(); });
}

void ProgramWatch::wait() const {
  std::vector<pollfd> polls{{fabric_.fd(), POLLIN, 0}, {context_.interrupt.fd(), POLLIN, 0}};
  for (const auto& program : ranks_) program.channel.add_to(polls);
  ::poll(polls.data(), polls.size(), kProgramTickMs);
}

void ProgramWatch::listen(ProgramRank& program) {
  try {
    for (const auto& line : program.channel.exchange()) take_line(program, line);
  } catch (const ProtocolError& error) {
    take_garbage(program, error.what());
  }
  // A part of a line is a sign of life too: progress bars end no line.
  if (program.channel.received_bytes() > program.heard_bytes) last_sign_ns_ = monotonic_ns();
  program.heard_bytes = program.channel.received_bytes();
  if (const auto text = program.channel.take_errors(); !text.empty()) take_output(program, text);
}

void ProgramWatch::take_line(ProgramRank& program, const std::string& line) {
  constexpr std::size_t kShown = 200;
  try {
    const auto event = parse_json_line(line);
    if (event.is_discarded()) throw ProtocolError{"not JSON"};
    take_event(program, event, line);
  } catch (const ProtocolError& error) {
    take_garbage(program, fmt::format("{} ({})", line.substr(0, kShown), error.what()));
  }
}

/// Notes what a rank wrote instead of an event. The cell soon fails because of it.
void ProgramWatch::take_garbage(ProgramRank& program, std::string words) {
  if (program.garbage.empty()) program.garbage = std::move(words);
  if (trouble_ns_ == 0) trouble_ns_ = monotonic_ns();
}

void ProgramWatch::take_event(ProgramRank& program, const Json& event, const std::string& line) {
  const auto kind = kind_of_program_event(event);
  // Every rank may evaluate; the cell's curve has the evaluations of rank 0.
  if (kind == EventKind::kEvaluation && program.rank != 0) return;
  if (event.contains("rank") && event.at("rank") != program.rank) {
    throw ProtocolError{
        fmt::format("found \"rank\": {}, expected {}", event.at("rank").dump(), program.rank)};
  }
  log_.add(event, line);
  if (kind == EventKind::kBegan) {
    program.last_event = "began";
    if (program.rank != 0 || counted_at_start_) return;
    counted_at_start_ = true;
    const auto counters = fabric_.counters();
    log_.add(record::CellRecord::counters_at_start_event(counters, monotonic_ns()));
    program.channel.say("counted\n");
  } else if (kind == EventKind::kStep) {
    const auto step = event.get<StepEvent>();
    program.last_event = fmt::format("step {}", step.iteration);
    if (program.rank != 0) return;
    IterationEvent iteration;
    iteration.iteration = step.iteration;
    iteration.step = step.step;
    context_.on_iteration(iteration);
  } else if (kind == EventKind::kEvaluation) {
    program.last_event = fmt::format("evaluation after step {}", event.at("iteration").dump());
    context_.on_evaluation(log_.record().curve().back());
  }
}

void ProgramWatch::take_output(ProgramRank& program, const std::string& text) {
  program.last_output += text;
  if (program.last_output.size() > kOutputShown) {
    program.last_output.erase(0, program.last_output.size() - kOutputShown);
  }
  log_.worker_log(fmt::format("rank {}", program.rank), text);
}

void ProgramWatch::note_ends() {
  for (const auto& end : fabric_.take_exited()) {
    const auto found = std::ranges::find(ranks_, end.process, &ProgramRank::process);
    if (found == ranks_.end()) continue;  // a load: its own pipe tells of its end
    listen(*found);                       // reads what it wrote before its end
    last_sign_ns_ = monotonic_ns();
    found->exited = ExitStatus{end.code, end.signal};
    found->exited_ns = monotonic_ns();
    found->end_words = oom_.words(*found->exited);
    log_.add(to_json(
        RankExitedEvent{found->rank, end.code, end.signal, seconds(monotonic_ns() - started_ns_)}));
    if (!found->exited->ok() && trouble_ns_ == 0) trouble_ns_ = monotonic_ns();
  }
  const bool all =
      std::ranges::all_of(ranks_, [](const auto& program) { return program.exited.has_value(); });
  if (all && all_exited_ns_ == 0) all_exited_ns_ = monotonic_ns();
}

void ProgramWatch::sample_host() {
  if (all_exited_ns_ != 0) return;
  const bool started = counted_at_start_ || !log_.record().steps().empty();
  // The host's load while programs start says nothing about steps, so sampling waits for the first
  // sign of training, but a second at most: a program may report no steps.
  if (!started && seconds(monotonic_ns() - started_ns_) < 1) return;
  if (const auto sample = sampler_.sample()) log_.add(record::CellRecord::host_event(*sample));
}

/// Whether the links have carried bytes of the program since the last call. Reading the counters
/// takes kernel time, so this is called only now and then.
bool ProgramWatch::traffic_has_moved() {
  const auto now = received_at(monotonic_ns(), fabric_.counters(), log_.record().network());
  // A host's interface also carries the traffic of other programs, and the harness's requests.
  const double others = fabric_.spans_hosts() ? kOthersBytesPerS : 0;
  return has_moved(std::exchange(last_look_, now), now,
                   others * static_cast<double>(ranks_.size()));
}

std::string ProgramWatch::cause() const {
  // A rank that a signal ended is named first, else the one that ended first but for those that
  // only lost a peer: that connection may break before its peer, the cause, has ended.
  for (const bool by_signal : {true, false}) {
    const ProgramRank* first = nullptr;
    for (const auto& program : ranks_) {
      const auto& end = program.exited;
      if (!end || (by_signal ? end->signal == 0 : end->ok())) continue;
      const auto place = std::pair{lost_a_peer(program.last_output), program.exited_ns};
      if (first == nullptr ||
          place < std::pair{lost_a_peer(first->last_output), first->exited_ns}) {
        first = &program;
      }
    }
    if (first == nullptr) continue;
    return fmt::format("the program of rank {} ended with {}{}{}", first->rank,
                       first->exited->describe(), first->end_words, last_words(*first));
  }
  for (const auto& program : ranks_) {
    if (program.garbage.empty()) continue;
    return fmt::format(
        "the program of rank {} wrote a line to PACBENCH_EVENTS that pacbench does not "
        "accept: {}; docs/OWN_PROGRAM.md describes the lines",
        program.rank, program.garbage);
  }
  return "";
}

/// Aborts each rank that still runs, so that it prints its stacks; returns where each rank was, in
/// words.
std::string ProgramWatch::standing_after_abort() {
  std::vector<bool> ran;
  for (const auto& program : ranks_) {
    ran.push_back(!program.exited);
    if (!program.exited) fabric_.signal(program.process, SIGABRT);
  }
  const auto until_ns = monotonic_ns() + kPythonStacksNs;
  while (!all_ended() && monotonic_ns() < until_ns) {
    wait();
    for (auto& program : ranks_) listen(program);
    note_ends();
  }
  std::vector<std::string> all;
  for (const auto& program : ranks_) {
    auto words = fmt::format("rank {}: {}", program.rank, program.last_event);
    if (!ran[static_cast<std::size_t>(program.rank)]) {
      words += ", ended with " + program.exited->describe();
    } else if (const auto stacks = stacks_words(program.last_output); !stacks.empty()) {
      words += ", Python's stacks: " + stacks;
    }
    all.push_back(std::move(words));
  }
  return fmt::format("{}", fmt::join(all, "; "));
}

void ProgramWatch::give_up_when_hopeless() {
  const auto now_ns = monotonic_ns();
  if (trouble_ns_ != 0 && now_ns - trouble_ns_ > kEndGraceNs) throw CellFailed{cause()};
  if (all_exited_ns_ != 0) return;
  const auto limit_s = context_.scenario.program->time_limit_s;
  if (seconds(now_ns - started_ns_) > limit_s) {
    throw CellFailed{fmt::format("the program still ran after {:g} s (time_limit_s): {}", limit_s,
                                 standing_after_abort())};
  }
  const auto timeout_s = context_.scenario.timeout_s;
  const bool looks = seconds(now_ns - std::max(last_look_.at_ns, last_sign_ns_)) > timeout_s / 4;
  if (looks && traffic_has_moved()) last_sign_ns_ = now_ns;
  if (seconds(now_ns - last_sign_ns_) <= timeout_s) return;
  throw CellFailed{
      fmt::format("no rank reported or printed anything, and the links showed no bytes of the "
                  "program, for {:g} s (timeout_s): {}",
                  timeout_s, standing_after_abort())};
}

}  // namespace pacbench::cell
