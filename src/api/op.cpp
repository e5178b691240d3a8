// Types and ops: the properties of the kernel language.
#include "ir/op.h"

#include <algorithm>

#include "api/desc.h"
#include "api/guard.h"

using vd::fail;
using vd::api::guard;
using vd::api::out;

vd_status vd_type_get_size(vd_type type, uint32_t* out_size) {
  return guard(__func__, [&] {
    uint32_t& result = out(out_size, "out_size");
    const vd::ir::Type t(type);
    if (!vd::ir::TypeTable().is_valid(t) || t.is_reference() || t.shape() > vd::ir::Shape::Matrix)
      fail(VD_ERR_INVALID, "type ({}) is not a scalar, vector, complex or matrix type", vd::ir::shown_type(t));
    result = static_cast<uint32_t>(vd::ir::TypeTable().size(t));
    return VD_OK;
  });
}

vd_status vd_op_get_info(vd_op op, vd_op_info* out_info) {
  return guard(__func__, [&] {
    // Internal ops have numbers of their own, which no caller gets to see.
    if (!vd::ir::is_public(op)) {
      fail(VD_ERR_INVALID, "op ({}) is unknown", static_cast<int>(op));
    }
    const vd::ir::OpInfo& o = vd::ir::op_info(op);
    vd_op_info info = VD_OP_INFO_INIT;
    info.op = op;
    info.name = o.name;
    info.doc = o.doc;
    info.operands = o.operand_names;
    info.min_operands = o.min_operands;
    info.max_operands = o.max_operands;
    info.is_statement = o.has(vd::ir::kStatement) ? 1 : 0;
    info.is_convergent = o.has(vd::ir::kConvergent) ? 1 : 0;
    info.native_ulp = o.native_ulp;
    info.precise_ulp = o.precise_ulp;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_op_list(uint32_t cap, vd_op* out_ops, uint32_t* out_count) {
  return guard(__func__, [&] {
    uint32_t& count = out(out_count, "out_count");
    vd::api::array(out_ops, cap, "out_ops");
    for (const vd::ir::OpInfo& o : vd::ir::all_ops()) {
      if (o.has(vd::ir::kInternal)) continue;
      if (count < cap) out_ops[count] = o.op;
      ++count;
    }
    return count > cap ? VD_INCOMPLETE : VD_OK;
  });
}
