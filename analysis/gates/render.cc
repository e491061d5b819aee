#include "analysis/gates/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>
#include <sstream>

#include "base/json/checked_keys.h"
#include "harness/text/table.h"

namespace pacbench::gates {
namespace {

std::string found_words(const Judgement& judgement) {
  if (!judgement.value) return "—";
  if (judgement.low == judgement.high) return significant(*judgement.value, 4);
  return fmt::format("{} ({}–{})", significant(*judgement.value, 4), significant(*judgement.low, 4),
                     significant(*judgement.high, 4));
}

std::string bound_words(const std::optional<double>& bound) {
  return bound ? fmt::format("{:g}", *bound) : "—";
}

Table table_of(const std::vector<Judgement>& judgements) {
  Table table{
      {left_column("gate"), left_column("link"), right_column("found"), right_column("min"),
       right_column("max"), right_column("seeds"), left_column("verdict"), left_column("why")},
      {}};
  for (const auto& one : judgements) {
    table.rows.push_back({words_of(one.gate), one.link, found_words(one), bound_words(one.gate.min),
                          bound_words(one.gate.max), fmt::format("{}", one.seeds),
                          word_of(one.finding), one.why});
  }
  return table;
}

std::string summary(const std::vector<Judgement>& judgements) {
  const auto count = [&](Finding finding) {
    return std::ranges::count(judgements, finding, &Judgement::finding);
  };
  return fmt::format("{} judgements: {} hold, {} broken, {} inconclusive", judgements.size(),
                     count(Finding::kHolds), count(Finding::kBroken),
                     count(Finding::kInconclusive));
}

/// Text without control characters, most of which XML cannot hold.
std::string xml_text(std::string text) {
  std::erase_if(text, [](char letter) { return static_cast<unsigned char>(letter) < 0x20; });
  return text;
}

/// Escapes text for a workflow command of GitHub Actions, which ends where its line ends. The
/// escapes are those that GitHub's runner supports.
std::string command_text(const std::string& text) {
  std::string escaped;
  for (const char letter : text) {
    if (letter == '%') {
      escaped += "%25";
    } else if (letter == '\r') {
      escaped += "%0D";
    } else if (letter == '\n') {
      escaped += "%0A";
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string sentence(const Judgement& one) {
  return fmt::format("{} over {}: found {}, {}{}{}", words_of(one.gate), one.link, found_words(one),
                     word_of(one.finding), one.why.empty() ? "" : ": ", one.why);
}

bool fails(const Judgement& one, bool inconclusive_fails) {
  return one.finding == Finding::kBroken ||
         (one.finding == Finding::kInconclusive && inconclusive_fails);
}

}  // namespace

std::string render_text(const std::vector<Judgement>& judgements, std::size_t columns) {
  return fmt::format("{}\n\n{}", summary(judgements), to_text(table_of(judgements), columns));
}

std::string render_markdown(const std::vector<Judgement>& judgements) {
  return fmt::format("{}\n\n{}", summary(judgements), to_markdown(table_of(judgements)));
}

Json to_json(const std::vector<Judgement>& judgements) {
  using json_fields::written;
  Json all = Json::array();
  for (const auto& one : judgements) {
    all.push_back({{"gate", words_of(one.gate)},
                   {"link", one.link},
                   {"verdict", one.finding},
                   {"value", written(one.value)},
                   {"low", written(one.low)},
                   {"high", written(one.high)},
                   {"min", written(one.gate.min)},
                   {"max", written(one.gate.max)},
                   {"seeds", one.seeds},
                   {"why", one.why}});
  }
  return {{"format", "pacbench.gates/1"}, {"gates", all}};
}

std::string render_junit(const std::vector<Judgement>& judgements, bool inconclusive_fails) {
  using boost::property_tree::ptree;
  ptree document;
  auto& suite = document.add("testsuite", "");
  std::size_t failures = 0;
  std::size_t skipped = 0;
  suite.put("<xmlattr>.name", "pacbench gate");
  suite.put("<xmlattr>.tests", judgements.size());
  for (const auto& one : judgements) {
    auto& test = suite.add("testcase", "");
    test.put("<xmlattr>.classname", xml_text(one.link));
    test.put("<xmlattr>.name", xml_text(words_of(one.gate)));
    if (one.finding == Finding::kHolds) continue;
    const bool is_failure = fails(one, inconclusive_fails);
    ++(is_failure ? failures : skipped);
    test.put(is_failure ? "failure.<xmlattr>.message" : "skipped.<xmlattr>.message",
             xml_text(sentence(one)));
  }
  suite.put("<xmlattr>.failures", failures);
  suite.put("<xmlattr>.skipped", skipped);
  std::ostringstream text;
  write_xml(text, document, boost::property_tree::xml_writer_settings<std::string>{' ', 2});
  return text.str();
}

std::string render_annotations(const std::vector<Judgement>& judgements, bool inconclusive_fails) {
  std::string text;
  for (const auto& one : judgements) {
    if (one.finding == Finding::kHolds) continue;
    text += fmt::format("::{} title=pacbench gate::{}\n",
                        fails(one, inconclusive_fails) ? "error" : "warning",
                        command_text(sentence(one)));
  }
  return text;
}

}  // namespace pacbench::gates
