#include "trainer/data/dataset.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "trainer/data/augment.h"

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

/// `count` samples from place `first` on in a random order that is the same in every run.
Samples in_drawn_order(const Samples& part, std::int64_t first, std::int64_t count) {
  const auto rows = at::tensor(epoch_permutation(0, 0, part.count())).narrow(0, first, count);
  return {part.inputs.index_select(0, rows), part.labels.index_select(0, rows)};
}

}  // namespace

Samples drawn_samples(const Samples& part, std::int64_t count) {
  return count == 0 ? part : in_drawn_order(part, 0, count);
}

Dataset::Parts held_out(const Dataset& whole, std::int64_t count) {
  const auto& all = whole.training();
  return {whole.info(), in_drawn_order(all, count, all.count() - count), drawn_samples(all, count),
          whole.augments()};
}

Dataset::Dataset(Parts parts)
    : parts_{std::move(parts)},
      value_of_pixel_{parts_.info.input == "tokens" ? ValueTable{}
                                                    : normalising_tables(parts_.training)},
      order_{parts_.training.count()} {}

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
    const auto order = order_.of(position.seed, place / samples);
    rows.push_back((*order)[static_cast<std::size_t>(place % samples)]);
  }
  const auto index = at::tensor(rows);
  auto stored = parts_.training.inputs.index_select(0, index);
  if (parts_.augment) augment(stored, position.seed, first);
  return prepared(stored, parts_.training.labels.index_select(0, index));
}

Batch Dataset::plain_batch(const Samples& part, std::int64_t first, std::int64_t count) const {
  return prepared(part.inputs.narrow(0, first, count), part.labels.narrow(0, first, count));
}

Batch Dataset::balanced_batch(std::int64_t seed, std::int64_t per_class, std::int64_t draw) const {
  // Uses epochs that training never reaches, so that draws are independent of the data order.
  constexpr std::int64_t kLastEpoch = 0xFFFFFFFF;
  auto order = epoch_permutation(seed, kLastEpoch - draw, parts_.training.count());
  const auto& info = parts_.info;
  if (info.input != "tokens") return training_rows(rows_of_each_class(order, per_class));
  const auto context = info.shape.at(0);
  const auto pieces = (per_class * info.classes + context - 1) / context;
  order.resize(static_cast<std::size_t>(std::min(pieces, parts_.training.count())));
  return training_rows(order);
}

std::vector<std::int64_t> Dataset::rows_of_each_class(const std::vector<std::int64_t>& order,
                                                      std::int64_t per_class) const {
  const auto* label = parts_.training.labels.const_data_ptr<std::int64_t>();
  std::vector<std::vector<std::int64_t>> rows_of_class(
      static_cast<std::size_t>(parts_.info.classes));
  for (const auto row : order) {
    auto& rows = rows_of_class[static_cast<std::size_t>(label[row])];
    if (static_cast<std::int64_t>(rows.size()) < per_class) rows.push_back(row);
  }
  std::vector<std::int64_t> all;
  for (const auto& rows : rows_of_class) all.insert(all.end(), rows.begin(), rows.end());
  return all;
}

Batch Dataset::training_rows(const std::vector<std::int64_t>& rows) const {
  const auto index = at::tensor(rows);
  return prepared(parts_.training.inputs.index_select(0, index),
                  parts_.training.labels.index_select(0, index));
}

Batch Dataset::prepared(const at::Tensor& stored, at::Tensor labels) const {
  if (parts_.info.input == "tokens") return {stored.to(at::kLong), std::move(labels)};
  Batch batch{at::empty(stored.sizes(), at::kFloat), std::move(labels)};
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

}  // namespace pacbench::trainer
