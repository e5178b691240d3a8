#include "fft/code_store.h"

#include <algorithm>

#include "core/bytes.h"
#include "core/error.h"
#include "core/log.h"
#include "core/source_hash.h"
#include "runtime/context.h"

namespace vd::fft {
namespace {

// Longer constants are computed again rather than kept in memory, or on disk.
constexpr uint64_t kMostInMemory = uint64_t{1} << 20, kMostOnDisk = uint64_t{1} << 23;

void add_constants(ByteWriter& to, const Constants& constants) {
  to.add(constants.scalar).add(constants.size).add(uint64_t{constants.parts.size()});
  for (const Constants::Part& part : constants.parts) to.add(part.offset).add(std::span(part.bytes));
  to.add(uint64_t{constants.chirps.size()});
  for (const DeviceChirp& chirp : constants.chirps) to.add(chirp.first).add(chirp.n).add(chirp.padded);
}

Constants read_constants(ByteReader& from) {
  Constants constants;
  constants.scalar = from.get<ir::Scalar>();
  constants.size = from.get<uint64_t>();
  constants.parts.resize(from.count(sizeof(uint64_t)));
  for (Constants::Part& part : constants.parts) {
    part.offset = from.get<uint64_t>();
    const std::span<const std::byte> bytes = from.bytes();
    part.bytes.assign(bytes.begin(), bytes.end());
    if (part.offset > constants.size || bytes.size() > constants.size - part.offset)
      fail(VD_ERR_INVALID, "constants end past {} bytes", constants.size);
  }
  constants.chirps.resize(from.count(3 * sizeof(uint64_t)));
  for (DeviceChirp& chirp : constants.chirps) {
    chirp.first = from.get<uint64_t>();
    chirp.n = from.get<uint64_t>();
    chirp.padded = from.get<uint64_t>();
  }
  return constants;
}

void add_launch(ByteWriter& to, const LaunchBlock& launch) {
  to.add(launch.given).add(uint64_t{launch.places.size()});
  for (const LaunchBlock::Place& place : launch.places)
    to.add(place.number.what).add(place.number.access).add(place.number.pass).add(place.offset).add(place.size);
}

LaunchBlock read_launch(ByteReader& from) {
  LaunchBlock launch;
  launch.given = from.get<uint32_t>();
  launch.places.resize(from.count(sizeof(uint32_t)));
  for (LaunchBlock::Place& place : launch.places) {
    place.number.what = from.get<LaunchNumber::What>();
    place.number.access = from.get<uint32_t>();
    place.number.pass = from.get<uint32_t>();
    place.offset = from.get<uint32_t>();
    place.size = from.get<uint32_t>();
    if (place.size > sizeof(uint64_t)) fail(VD_ERR_INVALID, "a number of {} bytes", place.size);
  }
  return launch;
}

ProgramCode read_code(std::span<const std::byte> bytes) {
  ByteReader from(bytes);
  ProgramCode code;
  code.passes.resize(from.count());
  for (ProgramCode::Pass& pass : code.passes) {
    pass.kept = std::make_shared<const runtime::KeptKernel>(runtime::KeptKernel::read(from));
    pass.shared_size = pass.kept->shared_size;
    pass.launch = read_launch(from);
  }
  if (from.get<bool>()) code.constants = std::make_shared<const Constants>(read_constants(from));
  if (!from.at_end()) fail(VD_ERR_INVALID, "bytes are left behind a transform's code");
  return code;
}

}  // namespace

CodeStore::CodeStore(vd_context& context, uint32_t device) : memory_(context.written()) {
  printing_ = context.device(device).printing_key();
  if (!printing_) return;
  const vd_context_flags checks = context.flags() & (VD_CONTEXT_CHECKED | VD_CONTEXT_ROBUST);
  printing_ = Hasher().add("fft code on disk").add(source_hash()).add(checks).add(*printing_).finish();
  if (context.disk().enabled()) disk_ = &context.disk();
}

Hash128 CodeStore::own(const Hash128& key) const {
  return printing_ ? Hasher().add(*printing_).add(key).finish() : key;
}

std::shared_ptr<const ProgramCode> CodeStore::find(const Hash128& key) {
  if (auto known = memory_.find(own(key))) return std::static_pointer_cast<const ProgramCode>(known);
  if (disk_ == nullptr) return nullptr;
  const auto bytes = disk_->load(own(key));
  if (!bytes) return nullptr;
  try {
    auto code = std::make_shared<const ProgramCode>(read_code(*bytes));
    add(key, code);
    return code;
  } catch (const Error& error) {
    log_info("a transform's code in the disk cache is damaged and is written again: {}", error.what());
    return nullptr;
  }
}

void CodeStore::add(const Hash128& key, std::shared_ptr<const ProgramCode> code) {
  if (code->constants && code->constants->size > kMostInMemory) {
    auto less = std::make_shared<ProgramCode>(*code);
    less->constants.reset();
    code = std::move(less);
  }
  memory_.add(own(key), std::move(code));
}

void CodeStore::keep(const Program& program, const std::vector<runtime::KeptKernel>& kept) {
  if (!keeps() || std::ranges::any_of(kept, [](const auto& kernel) { return kernel.printed.empty(); })) return;
  ByteWriter to;
  to.add(uint64_t{kept.size()});
  for (size_t i = 0; i < kept.size(); ++i) {
    kept[i].add_to(to);
    add_launch(to, program.passes[i].launch);
  }
  const bool constants = program.constants->size <= kMostOnDisk;
  to.add(constants);
  if (constants) add_constants(to, *program.constants);
  disk_->store(own(program.key), to.bytes());
}

}  // namespace vd::fft
