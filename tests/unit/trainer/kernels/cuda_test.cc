// Compares every kernel for GPUs with the plain kernel, on the same numbers. Skipped where there is
// no GPU.
#include "trainer/kernels/cuda_kernels.h"

#include <cuda_runtime_api.h>

#include <optional>
#include <stdexcept>

#include "tests/unit/trainer/kernels/isa_test.h"

namespace pacbench::trainer::raw {
namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) throw std::runtime_error{cudaGetErrorString(status)};
}

/// A copy on the GPU, with guard numbers behind its end, which a kernel must not touch.
template <typename Number>
class OnDevice {
 public:
  explicit OnDevice(const std::vector<Number>& numbers) : size_{numbers.size()} {
    auto all = numbers;
    all.resize(size_ + kGuards, Number{77});
    check(cudaMalloc(reinterpret_cast<void**>(&data_), all.size() * sizeof(Number)));
    check(cudaMemcpy(data_, all.data(), all.size() * sizeof(Number), cudaMemcpyHostToDevice));
  }
  explicit OnDevice(std::int64_t size)
      : OnDevice(std::vector<Number>(static_cast<std::size_t>(size), Number{77})) {}
  ~OnDevice() { cudaFree(data_); }
  OnDevice(const OnDevice&) = delete;

  Number* data() const { return data_; }

  std::vector<Number> numbers() const {
    std::vector<Number> all(size_ + kGuards);
    check(cudaDeviceSynchronize());
    check(cudaMemcpy(all.data(), data_, all.size() * sizeof(Number), cudaMemcpyDeviceToHost));
    EXPECT_EQ(std::vector<Number>(all.end() - kGuards, all.end()),
              std::vector<Number>(kGuards, Number{77}));
    all.resize(size_);
    return all;
  }

 private:
  static constexpr std::size_t kGuards = 80;
  std::size_t size_;
  Number* data_ = nullptr;
};

/// The input of a test: values, a mask, and both on the GPU.
struct Sample {
  std::vector<float> values;
  SomeMask some;
  OnDevice<float> device_values;
  OnDevice<std::uint64_t> device_words;
  Mask device_mask;

  Sample(std::int64_t elements, double share)
      : values{some_values(elements, 1)},
        some{elements, share, 2},
        device_values{values},
        device_words{some.words},
        device_mask{device_words.data(), elements, some.mask.kept} {}
};

TEST(CudaKernelsOfNoElements, AskNothingOfAGpu) {
  const Mask none{nullptr, 0, 0};
  const auto& cuda = cuda_kernels();
  const auto found = cuda.rounding.moments(nullptr, none);
  EXPECT_EQ(found.largest, 0);
  EXPECT_EQ(found.sum_of_squares, 0);
  EXPECT_NO_THROW(cuda.masks.compact(nullptr, none, nullptr));
  EXPECT_NO_THROW(cuda.masks.scatter(nullptr, none, nullptr));
  EXPECT_NO_THROW(cuda.rounding.scatter_int8(nullptr, none, 1, nullptr));
}

