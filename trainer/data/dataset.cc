#include "trainer/data/dataset.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "trainer/data/augment.h"
#include "trainer/data/sources.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer {
namespace {

using ValueTable = std::vector<std::array<float, 256>>;

/// For each channel of `images` a table of the normalised value of each pixel value: the channel
/// gets mean 0 and deviation 1. Pixels are counted in integers, so that every rank of every machine
/// gets the same tables.
ValueTable normalising_tables(const Samples& images) {
  const auto channels = images.inputs.size(1);
  const auto plane = images.inputs.size(2) * images.inputs.size(3);
  const auto* pixel = images.inputs.const_data_ptr<std::uint8_t>();
  std::vector<std::array<std::int64_t, 256>> histograms(static_cast<std::size_t>(channels));
  for (auto& histogram : histograms) histogram.fill(0);
  for (std::int64_t i = 0; i < images.count(); ++i) {
    for (auto& histogram : histograms) {
      for (const auto* end = pixel + plane; pixel != end; ++pixel) ++histogram[*pixel];
    }
  }
  ValueTable tables;
  for (const auto& histogram : histograms) {
    double count = 0, sum = 0, squares = 0;
    for (std::size_t value = 0; value < 256; ++value) {
      const auto times = static_cast<double>(histogram[value]);
      const auto number = static_cast<double>(value);
      count += times;
      sum += times * number;
      squares += times * number * number;
    }
    const double mean = sum / count;
    const double deviation = std::sqrt(std::max(squares / count - mean * mean, 1e-12));
    auto& table = tables.emplace_back();
    for (std::size_t value = 0; value < 256; ++value) {
      table[value] = static_cast<float>((static_cast<double>(value) - mean) / deviation);
    }
  }
  return tables;
}

Samples rows_of(const Samples& part, const at::Tensor& rows) {
  return {part.inputs.index_select(0, rows), part.labels.index_select(0, rows)};
}

/// `count` samples from place `first` on in a random order that is the same in every run.
Samples in_drawn_order(const Samples& part, std::int64_t first, std::int64_t count) {
  return rows_of(part, at::tensor(epoch_permutation(0, 0, part.count())).narrow(0, first, count));
}

/// Splits the training set of `whole`: `count` random samples, the same in every run, become the
/// test set, and the others the training set.
Dataset::Parts held_out(const Dataset::Parts& whole, std::int64_t count) {
  const auto& all = whole.training;
  return {whole.info, in_drawn_order(all, count, all.count() - count),
          in_drawn_order(all, 0, count), whole.augment};
}

/// The rows of the first `per_class` samples of each class in this order, class after class.
std::vector<std::int64_t> rows_of_each_class(const at::Tensor& labels, int classes,
                                             const std::vector<std::int64_t>& order,
                                             std::int64_t per_class) {
  const auto* label = labels.const_data_ptr<std::int64_t>();
  std::vector<std::vector<std::int64_t>> rows_of_class(static_cast<std::size_t>(classes));
  for (const auto row : order) {
    auto& rows = rows_of_class[static_cast<std::size_t>(label[row])];
    if (static_cast<std::int64_t>(rows.size()) < per_class) rows.push_back(row);
  }
  std::vector<std::int64_t> all;
  for (const auto& rows : rows_of_class) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

/// The data sets and how they are read; a new data set gets its line here.
std::vector<Source> sources() {
  std::vector<Source> all{digits_source(), shakespeare_source()};
  for (const auto& each : cifar_sources()) all.push_back(each);
  return all;
}

Source find_source(const std::string& name) {
  std::vector<std::string> names;
  for (const auto& source : sources()) {
    if (source.info.name == name) return source;
    names.push_back(source.info.name);
  }
  throw ConfigError{
      "data set",
      {{"/name", fmt::format("found \"{}\", expected one of {}", name, fmt::join(names, ", "))}}};
}

}  // namespace

std::vector<std::int64_t> epoch_permutation(std::int64_t seed, std::int64_t epoch,
                                            std::int64_t samples) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(samples));
  std::iota(order.begin(), order.end(), 0);
  const RandomKey key{.seed = seed, .use = RandomUse::kDataOrder, .iteration = epoch};
  for_each_random_word(key.stream(), 0, samples - 1, [&](std::int64_t i, std::uint32_t word) {
    const auto other = i + bounded(word, samples - i);
    std::swap(order[static_cast<std::size_t>(i)], order[static_cast<std::size_t>(other)]);
  });
  return order;
}

