#include "support/emulated_cuda/compiler.h"

#include <unistd.h>

#include <atomic>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <regex>
#include <sstream>
#include <vector>

#include "core/hash.h"

namespace vd::emulated {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string trim(const std::string& text) {
  const size_t begin = text.find_first_not_of(" \t\n"), end = text.find_last_not_of(" \t\n");
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

// The text between the parentheses that open at `at`; `at` moves behind them.
std::string in_parentheses(const std::string& text, size_t& at) {
  const size_t begin = at + 1;
  int depth = 0;
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\')
        ++at;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')' && --depth == 0) {
      return text.substr(begin, at++ - begin);
    }
  }
  return text.substr(begin);
}

// An asm statement's text and its operands in order: "=f"(r) gives "r".
struct Asm {
  std::string text;
  std::vector<std::string> operands;
};

Asm parse_asm(const std::string& inside) {
  Asm result;
  size_t at = 0;
  const auto literal = [&] {
    std::string value;
    for (++at; at < inside.size() && inside[at] != '"'; ++at) {
      if (inside[at] == '\\') {
        ++at;
        value += inside[at] == 'n' ? '\n' : inside[at] == 't' ? '\t' : inside[at];
      } else {
        value += inside[at];
      }
    }
    ++at;
    return value;
  };
  while (at < inside.size() && inside[at] != ':') {
    if (inside[at] == '"')
      result.text += literal();
    else
      ++at;
  }
  for (int group = 0; at < inside.size();) {
    if (inside[at] == ':') {
      ++group;
      ++at;
    } else if (inside[at] == '"') {
      literal();
      while (at < inside.size() && std::isspace(static_cast<unsigned char>(inside[at]))) ++at;
      if (group < 3 && at < inside.size() && inside[at] == '(') result.operands.push_back(in_parentheses(inside, at));
    } else {
      ++at;
    }
  }
  return result;
}

// "add.rn.f16 %0, %1, %2" -> "vd_ptx_add_rn_f16(r, a, b);"
std::string instruction_call(const std::string& instruction, const Asm& statement, std::string& error) {
  const size_t space = instruction.find_first_of(" \t");
  std::string name = instruction.substr(0, space), arguments;
  if (space != std::string::npos) {
    std::stringstream parts(instruction.substr(space));
    for (std::string part; std::getline(parts, part, ',');) {
      std::erase_if(part, [](char c) { return c == '[' || c == ']' || c == ' ' || c == '\t'; });
      if (part.starts_with("%%")) {
        name += '.' + part.substr(2);
        continue;
      }
      if (part.starts_with('%')) {
        const size_t index = std::stoul(part.substr(1));
        if (index >= statement.operands.size()) {
          error = "asm operand " + part + " of \"" + instruction + "\" is not there";
          return "";
        }
        part = statement.operands[index];
      }
      arguments += (arguments.empty() ? "" : ", ") + part;
    }
  }
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return "vd_ptx_" + name + "(" + arguments + ");";
}

std::string without_asm(const std::string& source, std::string& error) {
  static const std::regex kAsm(R"(\basm\s*(volatile\s*)?\()");
  std::string out;
  size_t from = 0;
  for (std::sregex_iterator it(source.begin(), source.end(), kAsm), end; it != end; ++it) {
    const auto begin = static_cast<size_t>(it->position());
    out += source.substr(from, begin - from);
    size_t at = begin + static_cast<size_t>(it->length()) - 1;
    const Asm statement = parse_asm(in_parentheses(source, at));
    out += "{ ";
    std::string text = statement.text;
    for (char& c : text)
      if (c == '\n') c = ';';
    std::stringstream instructions(text);
    for (std::string one; std::getline(instructions, one, ';');)
      if (one = trim(one); !one.empty()) out += instruction_call(one, statement, error) + " ";
    out += "}";
    if (at < source.size() && source[at] == ';') ++at;
    from = at;
  }
  return out + source.substr(from);
}

unsigned number_after(const std::string& source, const std::regex& pattern, unsigned otherwise) {
  std::smatch match;
  return std::regex_search(source, match, pattern) ? static_cast<unsigned>(std::stoul(match[1])) : otherwise;
}

}  // namespace

