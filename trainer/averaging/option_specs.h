#pragma once

#include <string>
#include <utility>
#include <vector>

#include "contract/catalogue/catalogue.h"

/// Short ways to write a method's options down. An option shows in a label when its value is not
/// the default; some options always do.
namespace pacbench::trainer::option {

inline OptionSpec number(const char* name, double fallback, Range range, const char* help) {
  return {name, OptionSpec::Type::kNumber, fallback, range, {}, help};
}

/// `spec`, which is always in the label.
inline OptionSpec always_shown(OptionSpec spec) {
  spec.in_label.always = true;
  return spec;
}

/// A number without a default, which is always in the label.
inline OptionSpec required_number(const char* name, Range range, const char* help) {
  return always_shown({name, OptionSpec::Type::kNumber, nullptr, range, {}, help});
}

/// A whole number of at least 1.
inline OptionSpec count(const char* name, std::int64_t fallback, const char* help) {
  return {name, OptionSpec::Type::kInteger, fallback, Range::at_least(1), {}, help};
}

/// A whole number of at least 0.
inline OptionSpec whole(const char* name, std::int64_t fallback, const char* help) {
  return {name, OptionSpec::Type::kInteger, fallback, Range::at_least(0), {}, help};
}

inline OptionSpec boolean(const char* name, bool fallback, const char* help) {
  return {name, OptionSpec::Type::kBoolean, fallback, {}, {}, help};
}

/// The first choice is the default, unless with_default() names another.
inline OptionSpec choice(const char* name, std::vector<std::string> choices, const char* help) {
  const auto fallback = choices.front();
  return {name, OptionSpec::Type::kChoice, fallback, {}, std::move(choices), help};
}

/// An option that names a method, which must be an averager and nothing else. `fallback` has that
/// method's name, and the options in which it differs from the method's defaults.
inline OptionSpec method(const char* name, Json fallback, const char* help) {
  return {name, OptionSpec::Type::kMethod, std::move(fallback), {}, {}, help};
}

/// As method(), for a list of methods.
inline OptionSpec methods(const char* name, std::vector<Json> fallback, const char* help) {
  return {name, OptionSpec::Type::kMethods, fallback, {}, {}, help};
}

/// An option that repeats the decisions that a run recorded, as numbers. With an empty list the
/// method decides by itself.
inline OptionSpec decisions(const char* name, const char* help) {
  OptionSpec option{name, OptionSpec::Type::kIntegers, Json::array(), Range::at_least(0), {}, help};
  option.takes_decisions = true;
  return option;
}

/// The share of a bucket's entries that a worker sends, in (0, 1].
inline OptionSpec kept_share(Json fallback = nullptr) {
  auto ratio = required_number("ratio", Range::ratio(),
                               "share of each bucket's entries that a worker sends");
  ratio.default_value = std::move(fallback);
  ratio.in_label.share = "keep";
  return ratio;
}

/// As kept_share, for methods that skip zeros. Below the default of 1, fewer entries count as not
/// zero.
inline OptionSpec share_of_nonzero(const char* help) {
  auto ratio = kept_share(1.0);
  ratio.lossless_with = 1.0;
  ratio.help = help;
  return ratio;
}

/// The share of the convolution and linear weights that is pruned, in (0, 0.999].
inline OptionSpec pruned_share() {
  auto ratio = number("pruning_ratio", 0.5, {0.0, 0.999, true},
                      "share of the convolution and linear weights that is pruned");
  ratio.in_label = {.always = true, .share = "prune"};
  return ratio;
}

/// The number of sites that the ranks are cut into (sites.h).
inline OptionSpec sites() {
  return always_shown(count("sites", 2,
                            "into how many parts of neighbouring ranks the workers are divided; "
                            "sizes differ by at most one"));
}

inline constexpr const char* kErrorFeedback = "error_feedback";

/// While it is on, `averaging` (method_definitions.h) puts Feedback around the averager.
inline OptionSpec error_feedback(bool fallback) {
  auto option = boolean(kErrorFeedback, fallback,
                        "add what an exchange left out of a gradient to the next one");
  option.feeds_back = true;
  return option;
}

/// Gives `spec` a new default. While the option has no effect, its canonical value stays the old
/// default, so recorded scenarios stay as they are.
inline OptionSpec with_default(OptionSpec spec, Json value) {
  spec.without_effect = std::exchange(spec.default_value, std::move(value));
  return spec;
}

/// `spec`, which has an effect only while `option` has one of `values`.
inline OptionSpec only_with(OptionSpec spec, const char* option, std::vector<Json> values) {
  spec.only_with = {option, std::move(values)};
  return spec;
}

}  // namespace pacbench::trainer::option
