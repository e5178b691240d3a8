// The interface of a kernel compiled for the host and the emulated driver. Plain C++ without any header: it precedes
// the kernel's own source too.
#pragma once

struct vd_emulated_copy;

struct vd_emulated_thread {
  unsigned thread[3], block[3], block_size[3], grid[3];
  unsigned lane, warp_size;       // of its warp: how many invocations the warp has
  unsigned cluster_rank;          // of the workgroup
  vd_emulated_copy* copies;       // asynchronous ones that are not done, the latest first
  unsigned copy_groups;           // that it has closed
  unsigned long long (*timer)();  // the device's
};

// Called by a kernel; each may switch to another invocation of the workgroup.
struct vd_emulated_services {
  void (*barrier)();
  // The invocations of `mask` bring a value each and see all of them, by lane.
  const unsigned long long* (*exchange)(unsigned mask, unsigned long long value);
  // The invocations of the warp that are at this place of the program when none of them can go on.
  unsigned (*active)(const void* place);
  // Waits for all workgroups of the cluster. Each has its own shared memory around a place that it tells.
  void (*cluster_barrier)(char* place);
  char* (*cluster_place)(unsigned rank);
};

// A texture object, to which its number points.
struct vd_emulated_texture {
  // Four channels of four bytes, from coordinates of `dimensions` and a layer, or -1 without layers.
  void (*sample)(const vd_emulated_texture* texture, unsigned dimensions, const float* at, int layer, float level,
                 void* texel);
};

// A surface object, to which its number points. Bytes are counted along x, and z is the depth or the layer. A place outside
// reads zeros, and is not written.
struct vd_emulated_surface {
  void (*read)(const vd_emulated_surface* surface, unsigned dimensions, bool layered, const int* at, void* texel,
               unsigned size);
  void (*write)(const vd_emulated_surface* surface, unsigned dimensions, bool layered, const int* at, const void* texel,
                unsigned size);
};

// The exported description of each kernel, named "vd_kernel_NAME".
struct vd_emulated_kernel {
  // All invocations of a workgroup one after the other, for kernels that never wait for each other.
  void (*run_group)(vd_emulated_thread* thread, void** parameters);
  void (*run_one)(void** parameters);  // after enter()
  void (*enter)(vd_emulated_thread* thread, const vd_emulated_services* services);
  const unsigned long long* parameter_sizes;
  unsigned parameter_count;
  unsigned most_threads;  // __launch_bounds__
  unsigned registers;
  unsigned static_shared_size;
  unsigned waits;  // whether invocations wait for each other
  unsigned cluster[3];
};

// A "cubin": this, then a shared library.
struct vd_emulated_image {
  char magic[8];  // "VDEMUL1"
  unsigned long long size;
};
