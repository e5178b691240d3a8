#include "unit/ir/run.h"

#include <cmath>
#include <optional>
#include <stdexcept>

#include "ir/evaluate.h"
#include "ir/fold.h"
#include "ir/type_rules.h"

namespace vd::ir::testing {
namespace {

struct Place {
  std::byte* data = nullptr;
  uint64_t size = 0;    // of all the memory
  uint64_t offset = 0;  // of the reference
};

struct Value {
  std::vector<uint64_t> scalars;
  Place place;
};

enum class Exit { None, Break, Continue, Return };

[[noreturn]] void unknown(const char* what) { throw std::runtime_error(what); }

class Invocation {
 public:
  Invocation(const Kernel& k, Memory& memory, const Launch& launch, std::array<uint32_t, 3> group,
             std::array<uint32_t, 3> local)
      : k_(k),
        memory_(memory),
        launch_(launch),
        group_(group),
        local_(local),
        values_(k.insts.size()),
        storage_(k.insts.size()) {}

  Exit region(RegionId id) {
    for (const ValueId inst : k_.regions[id].insts) {
      if (const Exit exit = execute(inst); exit != Exit::None) return exit;
    }
    return Exit::None;
  }

 private:
  using Scalars = std::vector<uint64_t>;

  uint32_t count(Type t) const { return t.count() * t.rows(); }
  ValueId operand(const Inst& inst, uint32_t i) const { return k_.operands[inst.first_operand + i]; }
  const Scalars& scalars(ValueId id) {
    if (op_info(k_.insts[id].op).has(kLeaf)) leaf(id);
    return values_[id].scalars;
  }
  Place place(ValueId id) {
    if (op_info(k_.insts[id].op).has(kLeaf)) leaf(id);
    if (k_.insts[id].op == VD_OP_VAR && values_[id].place.data == nullptr) declare(id);
    return values_[id].place;
  }

  void declare(ValueId id) {
    storage_[id].assign(k_.types.size(k_.insts[id].type.value()), std::byte{0});
    values_[id].place = {storage_[id].data(), storage_[id].size(), 0};
  }

  void flatten(Type t, const std::byte* data, Scalars& out) const {
    if (t.is_array()) {
      const auto& array = k_.types.get_array(t);
      for (uint32_t i = 0; i < array.count; ++i) flatten(array.element, data + i * k_.types.size(array.element), out);
    } else if (t.is_struct()) {
      for (const Field& f : k_.types.get_struct(t).fields) flatten(f.type, data + f.offset, out);
    } else {
      const uint32_t size = scalar_size(t.scalar());
      for (uint32_t i = 0; i < count(t); ++i) {
        uint64_t bits = 0;
        std::memcpy(&bits, data + i * size, size);
        out.push_back(bits);
      }
    }
  }
  void unflatten(Type t, std::byte* data, const Scalars& in, size_t& next) const {
    if (t.is_array()) {
      const auto& array = k_.types.get_array(t);
      for (uint32_t i = 0; i < array.count; ++i)
        unflatten(array.element, data + i * k_.types.size(array.element), in, next);
    } else if (t.is_struct()) {
      for (const Field& f : k_.types.get_struct(t).fields) unflatten(f.type, data + f.offset, in, next);
    } else {
      const uint32_t size = scalar_size(t.scalar());
      for (uint32_t i = 0; i < count(t); ++i) std::memcpy(data + i * size, &in.at(next++), size);
    }
  }
  std::byte* at(const Place& p, uint64_t size) const {
    if (p.offset + size > p.size) unknown("out of bounds");
    return p.data + p.offset;
  }

