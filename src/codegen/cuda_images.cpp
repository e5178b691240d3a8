#include "codegen/cuda_images.h"

#include "core/error.h"
#include "core/texel.h"

namespace vd::codegen {
namespace {

using namespace ir;

constexpr const char* kSampledType = R"(struct vd_sampled_image {
    u64 texture, fetch;
    int width, height, depth, levels;
    float unit_x, unit_y, unit_z;
    uint flags;
    uint border[4];
};
)";
constexpr const char* kStorageType = R"(struct vd_storage_image {
    u64 surface;
    int width, height, depth;
};
)";

constexpr const char* kLetters[] = {"x", "y", "z", "w"};
constexpr const char* kExtents[] = {"width", "height", "depth"};

// Part of the names of CUDA's functions: "2DLayered".
std::string form_of(Type image) {
  return fmt::format("{}D{}", image.dimensions(), image.is_layered() ? "Layered" : "");
}

// A coordinate of the parameter `at`, which is a scalar if there is only one.
std::string coordinate(Type image, uint32_t i) {
  return image.coordinates() == 1 ? "at" : fmt::format("at.{}", kLetters[i]);
}

// The extent of an axis in a level; layers are the same in all of them.
std::string extent(uint32_t axis, bool has_level) {
  return has_level ? fmt::format("max(image.{} >> level, 1)", kExtents[axis]) : fmt::format("image.{}", kExtents[axis]);
}

// The head of a function.
std::string head(const Module& m, const ImageFunction& f, Type image, const std::string& result) {
  std::string text = fmt::format("__device__ inline {} {}(const {}& image", result, f.name, cuda_image_type(image));
  if (!f.at.none()) text += ", " + m.declare(f.at, "at");
  if (!f.level.none()) text += ", " + m.declare(f.level, "level");
  if (f.op == VD_OP_IMAGE_STORE) text += ", " + m.declare(image.texel(), "t");
  return text + ") {\n";
}

// The condition that a texel lies outside.
std::string outside(Type image, bool has_level) {
  std::string text;
  for (uint32_t axis = 0; axis < image.dimensions(); ++axis)
    text += fmt::format("{}uint({}) >= uint({})", axis != 0 ? " || " : "", coordinate(image, axis),
                        extent(axis, has_level));
  if (image.is_layered())
    text += fmt::format(" || uint({}) >= uint(image.depth)", coordinate(image, image.dimensions()));
  return text;
}

std::string zero_of(const Module& m, Type scalar) { return m.literal(scalar.scalar(), 0); }
std::string one_of(const Module& m, Type scalar) { return scalar.is_float() ? "1.0f" : m.literal(scalar.scalar(), 1); }

// CUDA's vector of four channels as a sampled image gives them: "float4".
const char* native_texel(Type image) {
  return image.scalar() == Scalar::F32 ? "float4" : image.scalar() == Scalar::I32 ? "int4" : "uint4";
}

// The end of a function that returns texel `t`: channels that the format lacks are 0, the fourth 1.
std::string complete(const Module& m, Type image) {
  const Type scalar(image.scalar());
  return fmt::format(
      "    const uint channels = image.flags & 7u;\n"
      "    return {0}(t.x, channels > 1u ? t.y : {1}, channels > 2u ? t.z : {1}, channels > 2u ? t.w : {2});\n}}\n",
      m.type(image.texel()), zero_of(m, scalar), one_of(m, scalar));
}

