// A layer for OpenCL's loader (OPENCL_LAYERS) that gives PoCL short programs to read. PoCL puts Clang's 18,000 lines of
// declarations before each program, and reads them in a tenth of a second; a kernel of ours takes a seventh of that. Here a
// program gets the declarations of the functions that it names, with all of their overloads, from the same files.
// Other drivers, and a PoCL whose files are not as expected, get their programs as they are.
#include <CL/cl_layer.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace {

constexpr const char* kFolder = "/usr/share/pocl/include/";
constexpr const char* kGuard = " -D_OPENCL_H_";  // PoCL's own inclusion is then empty

cl_icd_dispatch g_below{};  // the loader's, or another layer's
cl_icd_dispatch g_layer{};

bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The names in a text, which views its bytes.
std::unordered_set<std::string_view> names_in(std::string_view text) {
  std::unordered_set<std::string_view> names;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && in_name(text[end])) ++end;
    if (end > at) names.insert(text.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

// A line, or lines that declare a function.
struct Piece {
  std::string text;
  std::string function;  // none: it stays in any case
};

class Declarations {
 public:
  Declarations() {
    there_ = add("_enable_all_exts.h") && add("opencl-c.h") && add("_clang_opencl.h");
    // Lines of _kernel.h, which PoCL has behind them.
    keep("#undef FP_ILOGBNAN");
    keep("#undef FP_ILOGB0");
    keep("#define FP_ILOGB0 INT_MIN");
    keep("#define FP_ILOGBNAN INT_MAX");
    keep("#pragma OPENCL EXTENSION all : disable");
  }

  // The program behind what it needs, or nothing where it cannot be told what that is.
  std::string before(std::string_view program) const {
    if (!there_ || program.find("##") != std::string_view::npos) return {};
    std::unordered_set<std::string_view> names = names_in(program);
    names.insert(named_by_macros_.begin(), named_by_macros_.end());
    std::string text = "#undef _OPENCL_H_\n";
    for (const Piece& piece : pieces_)
      if (piece.function.empty() || names.contains(piece.function)) text += piece.text;
    text += "#line 1\n";
    return text.append(program);
  }

 private:
  bool add(const std::string& file) {
    std::ifstream in(kFolder + file);
    if (!in) return false;
    std::string declaration;
    for (std::string line; std::getline(in, line);) {
      if (!declaration.empty()) {
        declaration += line + '\n';
      } else if (line.starts_with("#include \"opencl-c-base.h\"")) {
        if (!add("opencl-c-base.h")) return false;
      } else if (line.starts_with("#include <opencl-c.h>")) {
        continue;  // it comes before this file
      } else if (file == "_clang_opencl.h" && line.starts_with("#ifndef _OPENCL_H_")) {
        keep("#if 1");
      } else if (line.find(" __ovld ") != std::string::npos || line.find(" _CL_OVERLOADABLE ") != std::string::npos) {
        declaration = line + '\n';
      } else {
        keep(line);
      }
      if (!declaration.empty() && declaration.find(';') != std::string::npos) {
        pieces_.push_back({declaration, function_of(declaration)});
        declaration.clear();
      }
    }
    return declaration.empty();
  }

  void keep(const std::string& line) {
    pieces_.push_back({line + '\n', {}});
    if (!line.starts_with("#define")) return;
    for (const std::string_view name : names_in(line)) named_by_macros_.emplace(name);
  }

  static std::string function_of(const std::string& declaration) {
    size_t end = declaration.find('(');
    if (end == std::string::npos) return {};
    while (end > 0 && declaration[end - 1] == ' ') --end;
    size_t begin = end;
    while (begin > 0 && in_name(declaration[begin - 1])) --begin;
    const std::string name = declaration.substr(begin, end - begin);
    return name == "__attribute__" ? std::string() : name;
  }

  std::vector<Piece> pieces_;
  std::set<std::string> named_by_macros_;
  bool there_ = false;
};

std::mutex g_mutex;
std::unordered_set<cl_program> g_short;  // programs that brought their declarations

bool on_pocl(cl_context context) {
  cl_device_id device = nullptr;
  cl_uint count = 0;
  if (g_below.clGetContextInfo(context, CL_CONTEXT_NUM_DEVICES, sizeof(count), &count, nullptr) != CL_SUCCESS ||
      count != 1 ||
      g_below.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof(cl_device_id), static_cast<void*>(&device),
                               nullptr) != CL_SUCCESS)
    return false;
  cl_platform_id platform = nullptr;
  char name[64] = "";
  return g_below.clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(cl_platform_id), static_cast<void*>(&platform),
                                 nullptr) == CL_SUCCESS &&
         g_below.clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name) - 1, name, nullptr) == CL_SUCCESS &&
         std::string_view(name) == "Portable Computing Language";
}

cl_program CL_API_CALL create_program(cl_context context, cl_uint count, const char** strings, const size_t* lengths,
                                      cl_int* result) {
  std::string text;
  if (count > 0 && strings && on_pocl(context)) {
    static const Declarations declarations;
    for (cl_uint i = 0; i < count; ++i) {
      if (!strings[i]) return g_below.clCreateProgramWithSource(context, count, strings, lengths, result);
      text += lengths && lengths[i] ? std::string_view(strings[i], lengths[i]) : std::string_view(strings[i]);
    }
    text = declarations.before(text);
  }
  const char* const whole = text.c_str();
  const size_t length = text.size();
  const cl_program program =
      text.empty() ? g_below.clCreateProgramWithSource(context, count, strings, lengths, result)
                   : g_below.clCreateProgramWithSource(context, 1, const_cast<const char**>(&whole), &length, result);
  const std::scoped_lock lock(g_mutex);
  g_short.erase(program);  // one of before had that address
  if (program && !text.empty()) g_short.insert(program);
  return program;
}

cl_int CL_API_CALL build_program(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                                 void(CL_CALLBACK* notify)(cl_program, void*), void* user) {
  std::string all = options ? options : "";
  {
    const std::scoped_lock lock(g_mutex);
    if (g_short.contains(program)) all += kGuard;
  }
  return g_below.clBuildProgram(program, count, devices, all.c_str(), notify, user);
}

}  // namespace

extern "C" {

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value,
                                                                         size_t* needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (name != CL_LAYER_API_VERSION || (value && size < sizeof(version))) return CL_INVALID_VALUE;
  if (value) *static_cast<cl_layer_api_version*>(value) = version;
  if (needed) *needed = sizeof(version);
  return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* below,
                                                                      cl_uint* filled, const cl_icd_dispatch** layer) {
  constexpr cl_uint kEntries = sizeof(cl_icd_dispatch) / sizeof(void*);
  if (!below || !filled || !layer || entries > kEntries) return CL_INVALID_VALUE;
  std::copy_n(reinterpret_cast<void* const*>(below), entries, reinterpret_cast<void**>(&g_below));
  g_layer = g_below;
  g_layer.clCreateProgramWithSource = create_program;
  g_layer.clBuildProgram = build_program;
  *layer = &g_layer;
  *filled = entries;
  return CL_SUCCESS;
}
}
