// Small kernels, written by hand through the emitter, that the printers' tests print.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "ir/analyse.h"
#include "ir/emitter.h"

namespace vd::test {

// A kernel being written: arguments and shared arrays as references, then code through `e`.
struct Draft {
  ir::Kernel kernel;
  ir::Emitter e{kernel};

  ir::ValueId buffer(ir::Type element, const std::string& name) {
    ir::Argument a;
    a.kind = VD_ARGUMENT_BUFFER;
    a.type = element;
    a.name = name;
    kernel.arguments.push_back(a);
    return e.leaf(ir::kOpArgument, kernel.types.array(element, 0).in(ir::Space::Storage), kernel.arguments.size() - 1);
  }
  ir::ValueId value(ir::Type type, const std::string& name) {
    ir::Argument a;
    a.kind = VD_ARGUMENT_CONSTANT;
    a.type = type;
    a.name = name;
    kernel.arguments.push_back(a);
    return e.leaf(ir::kOpArgument, type.in(ir::Space::Uniform), kernel.arguments.size() - 1);
  }
  ir::ValueId shared(ir::Type element, uint32_t count, const std::string& name,
                     uint32_t offset = VD_SHARED_OFFSET_AUTO) {
    ir::SharedArray s;
    s.element = element;
    s.count = count;
    s.offset = offset;
    s.explicit_offset = offset != VD_SHARED_OFFSET_AUTO;
    s.name = name;
    kernel.shareds.push_back(s);
    return e.leaf(ir::kOpShared, kernel.types.array(element, count).in(ir::Space::Shared), kernel.shareds.size() - 1);
  }
  ir::ValueId image(ir::Type type, const std::string& name) {
    ir::Argument a;
    a.kind = VD_ARGUMENT_IMAGE;
    a.type = type;
    a.name = name;
    kernel.arguments.push_back(a);
    return e.leaf(ir::kOpArgument, type, kernel.arguments.size() - 1);
  }
  ir::ValueId named(ir::ValueId id, const std::string& name) {
    if (kernel.names.size() <= id) kernel.names.resize(id + 1);
    kernel.names[id] = name;
    return id;
  }
  ir::ValueId u(uint32_t v) { return e.bits(ir::kU32, v); }
  ir::ValueId gid(uint32_t c = 0) { return e.at(e.builtin(VD_BUILTIN_GLOBAL_ID), c); }
  ir::ValueId lid(uint32_t c = 0) { return e.at(e.builtin(VD_BUILTIN_LOCAL_ID), c); }
  ir::ValueId get(ir::ValueId array, ir::ValueId index) { return e.load(e.index(array, index)); }
  void set(ir::ValueId array, ir::ValueId index, ir::ValueId v) { e.store(e.index(array, index), v); }
  // The finished kernel.
  ir::Kernel take() {
    kernel.flags |= VD_BUILDER_NO_EXEC_BOUNDS;
    ir::analyse(kernel);
    return std::move(kernel);
  }
};

struct Case {
  std::string name;
  ir::Kernel (*make)();
};
inline void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
// All of them, in the order of their names.
const std::vector<Case>& kernel_cases();
// The same of kernels with images.
const std::vector<Case>& image_cases();

}  // namespace vd::test
