// Building kernels.
#include <vector>

#include "api/blob.h"
#include "api/builder.h"
#include "api/desc.h"
#include "api/guard.h"
#include "api/types.h"
#include "core/name.h"
#include "ir/hash.h"
#include "runtime/kernel.h"

using vd::fail;
using vd::api::guard;
using vd::api::in;
using vd::api::known_type;
using vd::api::out;
using vd::ir::Type;

namespace {

// A call that writes into a kernel. The builder keeps the first failure for vd_builder_finish(), since a caller need
// not look before.
template <class F>
vd_status write(const char* function, vd_builder* builder, F&& body) noexcept {
  return guard(function, [&] {
    vd::ir::Builder& b = in(builder, "builder");
    builder->place = 0;
    try {
      return body(b);
    } catch (const vd::Error& error) {
      b.keep_failure(fmt::format("{}: {}", function, error.what()));
      throw;
    }
  });
}

// The same for a call that takes no location: its failure names the place that vd_builder_location() gave just before.
template <class F>
vd_status write_at_place(const char* function, vd_builder* builder, F&& body) noexcept {
  const vd_location place = builder != nullptr ? builder->place : 0;
  return write(function, builder, [&](vd::ir::Builder& b) {
    try {
      return body(b);
    } catch (const vd::Error& error) {
      if (place == 0) throw;
      throw vd::Error(error.status(), b.at_place(error.what(), place));
    }
  });
}

}  // namespace

vd_status vd_builder_create(const vd_builder_desc* desc, vd_builder** out_builder) {
  return guard(__func__, [&] {
    vd_builder*& result = out(out_builder, "out_builder");
    const vd_builder_desc d = vd::api::read_desc_or_default(desc, "desc");
    constexpr vd_builder_flags kKnown = VD_BUILDER_BY_VALUE | VD_BUILDER_FUNCTION | VD_BUILDER_NO_EXEC_BOUNDS |
                                        VD_BUILDER_NO_SUBGROUP | VD_BUILDER_NO_PRINTF | VD_BUILDER_PRECISE |
                                        VD_BUILDER_NATIVE;
    vd::api::flags(d.flags, kKnown, "desc->flags");
    known_type(d.return_type, "desc->return_type");
    result = vd::make_ref<vd_builder>(d).detach();
    return VD_OK;
  });
}

void vd_builder_retain(vd_builder* builder) {
  if (builder != nullptr) builder->retain();
}
void vd_builder_release(vd_builder* builder) {
  if (builder != nullptr) builder->release();
}

