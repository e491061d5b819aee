#include "analysis/export/recorded_lines.h"

#include <fmt/format.h>

namespace pacbench::exports {

store::Broken broken_lines_of(const CellResult& cell) {
  return cell.status == CellStatus::kDone ? store::Broken::kRefuse : store::Broken::kEnd;
}

void for_each_of(const std::string& path, const char* kind, store::Broken broken,
                 const std::function<void(const Json& event)>& take) {
  store::for_each_event(
      path, broken, [&](const Json& event, const std::string&, std::size_t number) {
        if (event.at("event") != kind) return;
        try {
          take(event);
        } catch (const Json::exception& error) {
          throw ConfigError{
              fmt::format("{}:{}", path, number),
              {{"", fmt::format("expected a whole \"{}\" event: {}", kind, error.what())}}};
        }
      });
}

}  // namespace pacbench::exports