std::string sample(const Module& m, const ImageFunction& f, Type image) {
  const uint32_t dims = image.dimensions();
  std::string out = head(m, f, image, m.type(image.texel()));
  const bool has_level = !f.level.none();
  std::string places, borders;
  for (uint32_t axis = 0; axis < dims; ++axis) {
    const char* letter = kLetters[axis];
    out += fmt::format("    float {0} = ({1} + 0.5f) * image.unit_{0};\n", letter, coordinate(image, axis));
    places += fmt::format(", {}", letter);
    borders += fmt::format("{0}{1} < 0.0f || {1} >= 1.0f", axis != 0 ? " || " : "", letter);
  }
  out += fmt::format("    if (image.flags & {}u) {{\n", kCudaMirrored);
  for (uint32_t axis = 0; axis < dims; ++axis) out += fmt::format("        {0} = fabsf({0});\n", kLetters[axis]);
  out += "    }\n";
  if (image.is_layered()) {
    out += fmt::format("    const int layer = min(max(__float2int_rz(rintf({})), 0), image.depth - 1);\n",
                       coordinate(image, dims));
    places += ", layer";
  }
  out += fmt::format("    {0} t = tex{1}Lod<{0}>(image.texture{2}, {3});\n", native_texel(image), form_of(image),
                     places, has_level ? "level" : "0.0f");
  if (image.scalar() != Scalar::F32) {
    const std::string scalar = m.type(Type(image.scalar()));
    out += fmt::format("    if ((image.flags & {}u) && ({})) {{\n", kCudaBordered, borders);
    for (uint32_t c = 0; c < 4; ++c)
      out += fmt::format("        t.{} = {}(image.border[{}]);\n", kLetters[c], scalar, c);
    out += "    }\n";
  }
  return out + complete(m, image);
}

std::string fetch(const Module& m, const ImageFunction& f, Type image) {
  const std::string texel = m.type(image.texel());
  const bool has_level = !f.level.none();
  std::string out = head(m, f, image, texel), places;
  for (uint32_t axis = 0; axis < image.dimensions(); ++axis)
    places += fmt::format(", (float({}) + 0.5f) / float({})", coordinate(image, axis), extent(axis, has_level));
  if (image.is_layered()) places += fmt::format(", int({})", coordinate(image, image.dimensions()));
  const std::string zero = m.zero(image.texel());
  if (has_level) out += fmt::format("    if (uint(level) >= uint(image.levels)) return {};\n", zero);
  out += fmt::format("    if ({}) return {};\n", outside(image, has_level), zero);
  out += fmt::format("    const {0} t = tex{1}Lod<{0}>(image.fetch{2}, {3});\n", native_texel(image), form_of(image),
                     places, has_level ? "float(level)" : "0.0f");
  return out + complete(m, image);
}

// ---- Surfaces, whose texels travel as they lie in memory

struct Stored {
  std::string channel;  // CUDA's type of a channel in memory
  std::string texel;    // and of a texel: "uchar4"
};

Stored stored_of(const TexelFormat& format) {
  const char* names[][2] = {{"u8", "uchar"}, {"u16", "ushort"}, {"uint", "uint"}};
  const auto& [channel, vector] = names[format.bits == 8 ? 0 : format.bits == 16 ? 1 : 2];
  return {channel, format.channels == 1 ? channel : fmt::format("{}{}", vector, format.channels)};
}

// The bits of a channel, of type f32, i32 or u32.
std::string encode(const Module& m, const TexelFormat& format, const std::string& x) {
  const std::string channel = stored_of(format).channel;
  switch (format.channel) {
    case Channel::Unorm:
      return fmt::format("{}(__float2uint_rz(rintf(fminf(fmaxf({}, 0.0f), 1.0f) * 255.0f)))", channel, x);
    case Channel::Float:
      if (format.bits == 16) m.need("vd_half");
      return format.bits == 32 ? fmt::format("__float_as_uint({})", x) : fmt::format("vd_to_half({}).bits", x);
    case Channel::Signed:
      if (format.bits == 32) return fmt::format("uint({})", x);
      return fmt::format("{}(min(max({}, {}), {}))", channel, x, -(1 << (format.bits - 1)),
                         (1 << (format.bits - 1)) - 1);
    default:
      return format.bits == 32 ? x : fmt::format("{}(min({}, {}u))", channel, x, (1u << format.bits) - 1);
  }
}

std::string decode(const Module& m, const TexelFormat& format, const std::string& x) {
  switch (format.channel) {
    case Channel::Unorm:
      return fmt::format("float({}) / 255.0f", x);
    case Channel::Float:
      if (format.bits == 16) m.need("vd_half");
      return format.bits == 32 ? fmt::format("__uint_as_float({})", x) : fmt::format("vd_to_float(vd_half({}))", x);
    case Channel::Signed:
      return format.bits == 32   ? fmt::format("int({})", x)
             : format.bits == 16 ? fmt::format("int(i16({}))", x)
                                 : fmt::format("int(i8({}))", x);
    default:
      return fmt::format("uint({})", x);
  }
}