namespace {

// The type of an image, from that of its channels.
Type image_type(const vd_argument_desc& d, Type channel) {
  if (channel != vd::ir::kF32 && channel != vd::ir::kI32 && channel != vd::ir::kU32) {
    fail(VD_ERR_INVALID, "desc->type ({}) is not f32, i32 or u32, as a channel of an image is",
         vd::ir::shown_type(channel));
  }
  if (d.image_dimensions == 0 || d.image_dimensions > 3)
    fail(VD_ERR_INVALID, "desc->image_dimensions ({}) is not between 1 and 3", d.image_dimensions);
  vd::api::truth(d.image_layers, "desc->image_layers");
  if (d.image_layers != 0 && d.image_dimensions == 3)
    fail(VD_ERR_INVALID, "desc->image_layers (1) is not 0, and an image of 3 dimensions has none");
  vd::api::flags(d.image_access, vd_argument_access{VD_ARGUMENT_ACCESS_READ | VD_ARGUMENT_ACCESS_WRITE},
                 "desc->image_access");
  if (d.image_access == 0) {
    if (d.image_format != VD_FORMAT_NONE)
      fail(VD_ERR_INVALID, "desc->image_format ({}) is not 0, and desc->image_access (0) samples images of any format",
           static_cast<int>(d.image_format));
  } else if (const Type wanted = vd::ir::channel_type(vd::get_texel_format(d.image_format, "desc->image_format"));
             wanted != channel) {
    fail(VD_ERR_INVALID, "desc->type ({}) is not that of desc->image_format ({}), which is {}",
         vd::ir::type_name(channel), static_cast<int>(d.image_format), vd::ir::type_name(wanted));
  }
  return Type::image(channel.scalar(), d.image_dimensions, d.image_layers != 0, d.image_access, d.image_format);
}

// The type of an argument, whose other fields are checked.
Type argument_type(const vd_argument_desc& d, const vd::ir::Builder& b) {
  if (d.kind < VD_ARGUMENT_BUFFER || d.kind > VD_ARGUMENT_REFERENCE) {
    fail(VD_ERR_INVALID, "desc->kind ({}) is unknown", static_cast<int>(d.kind));
  }
  vd::api::flags(d.flags, vd_argument_flags{0}, "desc->flags");
  if (d.reserved != 0) fail(VD_ERR_INVALID, "desc->reserved ({}) is not zero", d.reserved);
  const auto format = static_cast<uint32_t>(d.image_format);
  if (d.kind != VD_ARGUMENT_IMAGE && (d.image_dimensions | d.image_layers | d.image_access | format) != 0) {
    fail(VD_ERR_INVALID,
         "desc->image_dimensions ({}), image_layers ({}), image_format ({}) and image_access ({}) are not all zero, "
         "and desc->kind ({}) is not an image",
         d.image_dimensions, d.image_layers, format, d.image_access, static_cast<int>(d.kind));
  }
  const Type type = known_type(d.type, "desc->type", b.types());
  return d.kind == VD_ARGUMENT_IMAGE ? image_type(d, type) : type;
}

}  // namespace

vd_status vd_builder_argument(vd_builder* builder, const vd_argument_desc* desc, vd_value* out_value) {
  return write(__func__, builder, [&](vd::ir::Builder& b) {
    vd_value& result = out(out_value, "out_value");
    const vd_argument_desc d = vd::api::read_desc(desc, "desc");
    result = b.located(d.location, [&] {
      const Type type = argument_type(d, b);
      const std::string name = vd::api::text(d.name, "desc->name");
      const auto known = builder->argument_names.find(name);
      if (known != builder->argument_names.end())
        fail(VD_ERR_INVALID, "desc->name (\"{}\") is the name of argument {} already, and argument {} needs another",
             vd::shown_name(name), known->second, b.argument_count());
      const vd_value value = b.argument(d.kind, type, name.c_str(), d.location);
      if (!name.empty()) builder->argument_names.emplace(name, b.argument_count() - 1);
      return value;
    });
    return VD_OK;
  });
}

vd_status vd_builder_shared(vd_builder* builder, vd_type type, uint32_t count, uint32_t offset, const char* name,
                            vd_value* out_value) {
  return write_at_place(__func__, builder, [&](vd::ir::Builder& b) {
    vd_value& result = out(out_value, "out_value");
    result = b.shared(known_type(type, "type", b.types()), count, offset, name);
    return VD_OK;
  });
}

vd_status vd_builder_array_type(vd_builder* builder, vd_type element, uint32_t count, vd_type* out_type) {
  return write_at_place(__func__, builder, [&](vd::ir::Builder& b) {
    vd_type& result = out(out_type, "out_type");
    result = b.array_type(known_type(element, "element", b.types()), count).bits();
    return VD_OK;
  });
}

vd_status vd_builder_struct_type(vd_builder* builder, const char* name, const vd_type* field_types,
                                 const char* const* field_names, uint32_t field_count, vd_type* out_type) {
  return write_at_place(__func__, builder, [&](vd::ir::Builder& b) {
    vd_type& result = out(out_type, "out_type");
    vd::api::text(name, "name");
    if (field_count == 0) fail(VD_ERR_INVALID, "field_count (0) is zero");
    vd::api::array(field_types, field_count, "field_types");
    vd::api::array(field_names, field_count, "field_names");
    std::vector<Type> types;
    for (uint32_t i = 0; i < field_count; ++i) {
      types.push_back(known_type(field_types[i], fmt::format("field_types[{}]", i).c_str(), b.types()));
      if (field_names[i] == nullptr) fail(VD_ERR_INVALID, "field_names[{}] is NULL", i);
    }
    result = b.struct_type(name, types, {field_names, field_count}).bits();
    return VD_OK;
  });
}

