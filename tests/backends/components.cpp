// Components of one vector that different invocations write at the same time: none may be lost. A compiler that moves
// the whole vector for one component loses them.
#include <cstdlib>
#include <cstring>

#include "case.h"
#include "code.h"
#include "numbers.h"

namespace vdc {
namespace {

constexpr uint32_t kLanes = 32, kElements = 128, kGroups = 12;  // invocations for a part, elements for a group

// The value that an invocation writes: a component of a vector or a complex number, a column of a matrix or its
// elements.
struct Shape {
  const char* name;
  vd_type type;
  uint32_t parts, rows = 1;
  vd_type column = VD_TYPE_NONE;
};

struct Way {
  const char* name;
  bool neighbours;  // adjacent invocations write one vector; else those of different subgroups
  bool whole_columns;
  uint64_t access = 0;
};

constexpr Way kWays[] = {{"neighbours", true, true},
                         {"neighbours, element by element", true, false},
                         {"groups of 32", false, true},
                         {"groups of 32, element by element", false, false},
                         {"coherent", false, false, VD_ACCESS_COHERENT}};

// A number of its own for each scalar, that f16 holds.
uint32_t scalar_of(uint32_t element, uint32_t part, uint32_t row) { return element % kElements * 16 + part * 4 + row; }

template <class T>
void written_by_neighbours(Run& run, const Shape& shape) {
  const uint32_t scalars = shape.parts * shape.rows, local = kLanes * shape.parts;
  for (const Way& way : kWays) {
    if (shape.rows == 1 && !way.whole_columns && way.access == 0) continue;
    Code code("written_by_neighbours", VD_BUILDER_NO_EXEC_BOUNDS);
    Value direct = code.buffer(shape.type, "direct"), copied = code.buffer(shape.type, "copied");
    Value tile = code.shared(shape.type, kElements, "tile");
    Value lane = code.let(code.local_id()), group = code.let(code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u]);
    Value part = code.let(way.neighbours ? lane % shape.parts : lane / code.u32(kLanes));
    Value first = code.let(way.neighbours ? lane / code.u32(shape.parts) : lane % kLanes);
    const auto write = [&](Value array, Value base, uint64_t access) {
      Value at = code.begin_for(first, code.u32(kElements), code.u32(kLanes));
      for (uint32_t p = 0; p < shape.parts; ++p) {
        code.begin_if(part == code.u32(p));
        Value place = array[base + at][p];
        std::vector<Value> values;
        for (uint32_t row = 0; row < shape.rows; ++row)
          values.push_back(code.convert(at * 16 + code.u32(p * 4 + row), Traits<T>::type));
        if (shape.rows == 1)
          code.store(place, values[0], access);
        else if (way.whole_columns)
          code.store(place, code.op(VD_OP_CONSTRUCT, values, shape.column, 0, std::source_location::current()), access);
        else
          for (uint32_t row = 0; row < shape.rows; ++row) code.store(place[row], values[row], access);
        code.end();
      }
      code.end();
    };
    write(direct, group * kElements, way.access);
    write(tile, code.u32(0), 0);
    code.barrier();
    Value at = code.begin_for(lane, code.u32(kElements), code.u32(local));
    code.store(copied[group * kElements + at], tile[at], way.access);
    code.end();

    Plan plan = run.session.plan(code.finish(), local);
    const std::vector<T> before(static_cast<size_t>(kGroups) * kElements * scalars, from_double<T>(-1));
    Buffer a = run.session.buffer(before), b = run.session.buffer(before);
    run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b});
    for (Buffer* buffer : {&a, &b}) {
      const auto got = run.session.read<T>(*buffer, before.size());
      for (size_t k = 0; k < got.size(); ++k) {
        const auto element = static_cast<uint32_t>(k / scalars), scalar = static_cast<uint32_t>(k % scalars);
        const uint32_t expected = scalar_of(element, scalar / shape.rows, scalar % shape.rows);
        if (to_double(got[k]) != expected)
          fail("%s, %s, %s: element %u.%u is %s, expected %u", shape.name, way.name,
               buffer == &a ? "in a buffer" : "in shared memory", element, scalar, show(got[k]).c_str(), expected);
      }
      run.report.compared += got.size();
    }
  }
}

// PoCL 3.1 with its optimiser on loses writes like these: in plain OpenCL C `if (part == 3u) tile[at].s3 = v;` in a
// loop, with a barrier behind it, is wrong there in every spelling, and right without optimisation.
bool optimised_pocl(const Session& session) {
  const std::string device = session.info().name;
  const char* options = std::getenv("VKDISPATCH_OPENCL_OPTIONS");
  return session.info().backend == VD_BACKEND_OPENCL &&
         (device.starts_with("pthread-") || device.starts_with("cpu-")) &&
         (options == nullptr || std::strstr(options, "-cl-opt-disable") == nullptr);
}

