#include "codegen/opencl_images.h"

#include "core/error.h"

namespace vd::codegen {

using namespace ir;

namespace {

std::string image_type_of(Type image) {
  return fmt::format("read_only image{}d_{}t", image.dimensions(), image.is_layered() ? "array_" : "");
}

}  // namespace

std::string opencl_image_parameters(const Module& m) {
  std::string out;
  for (size_t i = 0; i < m.kernel.arguments.size(); ++i) {
    const Argument& argument = m.kernel.arguments[i];
    if (argument.kind != VD_ARGUMENT_IMAGE) continue;
    if (out.empty()) out = fmt::format(", sampler_t {}", m.exact_sampler);
    out += fmt::format(", {} {}, sampler_t {}", image_type_of(argument.type), m.arguments[i], m.samplers[i]);
  }
  return out;
}

std::string opencl_image_function(const Module& m, const ImageFunction& f) {
  const Type image = m.kernel.arguments[f.argument].type.value();
  const char* kind = image.scalar() == Scalar::F32 ? "f" : image.scalar() == Scalar::I32 ? "i" : "ui";
  // OpenCL's functions take a fourth coordinate.
  const char* at = f.at.count() != 3 ? "at" : f.at.is_float() ? "(float4)(at, 0.0f)" : "(int4)(at, 0)";
  return fmt::format("{} {}({} image, sampler_t how, {}) {{\n    return read_image{}(image, how, {});\n}}\n",
                     m.type(image.texel()), f.name, image_type_of(image), m.declare(f.at, "at"), kind, at);
}

std::string opencl_images(const Module& m) {
  std::string out;
  for (const ImageFunction& function : m.image_functions) out += opencl_image_function(m, function);
  return out;
}

}  // namespace vd::codegen
