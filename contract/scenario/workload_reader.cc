#include "contract/scenario/scenario_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/files.h"
#include "base/json/object_schema.h"
#include "base/json/read_keys.h"
#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {
namespace {

template <typename Info>
Choice read_choice_at(ObjectReader& reader, const char* key, const std::vector<Info>& all) {
  auto inner = reader.object(key);
  auto choice = read_choice(inner, all);
  inner.finish();
  return choice;
}

/// Computes the hash of the file of weights. A hash in the scenario must equal it, so that a
/// recorded scenario is never resumed with other weights.
void read_file_of_weights(ObjectReader& reader, const std::string& source, Initial& initial) {
  const auto file = reader.text("path");
  const auto expected = reader.text_or("sha256", "");
  if (file.empty()) return;
  const auto path = std::filesystem::absolute(source).parent_path() / file;
  initial.path = path.lexically_normal().string();
  try {
    Sha256 sum;
    read_ordinary_file(initial.path, Initial::kMostFileBytes,
                       [&](std::string_view part) { sum.add(part); });
    initial.sha256 = sum.digits();
  } catch (const std::system_error& error) {
    reader.complain("path", error.what());
    return;
  }
  if (expected.empty() || expected == initial.sha256) return;
  reader.complain(
      "sha256",
      fmt::format("found {}, but the SHA-256 of {} is {}: it is another file, or was changed",
                  expected, initial.path, initial.sha256));
}

Initial read_initial(ObjectReader reader, const Catalogue& catalogue, const std::string& source) {
  Initial initial;
  read_keys(reader, initial);
  if (initial.kind == "file") read_file_of_weights(reader, source, initial);
  if (initial.kind == "pretrain") {
    initial.dataset = read_choice_at(reader, "dataset", catalogue.datasets);
  }
  reader.finish();
  return initial;
}

}  // namespace

/// Reads "task", a user's class that is model and data set at once, and its "options".
void read_task(ObjectReader& reader, const Catalogue& catalogue, Workload& workload) {
  const auto name = reader.text("task");
  auto named = reader.has("options") ? reader.raw("options") : Json::object();
  if (!is_users_class(name)) {
    reader.complain("task", fmt::format("found \"{}\", expected FILE.py:CLASS", name));
    return;
  }
  std::vector<Issue> issues;
  if (named.is_object()) {
    named["name"] = name;
    ObjectReader of_task{named, "", issues};
    workload.model = read_choice(of_task, catalogue.models);
    of_task.finish();
  } else {
    reader.complain("options", "expected an object");
  }
  for (const auto& issue : issues) {
    const bool of_name = issue.pointer == "/name";
    reader.complain_at(of_name ? "task" : "options" + issue.pointer, issue.message);
  }
  workload.dataset = {workload.model.name};
  for (const char* key : {"model", "dataset"}) {
    if (reader.has(key)) {
      reader.complain(key,
                      fmt::format("found a {0} beside \"task\", expected one of the two: a task "
                                  "has its own {0}",
                                  key));
    }
  }
}

Workload read_workload(ObjectReader reader, const Catalogue& catalogue, const std::string& source) {
  Workload workload;
  read_keys(reader, workload);
  if (reader.has("task")) {
    read_task(reader, catalogue, workload);
  } else {
    workload.model = read_choice_at(reader, "model", catalogue.models);
    workload.dataset = read_choice_at(reader, "dataset", catalogue.datasets);
  }
  if (reader.has("initial")) {
    workload.initial = read_initial(reader.object("initial"), catalogue, source);
  }
  reader.finish();
  return workload;
}

Json workload_schema(const Catalogue& catalogue) {
  const auto datasets = schema::choice_schema(catalogue.datasets);
  const auto initial = object_schema<Initial>(
      {{"dataset", datasets}, {"path", schema::text()}, {"sha256", schema::text()}});
  auto schema = object_schema<Workload>({{"model", schema::choice_schema(catalogue.models)},
                                         {"dataset", datasets},
                                         {"initial", initial}});
  schema["properties"]["task"] = schema::described(
      schema::text(),
      "FILE.py:CLASS, a class of your own that has a model and its data, in place "
      "of model and dataset");
  schema["properties"]["options"] =
      schema::described(Json{{"type", "object"}}, "options of the task");
  auto& required = schema["required"];
  for (const char* key : {"model", "dataset"}) {
    required.erase(std::find(required.begin(), required.end(), key));
  }
  schema["anyOf"] = {{{"required", {"model", "dataset"}}}, {{"required", {"task"}}}};
  return schema;
}

}  // namespace pacbench
