#include "trainer/data/sources.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <charconv>
#include <stdexcept>

#include "trainer/data/augment.h"
#include "trainer/data/embedded.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kDigitSide = 8;
constexpr std::int64_t kDigitPixels = kDigitSide * kDigitSide;
constexpr int kDarkest = 16;
constexpr int kClasses = 10;
constexpr std::int64_t kImages = 1797;

/// The numbers of the embedded table: kDigitPixels pixels and a label for each image.
std::vector<std::uint8_t> parse_digits(std::string_view text) {
  std::vector<std::uint8_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    int value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || value < 0 || value > kDarkest) {
      throw std::logic_error{
          fmt::format("the embedded digits are damaged at byte {}", at - text.data())};
    }
    numbers.push_back(static_cast<std::uint8_t>(value));
    at = stop + 1;
  }
  if (numbers.size() != static_cast<std::size_t>(kImages * (kDigitPixels + 1))) {
    throw std::logic_error{fmt::format("the embedded digits hold {} numbers, expected {}",
                                       numbers.size(), kImages * (kDigitPixels + 1))};
  }
  return numbers;
}

/// Every second image of the table, beginning at `first`.
Samples half(const at::Tensor& table, std::int64_t first, const std::string& transform) {
  const auto rows = table.slice(0, first, kImages, 2);
  const auto pixels = rows.slice(1, 0, kDigitPixels).reshape({-1, 1, kDigitSide, kDigitSide});
  return {transformed(pixels, transform, kDarkest),
          rows.select(1, kDigitPixels).to(at::kLong).contiguous()};
}

}  // namespace

Source digits_source() {
  DatasetInfo info;
  info.name = "digits";
  info.summary = "handwritten digits, 8x8, embedded; every second image is for testing";
  info.origin =
      "Optical Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, UCI Machine Learning "
      "Repository, CC BY 4.0";
  info.options = {transform_option()};
  info.shape = {1, kDigitSide, kDigitSide};
  info.classes = kClasses;
  info.train_samples = (kImages + 1) / 2;
  info.test_samples = kImages / 2;
  const auto load = [info](const Choice& choice, const std::string&) {
    auto numbers = parse_digits(embedded_digits());
    const auto table =
        at::from_blob(numbers.data(), {kImages, kDigitPixels + 1}, at::kByte).clone();
    const std::string transform = choice.options.at("transform");
    return Dataset::Parts{info, half(table, 0, transform), half(table, 1, transform), false};
  };
  return {info, load};
}

}  // namespace pacbench::trainer
