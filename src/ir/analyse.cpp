#include "ir/analyse.h"

#include "ir/contents.h"
#include "ir/layout.h"
#include "ir/walk.h"

namespace vd::ir {
namespace {

vd_features scalar_features(Scalar s) {
  switch (s) {
    case Scalar::F64:
      return VD_FEATURE_F64;
    case Scalar::F16:
      return VD_FEATURE_F16;
    case Scalar::I64:
    case Scalar::U64:
      return VD_FEATURE_I64;
    case Scalar::I16:
    case Scalar::U16:
      return VD_FEATURE_I16;
    case Scalar::I8:
    case Scalar::U8:
      return VD_FEATURE_I8;
    default:
      return 0;
  }
}

// `small16` and `small8` are the additional features for scalars of these sizes.
vd_features memory_features(const TypeTable& types, Type type, vd_features small16, vd_features small8) {
  vd_features all = 0;
  contents_of(types, type).each_kind([&](Scalar s) {
    const uint32_t size = scalar_size(s);
    all |= scalar_features(s) | (size == 2 ? small16 : 0) | (size == 1 ? small8 : 0);
  });
  return all;
}

// Floats need no more than compare and swap of as many bits; codegen/legalize/atomics.cpp.
vd_features atomic_features(Type type) {
  switch (type.scalar()) {
    case Scalar::I64:
    case Scalar::U64:
      return VD_FEATURE_I64_ATOMICS | VD_FEATURE_I64;
    case Scalar::F64:
      return VD_FEATURE_F64 | VD_FEATURE_I64 | VD_FEATURE_I64_ATOMICS;
    default:
      return 0;
  }
}

void mark_use(Kernel& kernel, ValueId reference, vd_argument_access use) {
  const Inst& root = kernel.insts[reference_root(kernel, reference)];
  if (root.op == kOpArgument) kernel.arguments[root.immediate].use |= use;
}

// The features that a device needs for a type, as values of instructions.
vd_features type_features(const TypeTable& types, Type type) { return memory_features(types, type, 0, 0); }

}  // namespace

vd_features argument_features(const TypeTable& types, const Argument& argument) {
  switch (argument.kind) {
    case VD_ARGUMENT_BUFFER:
      if (argument.use == 0) return 0;
      return memory_features(types, argument.type, VD_FEATURE_STORAGE_16, VD_FEATURE_STORAGE_8);
    case VD_ARGUMENT_CONSTANT:
    case VD_ARGUMENT_VARIABLE:
      return memory_features(types, argument.type, VD_FEATURE_UNIFORM_16, VD_FEATURE_STORAGE_8);
    case VD_ARGUMENT_IMAGE:
      return VD_FEATURE_IMAGES;
    default:
      return 0;
  }
}

vd_features inst_features(const Kernel& kernel, const Inst& inst) {
  vd_features all = inst.type.is_reference() ? 0 : type_features(kernel.types, inst.type);
  for (const ValueId operand : kernel.operands_of(inst)) {
    const Type type = kernel.insts[operand].type;
    if (!type.is_reference()) all |= type_features(kernel.types, type);
  }
  switch (inst.op) {
    case VD_OP_VAR:
      return type_features(kernel.types, inst.type);
    case VD_OP_SUBGROUP_BARRIER:
    case VD_OP_SUBGROUP_ELECT:
      return all | VD_FEATURE_SUBGROUP_BASIC;
    case VD_OP_SUBGROUP_ADD:
    case VD_OP_SUBGROUP_MUL:
    case VD_OP_SUBGROUP_MIN:
    case VD_OP_SUBGROUP_MAX:
    case VD_OP_SUBGROUP_AND:
    case VD_OP_SUBGROUP_OR:
    case VD_OP_SUBGROUP_XOR:
      return all | VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_ARITHMETIC;
    case VD_OP_SUBGROUP_BROADCAST_FIRST:
    case VD_OP_SUBGROUP_SHUFFLE:
    case VD_OP_SUBGROUP_SHUFFLE_XOR:
    case VD_OP_SUBGROUP_SHUFFLE_UP:
    case VD_OP_SUBGROUP_SHUFFLE_DOWN:
    case VD_OP_SUBGROUP_BROADCAST:
      return all | VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_SHUFFLE;
    case VD_OP_SUBGROUP_ANY:
    case VD_OP_SUBGROUP_ALL:
    case VD_OP_SUBGROUP_BALLOT:
      return all | VD_FEATURE_SUBGROUP_BASIC | VD_FEATURE_SUBGROUP_VOTE;
    case VD_OP_CLUSTER_BARRIER:
    case VD_OP_CLUSTER_LOAD:
      return all | VD_FEATURE_CLUSTERS;
    case VD_OP_ATOMIC_ADD:
    case VD_OP_ATOMIC_SUB:
    case VD_OP_ATOMIC_MIN:
    case VD_OP_ATOMIC_MAX:
    case VD_OP_ATOMIC_AND:
    case VD_OP_ATOMIC_OR:
    case VD_OP_ATOMIC_XOR:
    case VD_OP_ATOMIC_EXCHANGE:
    case VD_OP_ATOMIC_CAS:
    case VD_OP_ATOMIC_LOAD:
    case VD_OP_ATOMIC_STORE:
      return all | atomic_features(kernel.insts[kernel.operands_of(inst)[0]].type.value());
    case VD_OP_BUILTIN:
      if (is_subgroup_builtin(inst.immediate)) return VD_FEATURE_SUBGROUP_BASIC;
      return inst.immediate == VD_BUILTIN_CLUSTER_RANK ? VD_FEATURE_CLUSTERS : 0;
    case VD_OP_PRINTF:
    case VD_OP_ASSERT:
      return all | ((kernel.flags & VD_BUILDER_NO_PRINTF) != 0 ? 0 : VD_FEATURE_PRINTF);
    default:
      return all;
  }
}

void analyse_code(Kernel& kernel) {
  kernel.uses_barrier = kernel.uses_convergent = false;
  vd_features all = 0;
  for (const uint32_t size : kernel.attributes.cluster_size) all |= size > 1 ? VD_FEATURE_CLUSTERS : 0;
  const auto add = [&](const Inst& inst) {
    all |= inst_features(kernel, inst);
    kernel.uses_barrier |= is_workgroup_barrier(inst.op);
    kernel.uses_convergent |= op_info(inst.op).has(kConvergent);
  };
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    add(inst);
    for (const ValueId operand : kernel.operands_of(inst)) {
      const Inst& leaf = kernel.insts[operand];
      if (leaf.op == VD_OP_BUILTIN) add(leaf);
    }
  });
  for (const Argument& argument : kernel.arguments) all |= argument_features(kernel.types, argument);
  kernel.requirements = all;
}