  void leaf(ValueId id) {
    Value& v = values_[id];
    if (!v.scalars.empty() || v.place.data != nullptr) return;
    const Inst& inst = k_.insts[id];
    if (inst.op == kOpArgument) {
      auto& bytes = memory_.arguments.at(inst.immediate);
      v.place = {bytes.data(), bytes.size(), 0};
    } else if (inst.op == kOpShared) {
      v.place = {memory_.shared.data(), memory_.shared.size(), k_.shareds[inst.immediate].offset};
    } else if (inst.op == VD_OP_BUILTIN) {
      builtin(inst.immediate, v.scalars);
    } else if (inst.op == kOpConstant) {
      flatten(inst.type, k_.constants[inst.immediate].bytes.data(), v.scalars);
    } else if (inst.op == VD_OP_ZERO) {
      const std::vector<std::byte> zeros(k_.types.size(inst.type));
      flatten(inst.type, zeros.data(), v.scalars);
    } else if (inst.op == VD_OP_CONST) {
      v.scalars.assign(count(inst.type), inst.immediate);
      if (inst.type.is_complex()) v.scalars[1] = 0;
    }
  }

  void builtin(uint64_t which, Scalars& out) const {
    const auto vector = [&](auto f) { out = {f(0), f(1), f(2)}; };
    const auto& s = launch_.workgroup_size;
    switch (which) {
      case VD_BUILTIN_GLOBAL_ID:
        return vector([&](int i) { return uint64_t{group_[i] * s[i] + local_[i]}; });
      case VD_BUILTIN_LOCAL_ID:
        return vector([&](int i) { return uint64_t{local_[i]}; });
      case VD_BUILTIN_LOCAL_INDEX:
        out = {uint64_t{local_[0] + s[0] * (local_[1] + s[1] * local_[2])}};
        return;
      case VD_BUILTIN_WORKGROUP_ID:
        return vector([&](int i) { return uint64_t{group_[i]}; });
      case VD_BUILTIN_WORKGROUP_SIZE:
        return vector([&](int i) { return uint64_t{s[i]}; });
      case VD_BUILTIN_NUM_WORKGROUPS:
        return vector([&](int i) { return uint64_t{launch_.workgroups[i]}; });
      case VD_BUILTIN_EXEC_SIZE:
        return vector([&](int i) { return uint64_t{launch_.exec_size[i]}; });
      default:
        unknown("built-in value");
    }
  }

  uint64_t math(Op op, Scalar s, const uint64_t* args) const {
    const double x = float_value(s, args[0]);
    switch (op) {
      case VD_OP_EXP:
        return float_bits(s, std::exp(x));
      case VD_OP_LOG:
        return float_bits(s, std::log(x));
      case VD_OP_SIN:
        return float_bits(s, std::sin(x));
      case VD_OP_COS:
        return float_bits(s, std::cos(x));
      case VD_OP_ATAN2:
        return float_bits(s, std::atan2(x, float_value(s, args[1])));
      case VD_OP_POW:
        return float_bits(s, std::pow(x, float_value(s, args[1])));
      default:
        unknown(op_info(op).name);
    }
  }

  Exit execute(ValueId id) {
    if (++steps_ > 1000000) unknown("too many steps");
    const Inst& inst = k_.insts[id];
    Value& v = values_[id];
    switch (inst.op) {
      case VD_OP_IF: {
        const RegionId taken = inst.regions[scalars(operand(inst, 0))[0] != 0 ? 0 : 1];
        return taken == kNoRegion ? Exit::None : region(taken);
      }
      case VD_OP_SCOPE:
        return region(inst.regions[0]);
      case VD_OP_WHILE:
      case VD_OP_LOOP:
      case VD_OP_FOR:
        return loop(id);
      case VD_OP_BREAK:
        return Exit::Break;
      case VD_OP_CONTINUE:
        return Exit::Continue;
      case VD_OP_RETURN:
        return Exit::Return;
      case VD_OP_VAR: {
        declare(id);
        if (inst.operand_count == 0) return Exit::None;
        size_t next = 0;
        unflatten(inst.type.value(), v.place.data, scalars(operand(inst, 0)), next);
        return Exit::None;
      }
      case VD_OP_INDEX:
      case VD_OP_MEMBER:
      case VD_OP_VIEW:
        step(id);
        return Exit::None;
      case VD_OP_LOAD: {
        const Place p = place(operand(inst, 0));
        v.scalars.clear();
        flatten(inst.type, at(p, k_.types.size(inst.type)), v.scalars);
        return Exit::None;
      }
      case VD_OP_STORE: {
        const Type t = k_.insts[operand(inst, 1)].type;
        size_t next = 0;
        unflatten(t, at(place(operand(inst, 0)), k_.types.size(t)), scalars(operand(inst, 1)), next);
        return Exit::None;
      }
      case VD_OP_ATOMIC_ADD: {
        const Type t = inst.type;
        std::byte* data = at(place(operand(inst, 0)), k_.types.size(t));
        v.scalars.clear();
        flatten(t, data, v.scalars);
        const uint64_t args[2] = {v.scalars[0], scalars(operand(inst, 1))[0]};
        Scalars sum(1);
        evaluate(VD_OP_ADD, t.scalar(), t.scalar(), args, sum[0]);
        size_t next = 0;
        unflatten(t, data, sum, next);
        return Exit::None;
      }
      case VD_OP_BARRIER:
      case VD_OP_FENCE:
      case VD_OP_COMMENT:
      case VD_OP_PRINTF:
      case VD_OP_ASSERT:
        return Exit::None;
      default:
        v.scalars = compute(inst);
        return Exit::None;
    }
  }