Samples drawn_samples(const Samples& part, std::int64_t count) {
  return count == 0 ? part : in_drawn_order(part, 0, count);
}

Dataset::Dataset(Parts parts)
    : parts_{std::move(parts)},
      value_of_pixel_{parts_.info.input == "tokens" ? ValueTable{}
                                                    : normalising_tables(parts_.training)} {}

Dataset::Permutation Dataset::order_of(std::int64_t seed, std::int64_t epoch) const {
  const std::scoped_lock lock{mutex_};
  for (const auto& kept : kept_) {
    if (kept.permutation && kept.seed == seed && kept.epoch == epoch) return kept.permutation;
  }
  auto& oldest = kept_[epoch % 2];
  oldest = {seed, epoch,
            std::make_shared<const std::vector<std::int64_t>>(
                epoch_permutation(seed, epoch, parts_.training.count()))};
  return oldest.permutation;
}

Batch Dataset::training_batch(const BatchPosition& position) const {
  if (position.iteration < 1 || position.rank < 0 || position.rank >= position.workers) {
    throw std::logic_error{fmt::format(
        "found a request for the batch of iteration {} of rank {} of {} workers, expected an "
        "iteration from 1 on and a rank below the number of workers: this is a mistake in pacbench",
        position.iteration, position.rank, position.workers)};
  }
  const auto batch = position.batch_per_worker;
  const auto first = ((position.iteration - 1) * position.workers + position.rank) * batch;
  const auto samples = parts_.training.count();
  std::vector<std::int64_t> rows;
  for (auto place = first; place < first + batch; ++place) {
    const auto order = order_of(position.seed, place / samples);
    rows.push_back((*order)[static_cast<std::size_t>(place % samples)]);
  }
  auto stored = rows_of(parts_.training, at::tensor(rows));
  if (parts_.augment) augment(stored.inputs, position.seed, first);
  return prepared(stored);
}

Batch Dataset::plain_batch(const Samples& part, std::int64_t first, std::int64_t count) const {
  return prepared({part.inputs.narrow(0, first, count), part.labels.narrow(0, first, count)});
}

Batch Dataset::balanced_batch(std::int64_t seed, std::int64_t per_class, std::int64_t draw) const {
  // Uses epochs that training never reaches, so that draws are independent of the data order.
  constexpr std::int64_t kLastEpoch = 0xFFFFFFFF;
  auto order = epoch_permutation(seed, kLastEpoch - draw, parts_.training.count());
  const auto& info = parts_.info;
  if (info.input != "tokens") {
    order = rows_of_each_class(parts_.training.labels, info.classes, order, per_class);
  } else {
    const auto context = info.shape.at(0);
    const auto pieces = (per_class * info.classes + context - 1) / context;
    order.resize(static_cast<std::size_t>(std::min(pieces, parts_.training.count())));
  }
  return prepared(rows_of(parts_.training, at::tensor(order)));
}

Batch Dataset::prepared(const Samples& samples) const {
  const auto& stored = samples.inputs;
  if (parts_.info.input == "tokens") return {stored.to(at::kLong), samples.labels};
  Batch batch{at::empty(stored.sizes(), at::kFloat), samples.labels};
  const auto plane = stored.size(2) * stored.size(3);
  const auto* pixel = stored.const_data_ptr<std::uint8_t>();
  auto* value = batch.inputs.data_ptr<float>();
  for (std::int64_t i = 0; i < stored.size(0); ++i) {
    for (const auto& table : value_of_pixel_) {
      for (std::int64_t j = 0; j < plane; ++j) *value++ = table[*pixel++];
    }
  }
  return batch;
}

std::vector<DatasetInfo> dataset_catalogue() {
  std::vector<DatasetInfo> infos;
  for (const auto& source : sources()) infos.push_back(source.info);
  return infos;
}

DatasetInfo dataset_info(const std::string& name) { return find_source(name).info; }

std::shared_ptr<const Dataset> load_dataset(const Choice& choice, const std::string& data_folder,
                                            std::int64_t validation_samples) {
  auto parts = find_source(choice.name).load(choice, data_folder);
  if (validation_samples != 0) parts = held_out(parts, validation_samples);
  return std::make_shared<const Dataset>(std::move(parts));
}

std::shared_ptr<const Dataset> dataset_of(const Workload& workload,
                                          const std::string& data_folder) {
  return load_dataset(workload.dataset, data_folder, workload.validation_samples);
}

}  // namespace pacbench::trainer