// ", int(at.x) * 4, int(at.y)": along a row a surface counts bytes.
std::string surface_place(Type image) {
  std::string text = fmt::format(", int({}) * {}", coordinate(image, 0), find_texel_format(image.format())->size());
  for (uint32_t i = 1; i < image.coordinates(); ++i) text += fmt::format(", int({})", coordinate(image, i));
  return text;
}

std::string load(const Module& m, const ImageFunction& f, Type image) {
  const TexelFormat& format = *find_texel_format(image.format());
  const Type scalar(image.scalar());
  const std::string texel = m.type(image.texel()), stored = stored_of(format).texel;
  std::string parts;
  for (uint32_t c = 0; c < 4; ++c) {
    const std::string place = format.channels == 1 ? "t" : fmt::format("t.{}", kLetters[c]);
    parts += c != 0 ? ", " : "";
    parts += c < format.channels ? decode(m, format, place) : c == 3 ? one_of(m, scalar) : zero_of(m, scalar);
  }
  return head(m, f, image, texel) + fmt::format(
                                        "    if ({}) return {};\n"
                                        "    const {} t = surf{}read<{}>(image.surface{}, cudaBoundaryModeZero);\n"
                                        "    return {}({});\n}}\n",
                                        outside(image, false), m.zero(image.texel()), stored, form_of(image), stored,
                                        surface_place(image), texel, parts);
}

std::string store(const Module& m, const ImageFunction& f, Type image) {
  const TexelFormat& format = *find_texel_format(image.format());
  const Stored stored = stored_of(format);
  std::string texel;
  for (uint32_t c = 0; c < format.channels; ++c)
    texel += (c != 0 ? ", " : "") + encode(m, format, fmt::format("t.{}", kLetters[c]));
  if (format.channels > 1) texel = fmt::format("make_{}({})", stored.texel, texel);
  return head(m, f, image, "void") +
         fmt::format("    if ({}) return;\n    surf{}write({}, image.surface{}, cudaBoundaryModeZero);\n}}\n",
                     outside(image, false), form_of(image), texel, surface_place(image));
}

// The size of an image that is sampled; that of others is a value of the launch.
std::string size(const Module& m, const ImageFunction& f, Type image) {
  const std::string result = m.type(Type::vector(Scalar::I32, 4));
  const bool has_level = !f.level.none();
  std::string out = head(m, f, image, result), parts;
  if (has_level && f.level.is_unsigned()) out += "    level = min(level, uint(image.levels - 1));\n";
  if (has_level && !f.level.is_unsigned()) out += "    level = max(min(level, image.levels - 1), 0);\n";
  for (uint32_t axis = 0; axis < 3; ++axis) parts += extent(axis, has_level && axis < image.dimensions()) + ", ";
  return out + fmt::format("    return {}({}image.levels);\n}}\n", result, parts);
}

}  // namespace

const char* cuda_image_type(Type image) { return image.is_sampled() ? "vd_sampled_image" : "vd_storage_image"; }

std::string cuda_image_function(const Module& m, const ImageFunction& f) {
  const Type image = m.kernel.arguments[f.argument].type.value();
  switch (f.op) {
    case VD_OP_IMAGE_SAMPLE:
      return sample(m, f, image);
    case VD_OP_IMAGE_LOAD:
      return image.is_sampled() ? fetch(m, f, image) : load(m, f, image);
    case VD_OP_IMAGE_STORE:
      return store(m, f, image);
    default:
      return size(m, f, image);
  }
}

std::string cuda_images(const Module& m) {
  bool sampled = false, storage = false;
  for (const Argument& argument : m.kernel.arguments)
    if (argument.kind == VD_ARGUMENT_IMAGE) (argument.type.is_sampled() ? sampled : storage) = true;
  std::string out = std::string(sampled ? kSampledType : "") + (storage ? kStorageType : "");
  for (const ImageFunction& function : m.image_functions) out += cuda_image_function(m, function);
  return out;
}

}  // namespace vd::codegen
