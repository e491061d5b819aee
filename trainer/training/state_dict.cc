#include <caffe2/serialize/inline_container.h>
#include <fmt/format.h>
#include <torch/types.h>

#include <array>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "trainer/training/pickle.h"
#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {
namespace {

using pickle::as;
using pickle::Sequence;
using pickle::Value;

constexpr std::array<std::pair<const char*, at::ScalarType>, 10> kStorages{
    {{"torch.DoubleStorage", at::kDouble},
     {"torch.FloatStorage", at::kFloat},
     {"torch.HalfStorage", at::kHalf},
     {"torch.BFloat16Storage", at::kBFloat16},
     {"torch.LongStorage", at::kLong},
     {"torch.IntStorage", at::kInt},
     {"torch.ShortStorage", at::kShort},
     {"torch.CharStorage", at::kChar},
     {"torch.ByteStorage", at::kByte},
     {"torch.BoolStorage", at::kBool}}};

at::ScalarType type_of(const std::string& storage) {
  for (const auto& [name, type] : kStorages) {
    if (storage == name) return type;
  }
  throw std::runtime_error{fmt::format("it has a {}, which is not a storage of numbers", storage)};
}

std::vector<std::int64_t> integers(const Value& value) {
  std::vector<std::int64_t> all;
  for (const auto& each : *as<std::shared_ptr<Sequence>>(value, "a shape")) {
    all.push_back(as<std::int64_t>(each, "an integer"));
  }
  return all;
}

const Value& argument(const Sequence& arguments, std::size_t i) {
  if (i < arguments.size()) return arguments[i];
  throw std::runtime_error{"its pickle has a call with too few arguments"};
}

/// Lets torch read an archive from bytes in memory.
class BytesAdapter final : public caffe2::serialize::ReadAdapterInterface {
 public:
  explicit BytesAdapter(std::string_view bytes) : bytes_{bytes} {}

  std::size_t size() const override { return bytes_.size(); }
  std::size_t read(std::uint64_t position, void* to, std::size_t count,
                   const char* /*what*/) const override {
    if (position >= bytes_.size()) return 0;
    const auto part = bytes_.substr(position, count);
    std::memcpy(to, part.data(), part.size());
    return part.size();
  }

 private:
  std::string_view bytes_;
};

/// A zip archive of torch.save, whose pickle load() carries out.
class Archive {
 public:
  explicit Archive(std::string_view bytes)
      : reader_{std::make_shared<BytesAdapter>(bytes)}, file_bytes_{bytes.size()} {}

  Value load() {
    const auto [bytes, size] = record("data.pkl");
    const pickle::Reader rules{[this](const Value& id) { return storage(id); },
                               [this](const std::string& name, const Sequence& arguments) {
                                 return call(name, arguments);
                               }};
    return pickle::load({static_cast<const char*>(bytes.get()), size}, rules);
  }

 private:
  std::tuple<c10::DataPtr, std::size_t> record(const std::string& name) {
    take(reader_.getRecordSize(name));
    return reader_.getRecord(name);
  }

  /// ("storage", class, key, device, elements): a flat tensor over the record of that key.
  Value storage(const Value& id) {
    const auto& parts = *as<std::shared_ptr<Sequence>>(id, "a storage");
    const auto type = type_of(as<pickle::Global>(argument(parts, 1), "a class").name);
    const auto& key = as<std::string>(argument(parts, 2), "a key");
    const auto [bytes, size] = record("data/" + key);
    const auto elements = size / c10::elementSize(type);
    auto flat = at::empty({static_cast<std::int64_t>(elements)}, type);
    if (elements > 0) std::memcpy(flat.data_ptr(), bytes.get(), elements * c10::elementSize(type));
    return {flat};
  }

  Value call(const std::string& name, const Sequence& arguments) {
    if (name == "collections.OrderedDict") return {std::make_shared<pickle::Mapping>()};
    if (name == "torch.jit._pickle.restore_type_tag" || name == "torch._utils._rebuild_parameter") {
      return argument(arguments, 0);
    }
    if (name == "torch._utils._rebuild_tensor_v2") {
      const auto& flat = as<at::Tensor>(argument(arguments, 0), "a storage");
      const auto shape = integers(argument(arguments, 2));
      take(tensor_bytes(shape, static_cast<std::uint64_t>(flat.element_size())));
      return {flat.as_strided(shape, integers(argument(arguments, 3)),
                              as<std::int64_t>(argument(arguments, 1), "an offset"))
                  .contiguous()};
    }
    throw std::runtime_error{fmt::format("it calls {}, expected nothing but a state_dict", name)};
  }

  static constexpr std::uint64_t kMostTimes = 8;

  /// Limits the memory that a file may use. Tensors that share a storage each get a copy of it, and
  /// a compressed record expands. So without a limit a small file could use any amount.
  void take(std::uint64_t bytes) {
    if (!__builtin_add_overflow(taken_, bytes, &taken_) && taken_ / kMostTimes <= file_bytes_) {
      return;
    }
    throw std::runtime_error{fmt::format(
        "its tensors would take more than {} times its own {} bytes", kMostTimes, file_bytes_)};
  }

  caffe2::serialize::PyTorchStreamReader reader_;
  std::size_t file_bytes_;
  std::uint64_t taken_ = 0;
};

}  // namespace

TensorMap read_state_dict(std::string_view bytes) {
  const auto value = Archive{bytes}.load();
  TensorMap tensors;
  for (const auto& [key, entry] : *as<std::shared_ptr<pickle::Mapping>>(value, "a dictionary")) {
    const auto& name = as<std::string>(key, "a name");
    const auto* tensor = std::get_if<at::Tensor>(&entry.is);
    if (tensor == nullptr) {
      throw std::runtime_error{
          fmt::format("its entry {} is not a tensor: save model.state_dict() alone", name)};
    }
    tensors[name] = *tensor;
  }
  return tensors;
}

}  // namespace pacbench::trainer