  Exit loop(ValueId id) {
    const Inst& inst = k_.insts[id];
    const bool counts = inst.op == VD_OP_FOR;
    const Scalar s = inst.type.scalar();
    uint64_t counter = 0, stop = 0, by = 0;
    if (counts) {
      counter = scalars(operand(inst, 0))[0];
      stop = scalars(operand(inst, 1))[0];
      by = scalars(operand(inst, 2))[0];
    }
    while (true) {
      if (++steps_ > 1000000) unknown("too many steps");
      if (inst.op == VD_OP_WHILE) {
        region(inst.regions[0]);
        if (scalars(operand(inst, 0))[0] == 0) return Exit::None;
      }
      if (counts) {
        const uint64_t args[2] = {counter, stop};
        uint64_t more = 0;
        evaluate(inst.type.is_signed() && extend(s, by) < 0 ? VD_OP_GT : VD_OP_LT, s, Scalar::Bool, args, more);
        if (more == 0) return Exit::None;
        values_[id].scalars = {counter};
      }
      const Exit exit = region(inst.regions[1]);
      if (exit == Exit::Break) return Exit::None;
      if (exit == Exit::Return) return exit;
      if (counts) {
        const uint64_t args[2] = {counter, by};
        evaluate(VD_OP_ADD, s, s, args, counter);
      }
    }
  }

  void step(ValueId id) {
    const Inst& inst = k_.insts[id];
    const ValueId of = operand(inst, 0);
    const Type from = k_.insts[of].type;
    Value& v = values_[id];
    if (inst.op == VD_OP_VIEW) {
      v.place = place(of);
    } else if (inst.op == VD_OP_MEMBER) {
      const Field& field = k_.types.get_struct(from).fields[inst.immediate];
      if (from.is_reference()) {
        v.place = place(of);
        v.place.offset += field.offset;
        return;
      }
      size_t skip = 0;
      for (uint32_t i = 0; i < inst.immediate; ++i) skip += flat_count(k_.types.get_struct(from).fields[i].type);
      const Scalars& all = scalars(of);
      v.scalars.assign(all.begin() + static_cast<long>(skip),
                       all.begin() + static_cast<long>(skip + flat_count(field.type)));
    } else {
      const ValueId by = operand(inst, 1);
      const int64_t index = extend(k_.insts[by].type.scalar(), scalars(by)[0]);
      const Type element = element_type(k_.types, from);
      if (from.is_reference()) {
        v.place = place(of);
        v.place.offset += static_cast<uint64_t>(index) * k_.types.size(element);
        return;
      }
      const size_t n = flat_count(element);
      const Scalars& all = scalars(of);
      if (index < 0 || (static_cast<size_t>(index) + 1) * n > all.size()) unknown("index of a value");
      v.scalars.assign(all.begin() + static_cast<long>(index * static_cast<int64_t>(n)),
                       all.begin() + static_cast<long>((index + 1) * static_cast<int64_t>(n)));
    }
  }

