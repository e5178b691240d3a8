#include "codegen/precise/source.h"

#include <map>
#include <mutex>
#include <utility>

#include "codegen/precise/functions.h"
#include "codegen/printer.h"

namespace vd::codegen {

namespace {

// One function's text; "" for other names. Each is printed once a language.
std::string precise_source(const Dialect& dialect, const std::string& name) {
  const ir::Kernel* function = precise_function(name);
  if (!function) return "";
  static std::mutex mutex;
  static auto* const printed = new std::map<std::pair<const Dialect*, std::string>, std::string>;
  const std::lock_guard lock(mutex);
  std::string& text = (*printed)[{&dialect, name}];
  if (!text.empty()) return text;
  const Options options;
  Module m(*function, dialect, options);
  Printer(m).run();
  std::string parameters;
  for (size_t i = 0; i < function->arguments.size(); ++i)
    parameters += (i ? ", " : "") + m.declare(function->arguments[i].type, m.arguments[i]);
  text = fill(dialect.function, {{"T", m.type(function->return_type)}, {"name", name}, {"0", parameters}}) +
         m.declarations + m.body + "}\n";
  return text;
}

}  // namespace

std::string precise_sources(const Module& m) {
  std::string out;
  for (const std::string& name : m.needs) out += precise_source(m.dialect, name);
  return out;
}

}  // namespace vd::codegen
