#include "contract/scenario/launcher.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace pacbench {
namespace {

using WordList = std::vector<std::string>;
using Names = std::vector<std::string_view>;

/// How a launcher is called, and which of its options do what. Options are written with "-", also
/// where a launcher writes them with "_". An option that is not listed has one value.
struct Launcher {
  std::string_view name;         ///< of the program
  std::string_view second = {};  ///< its next word, "launch" of accelerate; empty: none
  Names modules = {};            ///< of `python -m`
  bool starts_python = true;     ///< its first word after the options is a Python script
  Names flags = {};              ///< options without a value
  Names pairs = {};              ///< options with two values
  Names processes = {};          ///< options whose value is the number of processes
  bool sets_own_rank = false;
};

/// The words of a text, with a blank between each two.
Names words_in(std::string_view text) {
  Names all;
  for (;;) {
    const auto end = text.find(' ');
    all.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return all;
    text.remove_prefix(end + 1);
  }
}

std::vector<Launcher> all_launchers() {
  std::vector<Launcher> all{
      {.name = "torchrun",
       .modules = {"torch.distributed.run", "torch.distributed.launch"},
       .flags = words_in("--standalone --use-env --virtual-local-rank --help"),
       .processes = {"--nproc-per-node"}},
      {.name = "accelerate",
       .second = "launch",
       .modules = {"accelerate.commands.launch"},
       .flags = words_in(
           "--multi-gpu --cpu --use-cpu --mps --tpu --ipex --use-deepspeed --use-fsdp "
           "--use-megatron-lm --use-xpu --debug --quiet -q --same-network --downcast-bf16 "
           "--enable-cpu-affinity --dynamo-use-fullgraph --dynamo-use-dynamic --tpu-use-cluster "
           "--no-tpu-use-cluster --tpu-use-sudo"),
       .processes = {"--num-processes"}},
      {.name = "deepspeed",
       .modules = {"deepspeed.launcher.runner", "deepspeed"},
       .flags = words_in("--no-local-rank --no-ssh --no-ssh-check --force-multi --save-pid "
                         "--elastic-training --bind-cores-to-rank"),
       .processes = {"--num-gpus", "--num-accelerators"}}};
  for (const char* name : {"mpirun", "mpiexec", "orterun", "horovodrun", "srun"}) {
    all.push_back(
        {.name = name,
         .starts_python = false,
         .flags = words_in(
             "--allow-run-as-root --oversubscribe --use-hwthread-cpus --tag-output "
             "--report-bindings --quiet --verbose --label --unbuffered --exclusive --overlap "
             "--noinherit -q -v -l -u -nolocal"),
         .pairs = words_in("--mca -mca --prtemca --pmixmca -genv -env"),
         .processes = words_in("-np --np -n --n -c --ntasks --num-proc --oversubscribe-np"),
         .sets_own_rank = true});
  }
  return all;
}

const std::vector<Launcher>& launchers() {
  static const auto all = all_launchers();
  return all;
}

// Programs that start the program among their words.
constexpr std::array<std::string_view, 17> kWrappers{
    "env",    "nice", "nohup", "time",   "timeout", "taskset", "numactl", "stdbuf", "setsid",
    "ionice", "chrt", "uv",    "poetry", "pipenv",  "pdm",     "conda",   "pixi"};
constexpr std::array<std::string_view, 5> kShells{"sh", "bash", "dash", "zsh", "ksh"};

std::string base_name(const std::string& word) { return word.substr(word.rfind('/') + 1); }

template <typename List>
bool has(const List& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

bool is_python(const std::string& word) {
  const auto name = base_name(word);
  return name.starts_with("python") &&
         name.find_first_not_of("0123456789.", 6) == std::string::npos;
}

bool is_script(const std::string& word) { return word.ends_with(".py") || word.ends_with(".sh"); }

/// A short option of Python, or several in one word, that ends with `letter`: "-m", "-um".
bool ends_options(const std::string& word, char letter) {
  return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.back() == letter;
}

std::string spelt(std::string option) {
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

/// A launcher's place among the words.
struct Place {
  const Launcher* launcher = nullptr;
  std::string name;         ///< as the user wrote it
  std::size_t begin = 0;    ///< the first word that is left out
  std::size_t options = 0;  ///< the first word after the launcher
  WordList interpreter;  ///< takes the launcher's place before a script; empty: words before it do
};

const Launcher* of_module(const std::string& module) {
  for (const auto& launcher : launchers()) {
    if (has(launcher.modules, module)) return &launcher;
  }
  return nullptr;
}

/// The launcher that is called by the program at `i`, if it is one.
std::optional<Place> called_at(const WordList& words, std::size_t i) {
  const auto name = base_name(words[i]);
  for (const auto& launcher : launchers()) {
    if (launcher.name != name) continue;
    const bool two = !launcher.second.empty();
    if (two && (i + 1 >= words.size() || words[i + 1] != launcher.second)) continue;
    const auto folder = words[i].substr(0, words[i].size() - name.size());
    return Place{&launcher,
                 two ? name + ' ' + std::string{launcher.second} : name,
                 i,
                 i + (two ? 2 : 1),
                 {folder + "python3"}};
  }
  return std::nullopt;
}

/// The launcher that Python at `i` runs, by `-m` or as a script.
std::optional<Place> run_by_python(const WordList& words, std::size_t i) {
  for (auto at = i + 1; at < words.size(); ++at) {
    const auto& word = words[at];
    if (ends_options(word, 'c')) return std::nullopt;
    if (ends_options(word, 'm')) {
      const auto* launcher = at + 1 < words.size() ? of_module(words[at + 1]) : nullptr;
      if (launcher == nullptr) return std::nullopt;
      Place place{launcher, base_name(words[i]) + " -m " + words[at + 1], at, at + 2, {}};
      // "-um" keeps its other letters.
      if (word.size() > 2) place.interpreter = {word.substr(0, word.size() - 1)};
      return place;
    }
    if (ends_options(word, 'X') || ends_options(word, 'W')) {
      ++at;  // its value
    } else if (!word.starts_with('-')) {
      auto place = called_at(words, at);
      if (place) place->interpreter.clear();
      return place;
    }
  }
  return std::nullopt;
}

std::optional<Place> find_place(const WordList& words) {
  bool wrapped = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (is_python(word)) return run_by_python(words, i);
    if (auto place = called_at(words, i)) return place;
    const bool module = wrapped && (word == "-m" || word == "--module") && i + 1 < words.size();
    if (const auto* launcher = module ? of_module(words[i + 1]) : nullptr) {
      return Place{launcher, word + ' ' + words[i + 1], i, i + 2, {"python3"}};
    }
    if (is_script(word) || has(kShells, base_name(word))) return std::nullopt;
    wrapped = wrapped || has(kWrappers, base_name(word));
    if (!wrapped) return std::nullopt;
  }
  return std::nullopt;
}

/// What a launcher's options say.
struct Options {
  std::size_t program = 0;  ///< the first word that is no option
  std::string processes;
  bool module = false;
  bool no_python = false;
  WordList
      environment;  ///< variables by which accelerate passes on options that change the training
};

void take_value(const Launcher& launcher, const std::string& option, const std::string& value,
                Options& options) {
  if (has(launcher.processes, option)) options.processes = value;
  if (launcher.name != "accelerate") return;
  if (option == "--mixed-precision") {
    options.environment.push_back("ACCELERATE_MIXED_PRECISION=" + value);
  } else if (option == "--gradient-accumulation-steps") {
    options.environment.push_back("ACCELERATE_GRADIENT_ACCUMULATION_STEPS=" + value);
  }
}

/// The whole name of an option that may be shortened, as argparse allows.
std::string full_name(const Launcher& launcher, const std::string& option) {
  if (!option.starts_with("--")) return option;
  for (const auto& names : {launcher.processes, launcher.flags}) {
    for (const auto name : names) {
      if (name.starts_with(option) && option.size() > 5) return std::string{name};
    }
  }
  return option;
}

Options read_options(const WordList& words, const Place& place) {
  const auto& launcher = *place.launcher;
  Options options;
  auto at = place.options;
  for (; at < words.size() && words[at].starts_with('-') && words[at] != "-"; ++at) {
    if (words[at] == "--") {
      ++at;
      break;
    }
    const auto equals = words[at].find('=');
    const auto option = full_name(launcher, spelt(words[at].substr(0, equals)));
    if (equals != std::string::npos) {
      take_value(launcher, option, words[at].substr(equals + 1), options);
    } else if (launcher.starts_python && (option == "-m" || option == "--module")) {
      options.module = true;
    } else if (launcher.starts_python && (option == "--no-python" || option == "--run-path")) {
      options.no_python = option == "--no-python";
    } else if (has(launcher.pairs, option)) {
      at += 2;
    } else if (has(launcher.flags, option)) {
      const bool cpu = option == "--cpu" || option == "--use-cpu";
      if (launcher.name == "accelerate" && cpu) {
        options.environment.emplace_back("ACCELERATE_USE_CPU=true");
      }
    } else if (at + 1 < words.size() && !words[at + 1].starts_with('-') &&
               !is_script(words[at + 1])) {
      take_value(launcher, option, words[++at], options);
    }
  }
  options.program = std::min(at, words.size());
  return options;
}

/// Takes the launcher out of `words`, of which the first `count` are the command.
std::optional<Launch> without(const WordList& words, std::size_t count, const Place& place) {
  const auto options = read_options(words, place);
  if (options.program >= words.size()) return std::nullopt;
  Launch launch{place.name, {}, {}, options.processes, place.launcher->sets_own_rank};
  launch.command.assign(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(place.begin));
  if (!options.environment.empty()) {
    auto first = launch.command.end();
    // Python comes before the launcher only in `python -m`; env must come before Python.
    while (first != launch.command.begin() &&
           (is_python(*(first - 1)) || (first - 1)->starts_with('-'))) {
      --first;
    }
    auto variables = options.environment;
    variables.insert(variables.begin(), "env");
    launch.command.insert(first, variables.begin(), variables.end());
  }
  if (place.launcher->starts_python && !options.no_python) {
    launch.command.insert(launch.command.end(), place.interpreter.begin(), place.interpreter.end());
    if (options.module) launch.command.emplace_back("-m");
  } else if (options.no_python && place.interpreter.empty()) {
    while (!launch.command.empty() &&
           (is_python(launch.command.back()) || launch.command.back().starts_with('-'))) {
      launch.command.pop_back();
    }
  }
  for (auto i = options.program; i < words.size(); ++i) {
    (i < count ? launch.command : launch.arguments).push_back(words[i]);
  }
  return launch;
}

/// The word with the text that a shell runs: that after `-c`.
std::optional<std::size_t> shell_text(const WordList& words) {
  for (std::size_t i = 0; i < words.size() && !is_script(words[i]); ++i) {
    if (!has(kShells, base_name(words[i]))) continue;
    for (auto at = i + 1; at + 1 < words.size() && words[at].starts_with('-'); ++at) {
      if (ends_options(words[at], 'c')) return at + 1;
    }
    return std::nullopt;
  }
  return std::nullopt;
}

/// Splits a shell's text at blanks; ";", "&&", "||" and "|" become words of their own.
WordList shell_words_of(const std::string& text) {
  std::string spaced;
  for (const char letter : text) {
    spaced += letter == ';' ? " ; " : letter == '\n' ? " \n " : std::string{letter};
  }
  WordList words;
  std::string word;
  for (const char letter : spaced + ' ') {
    if (letter != ' ' && letter != '\t') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

bool ends_a_command(const std::string& word) {
  return word == ";" || word == "&&" || word == "||" || word == "|" || word == "&" || word == "\n";
}

/// Whether a command of a shell begins only after this word: "exec", or a variable.
bool comes_before_a_command(const std::string& word) {
  const auto equals = word.find('=');
  return word == "exec" || (equals != std::string::npos && equals > 0 && word[0] != '-');
}

std::string joined(const WordList& words) {
  std::string text;
  for (const auto& word : words) {
    const bool tight = text.empty() || word == ";" || word == "\n" || text.back() == '\n';
    if (!tight) text += ' ';
    text += word;
  }
  return text;
}

std::optional<Launch> in_shell_text(const std::string& text) {
  const auto words = shell_words_of(text);
  for (std::size_t begin = 0; begin < words.size(); ++begin) {
    while (begin < words.size() && comes_before_a_command(words[begin])) ++begin;
    auto end = begin;
    while (end < words.size() && !ends_a_command(words[end])) ++end;
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto to = words.begin() + static_cast<std::ptrdiff_t>(end);
    const WordList command{from, to};
    const auto place = find_place(command);
    if (auto launch = place ? without(command, command.size(), *place) : std::nullopt) {
      WordList all{words.begin(), from};
      all.insert(all.end(), launch->command.begin(), launch->command.end());
      all.insert(all.end(), to, words.end());
      launch->command = {joined(all)};
      return launch;
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Launch> find_launcher(const WordList& command, const WordList& arguments) {
  auto words = command;
  words.insert(words.end(), arguments.begin(), arguments.end());
  if (const auto place = find_place(words)) return without(words, command.size(), *place);
  const auto at = shell_text(words);
  if (!at) return std::nullopt;
  auto launch = in_shell_text(words[*at]);
  if (!launch) return std::nullopt;
  words[*at] = launch->command.front();
  const auto split = words.begin() + static_cast<std::ptrdiff_t>(command.size());
  launch->command.assign(words.begin(), split);
  launch->arguments.assign(split, words.end());
  return launch;
}

}  // namespace pacbench
