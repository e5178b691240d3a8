#include "recorded.h"

#include <sstream>

#include "case.h"
#include "reference.h"
#include "type_names.h"

namespace vdc {

namespace {

vd_type scalar_of(vd_type type) { return static_cast<vd_type>(type & 0xff); }

std::string hex(const std::vector<uint8_t>& bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const uint8_t byte : bytes) text += digits[byte >> 4], text += digits[byte & 15];
  return text;
}
std::vector<uint8_t> bytes_of(const std::string& text) {
  if (text.size() % 2) fail("\"%s\" is no row of bytes", text.c_str());
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i < text.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

Number scalar_at(const std::vector<uint8_t>& bytes, vd_type scalar, size_t i) {
  Number n{scalar, 0};
  const size_t size = bits_of(scalar) / 8;
  std::memcpy(&n.bits, bytes.data() + i * size, size);
  return n;
}

Kernel parse_kernel(const Recorded& recorded) {
  Kernel kernel;
  VDC(vd_kernel_parse(recorded.text.data(), recorded.text.size(), kernel.out()));
  return kernel;
}

std::string compare(const Recorded::Array& array, const std::vector<uint8_t>& got) {
  const vd_type scalar = scalar_of(array.type);
  const size_t parts = array.type == scalar ? 1 : 2, size = bits_of(scalar) / 8;
  std::vector<bool> open(got.size() / size / parts);
  for (const uint32_t i : array.open) open.at(i) = true;
  size_t wrong = 0;
  std::string first;
  for (size_t i = 0; i < got.size() / size; ++i) {
    if (open[i / parts]) continue;
    const Number expected = scalar_at(array.after, scalar, i), found = scalar_at(got, scalar, i);
    if (expected.bits == found.bits || (is_nan(expected) && is_nan(found))) continue;
    if (is_zero(expected) && is_zero(found)) continue;
    if (wrong++ == 0) first = std::to_string(i / parts) + "] is " + show(found) + ", expected " + show(expected);
  }
  if (wrong == 0) return "";
  return array.name + ": " + std::to_string(wrong) + " of " + std::to_string(got.size() / size) + " differ, first [" +
         first + "\n";
}

}  // namespace

vd_features features_of(const Recorded& recorded) {
  Kernel kernel = parse_kernel(recorded);
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  VDC(vd_kernel_get_info(kernel, &info));
  return info.requirements;
}

std::string difference(Session& session, const Recorded& recorded, std::string* plan_source) {
  Kernel kernel = parse_kernel(recorded);
  Plan plan = session.plan(kernel, recorded.workgroup_size);
  if (plan_source) *plan_source = vd_plan_get_source(plan, nullptr);
  vd_kernel_info info = VD_KERNEL_INFO_INIT;
  VDC(vd_kernel_get_info(kernel, &info));
  std::vector<uint8_t> values(info.values_size);
  std::vector<Buffer> buffers;
  std::vector<const Recorded::Array*> arrays;
  std::vector<vd_buffer*> bound;
  for (uint32_t i = 0; i < info.argument_count; ++i) {
    vd_argument_info argument = VD_ARGUMENT_INFO_INIT;
    VDC(vd_kernel_get_argument(kernel, i, &argument));
    bool found = false;
    for (const Recorded::Value& value : recorded.values)
      if (value.name == argument.name)
        std::memcpy(values.data() + argument.offset, value.bytes.data(), value.bytes.size()), found = true;
    for (const Recorded::Array& array : recorded.arrays)
      if (array.name == argument.name) {
        buffers.push_back(session.buffer(array.before));
        arrays.push_back(&array);
        bound.push_back(buffers.back());
        found = true;
      }
    if (!found) fail("argument \"%s\" has no value in the recorded kernel", argument.name);
  }
  session.launch(plan, {recorded.invocations, 1, 1}, bound, values.data(), info.values_size);
  std::string text;
  for (size_t i = 0; i < arrays.size(); ++i)
    if (!arrays[i]->after.empty())
      text += compare(*arrays[i], session.read<uint8_t>(buffers[i], arrays[i]->after.size()));
  return text;
}

std::string to_text(const Recorded& recorded) {
  std::string text =
      "launch " + std::to_string(recorded.invocations) + " " + std::to_string(recorded.workgroup_size) + "\n";
  for (const Recorded::Value& value : recorded.values)
    text += "value " + value.name + " " + type_name(value.type) + " " + hex(value.bytes) + "\n";
  for (const Recorded::Array& array : recorded.arrays) {
    text += "array " + array.name + " " + type_name(array.type) + " in " + hex(array.before);
    if (!array.after.empty()) text += " out " + hex(array.after);
    if (!array.open.empty()) text += " open";
    for (const uint32_t i : array.open) text += " " + std::to_string(i);
    text += "\n";
  }
  return text + "kernel\n" + recorded.text;
}

Recorded parse_recorded(const std::string& text) {
  Recorded recorded;
  std::istringstream lines(text);
  uint32_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string word, name, type;
    words >> word;
    if (word == "launch") {
      words >> recorded.invocations >> recorded.workgroup_size;
    } else if (word == "value" || word == "array") {
      words >> name >> type;
      const vd_type known = type_named(type);
      if (known == VD_TYPE_NONE) fail("line %u: \"%s\" is no type of a recorded kernel", number, type.c_str());
      if (word == "value") {
        std::string bytes;
        words >> bytes;
        recorded.values.push_back({name, known, bytes_of(bytes)});
        continue;
      }
      Recorded::Array array{name, known, {}, {}, {}};
      for (std::string part, bytes; words >> part;) {
        if (part == "in" && words >> bytes)
          array.before = bytes_of(bytes);
        else if (part == "out" && words >> bytes)
          array.after = bytes_of(bytes);
        else if (part == "open")
          for (uint32_t i = 0; words >> i;) array.open.push_back(i);
      }
      recorded.arrays.push_back(std::move(array));
    } else if (word == "kernel") {
      std::ostringstream rest;
      rest << lines.rdbuf();
      recorded.text = rest.str();
      return recorded;
    } else {
      fail("line %u: \"%s\" begins no line of a recorded kernel", number, word.c_str());
    }
  }
  fail("there is no line \"kernel\"");
}

}  // namespace vdc
