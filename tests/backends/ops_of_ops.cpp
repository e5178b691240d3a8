// Each integer op's result as the operand of another op, at the edge values of its type: compilers that get single ops
// right have failed on such pairs. A ternary is among the first ops, since C gives it another type. The short form
// draws some of them.
#include <algorithm>

#include "case.h"
#include "code.h"
#include "reference.h"

namespace vdc {
namespace {

struct First {
  vd_op op;
  uint32_t operands;
};
constexpr First kFirst[] = {
    {VD_OP_SELECT, 2},   {VD_OP_NEG, 1}, {VD_OP_ABS, 1}, {VD_OP_SIGN, 1},     {VD_OP_NOT, 1},       {VD_OP_POPCOUNT, 1},
    {VD_OP_CLZ, 1},      {VD_OP_CTZ, 1}, {VD_OP_ADD, 2}, {VD_OP_SUB, 2},      {VD_OP_MUL, 2},       {VD_OP_DIV, 2},
    {VD_OP_REM, 2},      {VD_OP_MIN, 2}, {VD_OP_MAX, 2}, {VD_OP_AND, 2},      {VD_OP_OR, 2},        {VD_OP_XOR, 2},
    {VD_OP_FLOORDIV, 2}, {VD_OP_SHL, 2}, {VD_OP_SHR, 2}, {VD_OP_FLOORMOD, 2}, {VD_OP_BITREVERSE, 1}};
constexpr vd_op kOne[] = {VD_OP_NEG, VD_OP_ABS, VD_OP_NOT, VD_OP_POPCOUNT, VD_OP_CLZ, VD_OP_CTZ, VD_OP_BITREVERSE};
constexpr vd_op kTwo[] = {VD_OP_ADD, VD_OP_SUB, VD_OP_MUL, VD_OP_DIV, VD_OP_REM, VD_OP_FLOORDIV, VD_OP_FLOORMOD,
                          VD_OP_MIN, VD_OP_MAX, VD_OP_AND, VD_OP_OR,  VD_OP_XOR, VD_OP_SHL,      VD_OP_SHR};
constexpr vd_op kCompare[] = {VD_OP_EQ, VD_OP_NE, VD_OP_LT, VD_OP_LE, VD_OP_GT, VD_OP_GE};

// An op on a value v and the second input y: its operands, and the type of its result.
struct Second {
  vd_op op;
  vd_type type;
  std::vector<int> operands;  // 0: v, 1: y, 2 and more: a constant
};
constexpr int kConstants[] = {0, 1, -1, 7};  // operands 2, 3 ...

template <class T>
std::vector<Second> seconds(const Session& session) {
  const vd_type type = Traits<T>::type;
  std::vector<Second> list;
  for (const vd_op op : kOne) list.push_back({op, type, {0}});
  for (const vd_op op : kTwo)
    for (const int other : {1, 2, 3, 4, 5})
      list.push_back({op, type, {0, other}}), list.push_back({op, type, {other, 0}});
  for (const vd_op op : kCompare)
    for (const int other : {1, 2, 3, 4})
      list.push_back({op, VD_TYPE_BOOL, {0, other}}), list.push_back({op, VD_TYPE_BOOL, {other, 0}});
  const auto convert = [&]<class To>(To) {
    if (Traits<To>::type != type && session.has(Traits<To>::features))
      list.push_back({VD_OP_CONVERT, Traits<To>::type, {0}});
  };
  convert(int8_t{}), convert(int16_t{}), convert(int32_t{}), convert(int64_t{}), convert(uint8_t{}),
      convert(uint16_t{});
  convert(uint32_t{}), convert(uint64_t{});
  list.push_back({VD_OP_CONVERT, VD_TYPE_BOOL, {0}});
  return list;
}

template <class T>
class Pairs {
 public:
  Pairs(Run& run, const First& first) : run_(run), first_(first) {
    std::vector<T> edges = samples<T>(run.random, 12);
    for (const T x : edges)
      for (const T y : edges) x_.push_back(x), y_.push_back(y);
  }

