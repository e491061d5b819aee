#include "trainer/training/pickle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <stdexcept>

namespace pacbench::trainer::pickle {
namespace {

/// Runs the opcodes of a pickle; Python's Lib/pickletools.py says what each does.
class Machine {
 public:
  Machine(std::string_view bytes, const Reader& reader) : left_{bytes}, reader_{reader} {}

  Value run() {
    while (true) {
      const auto opcode = take(1)[0];
      if (opcode == '.') return pop();
      if (!push_constant(opcode) && !use_memo(opcode) && !make_container(opcode)) {
        throw std::runtime_error{
            fmt::format("its pickle has opcode {:#04x}, which tensors do not need",
                        static_cast<unsigned char>(opcode))};
      }
    }
  }

 private:
  std::string_view take(std::size_t count) {
    if (count > left_.size()) throw std::runtime_error{"its pickle ends too early"};
    const auto taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }

  /// Reads a little-endian number of `bytes` bytes.
  std::uint64_t number(std::size_t bytes) {
    const auto taken = take(bytes);
    std::uint64_t value = 0;
    for (auto i = bytes; i-- > 0;) value = value << 8 | static_cast<unsigned char>(taken[i]);
    return value;
  }

  std::string line() {
    const auto end = left_.find('\n');
    if (end == std::string_view::npos) throw std::runtime_error{"its pickle ends too early"};
    const std::string text{take(end)};
    take(1);
    return text;
  }

  /// Reads a length of 0 to 8 in one byte, then an integer of so many bytes in two's complement.
  std::int64_t long_number() {
    const auto bytes = number(1);
    if (bytes > 8) throw std::runtime_error{"its pickle has an integer of more than 64 bits"};
    const auto value = number(bytes);
    const auto unused = 64 - 8 * static_cast<int>(bytes);
    return bytes == 0 ? 0 : static_cast<std::int64_t>(value << unused) >> unused;
  }

  /// A float is the only number with its highest byte first.
  double real() { return std::bit_cast<double>(__builtin_bswap64(number(8))); }

  static void require_stored(bool is_stored) {
    if (!is_stored) throw std::runtime_error{"its pickle uses a value that it did not store"};
  }

  void push(Value value) { stack_.push_back(std::move(value)); }

  Value pop() {
    require_stored(stack_.size() > lowest());
    auto value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }

  /// The height of the stack at the last mark, 0 without one. Only values above it may be popped;
  /// pop_to_mark() takes all of them.
  std::size_t lowest() const { return marks_.empty() ? 0 : marks_.back(); }

  Sequence pop_to_mark() {
    require_stored(!marks_.empty());
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    Sequence values{first, stack_.end()};
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return values;
  }

  const Value& top() const {
    require_stored(stack_.size() > lowest());
    return stack_.back();
  }

  /// Recalls a remembered value. A recalled text is copied. Without the limit a short pickle could
  /// use any amount of memory by recalling a long text again and again.
  const Value& recall(std::uint64_t number) {
    constexpr std::size_t kMostRecalled = std::size_t{64} << 20;
    const auto found = memo_.find(number);
    require_stored(found != memo_.end());
    if (const auto* text = std::get_if<std::string>(&found->second.is)) recalled_ += text->size();
    if (recalled_ > kMostRecalled) throw std::runtime_error{"its pickle repeats long texts"};
    return found->second;
  }

  bool push_constant(char opcode) {
    switch (opcode) {
      case '\x80':  // PROTO
        take(1);
        return true;
      case '\x95':  // FRAME
        take(8);
        return true;
      case 'N':
        return push({None{}}), true;
      case '\x88':
        return push({true}), true;
      case '\x89':
        return push({false}), true;
      case 'K':
        return push({static_cast<std::int64_t>(number(1))}), true;
      case 'M':
        return push({static_cast<std::int64_t>(number(2))}), true;
      case 'J':
        return push({std::int64_t{static_cast<std::int32_t>(number(4))}}), true;
      case '\x8a':  // LONG1
        return push({long_number()}), true;
      case 'G':
        return push({real()}), true;
      case 'X':
        return push({std::string{take(number(4))}}), true;
      case '\x8c':  // SHORT_BINUNICODE
        return push({std::string{take(number(1))}}), true;
      case 'c': {
        const auto module = line();
        return push({Global{module + '.' + line()}}), true;
      }
      case '\x93': {  // STACK_GLOBAL
        const auto name = pop();
        const auto module = pop();
        push({Global{as<std::string>(module, "a name") + '.' + as<std::string>(name, "a name")}});
        return true;
      }
      default:
        return false;
    }
  }

