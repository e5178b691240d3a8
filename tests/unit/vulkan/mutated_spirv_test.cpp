// Foreign SPIR-V with random changes: a driver sees a module only if the validator accepts it, so that every module
// gets an answer; with VD_TEST_FULL 8000 modules instead of 400. The seed is VD_TEST_SEED, else a fixed one.
// VD_TEST_TRACE prints the number of each module before it is tried, for drivers that end the process.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <random>

#include "codegen/glslang.h"
#include "unit/vulkan/fixture.h"

namespace vd::vulkan {
namespace {

constexpr const char* kShaders[] = {
    R"(#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer X { uint x[]; };
layout(push_constant) uniform Values { uint count; float scale; uvec2 ab; };
void main() { uint i = gl_GlobalInvocationID.x; if (i < count) x[i] = uint(float(x[i]) * scale) + ab.y; }
)",
    R"(#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(set = 0, binding = 0) buffer X { vec4 x[]; };
layout(set = 0, binding = 1) buffer Y { mat4 y; int n; };
shared float part[32];
float twice(float a) { return a + a; }
void main() {
  uint i = gl_LocalInvocationIndex;
  part[i] = x[i].z;
  barrier();
  float sum = 0.0;
  for (int j = 0; j < 32; ++j) { if (j == n) continue; sum += twice(part[(i + j) % 32]); }
  x[i] = y * vec4(sum, sin(sum), sqrt(sum), 1.0);
  atomicAdd(n, 1);
}
)",
    R"(#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
layout(local_size_x = 32) in;
struct Pair { int a; uint b[3]; };
layout(set = 0, binding = 0) buffer X { Pair x[]; };
void main() {
  Pair p = x[gl_WorkGroupID.x];
  switch (p.a) { case 0: p.b[1] = subgroupAdd(p.b[0]); break; case 5: p.b[2] += 7; default: p.a = -p.a; }
  x[gl_WorkGroupID.x] = p;
}
)"};

constexpr const char* kAllBindings = R"(#version 450
layout(local_size_x_id = 3) in;
layout(constant_id = 0) const int steps = 3;
layout(constant_id = 1) const bool turn = false;
layout(constant_id = 2) const uint count = 4;
layout(set = 0, binding = 0) buffer X { float x[]; };
layout(set = 0, binding = 1, std140) uniform U { vec4 a[3]; mat3 m; float b; };
layout(set = 0, binding = 2) uniform sampler2D photo;
layout(set = 0, binding = 3, rgba8) uniform image3D volume;
shared float part[count + 1];
void main() {
  uint i = gl_GlobalInvocationID.x;
  part[i % count] = x[i];
  barrier();
  vec4 texel = textureLod(photo, a[i % 3].xy, b) + imageLoad(volume, ivec3(i));
  for (int j = 0; j < steps; ++j) texel.x += part[j];
  imageStore(volume, ivec3(i, 0, 1), turn ? -texel : texel);
  x[i] = (m * texel.xyz).y;
}
)";

// The places of instructions behind the header.
std::vector<size_t> instructions_of(const std::vector<uint32_t>& words) {
  std::vector<size_t> places;
  for (size_t at = 5; at < words.size() && words[at] >> 16 != 0; at += words[at] >> 16) places.push_back(at);
  return places;
}

// One fault that leaves the module's grammar whole: an operand becomes the one of another instruction of its kind, or
// another number close by; an instruction is lost, doubled or exchanged with its neighbour.
void spoil_meaning(std::vector<uint32_t>& words, std::mt19937& random) {
  const auto places = instructions_of(words);
  const auto pick = [&] { return places[random() % places.size()]; };
  const size_t at = pick(), length = words[at] >> 16;
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(at), end = begin + static_cast<std::ptrdiff_t>(length);
  const size_t operand = 1 + random() % std::max<size_t>(length - 1, 1);
  if (operand >= length) return;
  switch (random() % 8) {
    case 0:
      words.erase(begin, end);
      break;
    case 1: {
      const std::vector<uint32_t> copy(begin, end);
      const auto elsewhere = words.begin() + static_cast<std::ptrdiff_t>(pick());
      words.insert(elsewhere, copy.begin(), copy.end());
      break;
    }
    case 2:
    case 3:
      words[at + operand] += random() % 2 == 0 ? 1 : UINT32_MAX;
      break;
    default:
      for (int tries = 0; tries < 200; ++tries) {
        const size_t other = pick();
        if (words[other] != words[at] || words[other + operand] == words[at + operand]) continue;
        words[at + operand] = words[other + operand];
        break;
      }
  }
}

