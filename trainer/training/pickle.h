#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The part of Python's pickle format (protocol 2 to 4) that files of tensors are made of.
namespace pacbench::trainer::pickle {

struct Value;

/// The state of a container by which load() bounds how deep containers are nested.
struct Nesting {
  int height = 1;          ///< 1 + the largest height of a container in this one
  bool is_inside = false;  ///< another container holds this one
};
/// A tuple or a list.
struct Sequence : std::vector<Value>, Nesting {
  using std::vector<Value>::vector;
};
/// A dictionary, in its order.
struct Mapping : std::vector<std::pair<Value, Value>>, Nesting {};

struct None {};
/// A class or function by its full name, "collections.OrderedDict". Nothing is ever imported.
struct Global {
  std::string name;
};

struct Value {
  std::variant<None, bool, std::int64_t, double, std::string, Global, at::Tensor,
               std::shared_ptr<Sequence>, std::shared_ptr<Mapping>>
      is;
};

/// The operations that a pickle leaves to its reader.
struct Reader {
  std::function<Value(const Value& id)> persistent;  ///< returns what lies outside of the pickle
  std::function<Value(const std::string& name, const Sequence& arguments)> call;
};

/// Carries out a pickle and returns what it makes. Throws std::runtime_error for one that is cut
/// off, contradicts itself, nests containers more than 64 deep, or uses an opcode that tensors do
/// not need; and what `reader` throws.
Value load(std::string_view bytes, const Reader& reader);

/// Returns the value as `Type`. Throws std::runtime_error naming `what` when it is of another type.
template <typename Type>
const Type& as(const Value& value, const char* what) {
  if (const auto* found = std::get_if<Type>(&value.is)) return *found;
  throw std::runtime_error{std::string{"expected "} + what + " in its pickle"};
}

}  // namespace pacbench::trainer::pickle
