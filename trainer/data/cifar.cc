#include "trainer/data/sources.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "trainer/data/augment.h"

namespace pacbench::trainer {
namespace {

constexpr std::int64_t kSide = 32;
constexpr std::int64_t kPixels = 3 * kSide * kSide;
constexpr int kMaximum = 255;

/// Makes the catalogue's entry of CIFAR-10 or CIFAR-100, without the list of its files.
DatasetInfo cifar_info(const std::string& name, int classes, int label_bytes) {
  const OptionSpec augment{"augment", OptionSpec::Type::kBoolean,
                           true,      {},
                           {},        "random crop after padding by 4 pixels, and horizontal flip"};
  DatasetInfo info;
  info.name = name;
  info.summary = fmt::format("colour photographs, 32x32, {} classes", classes);
  info.origin = "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009";
  info.options = {augment, transform_option()};
  info.shape = {3, kSide, kSide};
  info.classes = classes;
  info.train_samples = 50000;
  info.test_samples = 10000;
  info.record_label_bytes = label_bytes;
  return info;
}

[[noreturn]] void refuse(const DatasetInfo& info, const std::string& path,
                         const std::string& problem) {
  throw ConfigError{path,
                    {{"", fmt::format("{}: import the data set again with `pacbench data "
                                      "import {} PATH`",
                                      problem, info.name)}}};
}

/// Reads a file's records into `images`, from place `first` on; returns the number of records.
std::int64_t read_records(const DatasetInfo& info, const DatasetInfo::File& file,
                          const std::string& folder, const Samples& images, std::int64_t first) {
  const auto path = folder + "/" + file.name;
  std::ifstream stream{path, std::ios::binary};
  if (!stream) refuse(info, path, fmt::format("cannot be read ({})", std::strerror(errno)));
  const auto found = static_cast<std::int64_t>(std::filesystem::file_size(path));
  if (found != file.bytes) {
    refuse(info, path, fmt::format("found {} bytes, expected {}", found, file.bytes));
  }
  const std::int64_t records = file.bytes / (info.record_label_bytes + kPixels);
  auto* pixels = reinterpret_cast<char*>(images.inputs.data_ptr<std::uint8_t>()) + first * kPixels;
  auto* labels = images.labels.data_ptr<std::int64_t>() + first;
  std::vector<char> label(static_cast<std::size_t>(info.record_label_bytes));
  for (std::int64_t i = 0; i < records; ++i) {
    stream.read(label.data(), info.record_label_bytes).read(pixels + i * kPixels, kPixels);
    if (!stream) refuse(info, path, fmt::format("reading stopped in record {}", i));
    // CIFAR-100 has a coarse label before the fine one.
    labels[i] = static_cast<unsigned char>(label.back());
    if (labels[i] >= info.classes) {
      refuse(
          info, path,
          fmt::format("record {} has label {}, expected one below {}", i, labels[i], info.classes));
    }
  }
  return records;
}

/// Reads the images and labels of the files [first_file, last_file), `count` records together.
Samples read_files(const DatasetInfo& info, const std::string& folder, std::size_t first_file,
                   std::size_t last_file, std::int64_t count) {
  Samples images{at::empty({count, 3, kSide, kSide}, at::kByte), at::empty({count}, at::kLong)};
  std::int64_t records = 0;
  for (std::size_t i = first_file; i < last_file; ++i) {
    records += read_records(info, info.files[i], folder, images, records);
  }
  return images;
}

Source source_of(const DatasetInfo& info) {
  const auto load = [info](const Choice& choice, const std::string& data_folder) {
    const auto folder = data_folder + "/" + info.name;
    const auto test_file = info.files.size() - 1;
    auto training = read_files(info, folder, 0, test_file, info.train_samples);
    auto test = read_files(info, folder, test_file, test_file + 1, info.test_samples);
    const std::string transform = choice.options.at("transform");
    training.inputs = transformed(training.inputs, transform, kMaximum);
    test.inputs = transformed(test.inputs, transform, kMaximum);
    return Dataset::Parts{info, training, test, choice.options.at("augment").get<bool>()};
  };
  return {info, load};
}

}  // namespace

std::vector<Source> cifar_sources() {
  auto cifar10 = cifar_info("cifar10", 10, 1);
  for (int i = 1; i <= 5; ++i) {
    cifar10.files.push_back({fmt::format("data_batch_{}.bin", i), 10000 * (1 + kPixels)});
  }
  cifar10.files.push_back({"test_batch.bin", 10000 * (1 + kPixels)});
  auto cifar100 = cifar_info("cifar100", 100, 2);
  cifar100.files = {{"train.bin", 50000 * (2 + kPixels)}, {"test.bin", 10000 * (2 + kPixels)}};
  return {source_of(cifar10), source_of(cifar100)};
}

}  // namespace pacbench::trainer
