// Profiles.
#include "runtime/profile.h"

#include "api/desc.h"
#include "api/guard.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::out;

namespace {

constexpr uint32_t kDefaultSpans = 1 << 16;
constexpr uint32_t kMostSpans = 1 << 24;

}  // namespace

vd_status vd_profile_create(vd_context* ctx, const vd_profile_desc* desc, vd_profile** out_profile) {
  return guard(__func__, [&] {
    vd_profile*& result = out(out_profile, "out_profile");
    vd_context& c = in(ctx, "ctx");
    const vd_profile_desc d = vd::api::read_desc_or_default(desc, "desc");
    if (d.capacity > kMostSpans) fail(VD_ERR_INVALID, "desc->capacity ({}) is above {}", d.capacity, kMostSpans);
    result = vd_profile::create(c, d.capacity != 0 ? d.capacity : kDefaultSpans).detach();
    return VD_OK;
  });
}

void vd_profile_retain(vd_profile* profile) {
  if (profile != nullptr) profile->retain();
}
void vd_profile_release(vd_profile* profile) {
  if (profile != nullptr) profile->release();
}

vd_status vd_profile_stop(vd_profile* profile, uint64_t timeout_ns) {
  return guard(__func__, [&] { return in(profile, "profile").stop(timeout_ns) ? VD_OK : VD_TIMEOUT; });
}

vd_status vd_profile_end(vd_profile* profile, uint64_t timeout_ns) {
  return guard(__func__, [&] { return in(profile, "profile").stop(timeout_ns, false) ? VD_OK : VD_TIMEOUT; });
}

vd_status vd_profile_get_info(const vd_profile* profile, vd_profile_info* out_info) {
  return guard(__func__, [&] {
    const vd::runtime::Recording& p = in(profile, "profile").recording();
    vd_profile_info info = VD_PROFILE_INFO_INIT;
    info.stopped = p.stopped() ? 1 : 0;
    info.span_count = info.stopped != 0 ? p.spans().size() : 0;
    info.lost_count = p.lost();
    info.clock_error_ns = p.clock_error();
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}

vd_status vd_profile_get_span(const vd_profile* profile, uint64_t index, vd_span_info* out_info) {
  return guard(__func__, [&] {
    const auto spans = in(profile, "profile").recording().spans();
    if (index >= spans.size())
      fail(VD_ERR_INVALID, "index ({}) is not below the profile's spans ({})", index, spans.size());
    const vd::runtime::Recording::Span& span = spans[index];
    vd_span_info info = VD_SPAN_INFO_INIT;
    info.kind = span.kind;
    info.name = span.name->c_str();
    info.label = span.label->c_str();
    info.begin_ns = span.interval.begin;
    info.end_ns = span.interval.end;
    info.size = span.size;
    info.queue = span.place;
    vd::api::write_info(info, out_info, "out_info");
    return VD_OK;
  });
}
