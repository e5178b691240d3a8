// Codes of programs by their keys: those that this context wrote, and on disk what is left of them once a device's
// compiler has their text. So a process that plans what another one did before writes no kernel.
#pragma once

#include <memory>
#include <optional>

#include "fft/program.h"
#include "fft/program_code.h"
#include "runtime/written_cache.h"

struct vd_context;

namespace vd {
class DiskCache;
}

namespace vd::fft {

class CodeStore {
 public:
  // In memory alone.
  explicit CodeStore(runtime::WrittenCache& memory) : memory_(memory) {}
  CodeStore(vd_context& context, uint32_t device);

  std::shared_ptr<const ProgramCode> find(const Hash128& key);
  void add(const Hash128& key, std::shared_ptr<const ProgramCode> code);
  // Whether keep() does anything.
  bool keeps() const { return disk_ != nullptr; }
  // On disk, with `kept` in place of the kernels. Does nothing where one of them cannot be kept.
  void keep(const Program& program, const std::vector<runtime::KeptKernel>& kept);

 private:
  Hash128 own(const Hash128& key) const;

  runtime::WrittenCache& memory_;
  DiskCache* disk_ = nullptr;        // null: nothing is kept
  std::optional<Hash128> printing_;  // of the device's kernels, by this library
};

}  // namespace vd::fft
