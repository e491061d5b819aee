#include "probe/request.h"

#include "base/json/read_keys.h"

template <>
struct pacbench::JsonFields<pacbench::probe::Request> {
  using T = probe::Request;
  static constexpr double kMostSeconds = 600;
  static constexpr double kMostBytes = 1e12;
  static constexpr double kMostRateMbit = 1e5;
  static constexpr double kMostDatagramBytes = 65507;
  static constexpr double kLeastDatagramBytes = 16;  // the size of a datagram's head
  static constexpr std::tuple kAll{
      required("version", &T::version, Range{T::kVersion, T::kVersion}),
      required("traffic", &T::traffic),
      required("sender", &T::sender),
      required("seconds", &T::seconds, Range{0.0, kMostSeconds, true}),
      required("bytes", &T::bytes, Range{1.0, kMostBytes}),
      defaulted("rate_mbit", &T::rate_mbit, Range{0.0, kMostRateMbit}),
      sparse("datagram_bytes", &T::datagram_bytes, Range{kLeastDatagramBytes, kMostDatagramBytes})};

  static void check(ObjectReader& reader, const T& request) {
    if (request.traffic != probe::Traffic::kDatagrams) return;
    if (request.datagram_bytes == 0) {
      reader.complain("datagram_bytes", "missing, expected the bytes of a datagram's payload");
    }
    if (request.rate_mbit == 0) {
      reader.complain("rate_mbit", "missing, expected the rate of the datagrams in Mbit/s");
    }
  }
};

namespace pacbench::probe {
std::string request_line(const Request& request) { return Json(request).dump(); }

Request request_from_line(const std::string& line) {
  const std::string source = "request";
  std::vector<Issue> issues;
  const auto document = parse_json(source, line);
  const auto request = read_object<Request>(ObjectReader{document, "", issues});
  if (!issues.empty()) throw ConfigError{source, issues};
  return request;
}

}  // namespace pacbench::probe