  void check(std::span<const Second> list) {
    const auto n = static_cast<uint32_t>(x_.size());
    Code code("op_of_op");
    Value x_in = code.buffer(Traits<T>::type, "x"), y_in = code.buffer(Traits<T>::type, "y");
    std::vector<Value> out;
    for (size_t k = 0; k < list.size(); ++k)
      out.push_back(code.buffer(stored(list[k].type), ("r" + std::to_string(k)).c_str()));
    Value i = code.global_id(), x = x_in[i], y = y_in[i];
    const Value v = first_.op == VD_OP_SELECT ? code.op(VD_OP_SELECT, {x < y, x, y})
                    : first_.operands == 1    ? code.op(first_.op, {x})
                                              : code.op(first_.op, {x, y});
    for (size_t k = 0; k < list.size(); ++k) {
      std::vector<Value> operands;
      for (const int operand : list[k].operands)
        operands.push_back(operand == 0 ? v : operand == 1 ? y : code.literal(Traits<T>::type, constant(operand)));
      Value result = code.op(list[k].op, operands, list[k].op == VD_OP_CONVERT ? list[k].type : vd_type{VD_TYPE_NONE},
                             0, std::source_location::current());
      if (list[k].type == VD_TYPE_BOOL) result = code.convert(result, VD_TYPE_U32);
      code.store(out[k][i], result);
    }
    Kernel kernel = code.finish();
    Plan plan = run_.session.plan(kernel, 32);
    ++run_.report.kernels;
    std::vector<Buffer> buffers;
    buffers.push_back(run_.session.buffer(x_)), buffers.push_back(run_.session.buffer(y_));
    for (const Second& second : list) buffers.push_back(run_.session.buffer(n * bits_of(stored(second.type)) / 8));
    std::vector<vd_buffer*> bound;
    for (const Buffer& buffer : buffers) bound.push_back(buffer);
    run_.session.launch(plan, {n, 1, 1}, bound);
    for (size_t k = 0; k < list.size(); ++k) compare(list[k], bound[k + 2]);
  }

 private:
  static vd_type stored(vd_type type) { return type == VD_TYPE_BOOL ? vd_type{VD_TYPE_U32} : type; }
  static uint64_t constant(int operand) { return number_of(static_cast<T>(kConstants[operand - 2])).bits; }

  void compare(const Second& second, vd_buffer* buffer) {
    const size_t size = bits_of(stored(second.type)) / 8;
    const auto got = run_.session.read<uint8_t>(buffer, x_.size() * size);
    for (size_t j = 0; j < x_.size(); ++j) {
      Open open;
      const Number x = number_of(x_[j]), y = number_of(y_[j]);
      const Number smaller{VD_TYPE_BOOL, x_[j] < y_[j]};
      const Number v = first_.op == VD_OP_SELECT ? evaluate(VD_OP_SELECT, x.type, std::array{smaller, x, y}, open)
                                                 : evaluate(first_.op, x.type, std::array{x, y}, open);
      std::vector<Number> operands;
      for (const int operand : second.operands)
        operands.push_back(operand == 0 ? v : operand == 1 ? y : Number{x.type, constant(operand)});
      const Number expected = evaluate(second.op, second.type, operands, open);
      Number found{stored(second.type), 0};
      std::memcpy(&found.bits, got.data() + j * size, size);
      ++run_.report.compared;
      if (found.bits != expected.bits)
        fail("%s of %s, x = %s, y = %s, gave %s, expected %s", name_of(second).c_str(), op_name(first_.op),
             show(x).c_str(), show(y).c_str(), show(found).c_str(), show(expected).c_str());
    }
  }
  static std::string name_of(const Second& second) {
    std::string text = op_name(second.op);
    for (const int operand : second.operands)
      text += operand == 0 ? " v" : operand == 1 ? " y" : " " + std::to_string(kConstants[operand - 2]);
    return text;
  }

  Run& run_;
  const First first_;
  std::vector<T> x_, y_;
};

template <class T>
bool register_of_ops() {
  cases().push_back({std::string("ops/of_ops/") + Traits<T>::name, Traits<T>::features, [](Run& run) {
                       std::vector<Second> list = seconds<T>(run.session);
                       std::vector<First> firsts(std::begin(kFirst), std::end(kFirst));
                       if (!run.full) {
                         // The ternary stays; of the others some are drawn, and of what is made of each.
                         std::shuffle(firsts.begin() + 1, firsts.end(), run.random);
                         firsts.resize(6);
                       }
                       constexpr size_t most = 8;  // results of a kernel
                       for (const First& first : firsts) {
                         Pairs<T> pairs(run, first);
                         std::shuffle(list.begin(), list.end(), run.random);
                         for (size_t k = 0; k < (run.full ? list.size() : most); k += most)
                           pairs.check(std::span(list).subspan(k, std::min(most, list.size() - k)));
                       }
                     }});
  return true;
}
[[maybe_unused]] const bool of_ops_registered =
    (register_of_ops<int8_t>(), register_of_ops<int16_t>(), register_of_ops<int32_t>(), register_of_ops<int64_t>(),
     register_of_ops<uint8_t>(), register_of_ops<uint16_t>(), register_of_ops<uint32_t>(), register_of_ops<uint64_t>());

}  // namespace
}  // namespace vdc
