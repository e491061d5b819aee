#include "trainer/data/sources.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <array>
#include <stdexcept>

#include "trainer/data/embedded.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kContext = 128;
constexpr int kVocabulary = 65;
constexpr std::int64_t kCharacters = 1115394;
constexpr std::int64_t kTrained = kCharacters * 9 / 10;

/// The number of whole pieces in a part, whose last character can only be a label.
constexpr std::int64_t pieces(std::int64_t characters) { return (characters - 1) / kContext; }

/// Returns uint8 [characters]: for each character of the text its place among the different
/// characters that occur, in the order of their codes.
at::Tensor tokens_of(std::string_view text) {
  std::array<std::uint8_t, 256> token_of{};
  std::array<bool, 256> occurs{};
  for (const char character : text) occurs[static_cast<unsigned char>(character)] = true;
  std::uint8_t vocabulary = 0;
  for (std::size_t i = 0; i < occurs.size(); ++i) {
    if (occurs[i]) token_of[i] = vocabulary++;
  }
  if (std::ssize(text) != kCharacters || vocabulary != kVocabulary) {
    throw std::logic_error{
        fmt::format("the embedded text has {} characters, {} different, expected {} and {}",
                    text.size(), vocabulary, kCharacters, kVocabulary)};
  }
  auto tokens = at::empty({kCharacters}, at::kByte);
  auto* out = tokens.data_ptr<std::uint8_t>();
  for (const char character : text) *out++ = token_of[static_cast<unsigned char>(character)];
  return tokens;
}

Samples cut(const at::Tensor& tokens) {
  const auto count = pieces(tokens.numel());
  const auto from = [&](std::int64_t first) {
    return tokens.narrow(0, first, count * kContext).view({count, kContext});
  };
  return {from(0).contiguous(), from(1).to(at::kLong)};
}

}  // namespace

Source shakespeare_source() {
  DatasetInfo info;
  info.name = "tinyshakespeare";
  info.summary = fmt::format(
      "text of plays, embedded, in pieces of {} characters; the last tenth is for testing",
      kContext);
  info.origin = "W. Shakespeare, as collected by A. Karpathy for char-rnn, 2015; public domain";
  info.input = "tokens";
  info.shape = {kContext};
  info.classes = kVocabulary;
  info.train_samples = pieces(kTrained);
  info.test_samples = pieces(kCharacters - kTrained);
  const auto load = [info](const Choice&, const std::string&) {
    const auto tokens = tokens_of(embedded_shakespeare());
    return Dataset::Parts{info, cut(tokens.narrow(0, 0, kTrained)),
                          cut(tokens.narrow(0, kTrained, kCharacters - kTrained)), false};
  };
  return {info, load};
}

}  // namespace pacbench::trainer
