// Bytes that a call computed: the object behind vd_blob.
#pragma once

#include <string>
#include <utility>

#include "core/object.h"

struct vd_blob final : vd::Object {
  explicit vd_blob(std::string bytes) : bytes(std::move(bytes)) {}
  const std::string bytes;  // a NUL follows it
};
