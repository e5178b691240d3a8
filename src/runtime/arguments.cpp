#include "runtime/arguments.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "core/traits.h"
#include "runtime/ranges.h"

namespace vd::runtime {
namespace {

bool is_linear(const vd_sampler_desc& how) {
  return how.mag_filter == VD_FILTER_LINEAR || how.min_filter == VD_FILTER_LINEAR || how.mip_filter == VD_FILTER_LINEAR;
}

}  // namespace

Extent extent_of(const vd_plan& plan, const uint32_t invocations[3], const uint32_t workgroups[3],
                 const LaunchNames& names) {
  const bool by_invocations = invocations[0] != 0 || invocations[1] != 0 || invocations[2] != 0;
  const bool by_workgroups = workgroups[0] != 0 || workgroups[1] != 0 || workgroups[2] != 0;
  if (by_invocations && by_workgroups) {
    fail(VD_ERR_INVALID, "both {} ({}, {}, {}) and {} ({}, {}, {}) are given", names.invocations, invocations[0],
         invocations[1], invocations[2], names.workgroups, workgroups[0], workgroups[1], workgroups[2]);
  }
  if (!plan.steps().empty()) {
    if (!by_invocations && !by_workgroups) return {};
    fail(VD_ERR_INVALID, "{} is given, and \"{}\" has a size of its own; leave it zero",
         by_workgroups ? names.workgroups : names.invocations, plan.name());
  }
  const uint32_t* given = by_workgroups ? workgroups : invocations;
  const char* name = by_workgroups ? names.workgroups : names.invocations;
  if (given[0] == 0) {
    fail(VD_ERR_INVALID, "{} ({}, {}, {}) is zero on the first axis", name, given[0], given[1], given[2]);
  }
  const vd_device_info& device = plan.device_info();
  Extent extent;
  for (int axis = 0; axis < 3; ++axis) {
    const uint32_t n = std::max(given[axis], 1u);
    const uint32_t local = plan.workgroup_size()[axis];
    extent.workgroups[axis] = by_workgroups ? n : static_cast<uint32_t>((uint64_t{n} + local - 1) / local);
    const uint64_t all = by_workgroups ? uint64_t{n} * local : n;
    if (all > std::numeric_limits<uint32_t>::max()) {
      fail(VD_ERR_INVALID, "{}{} ({}) * workgroup size ({}) does not fit in 32 bits", name, names.axes[axis], n, local);
    }
    // Larger ids would wrap, and run invocations a second time.
    if (uint64_t{extent.workgroups[axis]} * local > uint64_t{1} << 32) {
      fail(VD_ERR_INVALID, "{}{} ({}) in workgroups of {} does not fit in 32 bits", name, names.axes[axis], n, local);
    }
    extent.invocations[axis] = static_cast<uint32_t>(all);
    if (extent.workgroups[axis] > device.max_workgroup_count[axis]) {
      if (by_workgroups) {
        fail(VD_ERR_INVALID, "{}{} ({}) is more than device \"{}\" takes ({})", name, names.axes[axis], n, device.name,
             device.max_workgroup_count[axis]);
      }
      fail(VD_ERR_INVALID, "{}{} ({}) makes {} workgroups of {}, which is more than device \"{}\" takes ({})", name,
           names.axes[axis], n, extent.workgroups[axis], local, device.name, device.max_workgroup_count[axis]);
    }
  }
  return extent;
}

void Arguments::check_numbers(uint32_t binding_count, uint32_t values_size, const LaunchNames& names) const {
  const vd_plan& plan = plan_;
  if (binding_count != plan.bindings().size()) {
    fail(VD_ERR_INVALID, "{} ({}) is not the number of buffer and image arguments of \"{}\" ({})", names.binding_count,
         binding_count, plan.name(), plan.bindings().size());
  }
  if (values_size != plan.values_size()) {
    fail(VD_ERR_INVALID, "{} ({}) is not the size of the values of \"{}\" ({})", names.values_size, values_size,
         plan.name(), plan.values_size());
  }
}

void Arguments::check_binding(uint32_t index, Bound& bound) {
  const vd_plan& plan = plan_;
  const vd_plan::Binding& binding = plan.bindings()[index];
  if (binding.sampler) return check_sampler(index, bound);
  if (!binding.image.none()) return check_image(index, bound);
  if (bound.image != nullptr || bound.sampler != nullptr || bound.level != 0) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" is a buffer, and an image, a sampler or a level is given",
         index, binding.name, plan.name());
  }
  if (bound.buffer == nullptr) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" has no buffer", index, binding.name, plan.name());
  }
  const vd_buffer& buffer = *bound.buffer;
  if (&buffer.context() != &plan.context()) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": {} belongs to another context", index, binding.name,
         plan.name(), buffer.name());
  }
  if (buffer.discarded()) {
    fail(VD_ERR_STATE, "argument {} (\"{}\") of \"{}\": {} was discarded", index, binding.name, plan.name(),
         buffer.name());
  }
  if (buffer.read_only() && binding.write) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" is written, and {} is read-only: it was imported so", index,
         binding.name, plan.name(), buffer.name());
  }
  const uint64_t first = buffer.placed(buffer.span(bound.offset, 0)).begin;  // of an import it is the address
  const uint64_t in_memory = buffer.span(bound.offset, 0).begin;
  if (first % binding.align != 0) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}){} is not a multiple of {}", index, binding.name,
         plan.name(), bound.offset, buffer.place_name(), binding.align);
  }
  if ((in_memory & (binding.device_align - 1)) != 0 && !plan.binds_at(index, in_memory)) {
    fail(VD_ERR_INVALID,
         "argument {} (\"{}\") of \"{}\": offset ({}){} is not a multiple of {}, as device \"{}\" needs", index,
         binding.name, plan.name(), bound.offset, buffer.place_name(), binding.device_align, plan.device_info().name);
  }
  const bool whole = bound.size == VD_WHOLE_SIZE && bound.offset <= buffer.size();
  if (whole) bound.size = buffer.size() - bound.offset;
  if (bound.offset > buffer.size() || bound.size > buffer.size() - bound.offset) {
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}) + size ({}) is past the end of {} ({})", index,
         binding.name, plan.name(), bound.offset, bound.size, buffer.name(), buffer.size());
  }
  if (bound.size == 0) {
    if (whole) {
      fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": offset ({}) is the end of {}", index, binding.name,
           plan.name(), bound.offset, buffer.name());
    }
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": size (0) is empty; VD_WHOLE_SIZE is to the end of {}", index,
         binding.name, plan.name(), buffer.name());
  }
  if (bound.size < binding.least_size) {
    if (const ir::FixedIndex& fixed = binding.fixed_index; fixed.element_size != 0) {
      fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": index ({}) is past the end of {} ({} elements)", index,
           binding.name, plan.name(), fixed.index, buffer.name(), bound.size / fixed.element_size);
    }
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" takes {} bytes, and {} has {} from offset {}", index,
         binding.name, plan.name(), binding.least_size, buffer.name(), bound.size, bound.offset);
  }
  const vd_device_info& device = plan.device_info();
  if (binding.uniform && bound.size > device.max_uniform_buffer_range) {
    fail(VD_ERR_INVALID,
         "argument {} (\"{}\") of \"{}\": size ({}) is more than device \"{}\" binds as a uniform block ({})", index,
         binding.name, plan.name(), bound.size, device.name, device.max_uniform_buffer_range);
  }
  check_size(index, bound);
}

