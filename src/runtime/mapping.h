// The object behind vd_mapping: bytes of a buffer, or a level of an image, that the host uses where they are.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "core/object.h"
#include "runtime/claim.h"
#include "runtime/image.h"

struct vd_mapping final : vd::Object {
 public:
  // Waits for work in flight that conflicts with the host's use; null where it would have to and `flags` forbid it.
  // Throws as vd_buffer::read() does, and VD_ERR_UNSUPPORTED for memory that the host does not reach.
  static vd::Ref<vd_mapping> create(vd_buffer& buffer, uint64_t offset, uint64_t size, vd_map_flags flags,
                                    uint32_t queue);
  // A level of an image.
  static vd::Ref<vd_mapping> create(vd_image& image, uint32_t level, vd_map_flags flags, uint32_t queue);

  void* data() const { return data_; }
  uint64_t size() const { return size_; }
  // Pitches of an image; 0 of a buffer.
  uint64_t row_pitch() const { return row_pitch_; }
  uint64_t slice_pitch() const { return slice_pitch_; }
  vd_map_flags flags() const { return flags_; }
  bool ended() const;
  void end();

 private:
  vd_mapping(vd::Ref<vd::runtime::Block> block, const vd::runtime::Access& access, vd_map_flags flags)
      : block_(std::move(block)), access_(access), flags_(flags), size_(access.span.end - access.span.begin) {}
  ~vd_mapping() override;
  // A level of an image, or a range of a buffer.
  struct Level {
    const vd_image* image = nullptr;
    uint32_t number = 0;
  };
  static vd::Ref<vd_mapping> create(vd_buffer& buffer, uint64_t offset, uint64_t size, vd_map_flags flags,
                                    uint32_t queue, const Level& level);
  bool is_in_use(vd_context& context) const;
  void wait_for_earlier(vd_context& context);
  void map(const Level& level);

  vd::Ref<vd::runtime::Block> block_;
  const vd::runtime::Access access_;
  const vd_map_flags flags_;
  uint64_t size_;
  uint64_t row_pitch_ = 0, slice_pitch_ = 0;
  std::shared_ptr<vd::runtime::DeviceMemory> memory_;  // as long as the mapping, also after its end
  mutable std::mutex mutex_;                           // of the members below
  std::unique_ptr<vd::runtime::Claim> claim_;          // null once ended
  void* data_ = nullptr;
};
