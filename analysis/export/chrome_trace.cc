#include "analysis/export/chrome_trace.h"

#include <fmt/format.h>

#include <iterator>
#include <stdexcept>
#include <utility>

namespace pacbench::exports {
namespace {

constexpr std::size_t kBufferBytes = 1 << 16;
// Perfetto knows a thread by its number alone, so no two tracks may share a number, not even those
// of different processes.
constexpr int kTracksPerProcess = 10000;

/// A time in microseconds, as text. Throws std::logic_error when it is negative.
std::string time(std::int64_t ns) {
  if (ns < 0) throw std::logic_error{fmt::format("a trace's time is {} ns", ns)};
  return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

}  // namespace

ChromeTrace::ChromeTrace(Write write) : write_{std::move(write)} {
  buffer_ = R"({"displayTimeUnit":"ms","traceEvents":[)";
}

void ChromeTrace::begin(char phase, int process, int track, std::string_view name) {
  fmt::format_to(std::back_inserter(buffer_),
                 "{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"name\":{}", any_ ? "," : "", phase,
                 process, process * kTracksPerProcess + track, json_text(std::string{name}));
  any_ = true;
}

void ChromeTrace::end() {
  buffer_ += '}';
  if (buffer_.size() < kBufferBytes) return;
  write_(buffer_);
  buffer_.clear();
}

void ChromeTrace::metadata(int process, int track, const char* kind, const Json& args) {
  begin('M', process, track, kind);
  fmt::format_to(std::back_inserter(buffer_), ",\"args\":{}", json_text(args));
  end();
}

void ChromeTrace::name_process(int process, const std::string& name) {
  metadata(process, 0, "process_name", {{"name", name}});
  metadata(process, 0, "process_sort_index", {{"sort_index", process}});
}

void ChromeTrace::name_track(int process, int track, const std::string& name) {
  metadata(process, track, "thread_name", {{"name", name}});
  metadata(process, track, "thread_sort_index", {{"sort_index", track}});
}

void ChromeTrace::slice(int process, int track, const char* category, const std::string& name,
                        Span span, const Json& args) {
  begin('X', process, track, name);
  fmt::format_to(std::back_inserter(buffer_), ",\"cat\":\"{}\",\"ts\":{},\"dur\":{}", category,
                 time(span.start_ns), time(span.end_ns - span.start_ns));
  if (!args.empty()) fmt::format_to(std::back_inserter(buffer_), ",\"args\":{}", json_text(args));
  end();
}

void ChromeTrace::counter(int process, const char* name, const char* unit, std::int64_t at_ns,
                          double value) {
  begin('C', process, 0, name);
  fmt::format_to(std::back_inserter(buffer_), ",\"ts\":{},\"args\":{{\"{}\":{}}}", time(at_ns),
                 unit, value);
  end();
}

void ChromeTrace::finish() {
  buffer_ += "\n]}\n";
  write_(buffer_);
  buffer_.clear();
}

}  // namespace pacbench::exports