std::string translate(const std::string& source, std::string& error) {
  std::string text = without_asm(source, error);
  static const std::regex kDynamic(R"(extern\s+__shared__\s+(.*?)\s(\w+)\[\];)");
  text = std::regex_replace(text, kDynamic, "static thread_local $1 $2[228 * 1024];");

  std::string shared = "0";
  static const std::regex kShared(R"(__shared__[^;]*?(\w+)\[[^;]*\];)");
  for (std::sregex_iterator it(text.begin(), text.end(), kShared), end; it != end; ++it)
    shared += " + sizeof(" + (*it)[1].str() + ")";
  static const std::regex kWaits(R"(__syncthreads|_sync\(|__syncwarp|__activemask|barrier_cluster)");
  const bool waits = std::regex_search(text, kWaits);
  // A kernel may say how many registers it would need.
  static const std::regex kRegisters(R"(emulated registers: (\d+))");
  const unsigned registers = number_after(source, kRegisters, 32);

  static const std::regex kKernel(R"re(extern\s+"C"\s+__global__\s+void((?:\s+__\w+__\([^)]*\))*)\s+(\w+)\s*\()re");
  static const std::regex kBounds(R"(__launch_bounds__\((\d+))");
  for (std::sregex_iterator it(source.begin(), source.end(), kKernel), end; it != end; ++it) {
    const std::string name = (*it)[2];
    const unsigned bound = number_after((*it)[1], kBounds, 1024);
    static const std::regex kCluster(R"(__cluster_dims__\((\d+), (\d+), (\d+)\))");
    std::smatch cluster;
    const std::string attributes = (*it)[1];
    const bool clusters = std::regex_search(attributes, cluster, kCluster);
    const unsigned by_registers = 65536 / registers / 32 * 32;
    const std::string number = std::to_string(bound < by_registers ? bound : by_registers);
    text += "\nstatic void vd_one_" + name +
            "(void** p) {\n  vd_self->copies = 0, vd_self->copy_groups = 0;\n  vd_call(&" + name + ", p);\n}\n";
    text += "static void vd_group_" + name + "(vd_emulated_thread* t, void** p) {\n  vd_self = t;\n" +
            "  for (t->thread[2] = 0; t->thread[2] < t->block_size[2]; ++t->thread[2])\n" +
            "    for (t->thread[1] = 0; t->thread[1] < t->block_size[1]; ++t->thread[1])\n" +
            "      for (t->thread[0] = 0; t->thread[0] < t->block_size[0]; ++t->thread[0]) vd_one_" + name +
            "(p);\n}\n";
    text += "extern \"C\" __attribute__((visibility(\"default\"))) const vd_emulated_kernel vd_kernel_" + name +
            " = {\n    vd_group_" + name + ", vd_one_" + name + ", vd_enter, decltype(vd_sizes_of(&" + name +
            "))::value,\n    decltype(vd_sizes_of(&" + name + "))::count, " + number + "u, " +
            std::to_string(registers) + "u, unsigned(" + shared + "), " + (waits ? "1u" : "0u") + ", {" +
            (clusters ? cluster[1].str() + ", " + cluster[2].str() + ", " + cluster[3].str() : "1, 1, 1") + "}};\n";
  }
  const fs::path here = fs::path(VD_EMULATED_SOURCES);
  return "#line 1 \"prelude\"\n" + std::regex_replace(read(here / "abi.h"), std::regex("#pragma once"), "") +
         read(here / "prelude.inc") + "#line 1 \"kernel.cu\"\n" + text;
}

std::string compile(const std::string& source, std::string& log) {
  // A source is translated once in a process: under a sanitizer, regular expressions take most of the time of tests
  // that make the same kernels over and over.
  static std::mutex mutex;
  static std::map<std::string, fs::path> libraries;
  {
    const std::lock_guard lock(mutex);
    const auto found = libraries.find(source);
    if (std::string kept = found != libraries.end() ? read(found->second) : ""; !kept.empty()) return kept;
  }
  std::string error;
  const std::string text = translate(source, error);
  if (!error.empty()) {
    log = error;
    return "";
  }
  // In C++, a constant is not exported unless declared so.
  const std::string command = std::string(VD_EMULATED_CXX) +
                              " -std=c++17 -O0 -fPIC -shared -w -fvisibility=hidden -fno-strict-aliasing -fwrapv"
                              " -ffp-contract=off -fno-math-errno -nostartfiles -x c++ ";
  Hasher hasher;
  hasher.add(std::string_view(command)).add(std::string_view(text));
  const char* root = std::getenv("VD_EMULATED_CACHE");
  const fs::path folder = root != nullptr && *root != '\0' ? fs::path(root) : fs::temp_directory_path() / "vd-emulated";
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  const fs::path library = folder / (hasher.finish().hex() + ".so");
  {
    const std::lock_guard lock(mutex);
    libraries[source] = library;
  }
  if (std::string kept = read(library); !kept.empty()) return kept;

  static std::atomic<unsigned> counter{0};
  const std::string name = std::to_string(getpid()) + "-" + std::to_string(counter++);
  const fs::path file = folder / (name + ".cu"), made = folder / (name + ".so"), words = folder / (name + ".log");
  std::ofstream(file) << text;
  const std::string all = command + file.string() + " -o " + made.string() + " -lm > " + words.string() + " 2>&1";
  const int status = std::system(all.c_str());
  log = read(words);
  std::string bytes;
  if (status == 0) {
    fs::rename(made, library, ignored);
    bytes = read(library);
  }
  if (status == 0 || std::getenv("VD_EMULATED_KEEP") == nullptr) fs::remove(file, ignored);
  fs::remove(words, ignored);
  return bytes;
}

}  // namespace vd::emulated
