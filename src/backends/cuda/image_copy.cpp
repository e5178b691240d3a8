#include "backends/cuda/image_copy.h"

#include "backends/cuda/image.h"
#include "backends/cuda/memory.h"

namespace vd::cuda {
namespace {

using backends::Command;

// The texels of a box in a buffer, without gaps.
void place_dense(const backends::Range& range, const backends::Box& box, uint32_t texel, CUDA_MEMCPY3D_END& end) {
  end.memoryType = CU_MEMORYTYPE_UNIFIED;
  end.device = address_of(range);
  end.pitch = uint64_t{box.extent[0]} * texel;
  end.height = box.extent[1];
}

}  // namespace

bool is_of_boxes(const Command& command) {
  return command.kind == Command::Kind::CopyToImage || command.kind == Command::Kind::CopyFromImage ||
         command.kind == Command::Kind::CopyImage;
}

CUDA_MEMCPY3D box_parameters(const Command& command, const backends::CommandView& view) {
  CUDA_MEMCPY3D parameters{};
  const backends::Box& first = view.boxes[command.first_box];
  const bool to = command.kind == Command::Kind::CopyToImage;
  const auto& image = static_cast<const Image&>(to ? *command.destination.memory : *command.source.memory);
  const uint32_t texel = image.texel_size();
  if (to)
    place_dense(command.source, first, texel, parameters.src);
  else
    image.place(first, parameters.src);
  if (command.kind == Command::Kind::CopyFromImage)
    place_dense(command.destination, first, texel, parameters.dst);
  else if (to)
    image.place(first, parameters.dst);
  else
    static_cast<const Image&>(*command.destination.memory).place(view.boxes[command.first_box + 1], parameters.dst);
  parameters.WidthInBytes = uint64_t{first.extent[0]} * texel;
  parameters.Height = first.extent[1];
  parameters.Depth = first.extent[2];
  return parameters;
}

std::string box_text(const CUDA_MEMCPY3D& boxes) {
  return fmt::format("an image's box of {} bytes, {} rows and {} slices", boxes.WidthInBytes, boxes.Height,
                     boxes.Depth);
}

}  // namespace vd::cuda
