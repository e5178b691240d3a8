#include "type_names.h"

#include "case.h"

namespace vdc {
namespace {

struct TypeName {
  const char* name;
  vd_type type;
};
constexpr TypeName kTypeNames[] = {{"i8", VD_TYPE_I8},
                                   {"i16", VD_TYPE_I16},
                                   {"i32", VD_TYPE_I32},
                                   {"i64", VD_TYPE_I64},
                                   {"u8", VD_TYPE_U8},
                                   {"u16", VD_TYPE_U16},
                                   {"u32", VD_TYPE_U32},
                                   {"u64", VD_TYPE_U64},
                                   {"f16", VD_TYPE_F16},
                                   {"f32", VD_TYPE_F32},
                                   {"f64", VD_TYPE_F64},
                                   {"complex_f32", VD_TYPE_COMPLEX_F32},
                                   {"complex_f64", VD_TYPE_COMPLEX_F64}};

}  // namespace

const char* type_name(vd_type type) {
  for (const TypeName& one : kTypeNames)
    if (one.type == type) return one.name;
  fail("type %#x has no name in a recorded kernel", static_cast<unsigned>(type));
}

vd_type type_named(const std::string& name) {
  for (const TypeName& one : kTypeNames)
    if (name == one.name) return one.type;
  return VD_TYPE_NONE;
}

}  // namespace vdc
