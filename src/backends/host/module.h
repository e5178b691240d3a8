// A kernel compiled for the host: the bytecode and what was compiled as text. Equal kernels of one device share it.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "backends/backend.h"
#include "backends/host/program.h"
#include "core/hash.h"

namespace vd::host {

class Module final : public backends::Module {
 public:
  explicit Module(std::shared_ptr<const Program> program) : program_(std::move(program)) {}
  const std::string& source() const override { return program_->text; }
  bool from_cache() const override { return false; }
  const Program& program() const { return *program_; }

 private:
  std::shared_ptr<const Program> program_;
};

}  // namespace vd::host