// A device binds buffers up to a limit, and takes longer ones by their addresses where it has these; elsewhere launches go
// over ranges. Source text says itself where it finds its buffers.
void Arguments::check_size(uint32_t index, const Bound& bound) {
  const vd_plan& plan = plan_;
  const vd_device_info& device = plan.device_info();
  if (bound.size <= device.max_storage_buffer_range || plan.binds_size(index, bound.size)) return;
  too_long_ = plan.bindings()[index].by_invocation && bound.image == nullptr;
  if (too_long_) return;
  fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": size ({}) is more than device \"{}\" binds ({}){}", index,
       plan.bindings()[index].name, plan.name(), bound.size, device.name, device.max_storage_buffer_range,
       takes_addresses(device) ? "; source text takes no buffers by address"
                               : "; longer ones are divided where each access is at the invocation's number alone");
}

void Arguments::divide() {
  if (has_counts())
    fail(VD_ERR_INVALID,
         "\"{}\" has buffers of more bytes than device \"{}\" binds ({}), and a launch with counts in memory "
         "is not divided",
         plan_.name(), plan_.device_info().name, plan_.device_info().max_storage_buffer_range);
  ranges_ = divide_launch(plan_, extent_, bounds_);
}

void Arguments::check_image(uint32_t index, Bound& bound) {
  const vd_plan& plan = plan_;
  const vd_plan::Binding& binding = plan.bindings()[index];
  const ir::Type wanted = binding.image;
  const auto refuse = [&]<class... Args>(vd_status status, fmt::format_string<Args...> format, Args&&... args) {
    fail(status, "argument {} (\"{}\") of \"{}\": {}", index, binding.name, plan.name(),
         fmt::format(format, std::forward<Args>(args)...));
  };
  if (bound.buffer != nullptr || bound.offset != 0 || (bound.size != 0 && bound.size != VD_WHOLE_SIZE))
    refuse(VD_ERR_INVALID, "it is an image, and a buffer, an offset or a size is given");
  if (bound.image == nullptr) refuse(VD_ERR_INVALID, "it has no image");
  const vd_image& image = *bound.image;
  const vd_image::Desc& desc = image.desc();
  if (&image.context() != &plan.context()) refuse(VD_ERR_INVALID, "{} belongs to another context", image.name());
  if (image.texels().discarded()) refuse(VD_ERR_STATE, "{} was discarded", image.name());
  const bool open = wanted.dimensions() == 0;  // source text that is not looked into
  if (!open && (desc.dimensions != wanted.dimensions() || (desc.layers != 0) != wanted.is_layered())) {
    refuse(VD_ERR_INVALID, "{} has {} dimensions{}, and the kernel takes {}{}", image.name(), desc.dimensions,
           desc.layers != 0 ? " and layers" : "", wanted.dimensions(), wanted.is_layered() ? " and layers" : "");
  }
  const ir::Type channel = ir::channel_type(image.format());
  const bool wrong_channel = wanted.scalar() != ir::Scalar::None && channel != ir::Type(wanted.scalar());
  if (wanted.is_sampled()) {
    if (wrong_channel) {
      const std::string_view cure =
          wanted.scalar() == ir::Scalar::F32 ? "; an image of a normalised or float format is sampled so" : "";
      refuse(VD_ERR_INVALID, "{} is of format {}, whose channels are {}, and the kernel samples {}{}", image.name(),
             image.format().name, ir::type_name(channel), ir::type_name(ir::Type(wanted.scalar())), cure);
    }
    if (bound.level != 0) refuse(VD_ERR_INVALID, "level ({}) is not 0, and the kernel samples all levels", bound.level);
    if (binding.texture && bound.sampler != nullptr)
      refuse(VD_ERR_INVALID, "its sampler is another argument, and one is given with the image");
    if (bound.sampler != nullptr) {
      if (&bound.sampler->context() != &plan.context())
        refuse(VD_ERR_INVALID, "its sampler belongs to another context");
      if (is_linear(bound.sampler->desc()) && !image.format().is_float()) {
        refuse(VD_ERR_INVALID, "its sampler filters linearly, and {} has integers (format {})", image.name(),
               image.format().name);
      }
    }
  } else {
    if (bound.sampler != nullptr) refuse(VD_ERR_INVALID, "the kernel does not sample it, and a sampler is given");
    if (wanted.format() == VD_FORMAT_NONE && wrong_channel) {
      refuse(VD_ERR_INVALID, "{} is of format {}, and the kernel stores {}", image.name(), image.format().name,
             ir::type_name(ir::Type(wanted.scalar())));
    }
    if (wanted.format() != VD_FORMAT_NONE && image.format().format != wanted.format()) {
      refuse(VD_ERR_INVALID, "{} is of format {}, and the kernel takes {}", image.name(), image.format().name,
             find_texel_format(wanted.format())->name);
    }
    if ((desc.flags & VD_IMAGE_STORAGE) == 0 && !bound.own) {
      refuse(VD_ERR_INVALID, "{} was made without VD_IMAGE_STORAGE, and the kernel does not sample it", image.name());
    }
    if (bound.level >= desc.levels)
      refuse(VD_ERR_INVALID, "level ({}) is not below the levels of {} ({})", bound.level, image.name(), desc.levels);
  }
  bound.buffer = &image.texels();
  bound.offset = 0;
  bound.size = image.texels().size();
  if (image.in_buffer()) check_size(index, bound);
}

