#include "api/blob.h"

#include "vkdispatch.h"

void vd_blob_retain(vd_blob* blob) {
  if (blob != nullptr) blob->retain();
}
void vd_blob_release(vd_blob* blob) {
  if (blob != nullptr) blob->release();
}

const void* vd_blob_data(const vd_blob* blob, uint64_t* out_size) {
  if (out_size != nullptr) *out_size = blob != nullptr ? blob->bytes.size() : 0;
  return blob != nullptr ? blob->bytes.c_str() : nullptr;
}