void components_32(Run& run) {
  if (optimised_pocl(run.session)) {
    run.report.skipped = "PoCL's optimiser loses writes of components (VKDISPATCH_OPENCL_OPTIONS=-cl-opt-disable)";
    return;
  }
  constexpr Shape kShapes[] = {{"f32x2", VD_TYPE_F32X2, 2},
                               {"f32x3", VD_TYPE_F32X3, 3},
                               {"f32x4", VD_TYPE_F32X4, 4},
                               {"complex_f32", VD_TYPE_COMPLEX_F32, 2},
                               {"f32m2", VD_TYPE_F32M2, 2, 2, VD_TYPE_F32X2},
                               {"f32m3", VD_TYPE_F32M3, 3, 3, VD_TYPE_F32X3},
                               {"f32m4", VD_TYPE_F32M4, 4, 4, VD_TYPE_F32X4}};
  for (const Shape& shape : kShapes) written_by_neighbours<float>(run, shape);
}

void components_16(Run& run) {
  constexpr Shape kShapes[] = {
      {"f16x2", VD_TYPE_F16X2, 2}, {"f16x4", VD_TYPE_F16X4, 4}, {"complex_f16", VD_TYPE_COMPLEX_F16, 2}};
  for (const Shape& shape : kShapes) written_by_neighbours<Half>(run, shape);
}

// Components as places of atomics.
void component_atomics(Run& run) {
  constexpr uint32_t kLocal = 64;
  constexpr struct {
    vd_type type;
    uint32_t parts;
  } kTypes[] = {{VD_TYPE_U32X2, 2}, {VD_TYPE_U32X3, 3}, {VD_TYPE_U32X4, 4}};
  for (const auto& [type, parts] : kTypes) {
    Code code("component_atomics", VD_BUILDER_NO_EXEC_BOUNDS);
    Value direct = code.buffer(type, "direct"), copied = code.buffer(type, "copied"),
          counts = code.shared(type, 2, "counts");
    Value lane = code.let(code.local_id()), at = code.let(lane % 2);
    code.begin_if(lane < 2);
    code.store(counts[lane], code.literal(type, 0));
    code.end();
    code.barrier();
    for (uint32_t p = 0; p < parts; ++p) {
      code.op(VD_OP_ATOMIC_ADD, {direct[at][p], code.u32(p + 1)}, VD_TYPE_NONE,
              VD_MEMORY_RELAXED | VD_MEMORY_DEVICE | VD_MEMORY_STORAGE);
      code.op(VD_OP_ATOMIC_ADD, {counts[at][p], code.u32(p + 1)}, VD_TYPE_NONE,
              VD_MEMORY_RELAXED | VD_MEMORY_WORKGROUP | VD_MEMORY_SHARED);
    }
    code.barrier();
    code.begin_if(lane < 2);
    code.store(copied[code.builtin(VD_BUILTIN_WORKGROUP_ID)[0u] * 2 + lane], counts[lane]);
    code.end();
    Plan plan = run.session.plan(code.finish(), kLocal);
    Buffer a = run.session.buffer(std::vector<uint32_t>(2 * parts)),
           b = run.session.buffer(size_t{8} * parts * kGroups);
    run.session.launch_workgroups(plan, {kGroups, 1, 1}, {a, b});
    const auto sums = run.session.read<uint32_t>(a, 2 * parts);
    const auto group_sums = run.session.read<uint32_t>(b, size_t{2} * parts * kGroups);
    for (uint32_t k = 0; k < group_sums.size(); ++k) {
      const uint32_t expected = kLocal / 2 * (k % parts + 1);
      if (group_sums[k] != expected)
        fail("component_atomics of %u: shared sum %u is %u, expected %u", parts, k, group_sums[k], expected);
      if (k < sums.size() && sums[k] != expected * kGroups)
        fail("component_atomics of %u: sum %u is %u, expected %u", parts, k, sums[k], expected * kGroups);
    }
    run.report.compared += sums.size() + group_sums.size();
  }
}

[[maybe_unused]] const Register components_registered[] = {
    {"components/written_by_neighbours", 0, components_32},
    {"components/written_by_neighbours_16", VD_FEATURE_F16 | VD_FEATURE_STORAGE_16, components_16},
    {"components/atomics", 0, component_atomics},
};

}  // namespace
}  // namespace vdc
