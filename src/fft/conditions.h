// Conditions on a pass and its device, under which a record holds. As words: "n=1024 columns=1 bounds_registers=0".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vd::fft {

struct PassDesc;
struct Limits;

class Conditions {
 public:
  // Throws VD_ERR_INVALID, with the word, if one is unknown, has no number or is there twice, or if there is no n.
  static Conditions read(std::string_view words);
  // Conditions that a pass meets and others with lines of another shape do not; about as many lines.
  static Conditions of(const PassDesc& desc, const Limits& limits);

  uint32_t n() const { return n_; }
  uint32_t rows() const { return rows_; }  // 0: the pass is of lines
  // `columns`: a workgroup's lines are neighbours along the first batch.
  bool hold(const PassDesc& desc, const Limits& limits, bool columns) const;
  std::string text() const;

 private:
  struct Word {
    size_t number;  // of the known ones
    uint64_t value;
  };
  uint32_t n_ = 0, rows_ = 0;
  std::vector<Word> words_;
};

}  // namespace vd::fft