  size_t flat_count(Type t) const {
    if (t.is_array()) return k_.types.get_array(t).count * flat_count(k_.types.get_array(t).element);
    if (!t.is_struct()) return count(t);
    size_t n = 0;
    for (const Field& f : k_.types.get_struct(t).fields) n += flat_count(f.type);
    return n;
  }

  Scalars compute(const Inst& inst) {
    Scalars out;
    if (inst.op == VD_OP_CONSTRUCT) {
      for (uint32_t i = 0; i < inst.operand_count; ++i) {
        const Scalars& part = scalars(operand(inst, i));
        out.insert(out.end(), part.begin(), part.end());
      }
      if (out.size() == 1 && inst.type.is_vector()) out.assign(inst.type.count(), out[0]);
      if (out.size() == 1 && inst.type.is_complex()) out.push_back(0);
      if (out.size() != flat_count(inst.type)) unknown("construct");
      return out;
    }
    const ValueId first = operand(inst, 0);
    const Type from = k_.insts[first].type;
    if (inst.op == VD_OP_SWIZZLE) {
      for (uint32_t i = 0; i < inst.type.count(); ++i) out.push_back(scalars(first)[inst.immediate >> (2 * i) & 3]);
      return out;
    }
    if (inst.op == VD_OP_BITCAST) {
      std::vector<std::byte> data(k_.types.size(from));
      size_t next = 0;
      unflatten(from, data.data(), scalars(first), next);
      flatten(inst.type, data.data(), out);
      return out;
    }
    if (inst.op == VD_OP_ANY || inst.op == VD_OP_ALL) {
      bool result = inst.op == VD_OP_ALL;
      for (const uint64_t s : scalars(first)) result = inst.op == VD_OP_ALL ? result && s != 0 : result || s != 0;
      return {result};
    }
    const bool select = inst.op == VD_OP_SELECT;
    const bool elementwise = from.is_scalar() || from.is_vector() || inst.op == VD_OP_ADD || inst.op == VD_OP_SUB ||
                             inst.op == VD_OP_NEG || inst.op == VD_OP_CONVERT;
    if (!elementwise) unknown(op_info(inst.op).name);
    const size_t n = select ? flat_count(inst.type) : flat_count(from);
    for (size_t i = 0; i < n; ++i) {
      uint64_t args[3] = {};
      for (uint32_t a = 0; a < inst.operand_count; ++a) {
        const Scalars& s = scalars(operand(inst, a));
        args[a] = s.size() == 1 ? s[0] : s.at(i);
      }
      uint64_t result = 0;
      if (!evaluate(inst.op, from.scalar(), inst.type.scalar(), {args, inst.operand_count}, result)) {
        result = math(inst.op, from.scalar(), args);
      }
      out.push_back(result);
    }
    return out;
  }

  const Kernel& k_;
  Memory& memory_;
  const Launch& launch_;
  const std::array<uint32_t, 3> group_, local_;
  std::vector<Value> values_;
  std::vector<std::vector<std::byte>> storage_;
  uint64_t steps_ = 0;
};

}  // namespace

void run(const Kernel& kernel, Memory& memory, const Launch& launch) {
  memory.shared.resize(kernel.shared_size);
  const auto each = [](std::array<uint32_t, 3> n, auto&& f) {
    for (uint32_t z = 0; z < n[2]; ++z) {
      for (uint32_t y = 0; y < n[1]; ++y) {
        for (uint32_t x = 0; x < n[0]; ++x) f(std::array<uint32_t, 3>{x, y, z});
      }
    }
  };
  each(launch.workgroups, [&](std::array<uint32_t, 3> group) {
    each(launch.workgroup_size,
         [&](std::array<uint32_t, 3> local) { Invocation(kernel, memory, launch, group, local).region(kernel.body); });
  });
}

}  // namespace vd::ir::testing
