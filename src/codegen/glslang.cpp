#include "codegen/glslang.h"

#include "codegen/foreign/check.h"
#include "core/error.h"

#if __has_include(<SPIRV/GlslangToSpv.h>)
#define VD_GLSLANG 1
#include <SPIRV/GlslangToSpv.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>

#include <cctype>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <unordered_map>
#endif

namespace vd::codegen {

std::string number_lines(const std::string& text) {
  std::string out;
  size_t line = 1, begin = 0;
  while (begin < text.size()) {
    size_t end = text.find('\n', begin);
    if (end == std::string::npos) end = text.size();
    out += fmt::format("{:4}: ", line++);
    out.append(text, begin, end - begin);
    out += '\n';
    begin = end + 1;
  }
  return out;
}

#ifdef VD_GLSLANG
namespace {

// Never undone: other threads may still compile while the process ends.
void initialize() {
  static std::once_flag once;
  std::call_once(once, [] { glslang::InitializeProcess(); });
}

// glslang asks for 8- and 16-bit arithmetic where an operator needs it, but not where only its built-in functions do.
void add_missing_capabilities(std::vector<uint32_t>& words) {
  constexpr uint32_t kHeader = 5;
  constexpr uint32_t kOpCapability = 17, kOpTypeInt = 21, kOpTypeFloat = 22, kOpTypeVector = 23, kOpExtInst = 12;
  constexpr uint32_t kFloat16 = 9, kInt16 = 22, kInt8 = 39;
  std::unordered_map<uint32_t, uint32_t> capability_of;  // type -> capability
  std::set<uint32_t> present, needed;
  for (size_t at = kHeader; at < words.size();) {
    const uint32_t op = words[at] & 0xffff, count = words[at] >> 16;
    if (count == 0 || at + count > words.size()) return;
    if (op == kOpCapability) present.insert(words[at + 1]);
    if (op == kOpTypeFloat && words[at + 2] == 16) capability_of[words[at + 1]] = kFloat16;
    if (op == kOpTypeInt && words[at + 2] < 32) capability_of[words[at + 1]] = words[at + 2] == 16 ? kInt16 : kInt8;
    if (op == kOpTypeVector && capability_of.contains(words[at + 2]))
      capability_of[words[at + 1]] = capability_of[words[at + 2]];
    if (op == kOpExtInst && capability_of.contains(words[at + 1])) needed.insert(capability_of[words[at + 1]]);
    at += count;
  }
  for (const uint32_t capability : needed)
    if (!present.contains(capability)) words.insert(words.begin() + kHeader, {2u << 16 | kOpCapability, capability});
}

[[noreturn]] void fail_compile(const std::string& name, const char* log, const std::string& source) {
  fail(VD_ERR_COMPILE, "kernel \"{}\" does not compile as GLSL:\n{}\n{}", name, log, number_lines(source));
}

void set_environment(glslang::TShader& shader, bool spirv_1_5) {
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan,
                      spirv_1_5 ? glslang::EShTargetVulkan_1_2 : glslang::EShTargetVulkan_1_1);
  shader.setEnvTarget(glslang::EShTargetSpv, spirv_1_5 ? glslang::EShTargetSpv_1_5 : glslang::EShTargetSpv_1_3);
}

constexpr auto kMessages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
constexpr int kDefaultVersion = 450;

// glslang's preprocessor says which of the names it knows.
std::map<std::string, std::string> builtin_macros(const std::string& version, const std::set<std::string>& names) {
  std::string text = version + "\n";
  for (const std::string& name : names) text += fmt::format("vd_known {0}_ {0}\n", name);
  glslang::TShader shader(EShLangCompute);
  const char* pointer = text.c_str();
  shader.setStrings(&pointer, 1);
  set_environment(shader, true);
  glslang::TShader::ForbidIncluder includer;
  std::string out;
  std::map<std::string, std::string> found;
  if (!shader.preprocess(GetDefaultResources(), kDefaultVersion, ENoProfile, false, false, kMessages, &out, includer))
    return found;  // a #version that compilation will refuse
  std::istringstream lines(out);
  for (std::string line, mark, name, value; std::getline(lines, line);) {
    std::istringstream words(line);
    // An unknown name stays as it is; the others are numbers.
    if (words >> mark >> name >> value && mark == "vd_known" && std::isdigit(static_cast<unsigned char>(value[0])) != 0)
      found[name.substr(0, name.size() - 1)] = value;
  }
  return found;
}

}  // namespace

std::string glslang_version() {
  const glslang::Version version = glslang::GetVersion();
  return fmt::format("glslang {}.{}.{}", version.major, version.minor, version.patch);
}

void check_foreign_glsl(const std::string& source, const std::string& name) {
  initialize();
  check_foreign(source, fmt::format("kernel \"{}\" does not compile as GLSL", name), builtin_macros);
}

std::vector<uint32_t> compile_glsl(const std::string& source, const std::string& name, bool spirv_1_5) {
  initialize();
  glslang::TShader shader(EShLangCompute);
  const char* text = source.c_str();
  const int length = static_cast<int>(source.size());
  shader.setStringsWithLengths(&text, &length, 1);
  set_environment(shader, spirv_1_5);
  // min, max and clamp give the other operand for a NaN, as the kernel language has it.
  shader.setNanMinMaxClamp(true);
  if (!shader.parse(GetDefaultResources(), kDefaultVersion, false, kMessages))
    fail_compile(name, shader.getInfoLog(), source);
  glslang::TProgram program;
  program.addShader(&shader);
  if (!program.link(kMessages)) fail_compile(name, program.getInfoLog(), source);
  std::vector<uint32_t> words;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, nullptr, &options);
  add_missing_capabilities(words);
  return words;
}
#else
std::string glslang_version() { return "none"; }

void check_foreign_glsl(const std::string&, const std::string&) {}

std::vector<uint32_t> compile_glsl(const std::string&, const std::string&, bool) {
  fail(VD_ERR_UNSUPPORTED, "this library was built without glslang, which compiles GLSL to SPIR-V");
}
#endif

}  // namespace vd::codegen