void analyse(Kernel& kernel) {
  for (Argument& argument : kernel.arguments) argument.use = 0;
  bool reads_exec_size = false;
  for_each_inst(kernel, [&](ValueId, const Inst& inst) {
    const auto operands = kernel.operands_of(inst);
    switch (inst.op) {
      case VD_OP_LOAD:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_READ);
        break;
      case VD_OP_STORE:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_WRITE);
        break;
      case VD_OP_SHAPE:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_SHAPE);
        break;
      case VD_OP_ASYNC_COPY:
        mark_use(kernel, operands[1], VD_ARGUMENT_ACCESS_READ);
        break;
      case VD_OP_ATOMIC_LOAD:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_ATOMIC);
        break;
      case VD_OP_ATOMIC_STORE:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC);
        break;
      case VD_OP_IMAGE_SAMPLE:
      case VD_OP_IMAGE_LOAD:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_READ);
        break;
      case VD_OP_IMAGE_STORE:
        mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_WRITE);
        break;
      case VD_OP_IMAGE_SIZE:
        if (!kernel.insts[operands[0]].type.is_sampled()) mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_SHAPE);
        break;
      default:
        if (inst.op == kOpImageRead) mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_READ);
        if (op_info(inst.op).result == ResultRule::Atomic) {
          mark_use(kernel, operands[0], VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE | VD_ARGUMENT_ACCESS_ATOMIC);
        }
        break;
    }
    for (const ValueId operand : operands) {
      const Inst& leaf = kernel.insts[operand];
      reads_exec_size |= leaf.op == VD_OP_BUILTIN && leaf.immediate == VD_BUILTIN_EXEC_SIZE;
    }
  });
  analyse_code(kernel);
  assign_values(kernel, reads_exec_size);
  assign_shared_offsets(kernel);
}

}  // namespace vd::ir
