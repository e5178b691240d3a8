#include "codegen/dialect.h"

#include <array>
#include <vector>

#include "core/error.h"
#include "ir/op.h"

namespace vd::codegen {

bool contains(TypeSet set, ir::Type type) {
  constexpr TypeSet kShapes = kShapeScalar | kShapeVector | kShapeComplex | kShapeMatrix | kShapeOther;
  if (set == kAnyType) return true;
  const TypeSet shape = type.is_scalar()    ? kShapeScalar
                        : type.is_vector()  ? kShapeVector
                        : type.is_complex() ? kShapeComplex
                        : type.is_matrix()  ? kShapeMatrix
                                            : kShapeOther;
  return (!(set & kShapes) || (set & shape)) && (set & set_of(type.scalar()));
}

const Rule* find_rule(const Dialect& dialect, ir::Op op, ir::Type from, ir::Type to, bool precise, bool native) {
  // Rules of one op are adjacent.
  static const auto* const starts = [] {
    const Dialect* all[] = {&kGlsl, &kCuda, &kOpenCl};
    auto* map = new std::array<std::vector<uint16_t>, std::size(all)>;
    for (size_t d = 0; d < std::size(all); ++d) {
      auto& first = (*map)[d];
      first.assign(static_cast<size_t>(ir::all_ops().back().op) + 1, 0xffff);
      for (size_t i = 0; i < all[d]->rules.size(); ++i) {
        uint16_t& slot = first[static_cast<size_t>(all[d]->rules[i].op)];
        if (slot == 0xffff) slot = static_cast<uint16_t>(i);
      }
    }
    return map;
  }();
  const auto& first = (*starts)[dialect.rules.data() == kGlsl.rules.data()   ? 0
                                : dialect.rules.data() == kCuda.rules.data() ? 1
                                                                             : 2];
  if (static_cast<size_t>(op) >= first.size()) return nullptr;
  for (size_t i = first[static_cast<size_t>(op)]; i < dialect.rules.size() && dialect.rules[i].op == op; ++i) {
    const Rule& rule = dialect.rules[i];
    if (rule.form == MathForm::Precise && !precise) continue;
    if (rule.form == MathForm::Loose && precise) continue;
    if (rule.form == MathForm::Native && !native) continue;
    if (contains(rule.from, from) && (rule.to == 0 || contains(rule.to, to))) return &rule;
  }
  return nullptr;
}

const Dialect& get_dialect(vd_language language, bool buffer_addresses) {
  switch (language) {
    case VD_LANGUAGE_GLSL:
      return buffer_addresses ? glsl_by_address() : kGlsl;
    case VD_LANGUAGE_CUDA:
      return kCuda;
    case VD_LANGUAGE_OPENCL:
      return kOpenCl;
    default:
      fail(VD_ERR_INVALID, "language ({}) is not one of GLSL, CUDA and OpenCL C.", static_cast<int>(language));
  }
}

}  // namespace vd::codegen