void Arguments::check_sampler(uint32_t index, Bound& bound) const {
  const vd_plan& plan = plan_;
  const char* wrong = nullptr;
  if (bound.buffer != nullptr || bound.image != nullptr || bound.offset != 0 || bound.level != 0 ||
      (bound.size != 0 && bound.size != VD_WHOLE_SIZE))
    wrong = "it is a sampler, and a buffer, an image, an offset, a size or a level is given";
  else if (bound.sampler == nullptr)
    wrong = "it has no sampler";
  else if (&bound.sampler->context() != &plan.context())
    wrong = "its sampler belongs to another context";
  if (wrong != nullptr)
    fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\": {}", index, plan.bindings()[index].name, plan.name(), wrong);
  bound.buffer = plan.stand_in();
  bound.offset = 0;
  bound.size = plan.stand_in()->size();
}

// The text says which texture a sampler is used with, and a device may fault where it filters integers.
void Arguments::check_filters() const {
  const std::vector<vd_plan::Binding>& bindings = plan_.bindings();
  for (size_t i = 0; i < bindings.size(); ++i) {
    if (!bindings[i].sampler || !is_linear(bounds_[i].sampler->desc())) continue;
    for (size_t k = 0; k < bindings.size(); ++k) {
      if (!bindings[k].texture || bounds_[k].image->format().is_float()) continue;
      fail(VD_ERR_INVALID,
           "argument {} (\"{}\") of \"{}\" is a sampler that filters linearly, and the texture of argument {} (\"{}\") "
           "has integers (format {})",
           i, bindings[i].name, plan_.name(), k, bindings[k].name, bounds_[k].image->format().name);
    }
  }
}

