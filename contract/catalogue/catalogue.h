#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/json/json_reader.h"

namespace pacbench {

/// One option of a method, model or data set: its type, the values that it may have, and its
/// default. The scenario schema, `pacbench list` and validation all come from it.
struct OptionSpec {
  /// kMethod: another method with its options, `{"name": "topk", "ratio": 0.01}`. kMethods: a list
  /// of such methods. Only methods that average gradients and do nothing else may be inside
  /// another.
  enum class Type { kNumber, kInteger, kBoolean, kChoice, kIntegers, kMethod, kMethods };
  /// How an option shows in a method's label: `topk-keep1%`, `pactrain-prune50%-grasp-float32`.
  struct InLabel {
    bool always = false;     ///< false: only where its value is not the default
    std::string share = {};  ///< the word before a share, which is given in per cent: "keep"
    std::string none = {};   ///< the word for the choice "none": "float32"
  };

  /// The option has an effect only while `option`, another option of the same method, model or data
  /// set, has one of `values`.
  struct Condition {
    std::string option;
    std::vector<Json> values;
  };

  std::string name;
  Type type = Type::kNumber;
  Json default_value;  ///< null: the scenario must give it
  Range range;         ///< of a number, an integer, or each element of kIntegers
  std::vector<std::string> choices;
  std::string help;
  InLabel in_label = {};
  std::optional<Condition> only_with = std::nullopt;  ///< unless it holds, the option has no effect
  std::int64_t multiple_of = 1;                       ///< of an integer
  Json lossless_with = nullptr;  ///< the one value that keeps a method lossless; null: any does
  /// The value in the canonical form while the option has no effect; null: the default. A scenario
  /// may then give this value too. It is the first default that the option ever had, so that a new
  /// default changes no recorded scenario.
  Json without_effect = nullptr;
  bool feeds_back = false;  ///< of a boolean: turns a method's error feedback on and off
  /// For kIntegers: the option takes the decisions that a run recorded, and the method then repeats
  /// them. With the option's default the method decides by itself.
  bool takes_decisions = false;
  std::vector<Json> untimed = {};  ///< values with which no decision depends on measured time
  /// With these values the method looks at the link (LinkFacts) to choose between ways to the same
  /// result.
  std::vector<Json> by_link = {};
};

template <>
struct Words<OptionSpec::Type> {
  static constexpr std::array kAll{"number",   "integer", "boolean", "choice",
                                   "integers", "method",  "methods"};
};

/// A named set of options. A method's entry in a scenario chooses it by `"preset": "paper"`.
struct Preset {
  std::string name;
  std::string help;
  Json options = Json::object();
};

struct MethodInfo {
  std::string name;
  std::string summary;
  std::string paper;  ///< "Aji and Heafield 2017, arXiv 1704.05021"
  std::vector<OptionSpec> options;
  bool lossless = false;  ///< equals dense all-reduce, see docs/METRICS.md
  bool unbiased = false;  ///< without error feedback, the expected aggregate is the mean gradient
  /// Whatever its options, the method adds its residual in a later iteration. Where an option turns
  /// error feedback on and off, that option has feeds_back instead.
  bool error_feedback = false;
  std::vector<std::string> collectives;
  std::vector<Preset> presets = {};
  std::string family = {};        ///< "quantisation": a name that it shares with similar methods
  bool prunes = false;            ///< weights, by the trainer's pruning stage
  std::int64_t state_floats = 0;  ///< kept by a rank for each parameter, residuals not counted
  std::string input = {};         ///< of the models that it is for: images, tokens; empty: any
  bool averages = false;          ///< only averages gradients: may be inside another method
  bool owns_step = false;         ///< makes or skips steps of the optimiser itself
  /// Whether decisions that change the learning curve depend on the link (LinkFacts), and whether
  /// they depend on measured time.
  bool depends_on_link = false;
  bool depends_on_time = false;
};

/// The traits of a method with the options that a scenario's entry gives it; docs/METHODS.md
/// defines them.
struct MethodTraits {
  bool lossless = false;
  bool stateless = true;  ///< nothing that it leaves out is added in a later iteration
  bool unbiased = false;  ///< the expected aggregate of an iteration is its mean gradient
  /// Whether the learning curve can differ over another link, and whether it can differ with other
  /// measured times.
  bool depends_on_link = false;
  bool depends_on_time = false;
  /// Whether the method looks at links: its learning curve or its encoding depends on them.
  bool looks_at_links = false;
};

/// Returns the traits of a method with the options of `entry`. Options that `entry` lacks have
/// their defaults. Methods inside `entry` are looked up in `all`; those not found there are
/// ignored.
MethodTraits traits_of(const MethodInfo& method, const Json& entry,
                       const std::vector<MethodInfo>& all = {});

/// The methods of `all` that may be inside another method.
std::vector<MethodInfo> averagers_of(const std::vector<MethodInfo>& all);

/// The methods inside `method` when it has these canonical options, each with its name and options.
std::vector<Json> inner_methods(const MethodInfo& method, const Json& options);

/// The option that takes recorded decisions; null where the method takes none.
const OptionSpec* decisions_option(const MethodInfo& method);

/// The name of the option for the share that a method prunes: with prunex of each layer's filters
/// or channels, else of the weights. All methods that prune by a share have it.
inline constexpr const char* kPruningRatio = "pruning_ratio";

/// The pruning ratio of a method in a canonical scenario; absent when it has no such option.
inline std::optional<double> pruning_ratio(const Json& method) {
  if (!method.contains(kPruningRatio)) return std::nullopt;
  return method.at(kPruningRatio).get<double>();
}

struct ModelInfo {
  std::string name;
  std::string summary;
  std::vector<OptionSpec> options;
  std::string input = "images";  ///< images, or tokens
  std::int64_t channels = 0;     ///< of the images; 0: any
  std::int64_t min_side = 1;     ///< pixels that images must have in height and width
};

struct DatasetInfo {
  struct File {
    std::string name;  ///< relative to the data set's folder
    std::int64_t bytes = 0;
  };
  std::string name;
  std::string summary;
  std::string origin;  ///< attribution and terms
  std::vector<OptionSpec> options;
  std::string input = "images";     ///< images, or tokens
  std::vector<std::int64_t> shape;  ///< channels, height, width; for tokens: how many a sample has
  int classes = 0;
  std::int64_t train_samples = 0;  ///< 0: not known, of a user's iterable
  std::int64_t test_samples = 0;
  int record_label_bytes = 0;  ///< label bytes before each record's pixels in a binary file
  std::vector<File> files;     ///< empty for a set embedded in the worker
};

/// The entry of that name among `all`; null when there is none.
template <typename Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

/// The document of `pacbench-worker --catalog`: all that the harness knows of torch, methods,
/// models and data sets.
struct Catalogue {
  static constexpr int kVersion = 1;