  bool use_memo(char opcode) {
    switch (opcode) {
      case 'q':
        return memo_[number(1)] = top(), true;
      case 'r':
        return memo_[number(4)] = top(), true;
      case '\x94':  // MEMOIZE
        return memo_[memo_.size()] = top(), true;
      case 'h':
        return push(recall(number(1))), true;
      case 'j':
        return push(recall(number(4))), true;
      default:
        return false;
    }
  }

  bool make_container(char opcode) {
    switch (opcode) {
      case '(':
        return marks_.push_back(stack_.size()), true;
      case ')':
      case ']':
        return push_sequence({}), true;
      case '}':
        return push({std::make_shared<Mapping>()}), true;
      case 't':
        return push_sequence(pop_to_mark()), true;
      case '\x85':  // TUPLE1
        return push_sequence(pop_last(1)), true;
      case '\x86':
        return push_sequence(pop_last(2)), true;
      case '\x87':
        return push_sequence(pop_last(3)), true;
      case 'a':
        return append(pop_last(1)), true;
      case 'e':
        return append(pop_to_mark()), true;
      case 's':
        return set_items(pop_last(2)), true;
      case 'u':
        return set_items(pop_to_mark()), true;
      case 'b':  // BUILD: an object's further state; for a state_dict, versions.
        return pop(), true;
      case 'Q':
        return push(reader_.persistent(pop())), true;
      case 'R': {
        const auto arguments = pop();
        const auto function = pop();
        push(reader_.call(as<Global>(function, "a function").name,
                          *as<std::shared_ptr<Sequence>>(arguments, "arguments")));
        return true;
      }
      default:
        return false;
    }
  }

  void push_sequence(Sequence values) {
    const auto sequence = std::make_shared<Sequence>(std::move(values));
    for (const auto& value : *sequence) nest(*sequence, value);
    push({sequence});
  }

  /// Notes that `outer` holds `value`. Destructors of nested containers call each other, so deep
  /// nesting would exhaust the stack.
  static void nest(Nesting& outer, const Value& value) {
    constexpr int kMostNested = 64;
    Nesting* inner = nullptr;
    if (const auto* list = std::get_if<std::shared_ptr<Sequence>>(&value.is)) inner = list->get();
    if (const auto* map = std::get_if<std::shared_ptr<Mapping>>(&value.is)) inner = map->get();
    if (inner == nullptr) return;
    if (inner == &outer) throw std::runtime_error{"its pickle has a container that holds itself"};
    inner->is_inside = true;
    outer.height = std::max(outer.height, inner->height + 1);
    if (outer.height > kMostNested) {
      throw std::runtime_error{
          fmt::format("its pickle nests containers more than {} deep", kMostNested)};
    }
  }

  /// The heights of the containers around a container would not follow a change.
  static void require_outermost(const Nesting& container) {
    if (container.is_inside) {
      throw std::runtime_error{"its pickle changes a container that is inside another one"};
    }
  }

  Sequence pop_last(std::size_t count) {
    Sequence values(count);
    for (auto i = count; i-- > 0;) values[i] = pop();
    return values;
  }

  void append(const Sequence& values) {
    auto& list = *as<std::shared_ptr<Sequence>>(top(), "a list");
    require_outermost(list);
    for (const auto& value : values) nest(list, value);
    list.insert(list.end(), values.begin(), values.end());
  }

  void set_items(const Sequence& values) {
    if (values.size() % 2 != 0) throw std::runtime_error{"its pickle has a key without a value"};
    auto& mapping = *as<std::shared_ptr<Mapping>>(top(), "a dictionary");
    require_outermost(mapping);
    for (const auto& value : values) nest(mapping, value);
    for (std::size_t i = 0; i < values.size(); i += 2) {
      mapping.emplace_back(values[i], values[i + 1]);
    }
  }

  std::string_view left_;
  const Reader& reader_;
  Sequence stack_;
  std::vector<std::size_t> marks_;
  std::size_t recalled_ = 0;  ///< bytes of recalled texts
  std::map<std::uint64_t, Value> memo_;
};

}  // namespace

Value load(std::string_view bytes, const Reader& reader) { return Machine{bytes, reader}.run(); }

}  // namespace pacbench::trainer::pickle
