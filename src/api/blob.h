// Bytes that a call computed, or that the device copies: the object behind vd_blob.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "core/object.h"
#include "runtime/fetch.h"

struct vd_blob final : vd::Object {
 public:
  explicit vd_blob(std::string bytes) : bytes_(std::move(bytes)) {}
  explicit vd_blob(std::unique_ptr<vd::runtime::Fetch> fetch) : fetch_(std::move(fetch)) {}

  uint64_t size() const { return fetch_ ? fetch_->size() : bytes_.size(); }
  // Throws while fetched bytes are not there.
  const void* data() const { return fetch_ ? fetch_->data() : bytes_.c_str(); }

 private:
  const std::string bytes_;  // a NUL follows it
  const std::unique_ptr<vd::runtime::Fetch> fetch_;
};
