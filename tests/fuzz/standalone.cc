// Runs a fuzz target without libFuzzer, for the ordinary tests: over a corpus, then over as many
// mutations of its inputs as fit into the given seconds. The mutations and their order are the same
// every time. tools/fuzz searches further.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "base/files.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr std::size_t kMostChanges = 8;

using Random = std::mt19937;

void run(const std::string& input) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
}

std::vector<std::string> read_corpus(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator{folder}) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> corpus;
  for (const auto& file : files) corpus.push_back(pacbench::read_file(file));
  return corpus;
}

std::size_t below(Random& random, std::size_t end) {
  return random() % std::max<std::size_t>(end, 1);
}

/// Makes one change: flips a bit, sets or inserts a byte, erases some bytes, or inserts a piece of
/// another input.
void change(std::string& input, const std::string& other, Random& random) {
  const auto at = below(random, input.size() + 1);
  const auto byte = static_cast<char>(random() % 256);
  const auto from = below(random, other.size());
  switch (random() % 5) {
    case 0:
      if (at < input.size()) input[at] = static_cast<char>(input[at] ^ (1 << random() % 8));
      break;
    case 1:
      if (at < input.size()) input[at] = byte;
      break;
    case 2:
      input.insert(at, 1, byte);
      break;
    case 3:
      input.erase(at, 1 + below(random, 16));
      break;
    default:
      input.insert(at, other, from, 1 + below(random, 64));
  }
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) {
    fmt::print(stderr, "usage: {} CORPUS SECONDS\n", words[0]);
    return 2;
  }
  const auto corpus = read_corpus(words[1]);
  if (corpus.empty()) {
    fmt::print(stderr, "no input in {}\n", words[1]);
    return 2;
  }
  for (const auto& input : corpus) run(input);
  Random random{20240604};
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds{std::stoi(words[2])};
  int mutations = 0;
  for (; Clock::now() < end; ++mutations) {
    auto input = corpus[below(random, corpus.size())];
    for (auto changes = 1 + below(random, kMostChanges); changes > 0; --changes) {
      change(input, corpus[below(random, corpus.size())], random);
    }
    run(input);
  }
  fmt::print("{} inputs and {} mutations of them\n", corpus.size(), mutations);
}
