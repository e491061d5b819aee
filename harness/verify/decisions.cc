#include "harness/verify/decisions.h"

#include <fmt/format.h>

#include <algorithm>

#include "contract/catalogue/choice_json.h"
#include "harness/store/files.h"

namespace pacbench::verify {
namespace {

void append(Json& decisions, const Json& decided, const std::string& path, std::size_t number) {
  const bool whole =
      decided.is_array() && std::all_of(decided.begin(), decided.end(),
                                        [](const Json& one) { return one.is_number_unsigned(); });
  if (!whole) {
    throw ConfigError{
        path,
        {{"", fmt::format("line {}: found {} under \"decided\", expected a list of whole numbers",
                          number, decided.dump())}}};
  }
  decisions.insert(decisions.end(), decided.begin(), decided.end());
}

/// All decisions that rank 0 recorded, one after the other.
Json decisions_in(const std::string& path) {
  Json decisions = Json::array();
  store::for_each_event(
      path, store::Broken::kRefuse, [&](const Json& event, const std::string&, std::size_t number) {
        if (event.value("rank", -1) != 0) return;
        for (const auto& bucket : event.at("buckets")) {
          if (!bucket.contains("notes") || !bucket.at("notes").contains("decided")) continue;
          append(decisions, bucket.at("notes").at("decided"), path, number);
        }
      });
  return decisions;
}

}  // namespace

plan::Cell with_recorded_decisions(plan::Cell cell, const std::string& cell_folder,
                                   const Catalogue& catalogue) {
  auto& choice = cell.method.choice;
  const auto* method = catalogue.find_method(choice.name);
  const auto* option = method == nullptr ? nullptr : decisions_option(*method);
  if (option == nullptr) return cell;
  if (!traits_of(*method, choice_to_json(choice), catalogue.methods).depends_on_time) return cell;
  choice.options[option->name] = decisions_in(cell_folder + "/iterations.jsonl");
  return cell;
}

}  // namespace pacbench::verify
