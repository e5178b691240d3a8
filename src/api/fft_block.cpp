// Transforms inside kernels.
#include "fft/block.h"

#include "api/builder.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/types.h"
#include "core/device_check.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

// A copy of the descriptor, whose device is copied to `device`.
vd_fft_block_desc read(const vd_fft_block_desc* desc, vd_device_info& device) {
  vd_fft_block_desc d = vd::api::read_desc(desc, "desc");
  if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
  vd::api::known_type(d.compute_type, "desc->compute_type");
  if (d.device == nullptr) return d;
  device = vd::api::read_desc(d.device, "desc->device");
  if (device.backend <= VD_BACKEND_AUTO || device.backend > VD_BACKEND_DUMMY) {
    fail(VD_ERR_INVALID, "desc->device->backend ({}) is unknown; vd_context_get_device() fills in a device",
         static_cast<int>(device.backend));
  }
  vd::check_device(device, "desc->device", vd::DeviceLimits::Some);
  d.device = &device;
  return d;
}

vd_fft_access known(vd_fft_access access) {
  if (access < VD_FFT_ACCESS_READ || access > VD_FFT_ACCESS_WRITE_SHARED) {
    fail(VD_ERR_INVALID, "access ({}) is unknown", static_cast<int>(access));
  }
  return access;
}

}  // namespace

vd_status vd_fft_block_get_info(const vd_fft_block_desc* desc, vd_fft_block_info* out_info) {
  return guard(__func__, [&] {
    vd::api::check_unstable_version(desc, "desc");
    const vd_fft_block_info none = VD_FFT_BLOCK_INFO_INIT;
    vd::api::write_info(none, out_info, "out_info");
    vd_device_info device;
    vd::api::write_info(vd::fft::block_info(vd::fft::plan_block(read(desc, device))), out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_fft_block_create(vd_builder* builder, const vd_fft_block_desc* desc, vd_fft_block** out_block) {
  return guard(__func__, [&] {
    vd_fft_block*& result = out(out_block, "out_block");
    vd::api::check_unstable_version(desc, "desc");
    vd_builder& b = in(builder, "builder");
    vd_device_info device;
    result = vd::make_ref<vd_fft_block>(b, read(desc, device)).detach();
    return VD_OK;
  });
}

void vd_fft_block_retain(vd_fft_block* block) {
  if (block != nullptr) block->retain();
}
void vd_fft_block_release(vd_fft_block* block) {
  if (block != nullptr) block->release();
}

vd_status vd_fft_block_get_assignment(const vd_fft_block* block, vd_fft_block_assignment* out_assignment) {
  return guard(__func__, [&] {
    vd_fft_block_assignment place = VD_FFT_BLOCK_ASSIGNMENT_INIT;
    vd::api::write_info(place, out_assignment, "out_assignment");
    in(block, "block").get_place(place);
    vd::api::write_info(place, out_assignment, "out_assignment");
    return VD_OK;
  });
}

vd_status vd_fft_block_get_registers(const vd_fft_block* block, uint32_t cap, vd_value* out_registers,
                                     uint32_t* out_count) {
  return guard(__func__, [&] {
    uint32_t& count = out(out_count, "out_count");
    vd::api::array(out_registers, cap, "out_registers");
    const std::vector<vd_value>& all = in(block, "block").registers();
    count = static_cast<uint32_t>(all.size());
    std::copy_n(all.begin(), std::min(cap, count), out_registers);
    return cap < count ? VD_INCOMPLETE : VD_OK;
  });
}

vd_status vd_fft_block_set_registers(vd_fft_block* block, const vd_value* registers, uint32_t register_count) {
  return guard(__func__, [&] {
    vd_fft_block& b = in(block, "block");
    vd::api::array(registers, register_count, "registers");
    b.set_registers({registers, registers + register_count});
    return VD_OK;
  });
}

vd_status vd_fft_block_next(vd_fft_block* block, vd_fft_access access, vd_fft_block_element* out_element) {
  return guard(__func__, [&] {
    vd_fft_block_element element = VD_FFT_BLOCK_ELEMENT_INIT;
    vd::api::write_info(element, out_element, "out_element");
    in(block, "block").next(known(access), element);
    vd::api::write_info(element, out_element, "out_element");
    return VD_OK;
  });
}

vd_status vd_fft_block_end(vd_fft_block* block) {
  return guard(__func__, [&] {
    in(block, "block").end();
    return VD_OK;
  });
}

vd_status vd_fft_block_execute(vd_fft_block* block, vd_fft_direction direction) {
  return guard(__func__, [&] {
    if (direction < VD_FFT_DIRECTION_FORWARD || direction > VD_FFT_DIRECTION_INVERSE) {
      fail(VD_ERR_INVALID, "direction ({}) is unknown", static_cast<int>(direction));
    }
    in(block, "block").execute(direction == VD_FFT_DIRECTION_INVERSE);
    return VD_OK;
  });
}

vd_status vd_fft_block_normalize(vd_fft_block* block) {
  return guard(__func__, [&] {
    in(block, "block").normalize();
    return VD_OK;
  });
}

vd_status vd_fft_block_reorder(vd_fft_block* block, int32_t order) {
  return guard(__func__, [&] {
    in(block, "block").reorder(order);
    return VD_OK;
  });
}

vd_status vd_fft_block_set_order(vd_fft_block* block, int32_t order) {
  return guard(__func__, [&] {
    in(block, "block").set_order(order);
    return VD_OK;
  });
}

vd_status vd_fft_block_to_shared(vd_fft_block* block) {
  return guard(__func__, [&] {
    in(block, "block").to_shared();
    return VD_OK;
  });
}

vd_status vd_fft_block_from_shared(vd_fft_block* block, int32_t order) {
  return guard(__func__, [&] {
    in(block, "block").from_shared(order);
    return VD_OK;
  });
}

vd_status vd_fft_block_shared(vd_fft_block* block, vd_value position, vd_value* out_reference) {
  return guard(__func__, [&] {
    vd_value& result = out(out_reference, "out_reference");
    result = in(block, "block").shared(position);
    return VD_OK;
  });
}

vd_status vd_fft_block_take_remark(vd_fft_block* block, vd_fft_block_remark* out_remark) {
  return guard(__func__, [&] {
    vd_fft_block_remark remark = VD_FFT_BLOCK_REMARK_INIT;
    vd::api::write_info(remark, out_remark, "out_remark");
    in(block, "block").take_remark(remark);
    vd::api::write_info(remark, out_remark, "out_remark");
    return VD_OK;
  });
}

vd_status vd_fft_block_sync_shared(vd_fft_block* block, vd_fft_access access) {
  return guard(__func__, [&] {
    in(block, "block").sync_shared(known(access));
    return VD_OK;
  });
}
