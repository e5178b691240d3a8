// A fuzzer's bytes, read as a program: choices, and what calls are given. Past the end they are zeros.
#pragma once

#include <cstdint>

struct Input {
  const uint8_t* at;
  const uint8_t* end;
  bool empty() const { return at == end; }
  uint8_t byte() { return empty() ? uint8_t{0} : *at++; }
  uint32_t below(uint32_t n) { return byte() % n; }
  uint16_t word() { return static_cast<uint16_t>(byte() | byte() << 8); }
};
