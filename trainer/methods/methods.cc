// The table of methods: one line for each.
#include <stdexcept>

#include "contract/catalogue/python_name.h"
#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method.h"
#include "trainer/methods/method_definitions.h"
#include "trainer/methods/users_code.h"

namespace pacbench::trainer {

Task<bool> Method::optimizer_step(OptimizerView&, Group&) { co_return false; }

Task<> Method::step_finished(OptimizerView&, Group&) { co_return; }

MethodInfo described(const char* name, const char* family, const char* paper, const char* summary) {
  MethodInfo info;
  info.name = name;
  info.summary = summary;
  info.paper = paper;
  info.family = family;
  return info;
}

std::unique_ptr<Averager> with_feedback(const Json& options, std::unique_ptr<Averager> averager,
                                        Feedback::Of of) {
  if (!options.value(option::kErrorFeedback, false)) return averager;
  return std::make_unique<Feedback>(std::move(averager), of);
}

MethodDefinition averaging(MethodInfo info, const MakeAverager& make, Feedback::Of feedback) {
  info.averages = true;
  const auto averager = [make, feedback](const Json& options, const RunFacts& run) {
    return with_feedback(options, make(options, run), feedback);
  };
  const auto method = [averager](const Json& options, const RunFacts& run) {
    return std::make_unique<Method>(averager(options, run));
  };
  return {std::move(info), method, averager};
}

namespace {

std::vector<MethodDefinition> all_entries() {
  return {
      all_reduce_method(),
      tree_method(),
      hierarchical_method(),
      parameter_server_method(),
      fp16_method(),
      bf16_method(),
      terngrad_method(),
      qsgd_method(),
      thc_method(),
      signsgd_method(),
      ef_signsgd_method(),
      topk_method(),
      random_k_method(),
      dgc_method(),
      omnireduce_method(),
      zen_method(),
      embrace_method(),
      spardl_method(),
      micro_method(),
      exdyna_method(),
      ef21_method(),
      adacgd_method(),
      one_bit_adam_method(),
      distributed_lion_method(),
      powersgd_method(),
      pactrain_method(),
      prune_and_regrow_method(),
      local_sgd_method(),
      diloco_method(),
      zeroth_order_method(),
      prunex_method(),
      espresso_method(),
      mergecomp_method(),
  };
}

const MethodDefinition& entry_among(const std::vector<MethodDefinition>& table,
                                    const std::string& name) {
  for (const auto& entry : table) {
    if (entry.info.name == name) return entry;
  }
  throw std::invalid_argument{"unknown method " + name};
}

/// Adds the defaults of the options that `options` lacks, also to the methods that it contains.
Json with_all_options(const std::vector<MethodDefinition>& table, const std::string& method,
                      Json options) {
  const auto complete = [&](Json& inner) {
    const std::string name = inner.at("name");
    inner = with_all_options(table, name, inner);
    reset_without_effect(entry_among(table, name).info.options, inner);
  };
  for (const auto& option : entry_among(table, method).info.options) {
    const auto& fallback = option.default_value;
    if (!options.contains(option.name) && !fallback.is_null()) options[option.name] = fallback;
    if (option.type == OptionSpec::Type::kMethod) complete(options.at(option.name));
    if (option.type != OptionSpec::Type::kMethods) continue;
    for (auto& inner : options.at(option.name)) complete(inner);
  }
  return options;
}

/// Gives the methods in default values all of their options, as methods in a scenario have them.
std::vector<MethodDefinition> with_whole_defaults(std::vector<MethodDefinition> table) {
  for (auto& entry : table) {
    const auto whole = with_all_options(table, entry.info.name, Json::object());
    for (auto& option : entry.info.options) {
      if (!option.default_value.is_null()) option.default_value = whole.at(option.name);
    }
  }
  return table;
}

}  // namespace

const std::vector<MethodDefinition>& method_table() {
  static const auto table = with_whole_defaults(all_entries());
  return table;
}

std::vector<MethodInfo> method_infos() {
  std::vector<MethodInfo> infos;
  for (const auto& entry : method_table()) infos.push_back(entry.info);
  return infos;
}

std::unique_ptr<Method> make_method(const Choice& choice, const RunFacts& run) {
  if (is_users_class(choice.name)) return UsersCode::of_this_process().method(choice, run);
  return entry_among(method_table(), choice.name).make(choice.options, run);
}

std::unique_ptr<Averager> make_averager(const Choice& choice, const RunFacts& run) {
  if (is_users_class(choice.name)) return UsersCode::of_this_process().averager(choice, run);
  const auto& entry = entry_among(method_table(), choice.name);
  if (entry.make_averager) return entry.make_averager(choice.options, run);
  throw std::invalid_argument{"method " + choice.name +
                              " does more than average gradients, so it cannot be used inside "
                              "another method (pacbench list methods says which methods can)"};
}

Choice with_defaults(const std::string& method, const Json& options) {
  return {method, with_all_options(method_table(), method, options)};
}

Choice with_preset(const std::string& method, const std::string& preset, const Json& options) {
  for (const auto& [name, help, preset_options] :
       entry_among(method_table(), method).info.presets) {
    if (name != preset) continue;
    auto given = preset_options;
    given.update(options);
    return with_defaults(method, given);
  }
  throw std::invalid_argument{"unknown preset " + preset + " of " + method};
}

}  // namespace pacbench::trainer