void Arguments::check_overlaps() const {
  const vd_plan& plan = plan_;
  for (const vd_plan::NoOverlap& rule : plan.no_overlaps()) {
    const Bound& to = bounds_[rule.written.binding];
    const Bound& from = bounds_[rule.read.binding];
    if (!to.buffer->same_memory(*from.buffer)) continue;
    const auto span_of = [](const Bound& bound, const vd_plan::NoOverlap::Part& part) {
      return bound.buffer->placed(bound.buffer->span(bound.offset + part.begin, part.end - part.begin));
    };
    const Span written = span_of(to, rule.written), read = span_of(from, rule.read);
    if (!written.overlaps(read)) continue;
    const bool gaps = rule.written.element != 0 && rule.read.element != 0;
    if (gaps) {
      if (rule.same && written.begin - rule.written.lead == read.begin - rule.read.lead) continue;
      if (!share_bytes({written.begin, rule.written.element, rule.written.dims},
                       {read.begin, rule.read.element, rule.read.dims}))
        continue;
    } else if (rule.same && written == read) {
      continue;
    }
    fail(VD_ERR_INVALID,
         "arguments {} (\"{}\") and {} (\"{}\") of \"{}\" share bytes of {}: {} to {} are written, {} to {} read",
         rule.written.binding, plan.bindings()[rule.written.binding].name, rule.read.binding,
         plan.bindings()[rule.read.binding].name, plan.name(), to.buffer->name(), written.begin, written.end,
         read.begin, read.end);
  }
}

void Arguments::check_counts(const char* name) {
  if (!plan_.steps().empty())
    fail(VD_ERR_INVALID, "{} is given, and \"{}\" has a size of its own; leave it NULL", name, plan_.name());
  const vd_buffer& buffer = *counts_.buffer;
  if (counts_.image != nullptr || counts_.sampler != nullptr)
    fail(VD_ERR_INVALID, "{} of \"{}\" are in a buffer, and an image or a sampler is given", name, plan_.name());
  if (&buffer.context() != &plan_.context())
    fail(VD_ERR_INVALID, "{} of \"{}\": {} belongs to another context", name, plan_.name(), buffer.name());
  buffer.check_usable();
  const std::string offset = fmt::format("{}_offset", name);
  if (const uint64_t first = buffer.placed(buffer.span(counts_.offset, 0)).begin; first % sizeof(uint32_t) != 0)
    fail(VD_ERR_INVALID, "{} ({}) makes the counts of \"{}\" begin at byte {} of memory, which is not a multiple of 4",
         offset, counts_.offset, plan_.name(), first);
  if (counts_.size != kCountsSize && counts_.size != VD_WHOLE_SIZE)
    fail(VD_ERR_INVALID, "the counts of \"{}\": size ({}) is neither {} nor VD_WHOLE_SIZE", plan_.name(), counts_.size,
         kCountsSize);
  counts_.size = kCountsSize;
  buffer.check_range(offset.c_str(), counts_.offset, kCountsSize);
  // The kernel may read them while it runs.
  const Span counts = buffer.placed(buffer.span(counts_.offset, kCountsSize));
  for (size_t i = 0; i < plan_.bindings().size(); ++i) {
    const Bound& bound = bounds_[i];
    if (!plan_.bindings()[i].write || !bound.buffer->same_memory(buffer)) continue;
    const Span written = bound.buffer->placed(bound.buffer->span(bound.offset, bound.size));
    if (written.overlaps(counts))
      fail(VD_ERR_INVALID, "argument {} (\"{}\") of \"{}\" is written, and has bytes of its counts: {} to {} of {}", i,
           plan_.bindings()[i].name, plan_.name(), counts.begin, counts.end, buffer.name());
  }
}

}  // namespace vd::runtime