vd_status vd_builder_constant(vd_builder* builder, vd_type type, const void* data, uint64_t size, vd_value* out_value) {
  return write_at_place(__func__, builder, [&](vd::ir::Builder& b) {
    vd_value& result = out(out_value, "out_value");
    result = b.constant(known_type(type, "type", b.types()), vd::api::bytes(data, size, "data"), size);
    return VD_OK;
  });
}

vd_status vd_builder_string(vd_builder* builder, const char* text, vd_value* out_value) {
  return write_at_place(__func__, builder, [&](vd::ir::Builder& b) {
    vd_value& result = out(out_value, "out_value");
    result = b.string(vd::api::text(text, "text"));
    return VD_OK;
  });
}

vd_status vd_builder_location(vd_builder* builder, const char* file, uint32_t line, const char* function,
                              uint32_t* out_location) {
  return guard(__func__, [&] {
    uint32_t& result = out(out_location, "out_location");
    vd::ir::Builder& b = in(builder, "builder");
    result = b.location(vd::api::text(file, "file"), line, function != nullptr ? function : "");
    builder->place = result;
    return VD_OK;
  });
}

vd_status vd_builder_name(vd_builder* builder, vd_value value, const char* name) {
  return guard(__func__, [&] {
    in(builder, "builder").name(value, vd::api::text(name, "name"));
    return VD_OK;
  });
}

vd_status vd_builder_emit(vd_builder* builder, vd_op op, vd_type type, const vd_value* operands, uint32_t operand_count,
                          uint64_t immediate, uint32_t location, vd_value* out_value) {
  return write(__func__, builder, [&](vd::ir::Builder& b) {
    if (out_value != nullptr) *out_value = 0;
    vd::api::array(operands, operand_count, "operands");
    const vd_value value = b.located(location, [&] {
      return b.emit(op, known_type(type, "type", b.types()), {operands, operand_count}, immediate, location);
    });
    if (out_value != nullptr) *out_value = value;
    return VD_OK;
  });
}

vd_status vd_builder_call(vd_builder* builder, const vd_kernel* function, const vd_value* operands,
                          uint32_t operand_count, uint32_t location, vd_value* out_value) {
  return write(__func__, builder, [&](vd::ir::Builder& b) {
    if (out_value != nullptr) *out_value = 0;
    const vd_value value = b.located(location, [&] {
      const vd::ir::Kernel& code = in(function, "function").code;
      vd::api::array(operands, operand_count, "operands");
      return b.call(code, {operands, operand_count}, location);
    });
    if (out_value != nullptr) *out_value = value;
    return VD_OK;
  });
}

vd_status vd_builder_describe(const vd_builder* builder, vd_value value, vd_blob** out_text) {
  return guard(__func__, [&] {
    vd_blob*& result = out(out_text, "out_text");
    result = vd::make_ref<vd_blob>(in(builder, "builder").describe(value)).detach();
    return VD_OK;
  });
}

vd_status vd_builder_finish(vd_builder* builder, vd_kernel** out_kernel) {
  return guard(__func__, [&] {
    vd_kernel*& result = out(out_kernel, "out_kernel");
    in(builder, "builder").place = 0;
    vd::ir::Kernel kernel = builder->finish();
    const vd::Hash128 hash = vd::ir::hash_kernel(kernel);
    result = vd::make_ref<vd_kernel>(std::move(kernel), hash).detach();
    return VD_OK;
  });
}
