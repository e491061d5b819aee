#include "contract/scenario/users_classes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/program_method.h"
#include "contract/catalogue/python_name.h"

namespace pacbench {
namespace {

bool has_users_task(const Scenario& scenario) {
  return is_users_class(scenario.workload.model.name);
}

}  // namespace

bool runs_python(const Scenario& scenario, const MethodEntry& method) {
  if (is_program(method)) return false;
  const auto choices = choices_of(method);
  return has_users_task(scenario) ||
         std::any_of(choices.begin(), choices.end(), [](const Choice& choice) {
           return !python_names(choice_to_json(choice)).empty();
         });
}

void read_users_classes(ObjectReader& reader, const std::string& source, Scenario& scenario) {
  if (scenario.workload.optimizer.name == kOwnOptimizer && !has_users_task(scenario)) {
    reader.complain_at(
        "workload/optimizer/name",
        "found \"own\" without a task of your own, expected sgd, adam, adamw or lion");
  }
  const auto& methods = scenario.methods;
  const bool any = std::any_of(methods.begin(), methods.end(), [&](const MethodEntry& method) {
    return runs_python(scenario, method);
  });
  if (!any) {
    if (scenario.python_folder.empty()) return;
    reader.complain("python_folder",
                    "found a folder, but no method and no task is a Python class (FILE.py:CLASS)");
    return;
  }
  namespace fs = std::filesystem;
  const auto folder = fs::absolute(source).parent_path() / scenario.python_folder;
  scenario.python_folder = (folder / "").lexically_normal().string();
  const auto refuse = [&](bool is_wrong, const char* key, const std::string& message) {
    if (is_wrong) reader.complain_at(key, message);
  };
  refuse(scenario.device != "cpu", "device",
         "found another device than \"cpu\" beside a Python class, expected \"cpu\"");
  if (!has_users_task(scenario)) return;
  const auto& workload = scenario.workload;
  refuse(workload.initial.kind != "random", "workload/initial/kind",
         fmt::format("found \"{}\" beside a task of your own, expected none: its model() makes the "
                     "weights that training begins with",
                     workload.initial.kind));
}

}  // namespace pacbench