// One fault of a word: it becomes another of the module, a random one, or has a bit flipped; or is lost, or doubled.
void spoil_word(std::vector<uint32_t>& words, std::mt19937& random) {
  const size_t at = 1 + random() % (words.size() - 1);
  switch (random() % 6) {
    case 0:
      words[at] = words[random() % words.size()];
      break;
    case 1:
      words[at] = static_cast<uint32_t>(random());
      break;
    case 2:
      words[at] = static_cast<uint32_t>(random() % 64);
      break;
    case 3:
      words[at] ^= 1u << random() % 32;
      break;
    case 4:
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    default:
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), words[at]);
  }
}

std::vector<uint32_t> spoil(std::vector<uint32_t> words, std::mt19937& random) {
  if (random() % 4 == 0) {
    for (size_t faults = 1 + random() % 4; faults > 0; --faults) spoil_word(words, random);
  } else {
    spoil_meaning(words, random);
  }
  return words;
}

class MutatedSpirv : public VulkanTest {
 protected:
  // Spoils the modules by turns, and makes plans of them; the number of answers by status.
  std::map<vd_status, int> try_all(const std::vector<std::vector<uint32_t>>& modules, uint32_t tries,
                                   const std::vector<uint32_t>& bindings, bool specialised);
};

std::map<vd_status, int> MutatedSpirv::try_all(const std::vector<std::vector<uint32_t>>& modules, uint32_t tries,
                                               const std::vector<uint32_t>& bindings, bool specialised) {
  std::string reason;
  device_ = open_fresh({}, "", reason);
  const char* wish = std::getenv("VD_TEST_SEED");
  const auto seed = static_cast<uint32_t>(wish != nullptr ? std::strtoul(wish, nullptr, 10) : 20240607);
  std::map<vd_status, int> counts;
  const bool full = std::getenv("VD_TEST_FULL") != nullptr;
  if (full) tries *= 20;
  provokes_ = full;  // among so many, the layers find a module or two whose layout they reject and drivers accept
  const bool trace = std::getenv("VD_TEST_TRACE") != nullptr;
  for (uint32_t i = 0; i < tries; ++i) {
    std::mt19937 random(seed + i);
    const auto words = spoil(modules[i % modules.size()], random);
    if (trace) std::fprintf(stderr, "module %u\n", i);
    backends::SourceText source;
    source.language = VD_LANGUAGE_SPIRV;
    source.text.assign(reinterpret_cast<const char*>(words.data()), words.size() * 4);
    source.bindings = bindings;
    source.values_size = 16;
    for (uint32_t id = 0; specialised && id < 4; ++id)
      source.spec_constants.push_back({id, 0, random() % (id == 1 ? 2 : 8)});
    backends::ModuleDesc desc;
    desc.label = "spoilt";
    desc.source = &source;
    SCOPED_TRACE("module " + std::to_string(i) + ", VD_TEST_SEED=" + std::to_string(seed));
    vd_status status = VD_OK;
    try {
      device().make_module(desc);
    } catch (const Error& error) {
      status = error.status();
      EXPECT_TRUE(status == VD_ERR_COMPILE || status == VD_ERR_UNSUPPORTED || status == VD_ERR_INVALID) << error.what();
      EXPECT_NE(std::string(error.what()).find("spoilt"), std::string::npos) << error.what();
    }
    ++counts[status];
  }
  std::string text;
  for (const auto& [status, count] : counts) text += std::to_string(status) + ": " + std::to_string(count) + "  ";
  RecordProperty("answers", text);
  std::printf("answers by status: %s\n", text.c_str());
  return counts;
}

TEST_F(MutatedSpirv, GetsAnAnswer) {
  std::vector<std::vector<uint32_t>> modules;
  for (const char* shader : kShaders) modules.push_back(codegen::compile_glsl(shader, "honest"));
  auto counts = try_all(modules, 400, {1, 1}, false);
  EXPECT_GT(counts[VD_OK], 40) << "some faults do no harm";
  EXPECT_GT(counts[VD_ERR_COMPILE], 200);
}

TEST_F(MutatedSpirv, OfAllBindingsGetsAnAnswer) {
  auto counts = try_all({codegen::compile_glsl(kAllBindings, "honest")}, 100, {1, 3, 5, 6}, false);
  EXPECT_GT(counts[VD_OK], 10) << "some faults do no harm";
  EXPECT_GT(counts[VD_ERR_COMPILE], 40);
}

TEST_F(MutatedSpirv, SpecialisedGetsAnAnswer) {
  auto counts = try_all({codegen::compile_glsl(kAllBindings, "honest")}, 100, {1, 3, 5, 6}, true);
  EXPECT_GT(counts[VD_ERR_COMPILE], 40);
}

}  // namespace
}  // namespace vd::vulkan
