// PRINTF: one message of the log for each active invocation, in order.
#include <bit>
#include <cstdio>
#include <cstring>

#include "backends/host/check.h"
#include "core/log.h"
#include "ir/op.h"

namespace vd::host {
namespace {

using ir::Scalar;

// One component, as the conversion letter says where it fits the type.
std::string component(const std::byte* lane, Scalar s, const std::string& spec, char letter) {
  const auto as = [&]<class T>(T) {
    T value;
    std::memcpy(&value, lane, sizeof(value));
    return value;
  };
  char text[1400];  // three digits of width, and of precision behind the 309 of the largest f64
  const auto format = [&](const char* length, char with, auto value) {
    const std::string full = "%" + spec + length + with;
    std::snprintf(text, sizeof(text), full.c_str(), value);
    return std::string(text);
  };
  if (letter == 'c') {
    char c;  // the lowest byte
    std::memcpy(&c, lane, 1);
    std::snprintf(text, sizeof(text), ("%" + spec + "c").c_str(), c);
    return text;
  }
  const bool hex = letter == 'x' || letter == 'X' || letter == 'o';
  const char real = std::strchr("feEgGaA", letter) != nullptr ? letter : 'f';
  switch (s) {
    case Scalar::F16:
    case Scalar::F32:
      return format("", real, static_cast<double>(as(float{})));
    case Scalar::F64:
      return format("", real, as(double{}));
    case Scalar::I8:
      return format("ll", hex ? letter : 'd', static_cast<long long>(as(int8_t{})));
    case Scalar::I16:
      return format("ll", hex ? letter : 'd', static_cast<long long>(as(int16_t{})));
    case Scalar::I32:
      return format("ll", hex ? letter : 'd', static_cast<long long>(as(int32_t{})));
    case Scalar::I64:
      return format("ll", hex ? letter : 'd', static_cast<long long>(as(int64_t{})));
    case Scalar::U16:
      return format("ll", hex ? letter : 'u', static_cast<unsigned long long>(as(uint16_t{})));
    case Scalar::U32:
      return format("ll", hex ? letter : 'u', static_cast<unsigned long long>(as(uint32_t{})));
    case Scalar::U64:
      return format("ll", hex ? letter : 'u', static_cast<unsigned long long>(as(uint64_t{})));
    default:
      return format("ll", hex ? letter : 'u', static_cast<unsigned long long>(as(uint8_t{})));
  }
}

}  // namespace

// The format takes a scalar for each conversion.
void print(Machine& m, const Insn* i) {
  const ir::Kernel& k = m.program->kernel;
  const auto operands = k.operands_of(static_cast<ir::ValueId>(i->d));
  const std::string& format = k.strings[k.insts[operands[0]].immediate];
  m.mask.each([&](uint32_t lane) {
    std::string text;
    uint32_t next = 1, part = i->c;
    for (size_t at = 0; at < format.size(); ++at) {
      if (format[at] != '%' || at + 1 == format.size()) {
        text += format[at];
        continue;
      }
      if (format[at + 1] == '%') {
        text += '%';
        ++at;
        continue;
      }
      // The verifier lets through flags, width and precision, then letters of a length, which the type says better.
      const size_t begin = ++at;
      at = format.find_first_not_of("-+ #0123456789.", at);
      const std::string spec = format.substr(begin, at - begin);
      at = format.find_first_not_of("hlLqjzt", at);
      const Scalar s = k.insts[operands[next++]].type.scalar();
      const Operand& o = m.program->operands[part++];
      text += component(m.frame + o.slot + (o.step == 0 ? 0 : lane * lane_size(s)), s, spec, format[at]);
    }
    log_shader(text);
  });
}

}  // namespace vd::host
