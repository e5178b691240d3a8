// The object behind vd_mapping: bytes of a buffer that the host uses where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/object.h"
#include "runtime/buffer.h"
#include "runtime/claim.h"

struct vd_mapping final : vd::Object {
 public:
  // Waits for work in flight that conflicts with the host's use; null where it would have to and `flags` forbid it.
  // Throws as vd_buffer::read() does, and VD_ERR_UNSUPPORTED for memory that the host does not reach.
  static vd::Ref<vd_mapping> create(vd_buffer& buffer, uint64_t offset, uint64_t size, vd_map_flags flags,
                                    uint32_t queue);

  void* data() const { return data_; }
  uint64_t size() const { return access_.span.end - access_.span.begin; }
  vd_map_flags flags() const { return flags_; }
  bool ended() const;
  void end();

 private:
  vd_mapping(vd::Ref<vd::runtime::Block> block, const vd::runtime::Access& access, vd_map_flags flags)
      : block_(std::move(block)), access_(access), flags_(flags) {}
  ~vd_mapping() override;
  bool wait_for_earlier(vd_context& context);
  void map();

  vd::Ref<vd::runtime::Block> block_;
  const vd::runtime::Access access_;
  const vd_map_flags flags_;
  std::shared_ptr<vd::runtime::DeviceMemory> memory_;  // as long as the mapping, also after its end
  mutable std::mutex mutex_;                           // of the members below
  std::unique_ptr<vd::runtime::Claim> claim_;          // null once ended
  void* data_ = nullptr;
};