class CudaKernels : public ::testing::Test {
 protected:
  void SetUp() override {
    int devices = 0;
    const auto status = cudaGetDeviceCount(&devices);
    if (status != cudaSuccess) GTEST_SKIP() << "no GPU: " << cudaGetErrorString(status);
    if (devices == 0) GTEST_SKIP() << "no GPU";
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    scope_.emplace(0, stream_);
  }
  void TearDown() override {
    scope_.reset();
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  template <typename Check>
  static void for_each_sample(Check check_sample) {
    for (const auto elements : kSizes) {
      for (const double share : kShares) {
        SCOPED_TRACE(std::to_string(elements) + " elements, kept " + std::to_string(share));
        check_sample(Sample{elements, share});
      }
    }
  }

  const KernelTable& plain_ = *kernel_table(Isa::kPlain);
  const KernelTable& cuda_ = cuda_kernels();

 private:
  cudaStream_t stream_ = nullptr;
  std::optional<OnStream> scope_;
};

TEST_F(CudaKernels, MoveValuesByMask) {
  for_each_sample([&](const Sample& sample) {
    Guarded<float> compacted{sample.some.mask.kept};
    plain_.masks.compact(sample.values.data(), sample.some.mask, compacted.data());
    const OnDevice<float> device_compacted{sample.some.mask.kept};
    cuda_.masks.compact(sample.device_values.data(), sample.device_mask, device_compacted.data());
    EXPECT_EQ(bits_of(device_compacted.numbers()), bits_of(compacted.numbers()));

    Guarded<float> scattered{sample.some.mask.elements};
    plain_.masks.scatter(compacted.data(), sample.some.mask, scattered.data());
    const OnDevice<float> device_scattered{sample.some.mask.elements};
    cuda_.masks.scatter(device_compacted.data(), sample.device_mask, device_scattered.data());
    EXPECT_EQ(bits_of(device_scattered.numbers()), bits_of(scattered.numbers()));
  });
}

TEST_F(CudaKernels, SeeAndClearWhatIsOutsideTheMask) {
  for_each_sample([&](const Sample& sample) {
    auto* const values = sample.device_values.data();
    EXPECT_EQ(cuda_.masks.any_outside(values, sample.device_mask),
              plain_.masks.any_outside(sample.values.data(), sample.some.mask));
    cuda_.masks.zero_outside(values, sample.device_mask);
    EXPECT_FALSE(cuda_.masks.any_outside(values, sample.device_mask));
    auto cleared = sample.values;
    plain_.masks.zero_outside(cleared.data(), sample.some.mask);
    EXPECT_EQ(bits_of(sample.device_values.numbers()), bits_of(cleared));

    std::vector<std::uint64_t> words(sample.some.words.size());
    const OnDevice<std::uint64_t> device_words{words};
    EXPECT_EQ(cuda_.masks.nonzero(values, sample.some.mask.elements, device_words.data()),
              plain_.masks.nonzero(cleared.data(), sample.some.mask.elements, words.data()));
    EXPECT_EQ(device_words.numbers(), words);
  });
}

TEST_F(CudaKernels, FindTheSameMoments) {
  for_each_sample([&](const Sample& sample) {
    const auto found = cuda_.rounding.moments(sample.device_values.data(), sample.device_mask);
    const auto expected = plain_.rounding.moments(sample.values.data(), sample.some.mask);
    EXPECT_EQ(found.largest, expected.largest);
    // The square of either infinity is infinite, so these sums are infinite, not NaN, and compare
    // equal.
    EXPECT_EQ(found.sum_of_squares, expected.sum_of_squares);
  });
}

TEST_F(CudaKernels, RoundTheSameWay) {
  const auto stream = RandomKey{.seed = 99, .rank = 3, .iteration = 12, .parameter = 4}.stream();
  for (const int levels : {1, 2, 7, 127}) {
    for_each_sample([&](const Sample& sample) {
      const auto per_unit = static_cast<float>(levels) / 2.5F;
      const auto kept = sample.some.mask.kept;
      Guarded<std::int8_t> digits{kept};
      plain_.rounding.quantise(sample.values.data(), sample.some.mask, per_unit, levels, stream,
                               digits.data());
      const OnDevice<std::int8_t> device_digits{kept};
      cuda_.rounding.quantise(sample.device_values.data(), sample.device_mask, per_unit, levels,
                              stream, device_digits.data());
      EXPECT_EQ(device_digits.numbers(), digits.numbers());

      Guarded<float> out{sample.some.mask.elements};
      plain_.rounding.scatter_int8(digits.data(), sample.some.mask, 0.37F, out.data());
      const OnDevice<float> device_out{sample.some.mask.elements};
      cuda_.rounding.scatter_int8(device_digits.data(), sample.device_mask, 0.37F,
                                  device_out.data());
      EXPECT_EQ(bits_of(device_out.numbers()), bits_of(out.numbers()));
    });
  }
}

TEST_F(CudaKernels, PackAndUnpackTheSameLanes) {
  constexpr int kRanks = 3;
  for (int bits = 1; bits <= 16; ++bits) {
    const auto layout = LaneLayout::of(bits);
    const auto& plain = plain_.lanes.of(layout);
    const auto& cuda = cuda_.lanes.of(layout);
    const int offset = std::min(127, ((1 << bits) - 1) / 2);
    for (const auto elements : kSizes) {
      SCOPED_TRACE(std::to_string(bits) + " bits, " + std::to_string(elements) + " elements");
      const LaneRange range{layout, elements};
      std::mt19937 random{static_cast<unsigned>(elements)};
      std::vector<std::int8_t> digits;
      std::vector<std::int16_t> totals;
      for (std::int64_t i = 0; i < elements; ++i) {
        const auto number = static_cast<int>(random() % static_cast<unsigned>(2 * offset + 1));
        digits.push_back(static_cast<std::int8_t>(number - offset));
        totals.push_back(static_cast<std::int16_t>(random() % 32768));
      }
      const OnDevice<std::int8_t> device_digits{digits};
      const OnDevice<std::int16_t> device_totals{totals};
      const auto bytes = layout.bytes(elements);
      Guarded<std::uint8_t> own{bytes}, words{bytes};
      const OnDevice<std::uint8_t> device_own{bytes}, device_words{bytes};
      Guarded<std::int16_t> sums{elements};
      const OnDevice<std::int16_t> device_sums{elements};

      plain.pack(digits.data(), offset, range, own.data());
      cuda.pack(device_digits.data(), offset, range, device_own.data());
      EXPECT_EQ(device_own.numbers(), own.numbers());
      plain.pack_totals(totals.data(), range, words.data());
      cuda.pack_totals(device_totals.data(), range, device_words.data());
      EXPECT_EQ(device_words.numbers(), words.numbers());
      plain.unpack_sums(words.data(), own.data(), digits.data(), offset, kRanks, range,
                        sums.data());
      cuda.unpack_sums(device_words.data(), device_own.data(), device_digits.data(), offset, kRanks,
                       range, device_sums.data());
      EXPECT_EQ(device_sums.numbers(), sums.numbers());
      plain.unpack_totals(words.data(), digits.data(), offset, kRanks, range, sums.data());
      cuda.unpack_totals(device_words.data(), device_digits.data(), offset, kRanks, range,
                         device_sums.data());
      EXPECT_EQ(device_sums.numbers(), sums.numbers());
      plain.add(words.data(), range, totals.data());
      cuda.add(device_words.data(), range, device_totals.data());
      EXPECT_EQ(device_totals.numbers(), totals);
    }
  }
}

}  // namespace
}  // namespace pacbench::trainer::raw
