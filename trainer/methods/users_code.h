#pragma once

#include <functional>
#include <memory>

#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/averager.h"

namespace pacbench {
struct WorkerSpec;
}

namespace pacbench::trainer {

class LearningTask;
class Method;

/// Makes objects of the classes that users write in Python (contract/catalogue/python_name.h). A
/// process that Python started fills it in; in pacbench-worker it is empty.
struct UsersCode {
  std::function<std::unique_ptr<Averager>(const Choice& method, const RunFacts& run)> averager;
  std::function<std::unique_ptr<Method>(const Choice& method, const RunFacts& run)> method;
  std::function<std::unique_ptr<LearningTask>(const WorkerSpec& spec)> task;

  static UsersCode& of_this_process() {
    static UsersCode code;
    return code;
  }
};

}  // namespace pacbench::trainer
