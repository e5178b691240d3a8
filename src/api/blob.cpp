#include "api/blob.h"

#include "api/guard.h"

void vd_blob_retain(vd_blob* blob) {
  if (blob != nullptr) blob->retain();
}
void vd_blob_release(vd_blob* blob) {
  if (blob != nullptr) blob->release();
}

const void* vd_blob_data(const vd_blob* blob, uint64_t* out_size) {
  if (out_size != nullptr) *out_size = 0;
  const void* data = nullptr;
  vd::api::guard(__func__, [&] {
    data = vd::api::in(blob, "blob").data();
    return VD_OK;
  });
  if (out_size != nullptr && data != nullptr) *out_size = blob->size();
  return data;
}