  std::string torch_version;
  std::vector<MethodInfo> methods;
  std::vector<ModelInfo> models;
  std::vector<DatasetInfo> datasets;
  /// The texts of the files that hold users' classes and of those that they import, by their paths
  /// below the scenario's python_folder.
  std::map<std::string, std::string> files{};

  // These functions return null when there is no entry of that name.
  const MethodInfo* find_method(const std::string& name) const { return find_named(methods, name); }
  const ModelInfo* find_model(const std::string& name) const { return find_named(models, name); }
  const DatasetInfo* find_dataset(const std::string& name) const {
    return find_named(datasets, name);
  }
};

/// Says why a model cannot be trained on a data set: "found MODEL, ...; expected a model ...".
/// Empty when it can.
std::string misfit(const ModelInfo& model, const DatasetInfo& dataset);

/// The entries of users' classes (python_name.h), and a catalogue with those of `more` added.
Catalogue users_classes(const Catalogue& all);
Catalogue with_classes(Catalogue catalogue, const Catalogue& more);

Json to_json(const Catalogue& catalogue);

/// Throws ConfigError, naming `source`, when the document is not a catalogue of this version.
Catalogue catalogue_from_json(const std::string& source, const Json& document);

/// Returns the scenario with the options of each method's "preset" written out. An option that the
/// entry gives itself takes precedence. A preset's option is left out when it has no effect
/// with the other options. An unknown preset stays as it is: the reader of methods complains of it.
Json with_presets(Json scenario, const Catalogue& catalogue);

/// Reads `specs` from an object and returns a value for each option: the default of a missing one,
/// and of one without effect the canonical value (`without_effect`, or else the default). Complains
/// of an option that is given while its condition (only_with) does not hold, unless its value is
/// the default or `without_effect`. Only those methods of `all` that do no more than average
/// gradients may be the value of an option.
Json read_options(ObjectReader& reader, const std::vector<OptionSpec>& specs,
                  const std::vector<MethodInfo>& all);

/// Whether the option's condition (only_with) holds among `options`, which has a value for each.
bool has_effect(const OptionSpec& option, const Json& options);

/// Gives each option that has no effect among `options` the value that it has in canonical form.
void reset_without_effect(const std::vector<OptionSpec>& specs, Json& options);

/// The list in which read_options() looks up the methods that options of `all` name. For methods it
/// is `all` itself. Models and data sets name no methods in their options, so it is empty for them.
template <typename Info>
const std::vector<MethodInfo>& methods_among(const std::vector<Info>& all) {
  static const std::vector<MethodInfo> none;
  if constexpr (std::is_same_v<Info, MethodInfo>) return all;
  return none;
}

Json option_schema(const OptionSpec& option, const std::vector<MethodInfo>& all);

}  // namespace pacbench
