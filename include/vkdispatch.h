/* libvkdispatch: write a GPU kernel once, run it on Vulkan, CUDA, OpenCL or the CPU.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rules below hold for every entry; an entry's own comment says only what is particular to it.
 *
 * - Status. A call that can fail returns vd_status: 0 is success, negative is a failure whose message vd_last_error()
 *   gives on the same thread (VD_ERR_WOULD_BLOCK alone has none), positive is success with a remark. NULL where it is
 *   not allowed, an unknown enumerator, flag or struct_size are VD_ERR_INVALID; a handle of another context is
 *   VD_ERR_INVALID.
 * - Descriptors. `struct_size` comes first and is set by the _INIT macro. Zero means the default in every field.
 *   Structs only grow at the end. For an _info struct the caller sets `struct_size` and the library fills that much.
 * - Ownership. A create call returns one reference; retain and release change it and accept NULL. Children keep their
 *   parents alive and work in flight keeps what it uses, so any order of releases is right. Inputs are copied or
 *   retained. A pointer that a getter returns is valid as long as the object.
 * - Strings are UTF-8 and, going in, end with NUL. Bytes that are not UTF-8 come back as \xff in names and labels, and
 *   as ? in messages.
 * - Threads. Any call may be made on any thread; what is being written (a vd_builder, a vd_fft_gen, a vd_fft_block, a
 *   vd_reduce_gen, a vd_graph while it is recorded) belongs to one thread at a time. Exceptions carry a @thread line.
 * - Callbacks. An exception that leaves a callback goes to the log as an error. One that leaves a function of a graph's
 *   (vd_graph_call()) is VD_ERR_KERNEL of the next wait for its work, or for later work of its queue.
 * - Lists of unknown length take two calls: `cap` entries at most are written, `out_count` is always the total, and
 *   VD_INCOMPLETE says that some did not fit. */
#ifndef VKDISPATCH_H
#define VKDISPATCH_H

#include <stddef.h>
#include <stdint.h>

/* A program that links the library as a static one defines VD_STATIC. */
#if defined(VD_STATIC)
#define VD_API
#elif defined(_WIN32)
#if defined(VD_BUILDING)
#define VD_API __declspec(dllexport)
#else
#define VD_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define VD_API __attribute__((visibility("default")))
#else
#define VD_API
#endif

/* A program that uses the section 'Unstable' at the end of this header defines VD_UNSTABLE before it first includes
 * the header; without it, the section is not declared. */

/* Stands before an entry that is deprecated. A program that wants no warnings defines it as nothing. */
#ifndef VD_DEPRECATED
#if defined(__GNUC__)
#define VD_DEPRECATED __attribute__((deprecated))
#elif defined(_MSC_VER)
#define VD_DEPRECATED __declspec(deprecated)
#else
#define VD_DEPRECATED
#endif
#endif

#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define VD_ENUM(name) enum name : int32_t
#else
#define VD_ENUM(name) enum name
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version --------------------------------------------------------------------------------------------------
 * The library keeps its promises within one VD_ABI number, which is also its SONAME. A binding works with a library of
 * the same VD_ABI whose version is not below the one that the binding was made for. */

#define VD_VERSION_MAJOR 0 /*@type(uint32_t)*/ /**< Major version of this header. @since 0.1 */
#define VD_VERSION_MINOR 2 /*@type(uint32_t)*/ /**< Minor version of this header. @since 0.1 */
#define VD_VERSION_PATCH 0 /*@type(uint32_t)*/ /**< Patch version of this header. @since 0.1 */
#define VD_ABI 0 /*@type(uint32_t)*/ /**< Number of the promise that this header makes; also the library's SONAME.
                                          @since 0.1 */

/** Get the library's version as major * 1000000 + minor * 1000 + patch. @since 0.1 */
VD_API uint32_t vd_version(void) /*@module*/;

/** Get the VD_ABI number of the library. @since 0.2 */
VD_API uint32_t vd_abi(void) /*@module*/;

/* ---- Status and log -------------------------------------------------------------------------------------------
 * The message of the last failure belongs to the calling thread. Success leaves it alone. */

/** Status of a call. A negative number is an error, and a positive one is success with a remark. @since 0.1 */
typedef VD_ENUM(vd_status) {
    VD_OK                = 0, /**< Success. */
    VD_TIMEOUT           = 1,   /**< The time ran out before the work was done. */
    VD_INCOMPLETE        = 2,   /**< A list did not fit; `out_count` has the total. */
    VD_ERR_INVALID       = -1,  /**< A wrong argument: NULL, range, type, unknown value, another context's handle. */
    VD_ERR_STATE         = -2,  /**< Right arguments at the wrong time: a discarded buffer, an open block. */
    VD_ERR_UNSUPPORTED   = -3,  /**< This device, backend or version of the library cannot do it. */
    VD_ERR_OUT_OF_MEMORY = -4,  /**< Host or device memory ran out; the message says which. */
    VD_ERR_UNAVAILABLE   = -5,  /**< No such backend or device on this machine; the message says why. */
    VD_ERR_DEVICE_LOST   = -6,  /**< The device failed, and its context can no longer be used. */
    VD_ERR_COMPILE       = -7,  /**< A kernel did not verify or compile; the message has the log. */
    VD_ERR_IO            = -8,  /**< A file could not be read or written. */
    VD_ERR_KERNEL        = -9,  /**< A running kernel broke a rule that was checked: bounds, race, assertion,
                                     watchdog. Or a function that a graph calls threw an exception. */
    VD_ERR_INTERNAL      = -10, /**< A bug of the library. */
    VD_ERR_WOULD_BLOCK   = -11, /**< A call that never waits would have had to wait, and has done nothing. It has no
                                     message. */
    VD_STATUS_FORCE_32   = 0x7FFFFFFF
} vd_status;

/** Get this thread's last error as "function: message". It is valid until the thread's next error. It is "" before the
 *  first one. @since 0.1 */
VD_API const char *vd_last_error(void) /*@module*/;

/** Get the name of a status, such as "VD_ERR_INVALID". An invalid number gives "VD_STATUS_UNKNOWN". @since 0.1 */
VD_API const char *vd_status_name(vd_status status);

/** Importance of a message. @since 0.1 */
typedef VD_ENUM(vd_log_level) {
    VD_LOG_VERBOSE        = 0, /**< Steps of the library's work. */
    VD_LOG_INFO           = 1, /**< Decisions that a user may want to know. */
    VD_LOG_WARNING        = 2, /**< A problem that the library works around. The level at start. */
    VD_LOG_ERROR          = 3, /**< A failure. */
    VD_LOG_OFF            = 4, /**< Nothing is reported. Valid as a limit only. */
    VD_LOG_LEVEL_FORCE_32 = 0x7FFFFFFF
} vd_log_level;

/** Message of the log. @since 0.1 */
typedef struct vd_log_message {
    uint32_t     struct_size; /**< Size of the struct, set by the library. */
    vd_log_level level;       /**< Importance of the message. */
    const char  *text;        /**< The message, without a line break at its end. */
} vd_log_message;
#define VD_LOG_MESSAGE_INIT { (uint32_t)sizeof(vd_log_message), VD_LOG_VERBOSE, NULL }

/** Callback for log messages. `message` is valid during the call. The callback may be called on any thread, and on
 *  several at the same time. It must call nothing of the library but vd_log_ entries. What it writes to the log itself
 *  goes to the other receivers only. @since 0.1 */
typedef void (*vd_log_fn)(const vd_log_message *message, void *user /*@nullable*/);

/** Callback that frees what `user` stands for, once nothing uses it any more: also imported memory, which it gives back
 *  to its owner. It is called once, on any thread, which may be one of the library's. It must not call the library.
 *  @since 0.2 */
typedef void (*vd_free_fn)(void *user /*@nullable*/);

/** Number of a receiver of log messages. No receiver has the number 0. @since 0.2 */
typedef uint64_t vd_log_receiver;

/**
 * Add a receiver of log messages. Every receiver gets every message from its level on. While there is no receiver,
 * messages go to standard error, from the level of vd_log_set_level() on.
 *
 * @param level        Lowest level that the receiver gets.
 * @param callback     Function to call.
 * @param user         Passed to `callback`.
 * @param user_free    Function that is called once with `user`, when the receiver has been removed and its callback
 *                     runs on no thread. It is not called if this entry fails. NULL if there is nothing to free.
 * @param out_receiver Receives the receiver, which vd_log_remove() takes.
 * @return VD_ERR_INVALID, VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_log_add(vd_log_level level, vd_log_fn callback, void *user /*@nullable @user(callback)*/,
                            vd_free_fn user_free /*@nullable*/, vd_log_receiver *out_receiver) /*@module(log)*/;

/**
 * Remove a receiver of log messages. Its callback is not called again after this entry has returned.
 *
 * Waits until the callback has returned on all other threads, and calls `user_free`. A log callback that removes a
 * receiver does not wait, because two of them could wait for each other: `user_free` is then called by the thread that
 * leaves the removed callback last. Where a receiver is removed a second time, the call waits in the same way and
 * fails.
 *
 * @param receiver Receiver that vd_log_add() gave.
 * @return VD_ERR_INVALID (no such receiver, or it was removed before), VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_log_remove(vd_log_receiver receiver) /*@module(log) @waits*/;

/**
 * Set the level below which messages do not go to standard error. The option "log" and VKDISPATCH_LOG in the
 * environment (verbose, info, warning, error, off) set the level at start.
 *
 * @param level Lowest level that is written.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_log_set_level(vd_log_level level) /*@module(log)*/;

/** Get the level below which messages do not go to standard error. @since 0.1 */
VD_API vd_log_level vd_log_get_level(void) /*@module(log)*/;

/**
 * Write a message to the log.
 *
 * @param level   Importance of the message.
 * @param message Text; never a format.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_log_write(vd_log_level level, const char *message) /*@module(log)*/;

/**
 * Set an option of the process before its first use. It goes before the variable of the environment that says the same:
 * VKDISPATCH_ and the option's name in upper case.
 *
 * The options are "backend", "device", "cache_dir", "log", "host_isa", "nvrtc", "nvrtc_path", "opencl_library",
 * "opencl_options", "opencl_images", "opencl_cache", "fft_tune", "fft_records", "hold_clock" and "vulkan_limits"; see
 * docs/c.md.
 *
 * @param name  Name of the option.
 * @param value Its value; "" means none, whatever the environment says. NULL leaves the option to the environment
 *              again.
 * @return VD_ERR_INVALID (no such option, or a value that it cannot have), VD_ERR_STATE (the option has been used
 *         already).
 * @since 0.2
 */
VD_API vd_status vd_option_set(const char *name, const char *value /*@nullable*/) /*@module(option)*/;

/** Count the objects of the library that are alive in this process, of all kinds. Leak checks use it. @since 0.1 */
VD_API uint64_t vd_live_objects(void) /*@module*/;

/* ---- Handles and blobs ----------------------------------------------------------------------------------------
 * Every object is reference counted. A vd_blob is an immutable block of bytes that a call computed or fetched. */

/** A truth value: 0 is false, 1 is true. An entry that is given another number returns VD_ERR_INVALID. @since 0.2 */
typedef uint32_t vd_bool;

/** Devices, their queues, memory and caches. @since 0.1 */
typedef struct vd_context vd_context;
/** Memory on a device. @since 0.1 */
typedef struct vd_buffer vd_buffer;
/** Bytes of a buffer, or a level of an image, that the host reads or writes where they are. @since 0.2 */
typedef struct vd_mapping vd_mapping;
/** A semaphore that counts, for order among the work of several APIs, contexts and processes. @since 0.2 */
typedef struct vd_semaphore vd_semaphore;
/** A one-, two- or three-dimensional image. @since 0.1 */
typedef struct vd_image vd_image;
/** Filter and addressing with which kernels sample an image. @since 0.1 */
typedef struct vd_sampler vd_sampler;
/** A kernel being written. @since 0.1 */
typedef struct vd_builder vd_builder /*@exclusive*/;
/** Finished intermediate code. @since 0.1 */
typedef struct vd_kernel vd_kernel;
/** Compiled work for a context. @since 0.1 */
typedef struct vd_plan vd_plan;
/** Recorded work. @since 0.1 */
typedef struct vd_graph vd_graph;
/** A module of SPIR-V that was read without a device. @since 0.2 */
typedef struct vd_spirv vd_spirv;
/** Recorder of the times at which work ran. Keeps its context alive. @since 0.2 */
typedef struct vd_profile vd_profile;
/** Bytes that a call computed or fetched. @since 0.1 */
typedef struct vd_blob vd_blob;
/** A transform being written, into which the caller's own functions go. @since 0.1 */
typedef struct vd_fft_gen vd_fft_gen /*@exclusive*/;
/** A reduction being written, into which the caller's own functions go. @since 0.1 */
typedef struct vd_reduce_gen vd_reduce_gen /*@exclusive*/;

/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_blob_retain(vd_blob *blob /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_blob_release(vd_blob *blob /*@nullable*/);

/**
 * Get the bytes of a blob. Text is followed by a NUL that `out_size` does not count.
 *
 * @param blob     Blob to look into.
 * @param out_size Number of bytes; 0 where NULL is returned.
 * @return Pointer that is valid as long as `blob`. NULL if `blob` is NULL, or if the copy of vd_buffer_fetch() is not
 *         done; vd_last_error() has the reason.
 * @since 0.1
 */
VD_API const void *vd_blob_data(const vd_blob *blob, uint64_t *out_size /*@nullable*/) /*@borrowed(blob) @nullable*/;

/* ---- Backends and devices -------------------------------------------------------------------------------------
 * A device is named by its backend and its index there. Enumeration loads drivers and makes no context. Drivers that
 * are missing are no error: vd_backend_get_info() says why a backend cannot be used. */

/** Backend that runs kernels. @since 0.1 */
typedef VD_ENUM(vd_backend) {
    VD_BACKEND_AUTO     = 0, /**< VKDISPATCH_BACKEND, else the first GPU of Vulkan, CUDA, OpenCL, else host. */
    VD_BACKEND_VULKAN   = 1, /**< Vulkan devices. */
    VD_BACKEND_CUDA     = 2, /**< NVIDIA's devices through the CUDA driver. */
    VD_BACKEND_OPENCL   = 3, /**< OpenCL devices. */
    VD_BACKEND_HOST     = 4, /**< An interpreter on the CPU; always there. */
    VD_BACKEND_DUMMY    = 5, /**< Shows generated code for a device that is not there; runs nothing. */
    VD_BACKEND_FORCE_32 = 0x7FFFFFFF
} vd_backend;

/** Kind of device, with Vulkan's numbers. @since 0.1 */
typedef VD_ENUM(vd_device_type) {
    VD_DEVICE_OTHER          = 0, /**< None of the other types. */
    VD_DEVICE_INTEGRATED_GPU = 1, /**< A GPU that shares the CPU's memory. */
    VD_DEVICE_DISCRETE_GPU   = 2, /**< A GPU with memory of its own. */
    VD_DEVICE_VIRTUAL_GPU    = 3, /**< A GPU of a virtual machine. */
    VD_DEVICE_CPU            = 4, /**< A CPU. */
    VD_DEVICE_TYPE_FORCE_32  = 0x7FFFFFFF
} vd_device_type;

/** Features that a device has or a kernel needs. Bits from 31 on are macros, because enumerators have 32 bits.
 *  @since 0.1 */
enum {
    VD_FEATURE_F64                    = 1 << 0,                /**< The type f64. */
    VD_FEATURE_F16                    = 1 << 1,                /**< The type f16. */
    VD_FEATURE_I64                    = 1 << 2,                /**< The types i64 and u64. */
    VD_FEATURE_I16                    = 1 << 3,                /**< The types i16 and u16. */
    VD_FEATURE_I8                     = 1 << 4,                /**< The types i8 and u8. */
    VD_FEATURE_STORAGE_16             = 1 << 5,                /**< Elements of 16 bits in storage buffers. */
    VD_FEATURE_UNIFORM_16             = 1 << 6,                /**< Members of 16 bits in uniform blocks. */
    VD_FEATURE_PUSH_CONSTANT_16       = 1 << 7,                /**< Members of 16 bits in push constants. */
    VD_FEATURE_INPUT_OUTPUT_16        = 1 << 8,                /**< Values of 16 bits between shader stages. */
    VD_FEATURE_STORAGE_8              = 1 << 9,                /**< Elements of 8 bits in storage buffers. */
    VD_FEATURE_F32_ATOMICS            = 1 << 10,               /**< Native atomic exchange of f32. Without it, of its
                                                                    bits. */
    VD_FEATURE_F32_ATOMIC_ADD         = 1 << 11,               /**< Native atomic addition to f32. Without it, a
                                                                    loop. */
    VD_FEATURE_F64_ATOMIC_ADD         = 1 << 12,               /**< Native atomic addition to f64. Without it, a
                                                                    loop. */
    VD_FEATURE_I64_ATOMICS            = 1 << 13,               /**< All atomics on i64 and u64. */
    VD_FEATURE_SUBGROUP_BASIC         = 1 << 14,               /**< Subgroup ids, elect and barrier. */
    VD_FEATURE_SUBGROUP_ARITHMETIC    = 1 << 15,               /**< Subgroup reductions. */
    VD_FEATURE_SUBGROUP_SHUFFLE       = 1 << 16,               /**< Values of other lanes. */
    VD_FEATURE_SUBGROUP_VOTE          = 1 << 17,               /**< Any, all and ballot. */
    VD_FEATURE_SCALAR_BLOCK_LAYOUT    = 1 << 18,               /**< Scalar block layout of buffers. */
    VD_FEATURE_TIMELINE_SEMAPHORE     = 1 << 19,               /**< Semaphores that count. */
    VD_FEATURE_BUFFER_ADDRESS         = 1 << 20,               /**< Buffers are reachable by address in kernels. */
    VD_FEATURE_IMAGES                 = 1 << 21,               /**< Images and samplers in kernels. */
    VD_FEATURE_PRINTF                 = 1 << 22,               /**< VD_OP_PRINTF. */
    VD_FEATURE_ASYNC_COPY             = 1 << 23,               /**< Native asynchronous copies; lowered elsewhere. */
    VD_FEATURE_CLUSTERS               = 1 << 24 /*@unstable*/, /**< Workgroups that share memory in a cluster. */
    VD_FEATURE_UNIFIED_MEMORY         = 1 << 25,               /**< Host and device share one memory. */
    VD_FEATURE_TIMESTAMPS             = 1 << 26,               /**< Times of the device. */
    VD_FEATURE_QUAD_ALL_STAGES        = 1 << 27,               /**< Quad operations in all shader stages. */
    VD_FEATURE_MEMORY_FD              = 1 << 28,               /**< Memory by POSIX file descriptors: VD_BUFFER_EXPORT
                                                                    and VD_MEMORY_KIND_FD. */
    VD_FEATURE_SEMAPHORE_FD           = 1 << 29                /**< Semaphores by POSIX file descriptors:
                                                                    VD_SEMAPHORE_FD. */
};
typedef uint64_t vd_features /*@flags(VD_FEATURE_)*/;

#define VD_MAX_DIMS 8 /*@type(uint32_t)*/ /**< Dimensions of an array at most. @since 0.1 */
#define VD_MAX_QUEUE_FAMILIES 16 /*@type(uint32_t)*/ /**< Queue families that vd_vulkan_device_info lists. @since 0.1 */
#define VD_MAX_DEVICES 16 /*@type(uint32_t)*/ /**< Devices of a context at most. @since 0.1 */

/** Availability of a backend on this machine. @since 0.1 */
typedef struct vd_backend_info {
    uint32_t struct_size;  /**< Set by VD_BACKEND_INFO_INIT. */
    uint32_t device_count; /**< Number of devices, CPU devices included. */
    vd_bool  available;    /**< Whether there is at least one device. */
    uint32_t reserved;     /**< Always zero. */
    char     name[16];     /**< Name of the backend: "vulkan", "cuda", "opencl", "host" or "dummy". */
    char     reason[496];  /**< Reason why the backend is not available, or why its devices cannot run kernels.
                                Otherwise it is "". */
    vd_status status;      /**< VD_OK if the backend is available, else the error of vd_context_create():
                                VD_ERR_UNAVAILABLE, or VD_ERR_STATE in a child of a process that used its driver. */
} vd_backend_info;
#define VD_BACKEND_INFO_INIT { (uint32_t)sizeof(vd_backend_info), 0, 0, 0, { 0 }, { 0 }, VD_OK }

/**
 * Get whether a backend can be used on this machine, and why not if it cannot.
 *
 * @param backend  Backend to look at. VD_BACKEND_AUTO is invalid.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_backend_get_info(vd_backend backend, vd_backend_info *out_info);

/** Properties of a device. Sizes are in bytes. @since 0.1 */
typedef struct vd_device_info {
    uint32_t       struct_size;                   /**< Set by VD_DEVICE_INFO_INIT. */
    vd_backend     backend;                       /**< Backend of the device. */
    uint32_t       index;                         /**< Index of the device in its backend. */
    vd_device_type type;                          /**< Kind of device. */
    uint32_t       api_version[4];                /**< Version of the API: variant, major, minor, patch. With CUDA it is
                                                       the compute capability. */
    uint32_t       driver_version;                /**< Version of the driver, in the driver's own encoding. */
    uint32_t       vendor_id;                     /**< PCI vendor id, or 0 if it is unknown. */
    uint32_t       device_id;                     /**< PCI device id, or a number that the backend chooses. */
    vd_bool        uuid_valid;                    /**< Whether `uuid` is known. */
    uint8_t        uuid[16];                      /**< UUID of the device. It is the same through every backend. */
    char           name[256];                     /**< Name that the driver gives the device. */
    vd_features    features;                      /**< Features that the device has. */
    uint32_t       max_workgroup_size[3];         /**< Largest number of invocations of a workgroup on each axis. */
    uint32_t       max_workgroup_invocations;     /**< Largest number of invocations of a workgroup. */
    uint32_t       max_workgroup_count[3];        /**< Largest number of workgroups of a dispatch on each axis. */
    uint32_t       queue_count;                   /**< Largest number of queues that a context can open. */
    uint64_t       max_storage_buffer_range;      /**< Largest range in bytes that a device binds. Kernels take longer
                                                        buffers by their addresses, on devices with
                                                        VD_FEATURE_BUFFER_ADDRESS and VD_FEATURE_I64. */
    uint64_t       max_uniform_buffer_range;      /**< Largest uniform block in bytes. */
    uint64_t       max_allocation_size;           /**< Largest single buffer in bytes. */
    uint64_t       memory_size;                   /**< Size of the device's memory in bytes. */
    uint32_t       max_push_constant_size;        /**< Largest block of push constants or kernel parameters in bytes. */
    uint32_t       uniform_buffer_alignment;      /**< Alignment in bytes of a uniform block's offset. */
    uint32_t       storage_buffer_alignment;      /**< Alignment in bytes of a storage binding's offset, or 1 if every
                                                       element can be the first one. */
    uint32_t       max_shared_memory_size;        /**< Shared memory of a workgroup in bytes, without opting in to
                                                       more. */
    uint32_t       max_shared_memory_opt_in;      /**< Largest shared memory of a workgroup in bytes. */
    uint32_t       shared_memory_per_multiprocessor;
                                                  /**< Shared memory of a multiprocessor in bytes, or 0 if it is
                                                       unknown. */
    uint32_t       registers_per_multiprocessor;  /**< Number of 32-bit registers of a multiprocessor, or 0 if it is
                                                       unknown. */
    uint32_t       multiprocessor_count;          /**< Number of multiprocessors, or 0 if it is unknown. */
    uint32_t       subgroup_size;                 /**< Number of lanes of a subgroup. */
    uint32_t       reserved;                      /**< Must be zero. */
    double         timestamp_period;              /**< Nanoseconds of a timestamp tick, or 0 without timestamps. */
    uint32_t       max_image_extent[3];           /**< Largest number of texels along an axis of an image of one, two
                                                       and three dimensions. Zeros without images. */
    uint32_t       max_image_layers;              /**< Largest number of array layers of an image. */
    uint64_t       host_import_alignment;         /**< Alignment in bytes of memory of the host that a buffer can be an
                                                       alias of (VD_MEMORY_KIND_HOST). 1 means any address and size. Up
                                                       to the size of a page, memory that is not aligned so is imported
                                                       with the whole pages around it; above, it is refused. 0 means
                                                       that the device imports none. */
} vd_device_info;
#define VD_DEVICE_INFO_INIT { (uint32_t)sizeof(vd_device_info), VD_BACKEND_AUTO, 0, VD_DEVICE_OTHER, { 0 }, 0, 0, \
    0, 0, { 0 }, { 0 }, 0, { 0 }, 0, { 0 }, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, { 0 }, 0, 0 }

/**
 * Get a device's properties.
 *
 * @param backend  Backend of the device. VD_BACKEND_AUTO is invalid.
 * @param index    Index of the device, below vd_backend_info::device_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID, VD_ERR_UNAVAILABLE.
 * @since 0.1
 */
VD_API vd_status vd_device_get_info(vd_backend backend, uint32_t index, vd_device_info *out_info) /*@module(device)*/;

/** Properties of a device that only Vulkan reports, with Vulkan's numbers. @since 0.2 */
typedef struct vd_vulkan_device_info {
    uint32_t struct_size;               /**< Set by VD_VULKAN_DEVICE_INFO_INIT. */
    uint32_t max_bound_descriptor_sets; /**< Largest number of descriptor sets of a pipeline. */
    uint32_t subgroup_stages;           /**< VkShaderStageFlags of the stages that have subgroup operations. */
    uint32_t subgroup_operations;       /**< VkSubgroupFeatureFlags of the subgroup operations. */
    uint32_t queue_family_count;        /**< Number of queue families, and of entries in the two arrays below. */
    uint32_t queue_counts[VD_MAX_QUEUE_FAMILIES] /*@array(queue_family_count)*/; /**< Number of queues of each
                                                                                      family. */
    uint32_t queue_flags[VD_MAX_QUEUE_FAMILIES] /*@array(queue_family_count)*/;  /**< VkQueueFlags of each family. */
} vd_vulkan_device_info;
#define VD_VULKAN_DEVICE_INFO_INIT { (uint32_t)sizeof(vd_vulkan_device_info), 0, 0, 0, 0, { 0 }, { 0 } }

/**
 * Get the properties of a device that only Vulkan reports.
 *
 * @param index    Index of the device in the Vulkan backend, below vd_backend_info::device_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID, VD_ERR_UNAVAILABLE (there is no Vulkan).
 * @since 0.2
 */
VD_API vd_status vd_device_get_vulkan_info(uint32_t index, vd_vulkan_device_info *out_info) /*@module(device)*/;

/* ---- Context --------------------------------------------------------------------------------------------------
 * A vd_context holds one device or several, their queues, memory and caches. Buffers, plans and graphs keep it alive;
 * the last release waits for its queues. Queues are numbered from 0 over all devices. */

/** Behaviour of a context. @since 0.1 */
enum {
    VD_CONTEXT_USE_CPU  = 1 << 0, /**< CPU devices are candidates of the automatic choice. */
    VD_CONTEXT_DEBUG    = 1 << 1, /**< Validation layers where installed; their messages go to the log. */
    VD_CONTEXT_CHECKED  = 1 << 2, /**< Host: check bounds, races, divergent barriers, uninitialised reads and
                                       divisions of integers by zero. */
    VD_CONTEXT_NO_CACHE = 1 << 3, /**< Neither read nor write the disk cache. */
    VD_CONTEXT_ROBUST   = 1 << 4  /**< Kernels that access memory outside of a bound buffer harm nothing else. Vulkan:
                                       they read zeros or bytes of that buffer, and write nothing outside of it. Host:
                                       the same as VD_CONTEXT_CHECKED, which reports them. Unsupported on CUDA and
                                       OpenCL, which have no such accesses. */
};
typedef uint32_t vd_context_flags /*@flags(VD_CONTEXT_)*/;

/** Callback around each use of a queue of the program's: with `lock` 1 before it, and with 0 behind it, on the same
 *  thread. Any thread may call it, and it must not call the library. @since 0.2 */
typedef void (*vd_queue_lock_fn)(uint64_t queue, vd_bool lock, void *user /*@nullable*/);

/** A queue of a Vulkan device of the program's. @since 0.2 */
typedef struct vd_native_queue {
    uint64_t queue;    /**< VkQueue. */
    uint32_t family;   /**< Number of its family, which runs kernels. */
    uint32_t reserved; /**< Must be zero. */
} vd_native_queue;

/**
 * Objects of the program's that a context works with: those of Vulkan, or `cuda_context` alone. The context destroys
 * none of them, and they live longer than it. The Vulkan device needs timeline semaphores and scalar block layout, and
 * its instance is of the process's Vulkan loader.
 *
 * A VkQueue is used by one thread at a time. Either the program gives `lock`, which is called around each use by the
 * library, or it does not use the queue while the context lives.
 *
 * @since 0.2
 */
typedef struct vd_native_desc {
    uint32_t               struct_size;     /**< Set by VD_NATIVE_DESC_INIT. */
    uint32_t               api_version;     /**< VkApplicationInfo::apiVersion of the instance. At least 1.2. */
    uint64_t               instance;        /**< VkInstance. */
    uint64_t               physical_device; /**< VkPhysicalDevice. */
    uint64_t               device;          /**< VkDevice. */
    const vd_native_queue *queues /*@nullable @array(queue_count)*/;
                                            /**< Queues of the context, in their order. */
    uint32_t               queue_count;     /**< Number of entries of `queues`. */
    uint32_t               reserved;        /**< Must be zero. */
    const char            *extensions /*@nullable*/;
                                            /**< Names of the device extensions that were enabled, with spaces between
                                                 them. */
    uint64_t               features;        /**< Address of the VkPhysicalDeviceFeatures2 whose chain was given to
                                                 vkCreateDevice(). It is read during the call alone. */
    vd_queue_lock_fn       lock /*@nullable*/; /**< Called around uses of the queues. NULL if the program does not use
                                                    them. */
    void                  *user /*@nullable @user(lock)*/; /**< Passed to `lock`. */
    uint64_t               cuda_context;    /**< CUcontext. */
} vd_native_desc;
#define VD_NATIVE_DESC_INIT { (uint32_t)sizeof(vd_native_desc), 0, 0, 0, 0, NULL, 0, 0, NULL, 0, NULL, NULL, 0 }

/** Devices and options of a new context. @since 0.1 */
typedef struct vd_context_desc {
    uint32_t         struct_size;                 /**< Set by VD_CONTEXT_DESC_INIT. */
    vd_backend       backend;                     /**< Backend of the devices. VD_BACKEND_AUTO chooses one. */
    vd_context_flags flags;                       /**< Behaviour of the context. */
    uint32_t         device_count;                /**< Number of devices, at most VD_MAX_DEVICES. 0 chooses the best
                                                       device, with one queue; the next two fields are then NULL. */
    const uint32_t  *devices /*@nullable @array(device_count)*/;
                                                  /**< Indices of the devices in the backend. NULL chooses the best
                                                       device where `device_count` is 1. */
    const uint32_t  *queue_counts /*@nullable @array(device_count)*/;
                                                  /**< Number of queues of each device. 0 means 1. NULL means one queue
                                                       of each device. */
    const char      *device_name /*@nullable*/;   /**< Part of a device's name, or its UUID, to choose the device by. */
    const char      *cache_dir /*@nullable*/;     /**< Folder of the disk cache. NULL means VKDISPATCH_CACHE_DIR, or
                                                       else the user's cache folder. A folder that others may write to
                                                       is not used. */
    const vd_device_info *dummy_device /*@nullable*/;
                                                  /**< Properties of the dummy backend's device. NULL means the ones
                                                       that vd_device_get_info() gives. Other backends ignore them. */
    uint64_t         watchdog_ns;                 /**< Host: time in nanoseconds after which a kernel is ended. 0 means
                                                       60 s with VD_CONTEXT_CHECKED and no limit without it. UINT64_MAX
                                                       means no limit. */
    uint32_t         thread_count;                /**< Host: number of worker threads. 0 means one per core. */
    uint32_t         reserved;                    /**< Must be zero. */
    const uint32_t  *queue_families /*@nullable @array(queue_family_count)*/;
                                                  /**< Queue family of each queue of the context, device after device,
                                                       as many as `queue_counts` adds up to; without `queue_counts`, of
                                                       the only device. Each family runs kernels. Backends other than
                                                       Vulkan have family 0 alone. NULL lets the library choose. */
    uint32_t         queue_family_count;          /**< Number of entries of `queue_families`. */
    uint32_t         reserved_families;           /**< Must be zero. */
    const char      *required_extensions /*@nullable*/;
                                                  /**< Vulkan: names of device extensions to enable, with spaces between
                                                       them. A device that lacks one is not opened. */
    const char      *wished_extensions /*@nullable*/;
                                                  /**< Vulkan: the same for extensions that are enabled where a device
                                                       has them. vd_context_has_extension() says which they are. */
    const vd_native_desc *native /*@nullable*/;   /**< Device of the program's on Vulkan or CUDA, which `backend` names,
                                                       instead of one that the library opens. The fields that choose
                                                       devices, queue families and extensions are empty then. NULL opens
                                                       one. */
} vd_context_desc;
#define VD_CONTEXT_DESC_INIT { (uint32_t)sizeof(vd_context_desc), VD_BACKEND_AUTO, 0, 0, NULL, NULL, NULL, NULL, NULL, \
    0, 0, 0, NULL, 0, 0, NULL, NULL, NULL }

/**
 * Open devices. If there is no GPU and `desc` names no backend, the host backend is opened, with a warning in the log.
 *
 * @param desc        Devices and options. NULL means the defaults.
 * @param out_context The new context, or NULL on failure. Release it with vd_context_release().
 * @return VD_ERR_INVALID, VD_ERR_UNAVAILABLE (the message says what was tried and why it failed), VD_ERR_UNSUPPORTED
 *         (the device lacks what the library needs), VD_ERR_STATE (in a process that was forked after its parent used
 *         the backend's driver; the host backend works there).
 * @since 0.1
 */
VD_API vd_status vd_context_create(const vd_context_desc *desc /*@nullable*/, vd_context **out_context);

/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_context_retain(vd_context *ctx /*@nullable*/);
/** Drop a reference. The last one waits for the queues and for the callbacks of vd_ticket_notify() and
 *  vd_ticket_notify_end(); on a thread of the library, as in such a callback, another thread of the library does that.
 *  NULL is allowed and ignored. @since 0.1 */
VD_API void vd_context_release(vd_context *ctx /*@nullable*/) /*@waits*/;

/** Properties and counters of a context. @since 0.1 */
typedef struct vd_context_info {
    uint32_t         struct_size;      /**< Set by VD_CONTEXT_INFO_INIT. */
    vd_backend       backend;          /**< Backend of the devices. */
    uint32_t         device_count;     /**< Number of devices. */
    uint32_t         queue_count;      /**< Number of queues of all devices. */
    vd_context_flags flags;            /**< Flags that the context was created with. */
    vd_bool          lost;             /**< Whether a device of the context is lost. */
    uint64_t         memory_in_use;    /**< Bytes allocated for buffers and workspaces. */
    uint64_t         kernels_compiled; /**< Number of kernels that a compiler compiled. */
    uint64_t         cache_hits;       /**< Number of kernels that were found in the disk cache. */
} vd_context_info;
#define VD_CONTEXT_INFO_INIT { (uint32_t)sizeof(vd_context_info), VD_BACKEND_AUTO, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Get the properties and counters of a context.
 *
 * @param ctx      Context to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_context_get_info(const vd_context *ctx, vd_context_info *out_info);

/**
 * Get the properties of a context's device.
 *
 * @param ctx      Context to look into.
 * @param device   Index of the device in the context, below vd_context_info::device_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_context_get_device(const vd_context *ctx, uint32_t device, vd_device_info *out_info);

/**
 * Get whether a device extension of Vulkan is enabled on a context's device: by `required_extensions` or
 * `wished_extensions` of vd_context_desc, or because the library uses it.
 *
 * @param ctx         Context to look into.
 * @param device      Index of the device in the context.
 * @param name        Name of the extension.
 * @param out_enabled Receives 1 if it is enabled, else 0. It is 0 on other backends.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_context_has_extension(const vd_context *ctx, uint32_t device, const char *name,
                                          vd_bool *out_enabled);

/** Properties of a queue. @since 0.2 */
typedef struct vd_queue_info {
    uint32_t struct_size; /**< Set by VD_QUEUE_INFO_INIT. */
    uint32_t device;      /**< Index of the queue's device in the context. */
    uint32_t index;       /**< Number of the queue among the queues of its device. */
    uint32_t family;      /**< Vulkan's queue family. 0 on other backends. */
} vd_queue_info;
#define VD_QUEUE_INFO_INIT { (uint32_t)sizeof(vd_queue_info), 0, 0, 0 }

/**
 * Get the properties of a context's queue.
 *
 * @param ctx      Context to look into.
 * @param queue    Queue of the context, below vd_context_info::queue_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_context_get_queue(const vd_context *ctx, uint32_t queue, vd_queue_info *out_info);

#define VD_QUEUE_ALL 0xFFFFFFFF /*@type(uint32_t)*/ /**< Every queue of the context. @since 0.1 */
#define VD_WAIT_FOREVER 0xFFFFFFFFFFFFFFFF /*@type(uint64_t)*/ /**< A time limit that never runs out. @since 0.1 */

/**
 * Wait until a queue has done all work that was submitted before. An error is reported once all these queues are idle.
 *
 * @param ctx        Context to wait for.
 * @param queue      Queue to wait for, or VD_QUEUE_ALL.
 * @param timeout_ns Longest time to wait in nanoseconds, or VD_WAIT_FOREVER.
 * @return VD_TIMEOUT; VD_ERR_INVALID, VD_ERR_DEVICE_LOST, VD_ERR_KERNEL.
 * @since 0.1
 */
VD_API vd_status vd_context_wait_idle(vd_context *ctx, uint32_t queue, uint64_t timeout_ns)
    /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * Wait until a write from host memory would wait for nothing but earlier writes: until there is memory to send all of
 * it through, or the queue has done its other work. So a program may wait in slices of time, and look in between
 * whether it is to stop, before it calls vd_buffer_write() or its like.
 *
 * @param ctx        Context of the queue.
 * @param queue      Queue that the write is for, or VD_QUEUE_ALL.
 * @param size       Size of the write in bytes.
 * @param timeout_ns Longest time to wait in nanoseconds, or VD_WAIT_FOREVER.
 * @return VD_TIMEOUT; VD_ERR_INVALID, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_context_wait_writable(vd_context *ctx, uint32_t queue, uint64_t size, uint64_t timeout_ns)
    /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * Give the native object behind a device of a context, for use beside other libraries: Vulkan's VkInstance,
 * VkPhysicalDevice and VkDevice, CUDA's CUcontext, OpenCL's cl_context.
 *
 * @param ctx        Context to look into.
 * @param device     Index of the device in the context.
 * @param kind       Which object: "VkInstance", "VkPhysicalDevice", "VkDevice", "CUcontext", "cl_context".
 * @param out_handle Receives the native object, which the library keeps.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED.
 * @since 0.1
 */
VD_API vd_status vd_context_get_native(const vd_context *ctx, uint32_t device, const char *kind, uint64_t *out_handle);

/**
 * Give the native object behind a queue: Vulkan's VkQueue, CUDA's CUstream, OpenCL's cl_command_queue. What is put
 * there is ordered neither with the memory that the library's work touches nor with what the library has not yet handed
 * over, so call vd_context_wait_idle() before. While a VkQueue is used, no call may be made that uses the same queue.
 *
 * @param ctx        Context to look into.
 * @param queue      Queue of the context.
 * @param kind       Which object: "VkQueue", "CUstream", "cl_command_queue".
 * @param out_handle Receives the native object, which the library keeps.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED.
 * @since 0.1
 */
VD_API vd_status vd_context_get_queue_native(const vd_context *ctx, uint32_t queue, const char *kind,
                                             uint64_t *out_handle);

/* ---- Tickets --------------------------------------------------------------------------------------------------
 * A vd_ticket is a point on a queue's timeline. 0 is done; what other numbers mean is the library's own affair. Copying
 * is free and nothing needs releasing.
 *
 * Work that fails is reported as follows:
 * - by every wait for its own ticket,
 * - by every vd_profile_stop() of a profile that recorded it,
 * - by the first vd_context_wait_idle(), later read through its queue, map of what it wrote or wait for later work
 *   (the stop of a profile is one), unless it was reported before. A map waits for what wrote the memory last, and not
 *   for a function that the graph calls after that.
 * A call reports one failure and leaves others to the next. A queue keeps 4,096 failures: beyond that it forgets the
 * oldest, those that were reported first.
 * Work that waits for the ticket of failed work runs nevertheless. A lost device stays lost. */

/** A point on a queue's timeline; 0 is done. @since 0.1 */
typedef uint64_t vd_ticket;

/**
 * Wait until a ticket's work is done.
 *
 * @param ctx        Context whose work the ticket belongs to.
 * @param ticket     Ticket to wait for.
 * @param timeout_ns Longest time to wait in nanoseconds, or VD_WAIT_FOREVER. 0 returns at once.
 * @return VD_TIMEOUT; VD_ERR_INVALID (another context's ticket), VD_ERR_DEVICE_LOST, VD_ERR_KERNEL.
 * @since 0.1
 */
VD_API vd_status vd_ticket_wait(vd_context *ctx, vd_ticket ticket, uint64_t timeout_ns)
    /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * Ask whether a ticket's work is done. A failure is not reported: a later wait or read still does that.
 *
 * @param ctx      Context whose work the ticket belongs to.
 * @param ticket   Ticket to ask for.
 * @param out_done Receives 1 if vd_ticket_wait() would return at once, also with an error, else 0.
 * @return VD_ERR_INVALID (another context's ticket).
 * @since 0.2
 */
VD_API vd_status vd_ticket_is_done(vd_context *ctx, vd_ticket ticket, vd_bool *out_done);

/**
 * Get the ticket of all work that was submitted to a queue so far.
 *
 * @param ctx        Context of the queue.
 * @param queue      Index of the queue.
 * @param out_ticket Receives the ticket; 0 if the queue had no work.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_context_get_last_ticket(vd_context *ctx, uint32_t queue, vd_ticket *out_ticket);

/** Callback for the end of a ticket's work. `status` and `message` are VD_OK and "", or those of a failure. `message`
 *  is valid during the call. Callbacks run on threads of the library, and several may run at the same time. A callback
 *  must return soon, since other work may wait for it. It must not call the library: calls that would wait or submit
 *  work return VD_ERR_STATE.
 *  @since 0.2 */
typedef void (*vd_ticket_fn)(vd_status status, const char *message, void *user /*@nullable*/);

/**
 * Have a callback called when a ticket's work is done. It is called exactly once, and never by the calling thread: at
 * once if the work is done, and with an error if the work fails or its device is lost. The call counts as a wait by
 * vd_ticket_wait(): a failure that it receives has been reported. The last release of a context waits until all
 * callbacks have returned. A process that ends with its context open calls none that has not begun.
 *
 * @param ctx      Context that gave the ticket.
 * @param ticket   Ticket of the work. The ticket 0 is done.
 * @param callback Function to call. It is not called if this entry fails.
 * @param user     Passed to `callback`.
 * @return VD_ERR_INVALID (another context's ticket, or a number that is no ticket), VD_ERR_OUT_OF_MEMORY (memory or
 *         threads).
 * @since 0.2
 */
VD_API vd_status vd_ticket_notify(vd_context *ctx, vd_ticket ticket, vd_ticket_fn callback,
                                  void *user /*@nullable @user(callback)*/);

/**
 * Have a callback called when a ticket's work is done, without a report of its failure. This is vd_ticket_notify() for
 * a caller that waits for the work later, too. The callback receives VD_OK also for work that failed, whose failure is
 * left to waits, and an error if the queue has failed or its device is lost.
 *
 * @param ctx      Context that gave the ticket.
 * @param ticket   Ticket of the work. The ticket 0 is done.
 * @param callback Function to call. It is not called if this entry fails.
 * @param user     Passed to `callback`.
 * @return VD_ERR_INVALID (another context's ticket, or a number that is no ticket), VD_ERR_OUT_OF_MEMORY (memory or
 *         threads).
 * @since 0.2
 */
VD_API vd_status vd_ticket_notify_end(vd_context *ctx, vd_ticket ticket, vd_ticket_fn callback,
                                      void *user /*@nullable @user(callback)*/);

/** Value of a semaphore: to wait until it is reached, or to set. @since 0.1 */
typedef struct vd_semaphore_point {
    vd_semaphore *semaphore; /**< Semaphore of the device of the work. */
    uint64_t      value;     /**< Value of the semaphore. One to set is above all before. */
    uint64_t      reserved;  /**< Must be zero. */
} vd_semaphore_point;

/** Order of submitted work among other work, and its name. @since 0.2 */
typedef struct vd_order_desc {
    uint32_t                  struct_size;        /**< Set by VD_ORDER_DESC_INIT. */
    uint32_t                  wait_count;         /**< Number of entries of `waits`. */
    const vd_ticket          *waits /*@nullable @array(wait_count)*/;
                                                  /**< Tickets whose work is done before this work begins, also of
                                                       another device of the context. */
    uint64_t                  stream;             /**< Native stream to run on, a CUstream of the device's context: the
                                                       work comes after what the stream was given before, and before
                                                       what it is given later, as if the caller had put it there. It
                                                       also keeps its order among the work of `queue`. Where the stream
                                                       is capturing, the work becomes part of the captured graph. 0
                                                       means the queue's own stream. CUDA's default stream is 1
                                                       (CU_STREAM_LEGACY), and the default stream of a thread is 2. CUDA
                                                       alone has streams: on every other backend work with one is
                                                       refused with VD_ERR_UNSUPPORTED. */
    const vd_semaphore_point *wait_semaphores /*@nullable @array(wait_semaphore_count)*/;
                                                  /**< Values of semaphores that are reached before the work begins.
                                                       Later work of the queue waits for them, too. */
    const vd_semaphore_point *signal_semaphores /*@nullable @array(signal_semaphore_count)*/;
                                                  /**< Values that semaphores are set to when the work, and all earlier
                                                       work of the queue, is done. */
    uint32_t                  wait_semaphore_count;
                                                  /**< Number of entries of `wait_semaphores`. */
    uint32_t                  signal_semaphore_count;
                                                  /**< Number of entries of `signal_semaphores`. */
    const char               *label /*@nullable*/; /**< Name of the work in profiles. */
} vd_order_desc;
#define VD_ORDER_DESC_INIT { (uint32_t)sizeof(vd_order_desc), 0, NULL, 0, NULL, NULL, 0, 0, NULL }

/**
 * Let a queue wait for a native stream: later work of the queue begins when the work that the stream has been given so
 * far is done. Returns at once; waits only for room where the queue is full.
 *
 * @param ctx        Context of the queue.
 * @param queue      Queue that waits.
 * @param stream     Native stream: a CUstream of the primary context of the queue's device, 1 (CUDA's default stream)
 *                   or 2 (the default stream of the calling thread).
 * @param out_ticket Receives the ticket of this point of the queue. NULL if it is not needed.
 * @return VD_ERR_INVALID (no stream, one of another device), VD_ERR_UNSUPPORTED (the backend is not CUDA), VD_ERR_STATE
 *         (the stream is capturing), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_context_wait_stream(vd_context *ctx, uint32_t queue, uint64_t stream,
                                        vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/**
 * Let a native stream wait for a queue: what the stream is given later begins when all work that was submitted to the
 * queue is done. Returns at once.
 *
 * @param ctx    Context of the queue.
 * @param queue  Queue to wait for, or VD_QUEUE_ALL.
 * @param stream Native stream: a CUstream of the primary context of the queue's device, 1 (CUDA's default stream) or 2
 *               (the default stream of the calling thread).
 * @return VD_ERR_INVALID (no stream, one of another device), VD_ERR_UNSUPPORTED (the backend is not CUDA), VD_ERR_STATE
 *         (the stream is capturing), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_context_signal_stream(vd_context *ctx, uint32_t queue, uint64_t stream);

/* ---- Semaphores -----------------------------------------------------------------------------------------------
 * A vd_semaphore holds a number that rises. Work waits for it and sets it by vd_order_desc; the other side is work of
 * another context, API or process, or the host. Vulkan makes semaphores, CUDA takes those of Vulkan by their file
 * descriptors; other backends have none. A semaphore keeps its context alive, and work in flight keeps it.
 *
 * A wait that is never ended does not last for ever. When a queue has had nothing to do but to wait for a semaphore for
 * vd_semaphore_desc::timeout_ns, the library sets the semaphore itself, so that the device comes to rest. The queue has
 * failed then: the waits for this and later work report VD_ERR_STATE, and it takes no more. */

/** Origin of a semaphore. @since 0.2 */
typedef VD_ENUM(vd_semaphore_source) {
    VD_SEMAPHORE_NEW      = 0, /**< A new one. */
    VD_SEMAPHORE_FD       = 1, /**< One of Vulkan's, by a file descriptor of vd_semaphore_export_fd() or
                                    vkGetSemaphoreFdKHR(), which the library closes. Needs VD_FEATURE_SEMAPHORE_FD. */
    VD_SEMAPHORE_NATIVE   = 2, /**< The program's own, which must live longer: Vulkan's VkSemaphore (a timeline
                                    semaphore), CUDA's CUexternalSemaphore over one. */
    VD_SEMAPHORE_FORCE_32 = 0x7FFFFFFF
} vd_semaphore_source;

/** Origin and properties of a semaphore. Every field may be zero. @since 0.2 */
typedef struct vd_semaphore_desc {
    uint32_t            struct_size;         /**< Set by VD_SEMAPHORE_DESC_INIT. */
    vd_semaphore_source source;              /**< Origin of the semaphore. */
    uint64_t            handle;              /**< File descriptor or native semaphore. 0 for a new one. */
    uint64_t            initial_value;       /**< Value of a new semaphore. 0 for others. */
    uint64_t            timeout_ns;          /**< Time in nanoseconds that a queue waits for the semaphore at most. 0
                                                  means 10 s, and UINT64_MAX no limit. */
    uint32_t            device;              /**< Index of the device in the context. */
    uint32_t            reserved;            /**< Must be zero. */
    const char         *label /*@nullable*/; /**< Name in logs and messages. It is copied. */
} vd_semaphore_desc;
#define VD_SEMAPHORE_DESC_INIT { (uint32_t)sizeof(vd_semaphore_desc), VD_SEMAPHORE_NEW, 0, 0, 0, 0, 0, NULL }

/**
 * Create a semaphore, or take one of another API.
 *
 * @param ctx           Context to use it in.
 * @param desc          Origin and properties. NULL means a new one.
 * @param out_semaphore The new semaphore, or NULL on failure; a file descriptor is the caller's then. Release it with
 *                      vd_semaphore_release().
 * @return VD_ERR_INVALID (no such descriptor), VD_ERR_UNSUPPORTED (the device makes none or takes none),
 *         VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_create(vd_context *ctx, const vd_semaphore_desc *desc /*@nullable*/,
                                     vd_semaphore **out_semaphore);
/** Take a reference. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_semaphore_retain(vd_semaphore *semaphore /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_semaphore_release(vd_semaphore *semaphore /*@nullable*/);

/**
 * Get a file descriptor for a semaphore, by which CUDA, another Vulkan device of the same driver or another process
 * takes it.
 *
 * @param semaphore Semaphore of a Vulkan device with VD_FEATURE_SEMAPHORE_FD that vd_semaphore_create() made.
 * @param out_fd    Receives a new descriptor, which its taker or the caller closes; -1 on failure.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED, VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_export_fd(vd_semaphore *semaphore, int32_t *out_fd);

/**
 * Get the value that a semaphore has reached.
 *
 * @param semaphore Semaphore of Vulkan's.
 * @param out_value Receives the value.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (CUDA does not report it), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_get_value(const vd_semaphore *semaphore, uint64_t *out_value);

/**
 * Set a semaphore from the host.
 *
 * @param semaphore Semaphore of Vulkan's.
 * @param value     New value, above the present one and below those of work in flight.
 * @return VD_ERR_INVALID (out of order), VD_ERR_UNSUPPORTED (CUDA's host cannot), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_signal(vd_semaphore *semaphore, uint64_t value);

/**
 * Let the host wait until a semaphore has reached a value.
 *
 * @param semaphore  Semaphore of Vulkan's.
 * @param value      Value to wait for.
 * @param timeout_ns Longest time to wait in nanoseconds, or VD_WAIT_FOREVER. 0 returns at once.
 * @return VD_TIMEOUT; VD_ERR_INVALID, VD_ERR_UNSUPPORTED (CUDA's host cannot), VD_ERR_DEVICE_LOST; if a queue
 *         of its context that was to set the value has failed, that queue's status. Work that fails on a sound queue
 *         sets it all the same, and its ticket reports the failure.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_wait(vd_semaphore *semaphore, uint64_t value, uint64_t timeout_ns)
    /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * Give the native object behind a semaphore: "VkSemaphore", "CUexternalSemaphore".
 *
 * @param semaphore  Semaphore to look into.
 * @param kind       Kind of native object.
 * @param out_handle Receives the native object, which the library keeps.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED.
 * @since 0.2
 */
VD_API vd_status vd_semaphore_get_native(const vd_semaphore *semaphore, const char *kind, uint64_t *out_handle);

/* ---- Types ----------------------------------------------------------------------------------------------------
 * A vd_type is 32 bits: scalar kind (bits 0-7), shape (bits 8-11: scalar, vector, complex, matrix, array, struct),
 * components or columns (bits 12-15) and rows (bits 16-19); arrays and structs have the index of their builder's table
 * in bits 12-27; bits 28-30 are the space of a reference, 0 for a value. Memory has scalar block layout: every member
 * is aligned to its scalar, vectors of 3 and matrix columns are packed. A variable, or a value that is loaded, stored
 * or made, has at most 65536 scalars; memory may hold more. */

/** A type of the kernel language. @since 0.1 */
enum {
    VD_TYPE_NONE        = 0x0,     /**< No type; where a type may be left out, the library infers it. */
    VD_TYPE_BOOL        = 0x1,     /**< A truth value. */
    VD_TYPE_I8          = 0x2,     /**< A signed integer of 8 bits. */
    VD_TYPE_I16         = 0x3,     /**< A signed integer of 16 bits. */
    VD_TYPE_I32         = 0x4,     /**< A signed integer of 32 bits. */
    VD_TYPE_I64         = 0x5,     /**< A signed integer of 64 bits. */
    VD_TYPE_U8          = 0x6,     /**< An unsigned integer of 8 bits. */
    VD_TYPE_U16         = 0x7,     /**< An unsigned integer of 16 bits. */
    VD_TYPE_U32         = 0x8,     /**< An unsigned integer of 32 bits. */
    VD_TYPE_U64         = 0x9,     /**< An unsigned integer of 64 bits. */
    VD_TYPE_F16         = 0xA,     /**< A floating-point number of 16 bits. */
    VD_TYPE_F32         = 0xB,     /**< A floating-point number of 32 bits. */
    VD_TYPE_F64         = 0xC,     /**< A floating-point number of 64 bits. */
    VD_TYPE_BOOLX2      = 0x2101,  /**< A vector of 2 bool. */
    VD_TYPE_BOOLX3      = 0x3101,  /**< A vector of 3 bool. */
    VD_TYPE_BOOLX4      = 0x4101,  /**< A vector of 4 bool. */
    VD_TYPE_I8X2        = 0x2102,  /**< A vector of 2 i8. */
    VD_TYPE_I8X3        = 0x3102,  /**< A vector of 3 i8. */
    VD_TYPE_I8X4        = 0x4102,  /**< A vector of 4 i8. */
    VD_TYPE_I16X2       = 0x2103,  /**< A vector of 2 i16. */
    VD_TYPE_I16X3       = 0x3103,  /**< A vector of 3 i16. */
    VD_TYPE_I16X4       = 0x4103,  /**< A vector of 4 i16. */
    VD_TYPE_I32X2       = 0x2104,  /**< A vector of 2 i32. */
    VD_TYPE_I32X3       = 0x3104,  /**< A vector of 3 i32. */
    VD_TYPE_I32X4       = 0x4104,  /**< A vector of 4 i32. */
    VD_TYPE_I64X2       = 0x2105,  /**< A vector of 2 i64. */
    VD_TYPE_I64X3       = 0x3105,  /**< A vector of 3 i64. */
    VD_TYPE_I64X4       = 0x4105,  /**< A vector of 4 i64. */
    VD_TYPE_U8X2        = 0x2106,  /**< A vector of 2 u8. */
    VD_TYPE_U8X3        = 0x3106,  /**< A vector of 3 u8. */
    VD_TYPE_U8X4        = 0x4106,  /**< A vector of 4 u8. */
    VD_TYPE_U16X2       = 0x2107,  /**< A vector of 2 u16. */
    VD_TYPE_U16X3       = 0x3107,  /**< A vector of 3 u16. */
    VD_TYPE_U16X4       = 0x4107,  /**< A vector of 4 u16. */
    VD_TYPE_U32X2       = 0x2108,  /**< A vector of 2 u32. */
    VD_TYPE_U32X3       = 0x3108,  /**< A vector of 3 u32. */
    VD_TYPE_U32X4       = 0x4108,  /**< A vector of 4 u32. */
    VD_TYPE_U64X2       = 0x2109,  /**< A vector of 2 u64. */
    VD_TYPE_U64X3       = 0x3109,  /**< A vector of 3 u64. */
    VD_TYPE_U64X4       = 0x4109,  /**< A vector of 4 u64. */
    VD_TYPE_F16X2       = 0x210A,  /**< A vector of 2 f16. */
    VD_TYPE_F16X3       = 0x310A,  /**< A vector of 3 f16. */
    VD_TYPE_F16X4       = 0x410A,  /**< A vector of 4 f16. */
    VD_TYPE_F32X2       = 0x210B,  /**< A vector of 2 f32. */
    VD_TYPE_F32X3       = 0x310B,  /**< A vector of 3 f32. */
    VD_TYPE_F32X4       = 0x410B,  /**< A vector of 4 f32. */
    VD_TYPE_F64X2       = 0x210C,  /**< A vector of 2 f64. */
    VD_TYPE_F64X3       = 0x310C,  /**< A vector of 3 f64. */
    VD_TYPE_F64X4       = 0x410C,  /**< A vector of 4 f64. */
    VD_TYPE_COMPLEX_F16 = 0x20A,   /**< A complex number: two f16, real and imaginary part. */
    VD_TYPE_COMPLEX_F32 = 0x20B,   /**< A complex number: two f32, real and imaginary part. */
    VD_TYPE_COMPLEX_F64 = 0x20C,   /**< A complex number: two f64, real and imaginary part. */
    VD_TYPE_F32M2       = 0x2230B, /**< A matrix: 2 columns of 2 f32. */
    VD_TYPE_F32M3       = 0x3330B, /**< A matrix: 3 columns of 3 f32. */
    VD_TYPE_F32M4       = 0x4430B, /**< A matrix: 4 columns of 4 f32. */
    VD_TYPE_F64M2       = 0x2230C, /**< A matrix: 2 columns of 2 f64. */
    VD_TYPE_F64M3       = 0x3330C, /**< A matrix: 3 columns of 3 f64. */
    VD_TYPE_F64M4       = 0x4430C  /**< A matrix: 4 columns of 4 f64. */
};
typedef uint32_t vd_type /*@values(VD_TYPE_)*/;

/** Space of a reference, in bits 28-30 of its type. @since 0.1 */
enum {
    VD_SPACE_VALUE   = 0,              /**< Not a reference. */
    VD_SPACE_PRIVATE = 1,              /**< A variable of one invocation. */
    VD_SPACE_SHARED  = 2,              /**< Shared by a workgroup. */
    VD_SPACE_STORAGE = 3,              /**< A buffer. */
    VD_SPACE_UNIFORM = 4,              /**< A value argument; read-only. */
    VD_SPACE_CLUSTER = 5 /*@unstable*/ /**< Another workgroup's shared memory in the same cluster. */
};
typedef uint32_t vd_space /*@values(VD_SPACE_)*/;

/**
 * Get the size in bytes of a value of a type in memory.
 *
 * @param type     A scalar, vector, complex or matrix type.
 * @param out_size Receives the size in bytes, without padding.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_type_get_size(vd_type type, uint32_t *out_size);

/* ---- Buffers --------------------------------------------------------------------------------------------------
 * A vd_buffer is memory on one device of its context. It keeps its context alive; work in flight keeps it alive.
 * Transfers are ordered with other work of their queue by the memory that they touch. A size of 0 is an empty range,
 * and VD_WHOLE_SIZE is the range from its offset to the end of the buffer. A slice and a binding must not be empty. */

#define VD_WHOLE_SIZE 0xFFFFFFFFFFFFFFFF /*@type(uint64_t)*/ /**< Size of a range that goes to the end of its buffer.
                                                                  @since 0.2 */

/** Placement of a buffer. @since 0.1 */
enum {
    VD_BUFFER_DEVICE    = 0,      /**< Device memory; the default. */
    VD_BUFFER_HOST      = 1 << 0, /**< Host-visible memory, which vd_buffer_map() maps: fast to read back, slower in
                                       kernels. */
    VD_BUFFER_PER_QUEUE = 1 << 1, /**< One replica for each queue of the context. */
    VD_BUFFER_EXPORT    = 1 << 2  /**< Device memory that vd_buffer_export_fd() gives away. Needs VD_FEATURE_MEMORY_FD,
                                       and goes with none of the other flags. */
};
typedef uint32_t vd_buffer_flags /*@flags(VD_BUFFER_)*/;

/** Properties of a new buffer. Every field but `size` may be zero. @since 0.1 */
typedef struct vd_buffer_desc {
    uint32_t        struct_size;                  /**< Set by VD_BUFFER_DESC_INIT. */
    vd_buffer_flags flags;                        /**< Placement of the buffer. */
    uint64_t        size;                         /**< Size in bytes, at least 1. */
    uint64_t        shape[VD_MAX_DIMS];           /**< Dimensions in elements that a kernel reads as the buffer's shape.
                                                       The first zero ends them. All zero means one dimension, computed
                                                       from the size of the kernel's element. Their product must not
                                                       exceed `size`. Kernels read a dimension above 2^31 - 1 as 2^31 -
                                                       1. */
    uint32_t        device;                       /**< Index of the device in the context. */
    uint32_t        reserved;                     /**< Must be zero. */
    const char     *label /*@nullable*/;          /**< Name in logs and messages. It is copied. */
    const void     *data /*@nullable @bytes(size)*/;
                                                  /**< Initial contents, copied before the call returns. NULL leaves the
                                                       contents undefined. */
} vd_buffer_desc;
#define VD_BUFFER_DESC_INIT { (uint32_t)sizeof(vd_buffer_desc), 0, 0, { 0 }, 0, 0, NULL, NULL }

/**
 * Create a buffer. Its contents are undefined unless `desc->data` is given. Then it waits as vd_buffer_write() does.
 *
 * @param ctx        Context to allocate in.
 * @param desc       Properties of the new buffer.
 * @param out_buffer The new buffer, or NULL on failure. Release it with vd_buffer_release().
 * @return VD_ERR_INVALID, VD_ERR_OUT_OF_MEMORY, VD_ERR_UNSUPPORTED, VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_buffer_create(vd_context *ctx, const vd_buffer_desc *desc, vd_buffer **out_buffer)
    /*@waits*/;

/**
 * Create a buffer that is a slice of another. Both are the same memory, and each keeps it alive.
 *
 * @param buffer     Buffer to slice.
 * @param offset     First byte. Transfers take any; vd_binding says which ones a kernel takes.
 * @param size       Size in bytes, at least 1, or VD_WHOLE_SIZE.
 * @param out_buffer The slice. Release it with vd_buffer_release().
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_buffer_slice(vd_buffer *buffer, uint64_t offset, uint64_t size, vd_buffer **out_buffer)
    /*@constructs*/;

/** Range and shape of a view of a buffer. Every field but `size` may be zero. @since 0.2 */
typedef struct vd_buffer_view_desc {
    uint32_t struct_size;        /**< Set by VD_BUFFER_VIEW_DESC_INIT. */
    uint32_t reserved;           /**< Must be zero. */
    uint64_t offset;             /**< First byte. Transfers take any; vd_binding says which ones a kernel takes. */
    uint64_t size;               /**< Size in bytes, at least 1, or VD_WHOLE_SIZE. */
    uint64_t shape[VD_MAX_DIMS]; /**< Dimensions in elements that a kernel reads as the view's shape, as in
                                      vd_buffer_desc. */
} vd_buffer_view_desc;
#define VD_BUFFER_VIEW_DESC_INIT { (uint32_t)sizeof(vd_buffer_view_desc), 0, 0, 0, { 0 } }

/**
 * Create a buffer that is a slice of another and has a shape of its own. Both are the same memory, and each keeps it
 * alive. A buffer has no type of elements, so this is also how the bytes of one type are bound as another.
 *
 * @param buffer     Buffer to look at.
 * @param desc       Range and shape.
 * @param out_buffer The view. Release it with vd_buffer_release().
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.2
 */
VD_API vd_status vd_buffer_view(vd_buffer *buffer, const vd_buffer_view_desc *desc, vd_buffer **out_buffer)
    /*@constructs*/;

/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_buffer_retain(vd_buffer *buffer /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_buffer_release(vd_buffer *buffer /*@nullable*/);

/** Properties of a buffer. @since 0.1 */
typedef struct vd_buffer_info {
    uint32_t        struct_size;        /**< Set by VD_BUFFER_INFO_INIT. */
    vd_buffer_flags flags;              /**< Placement of the buffer. */
    uint64_t        size;               /**< Size in bytes. */
    uint64_t        shape[VD_MAX_DIMS]; /**< Dimensions that the buffer was created with. */
    uint64_t        offset;             /**< First byte of a slice in the buffer that owns the memory. It is 0 for other
                                             buffers. */
    uint32_t        device;             /**< Index of the device in the context. */
    vd_bool         discarded;          /**< Whether vd_buffer_discard() was called. */
    vd_bool         mappable;           /**< Whether vd_buffer_map() can map the buffer. */
    vd_bool         imported;           /**< Whether vd_buffer_import() made it, so that its memory is another's. */
    vd_bool         read_only;          /**< Whether it was imported with `read_only`. */
    uint32_t        reserved;           /**< Always zero. */
} vd_buffer_info;
#define VD_BUFFER_INFO_INIT { (uint32_t)sizeof(vd_buffer_info), 0, 0, { 0 }, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Get the properties of a buffer.
 *
 * @param buffer   Buffer to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_get_info(const vd_buffer *buffer, vd_buffer_info *out_info);

/**
 * Copy host memory into a buffer. The data has been taken when the call returns; the device's copy is ordered before
 * later work. Waits only for memory to send the data through, which earlier work may hold.
 *
 * @param buffer Destination of the copy.
 * @param offset First byte of the range.
 * @param data   Bytes to copy.
 * @param size   Size in bytes. With VD_WHOLE_SIZE `data` has as many bytes as the buffer has from `offset` on.
 * @param queue  Queue that the transfer is ordered on. VD_QUEUE_ALL writes every replica.
 * @return VD_ERR_INVALID (past the end), VD_ERR_STATE (discarded), VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_buffer_write(vd_buffer *buffer, uint64_t offset, const void *data /*@bytes(size)*/, uint64_t size,
                                 uint32_t queue) /*@waits*/;

/**
 * Copy a buffer into host memory, after all earlier work of the queue that writes it. Waits.
 *
 * @param buffer   Source of the copy.
 * @param offset   First byte of the range.
 * @param size     Size in bytes. With VD_WHOLE_SIZE `out_data` has room for all bytes of the buffer from
 *                 `offset` on.
 * @param queue    Queue that the transfer is ordered on.
 * @param out_data Destination of the copy.
 * @return VD_ERR_INVALID (past the end), VD_ERR_STATE (discarded), VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST,
 *         VD_ERR_KERNEL (an earlier kernel failed).
 * @since 0.1
 */
VD_API vd_status vd_buffer_read(vd_buffer *buffer, uint64_t offset, uint64_t size, uint32_t queue,
                                void *out_data /*@bytes(size)*/) /*@waits*/;

/**
 * Copy a buffer into memory of the library, after all earlier work of the queue that writes the buffer. Returns at
 * once; waits only for room where the queue is full.
 *
 * @param buffer     Buffer to read.
 * @param offset     First byte.
 * @param size       Size in bytes, or VD_WHOLE_SIZE.
 * @param queue      Queue that runs the copy.
 * @param order      Order among other work. NULL means that the work waits for nothing.
 * @param out_blob   Receives the blob. vd_blob_data() returns NULL until the copy is done. Release it with
 *                   vd_blob_release(), which may be done at any time.
 * @param out_ticket Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past the end), VD_ERR_STATE (discarded), VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_fetch(vd_buffer *buffer, uint64_t offset, uint64_t size, uint32_t queue,
                                 const vd_order_desc *order /*@nullable*/, vd_blob **out_blob,
                                 vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/**
 * Copy host memory into a buffer in an order, and give a ticket. The data has been taken when the call returns; the
 * device's copy may come later. Waits only for memory to send the data through, which earlier work may hold, and for
 * room where the queue is full.
 *
 * @param buffer     Destination of the copy.
 * @param offset     First byte of the range.
 * @param data       Bytes to copy.
 * @param size       Size in bytes. With VD_WHOLE_SIZE `data` has as many bytes as the buffer has from `offset` on.
 * @param queue      Queue that runs the copy.
 * @param order      Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past the end), VD_ERR_STATE (discarded, mapped), VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_send(vd_buffer *buffer, uint64_t offset, const void *data /*@bytes(size)*/, uint64_t size,
                                uint32_t queue, const vd_order_desc *order /*@nullable*/,
                                vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/**
 * Copy from one buffer to another, or within one where the ranges do not overlap. Returns at once; waits only for room
 * where the queue is full.
 *
 * @param source             Source of the copy.
 * @param source_offset      First byte of its range.
 * @param destination        Destination of the copy.
 * @param destination_offset First byte of its range.
 * @param size               Size in bytes. VD_WHOLE_SIZE copies to the end of `source`.
 * @param queue              Queue to run on.
 * @param order              Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket         Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past the end, overlap, two contexts), VD_ERR_STATE, VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_buffer_copy(vd_buffer *source, uint64_t source_offset, vd_buffer *destination,
                                uint64_t destination_offset, uint64_t size, uint32_t queue,
                                const vd_order_desc *order /*@nullable*/, vd_ticket *out_ticket /*@nullable*/)
    /*@waits*/;

/**
 * Fill a range with a repeated 32-bit pattern. Returns at once; waits only for room where the queue is full.
 *
 * @param buffer     Buffer to fill.
 * @param offset     First byte, a multiple of 4.
 * @param size       Size in bytes, a multiple of 4, or VD_WHOLE_SIZE.
 * @param pattern    Four bytes to repeat.
 * @param queue      Queue to run on.
 * @param order      Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket Receives the ticket of the fill. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE, VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_buffer_fill(vd_buffer *buffer, uint64_t offset, uint64_t size, uint32_t pattern, uint32_t queue,
                                const vd_order_desc *order /*@nullable*/, vd_ticket *out_ticket /*@nullable*/)
    /*@waits*/;

/**
 * Fill a range with a repeated pattern of 1 to 16 bytes. A pattern that does not repeat within 4 bytes, or a range that
 * is not made of whole words, waits for memory to send its first bytes through, as vd_buffer_send() does. Others wait
 * only for room where the queue is full.
 *
 * @param buffer       Buffer to fill.
 * @param offset       First byte.
 * @param size         Size in bytes, a multiple of `pattern_size`, or VD_WHOLE_SIZE.
 * @param pattern      Bytes to repeat. They are copied.
 * @param pattern_size Number of these bytes, 1 to 16.
 * @param queue        Queue to run on.
 * @param order        Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket   Receives the ticket of the fill. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE, VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_fill_pattern(vd_buffer *buffer, uint64_t offset, uint64_t size,
                                        const void *pattern /*@bytes(pattern_size)*/, uint32_t pattern_size,
                                        uint32_t queue, const vd_order_desc *order /*@nullable*/,
                                        vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/** Elements of two arrays of one shape, each with strides of its own. Strides and offsets are in bytes. @since 0.2 */
typedef struct vd_strided_copy_desc {
    uint32_t struct_size;                      /**< Set by VD_STRIDED_COPY_DESC_INIT. */
    uint32_t element_size;                     /**< Size of an element in bytes, at least 1. */
    uint64_t counts[VD_MAX_DIMS];              /**< Number of elements along each axis, the slowest axis first. The
                                                    first zero ends them. All zero means one element. */
    uint64_t source_offset;                    /**< First element in the source. */
    uint64_t source_strides[VD_MAX_DIMS];      /**< Distance of neighbours along each axis. 0 repeats an element. */
    uint64_t destination_offset;               /**< First element in the destination. */
    uint64_t destination_strides[VD_MAX_DIMS]; /**< Distance of neighbours along each axis. From the axis with the least
                                                    stride on, each must be at least the extent of all axes before it,
                                                    so that no two elements share a byte. */
} vd_strided_copy_desc;
#define VD_STRIDED_COPY_DESC_INIT { (uint32_t)sizeof(vd_strided_copy_desc), 0, { 0 }, 0, { 0 }, 0, { 0 } }

/**
 * Copy elements that lie with gaps, from one buffer to another, or within one where the ranges from the first byte to
 * the last do not overlap. Returns at once; waits only for room where the queue is full. Bytes between the elements are
 * kept.
 *
 * @param source      Source of the copy.
 * @param destination Destination of the copy.
 * @param desc        Shape, offsets and strides.
 * @param queue       Queue to run on.
 * @param order       Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket  Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past the end, overlap, two contexts), VD_ERR_STATE, VD_ERR_UNSUPPORTED (elements of 1 or 2
 *         bytes where the device's kernels have none; arrays of more than 2^32 bytes, words or pairs of bytes from the
 *         first to the last), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_copy_strided(vd_buffer *source, vd_buffer *destination, const vd_strided_copy_desc *desc,
                                        uint32_t queue, const vd_order_desc *order /*@nullable*/,
                                        vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/** Purpose of a mapping. @since 0.2 */
enum {
    VD_MAP_READ    = 1 << 0, /**< The host reads the bytes. */
    VD_MAP_WRITE   = 1 << 1, /**< The host writes the bytes. Those that it does not write keep their values. */
    VD_MAP_NO_WAIT = 1 << 2, /**< Report VD_ERR_WOULD_BLOCK where work in flight is in the way, instead of waiting for
                                  it. */
    VD_MAP_SHARED  = 1 << 3  /**< Host and device use the bytes at the same time, until the mapping is released: it is
                                  in the way of no work, and what the host writes is seen by work that is submitted
                                  later. The program orders the host's uses with the device's by waiting. Unsupported
                                  where host and device have memory of their own for it, as OpenCL's GPUs do. */
};
typedef uint32_t vd_map_flags /*@flags(VD_MAP_)*/;

/**
 * Give the host the bytes of a buffer where they are, without a copy. Waits for work in flight that writes them, and
 * with VD_MAP_WRITE for work that reads them. Until vd_mapping_end(), work that would write them, or with VD_MAP_WRITE
 * read them, is VD_ERR_STATE, and so is another mapping with VD_MAP_WRITE.
 *
 * Buffers with VD_BUFFER_HOST can be mapped on each backend, and others where the host reaches their memory:
 * vd_buffer_info.mappable says it. The address is the host's own: kernels may know the memory by another one.
 *
 * @param buffer      Buffer to map.
 * @param offset      First byte.
 * @param size        Size in bytes, at least 1, or VD_WHOLE_SIZE.
 * @param flags       VD_MAP_READ, VD_MAP_WRITE or both. VD_MAP_NO_WAIT and VD_MAP_SHARED may be added.
 * @param queue       Whose replica, of a buffer with VD_BUFFER_PER_QUEUE; any other buffer is the same for all.
 * @param out_mapping The mapping. End it with vd_mapping_end() and release it with vd_mapping_release().
 * @return VD_ERR_INVALID (past the end), VD_ERR_STATE (discarded, mapped), VD_ERR_UNSUPPORTED (device memory),
 *         VD_ERR_WOULD_BLOCK, VD_ERR_KERNEL (an earlier kernel failed), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_map(vd_buffer *buffer, uint64_t offset, uint64_t size, vd_map_flags flags, uint32_t queue,
                               vd_mapping **out_mapping) /*@waits @constructs*/;

/** Take a reference. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_mapping_retain(vd_mapping *mapping /*@nullable*/);
/** Drop a reference. The last one ends the mapping. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_mapping_release(vd_mapping *mapping /*@nullable*/);

/** Bytes of a mapping. @since 0.2 */
typedef struct vd_mapping_info {
    uint32_t     struct_size; /**< Set by VD_MAPPING_INFO_INIT. */
    vd_map_flags flags;       /**< Purpose of the mapping. */
    void        *data /*@bytes(size)*/; /**< First byte. The memory stays as long as the mapping, also after its end,
                                   but what the host writes after the end may be lost. */
    uint64_t     size;        /**< Number of bytes, for an image with the gaps between its rows. */
    vd_bool      ended;       /**< Whether vd_mapping_end() was called. */
    uint32_t     reserved;    /**< Always zero. */
    uint64_t     row_pitch;   /**< Bytes from one row of an image to the next. 0 for a buffer. */
    uint64_t     slice_pitch; /**< Bytes from one layer of an image, or one step of its depth, to the next. 0 for a
                                   buffer. */
} vd_mapping_info;
#define VD_MAPPING_INFO_INIT { (uint32_t)sizeof(vd_mapping_info), 0, NULL, 0, 0, 0, 0, 0 }

/**
 * Get the bytes of a mapping.
 *
 * @param mapping  Mapping to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_mapping_get_info(const vd_mapping *mapping, vd_mapping_info *out_info);

/**
 * End a mapping: later work sees what the host wrote. Ending twice is no error.
 *
 * @param mapping Mapping to end.
 * @return VD_ERR_INVALID, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_mapping_end(vd_mapping *mapping);

/**
 * Give a buffer's memory back as soon as work in flight is done, whoever still holds the handle. Later use is
 * VD_ERR_STATE, also of its slices. Discarding twice is no error.
 *
 * @param buffer Buffer to discard.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_discard(vd_buffer *buffer);

/**
 * Give the native object behind a buffer: "VkBuffer", "CUdeviceptr", "cl_mem", "address" (on Vulkan and CUDA the
 * address by which kernels know the memory, which the host cannot use; on the host backend a pointer; vd_buffer_map()
 * gives the host's address), with the byte offset where the buffer starts in it.
 *
 * @param buffer     Buffer to look into.
 * @param kind       Kind of native object.
 * @param queue      Whose replica, of a buffer with VD_BUFFER_PER_QUEUE; any other buffer is the same for all.
 * @param out_handle Receives the native object, which the library keeps.
 * @param out_offset Receives the byte offset of the buffer in the object.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_buffer_get_native(const vd_buffer *buffer, const char *kind, uint32_t queue, uint64_t *out_handle,
                                      uint64_t *out_offset);

/** Kind of memory that the program or another library owns. @since 0.2 */
typedef VD_ENUM(vd_memory_kind) {
    VD_MEMORY_KIND_NONE = 0, /**< Nothing. */
    VD_MEMORY_KIND_HOST = 1, /**< Memory of this process, by its address, on devices with a `host_import_alignment`: the
                                  host, CUDA and Vulkan, which pin it meanwhile, and OpenCL where host and device share
                                  one memory. */
    VD_MEMORY_KIND_CUDA = 2, /**< Memory that CUDA knows, by its CUdeviceptr: the device's own, managed or pinned
                                  memory. */
    VD_MEMORY_KIND_FD   = 3, /**< Memory of a device of Vulkan or CUDA, by a file descriptor. Needs
                                  VD_FEATURE_MEMORY_FD. */
    VD_MEMORY_KIND_FORCE_32 = 0x7FFFFFFF
} vd_memory_kind;

/** Memory behind a file descriptor: that of vd_buffer_export_fd(), or of vkGetMemoryFdKHR() and
 *  cuMemExportToShareableHandle().
 *  @since 0.2 */
typedef struct vd_memory_fd {
    uint32_t struct_size; /**< Set by VD_MEMORY_FD_INIT. */
    int32_t  fd;          /**< The file descriptor, an opaque one, or -1. */
    uint64_t memory_size; /**< Size in bytes of all of the memory, as it was allocated. */
    uint64_t offset;      /**< First byte of the buffer in the memory. */
    uint64_t size;        /**< Size in bytes of the buffer. */
    uint8_t  uuid[16];    /**< UUID of the device, which must be the same where it is imported. Zeros mean that it is
                               unknown. */
} vd_memory_fd;
#define VD_MEMORY_FD_INIT { (uint32_t)sizeof(vd_memory_fd), -1, 0, 0, 0, { 0 } }

/**
 * Get a file descriptor for the memory of a buffer, by which the other API or another process imports it. Work on the
 * two sides is ordered by semaphores, or by waiting.
 *
 * @param buffer  Buffer with VD_BUFFER_EXPORT, or a slice of one.
 * @param out_fd  Receives the memory, with a new descriptor that its taker or the caller closes.
 * @return VD_ERR_INVALID (the buffer was not made for it), VD_ERR_UNSUPPORTED, VD_ERR_STATE (discarded),
 *         VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_buffer_export_fd(const vd_buffer *buffer, vd_memory_fd *out_fd);

/** Memory that a buffer shall be an alias of. `kind`, `handle` and `size` must be given. @since 0.2 */
typedef struct vd_buffer_import_desc {
    uint32_t       struct_size;                   /**< Set by VD_BUFFER_IMPORT_DESC_INIT. */
    vd_memory_kind kind;                          /**< Kind of the memory. */
    uint64_t       handle;                        /**< Address of the first byte. 0 with `fd`. */
    uint64_t       size;                          /**< Size in bytes, at least 1. */
    uint64_t       shape[VD_MAX_DIMS];            /**< Dimensions, as those of vd_buffer_desc. */
    uint32_t       device;                        /**< Index of the device in the context. */
    vd_bool        read_only;                     /**< Whether nothing may write the memory. */
    uint64_t       stream;                        /**< Native stream whose work so far writes the memory: uses of the
                                                       buffer wait for it, as by vd_context_wait_stream(). 0 means that
                                                       the bytes are there. */
    const char    *label /*@nullable*/;           /**< Name in logs and messages. It is copied. */
    vd_free_fn     release /*@nullable*/;         /**< Called when the memory is no longer used. NULL if no one needs to
                                                       know. It is not called if the import fails. */
    void          *user /*@nullable @user(release)*/; /**< Passed to `release`. */
    const vd_memory_fd *fd /*@nullable*/;         /**< Memory of VD_MEMORY_KIND_FD, of which `size` bytes are imported.
                                                       The library closes the descriptor unless the import fails. NULL
                                                       for other kinds. */
} vd_buffer_import_desc;
#define VD_BUFFER_IMPORT_DESC_INIT { (uint32_t)sizeof(vd_buffer_import_desc), VD_MEMORY_KIND_NONE, 0, 0, { 0 }, 0, 0, \
    0, NULL, NULL, NULL, NULL }

/**
 * Create a buffer over memory that the program or another library owns. Nothing is copied. The owner keeps the memory
 * until `desc->release` is called, and orders its own accesses with the library's work: by `desc->stream`, by
 * vd_context_wait_stream() and vd_context_signal_stream(), or by waiting.
 *
 * Work of the library is ordered by address: two imports that share bytes conflict like slices of one buffer. Memory of
 * two file descriptors has no address that could tell whether it is the same. On CUDA and OpenCL, which know no byte of
 * the host's memory twice, such an import lies within one that is in use, or beside all. The memory that
 * vd_buffer_get_native() or vd_buffer_export_dlpack() gave away may be imported, too.
 *
 * @param ctx        Context of the new buffer.
 * @param desc       Memory, and properties of the buffer.
 * @param out_buffer The new buffer, or NULL on failure. Release it with vd_buffer_release().
 * @return VD_ERR_INVALID (no memory, memory of another device, a size past its end, an address off its alignment),
 *         VD_ERR_UNSUPPORTED (a kind that the device does not import, an overlap on CUDA or OpenCL), VD_ERR_STATE (the
 *         stream is capturing), VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_buffer_import(vd_context *ctx, const vd_buffer_import_desc *desc, vd_buffer **out_buffer)
    /*@constructs*/;

/** A buffer as a tensor of DLPack. `element` must be given. @since 0.2 */
typedef struct vd_dlpack_desc {
    uint32_t struct_size;        /**< Set by VD_DLPACK_DESC_INIT. */
    vd_type  element;            /**< Type of an element: a scalar, or a complex number. */
    uint32_t rank;               /**< Number of dimensions, at most VD_MAX_DIMS. */
    vd_bool  versioned;          /**< Whether a DLManagedTensorVersioned of DLPack 1.0 is made, and not a
                                      DLManagedTensor. */
    uint64_t shape[VD_MAX_DIMS]; /**< Dimensions in elements, without gaps. Their bytes must not exceed the buffer's. */
    vd_bool  copied;             /**< Whether the tensor shall say that it is a copy, which only versioned ones can. */
    uint32_t reserved;           /**< Must be zero. */
} vd_dlpack_desc;
#define VD_DLPACK_DESC_INIT { (uint32_t)sizeof(vd_dlpack_desc), 0, 0, 0, { 0 }, 0, 0 }

/**
 * Make a DLPack tensor over a buffer's memory. Nothing is copied and nothing is waited for. The tensor keeps the
 * memory, also past vd_buffer_discard(), until its deleter is called: once, by any thread.
 *
 * @param buffer     Buffer on the CUDA or the host backend.
 * @param desc       Type and dimensions of the tensor.
 * @param out_tensor Receives the address of the DLManagedTensorVersioned, or of the DLManagedTensor. Its deleter frees
 *                   it.
 * @return VD_ERR_INVALID (past the end, no DLPack type), VD_ERR_UNSUPPORTED (another backend: its memory has no address
 *         that others could use; a read-only buffer without `desc->versioned`), VD_ERR_STATE (discarded).
 * @since 0.2
 */
VD_API vd_status vd_buffer_export_dlpack(vd_buffer *buffer, const vd_dlpack_desc *desc, uint64_t *out_tensor);

/* ---- Building kernels -----------------------------------------------------------------------------------------
 * A vd_builder writes one kernel, and belongs to one thread at a time. Expressions are recipes: typed, shared nodes
 * whose leaves are constants, built-in values and references. A statement that consumes a recipe evaluates it there,
 * with its loads then; VD_OP_LET freezes a value. With VD_BUILDER_BY_VALUE every load is frozen where it is emitted. A
 * reference given where a value is wanted is loaded. A type error fails the very call that makes it. */

/** A value or reference of a kernel being built: its vd_type in the upper 32 bits, a number in the lower. 0 is no
 *  value.
 *  @since 0.1 */
typedef uint64_t vd_value;

/** An operation, with its operands in their order; "[value]" may be left out. Numbers are never reused;
 *  vd_op_get_info() describes each. @since 0.1 */
typedef VD_ENUM(vd_op) {
    VD_OP_NONE             = 0,   /**< No op. */
    /* ops: generated from src/ir/ops.inc; do not edit */
    /* leaves */
    VD_OP_CONST            = 1,   /**< (): The scalar whose bits are the immediate, splat to a vector; of a complex
                                       type the real part. `immediate`: the scalar's bits. */
    VD_OP_ZERO             = 2,   /**< (): Zero of any type. */
    VD_OP_BUILTIN          = 3,   /**< (): A built-in value: ids and sizes. `immediate`: a vd_builtin. */
    VD_OP_SHAPE            = 4,   /**< (buffer): The shape of a buffer: three dimensions, padded with 1, and their
                                       product. */
    /* memory */
    VD_OP_INDEX            = 16,  /**< (container, index): An element of a buffer, array, vector or complex number,
                                       or a column of a matrix. */
    VD_OP_MEMBER           = 17,  /**< (struct): A field of a struct, by its number. `immediate`: the field's number. */
    VD_OP_LOAD             = 18,  /**< (reference): The value that a reference holds. `immediate`: VD_ACCESS_ bits. */
    VD_OP_STORE            = 19,  /**< (reference, value): Put a value where a reference points. `immediate`:
                                       VD_ACCESS_ bits. */
    VD_OP_VIEW             = 20,  /**< (array): The bytes of a buffer or shared array as an array of another element
                                       type. */
    VD_OP_VAR              = 21,  /**< ([value]): Declare a private variable. */
    VD_OP_LET              = 22,  /**< (value): Evaluate a recipe here, once. */
    VD_OP_SWIZZLE          = 23,  /**< (value): One to four components of a vector, complex or scalar, in any order.
                                       `immediate`: 2 bits for each component, their count in bits 8-11. */
    VD_OP_CONSTRUCT        = 24,  /**< (parts...): A value from its parts. */
    VD_OP_ASYNC_COPY       = 25,  /**< (shared, buffer): Start a copy of 4, 8 or 16 bytes from a buffer to shared
                                       memory. `immediate`: bytes: 4, 8 or 16. */
    VD_OP_ASYNC_COMMIT     = 26,  /**< (): Close a group of copies. */
    VD_OP_ASYNC_WAIT       = 27,  /**< (): Wait until at most a number of this invocation's groups of copies are
                                       open. `immediate`: how many groups may be open, at most 255. */
    /* arithmetic */
    VD_OP_ADD              = 32,  /**< (a, b): Sum; integers wrap. */
    VD_OP_SUB              = 33,  /**< (a, b): Difference; integers wrap. */
    VD_OP_MUL              = 34,  /**< (a, b): Product, component by component. */
    VD_OP_DIV              = 35,  /**< (x, y): Quotient; integers truncate, and x / 0 is x. */
    VD_OP_REM              = 36,  /**< (x, y): Remainder of the truncating division, with the sign of x; by 0 it is
                                       0. */
    VD_OP_FLOORDIV         = 37,  /**< (x, y): Quotient rounded down; x / 0 is x. */
    VD_OP_FLOORMOD         = 38,  /**< (x, y): Remainder of the division that rounds down, with the sign of y; by 0
                                       it is 0. */
    VD_OP_NEG              = 39,  /**< (x): Negative; integers wrap. */
    VD_OP_ABS              = 40,  /**< (x): Absolute value; the modulus of a complex number. */
    VD_OP_SIGN             = 41,  /**< (x): -1, 0 or 1, in the type of x. */
    VD_OP_MIN              = 42,  /**< (x, y): The smaller of two; of nan and a number the number. */
    VD_OP_MAX              = 43,  /**< (x, y): The larger of two; of nan and a number the number. */
    VD_OP_CLAMP            = 44,  /**< (x, low, high): x, but not below low nor above high: min(max(x, low), high). */
    VD_OP_FMA              = 45,  /**< (a, b, c): a * b + c, rounded once where the device can. */
    /* bits */
    VD_OP_AND              = 64,  /**< (a, b): Bitwise and. */
    VD_OP_OR               = 65,  /**< (a, b): Bitwise or. */
    VD_OP_XOR              = 66,  /**< (a, b): Bitwise exclusive or. */
    VD_OP_NOT              = 67,  /**< (x): Bitwise complement. */
    VD_OP_SHL              = 68,  /**< (x, count): Shift left by the count modulo the bits of the type. */
    VD_OP_SHR              = 69,  /**< (x, count): Shift right by the count modulo the bits of the type; signed
                                       integers keep their sign. */
    VD_OP_POPCOUNT         = 70,  /**< (x): The number of 1 bits of an integer, in its type (GLSL's bitCount, CUDA's
                                       __popc). */
    VD_OP_CLZ              = 71,  /**< (x): The number of zeros above an integer's highest 1, in its type; for 0, all
                                       its bits (CUDA's __clz). */
    VD_OP_CTZ              = 72,  /**< (x): The number of zeros below an integer's lowest 1, in its type; for 0, all
                                       its bits (CUDA's __ffs, less 1). */
    VD_OP_BITREVERSE       = 73,  /**< (x): An integer's bits in reverse order (GLSL's bitfieldReverse, CUDA's
                                       __brev). */
    /* comparison and logic */
    VD_OP_EQ               = 80,  /**< (a, b): Equal. */
    VD_OP_NE               = 81,  /**< (a, b): Not equal; true with NaN. */
    VD_OP_LT               = 82,  /**< (a, b): Less; false with NaN. */
    VD_OP_LE               = 83,  /**< (a, b): Less or equal; false with NaN. */
    VD_OP_GT               = 84,  /**< (a, b): Greater; false with NaN. */
    VD_OP_GE               = 85,  /**< (a, b): Greater or equal; false with NaN. */
    VD_OP_LAND             = 86,  /**< (a, b): True if both are. */
    VD_OP_LOR              = 87,  /**< (a, b): True if at least one is. */
    VD_OP_LNOT             = 88,  /**< (x): The opposite. */
    VD_OP_ANY              = 89,  /**< (x): True if at least one component is. */
    VD_OP_ALL              = 90,  /**< (x): True if all components are. */
    VD_OP_SELECT           = 91,  /**< (condition, if_true, if_false): if_true where the condition holds, else
                                       if_false. */
    /* conversion */
    VD_OP_CONVERT          = 96,  /**< (x): The value as another scalar kind, in the same shape. */
    VD_OP_BITCAST          = 97,  /**< (x): The same bytes as another type of the same size. */
    /* math on floats */
    VD_OP_FLOOR            = 112, /**< (x): The largest whole number that is not above x. */
    VD_OP_CEIL             = 113, /**< (x): The smallest whole number that is not below x. */
    VD_OP_TRUNC            = 114, /**< (x): x without its fraction. */
    VD_OP_ROUND_EVEN       = 115, /**< (x): The nearest whole number; the even one of two. */
    VD_OP_FRACT            = 116, /**< (x): x - floor(x). */
    VD_OP_MOD              = 117, /**< (x, y): x - y * floor(x / y): the remainder with the sign of y. */
    VD_OP_STEP             = 118, /**< (edge, x): 0 where x < edge, else 1. */
    VD_OP_SMOOTHSTEP       = 119, /**< (edge0, edge1, x): 0 below edge0, 1 above edge1, and a smooth curve between
                                       them. */
    VD_OP_MIX              = 120, /**< (x, y, a): x + (y - x) * a. */
    VD_OP_RADIANS          = 121, /**< (x): Degrees as radians. */
    VD_OP_DEGREES          = 122, /**< (x): Radians as degrees. */
    VD_OP_SQRT             = 123, /**< (x): Square root; of a complex number the one whose real part is not negative. */
    VD_OP_RSQRT            = 124, /**< (x): 1 / sqrt(x). */
    VD_OP_EXP              = 125, /**< (x): e to the power of x. */
    VD_OP_EXP2             = 126, /**< (x): 2 to the power of x. */
    VD_OP_LOG              = 127, /**< (x): Natural logarithm. */
    VD_OP_LOG2             = 128, /**< (x): Logarithm to base 2. */
    VD_OP_POW              = 129, /**< (x, y): x to the power of y. */
    VD_OP_SIN              = 130, /**< (x): Sine of an angle in radians. */
    VD_OP_COS              = 131, /**< (x): Cosine of an angle in radians. */
    VD_OP_TAN              = 132, /**< (x): Tangent of an angle in radians. */
    VD_OP_ASIN             = 133, /**< (x): The angle from -pi/2 to pi/2 with sine x. */
    VD_OP_ACOS             = 134, /**< (x): The angle from 0 to pi with cosine x. */
    VD_OP_ATAN             = 135, /**< (x): The angle from -pi/2 to pi/2 with tangent x. */
    VD_OP_ATAN2            = 136, /**< (y, x): The angle of the point (x, y), from -pi to pi. */
    VD_OP_SINH             = 137, /**< (x): Hyperbolic sine. */
    VD_OP_COSH             = 138, /**< (x): Hyperbolic cosine. */
    VD_OP_TANH             = 139, /**< (x): Hyperbolic tangent. */
    VD_OP_ASINH            = 140, /**< (x): Inverse hyperbolic sine. */
    VD_OP_ACOSH            = 141, /**< (x): Inverse hyperbolic cosine. */
    VD_OP_ATANH            = 142, /**< (x): Inverse hyperbolic tangent. */
    VD_OP_ISNAN            = 143, /**< (x): Whether x is not a number. */
    VD_OP_ISINF            = 144, /**< (x): Whether x is infinite. */
    /* geometry, complex and matrix */
    VD_OP_DOT              = 160, /**< (x, y): The sum of the products of the components. */
    VD_OP_CROSS            = 161, /**< (x, y): The vector product of two vectors of three components. */
    VD_OP_LENGTH           = 162, /**< (x): The length of a vector. */
    VD_OP_DISTANCE         = 163, /**< (x, y): The length of y - x. */
    VD_OP_NORMALIZE        = 164, /**< (x): The vector of length 1 in the direction of x. */
    VD_OP_CONJ             = 165, /**< (x): Complex conjugate. */
    VD_OP_CIS              = 166, /**< (x): cos(x) + i sin(x). */
    VD_OP_TRANSPOSE        = 167, /**< (m): Columns become rows. */
    VD_OP_DETERMINANT      = 168, /**< (m): The determinant of a square matrix. */
    VD_OP_INVERSE          = 169, /**< (m): The inverse of a square matrix. */
    VD_OP_OUTER            = 170, /**< (x, y): The matrix whose column j is x * y[j]. */
    VD_OP_MATMUL           = 171, /**< (a, b): The product of two matrices, or of a matrix and a vector on either
                                       side. */
    /* synchronisation */
    VD_OP_BARRIER          = 192, /**< (): Wait for all invocations of the workgroup. */
    VD_OP_FENCE            = 193, /**< (): Order this invocation's memory accesses, by scope and space. `immediate`:
                                       VD_MEMORY_ bits. */
    VD_OP_SUBGROUP_BARRIER = 194, /**< (): Wait for all invocations of the subgroup. */
    VD_OP_CLUSTER_BARRIER  = 195 /*@unstable*/,/**< (): Wait for all workgroups of the cluster. */
    VD_OP_CLUSTER_LOAD     = 196 /*@unstable*/,/**< (reference, rank): The value that a workgroup of the cluster has
                                                    at this place of its shared memory. */
    VD_OP_ATOMIC_ADD       = 200, /**< (reference, value): Add; gives the old value. `immediate`: VD_MEMORY_ bits. */
    VD_OP_ATOMIC_SUB       = 201, /**< (reference, value): Subtract; gives the old value. `immediate`: VD_MEMORY_
                                       bits. */
    VD_OP_ATOMIC_MIN       = 202, /**< (reference, value): Keep the smaller; gives the old value. `immediate`:
                                       VD_MEMORY_ bits. */
    VD_OP_ATOMIC_MAX       = 203, /**< (reference, value): Keep the larger; gives the old value. `immediate`:
                                       VD_MEMORY_ bits. */
    VD_OP_ATOMIC_AND       = 204, /**< (reference, value): Bitwise and; gives the old value. `immediate`: VD_MEMORY_
                                       bits. */
    VD_OP_ATOMIC_OR        = 205, /**< (reference, value): Bitwise or; gives the old value. `immediate`: VD_MEMORY_
                                       bits. */
    VD_OP_ATOMIC_XOR       = 206, /**< (reference, value): Bitwise exclusive or; gives the old value. `immediate`:
                                       VD_MEMORY_ bits. */
    VD_OP_ATOMIC_EXCHANGE  = 207, /**< (reference, value): Put a value; gives the old value. `immediate`: VD_MEMORY_
                                       bits. */
    VD_OP_ATOMIC_CAS       = 208, /**< (reference, expected, new): Put the new value where the expected one is; gives
                                       the old value. `immediate`: VD_MEMORY_ bits. */
    VD_OP_ATOMIC_LOAD      = 209, /**< (reference): Load in one piece. `immediate`: VD_MEMORY_ bits. */
    VD_OP_ATOMIC_STORE     = 210, /**< (reference, value): Store in one piece. `immediate`: VD_MEMORY_ bits. */
    /* subgroups */
    VD_OP_SUBGROUP_ADD     = 224, /**< (value): The sum of the value over the active invocations of the subgroup. */
    VD_OP_SUBGROUP_MUL     = 225, /**< (value): The product of the value over the active invocations of the subgroup. */
    VD_OP_SUBGROUP_MIN     = 226, /**< (value): The smallest of the value over the active invocations of the
                                       subgroup. */
    VD_OP_SUBGROUP_MAX     = 227, /**< (value): The largest of the value over the active invocations of the subgroup. */
    VD_OP_SUBGROUP_AND     = 228, /**< (value): The common bits of the value over the active invocations of the
                                       subgroup. */
    VD_OP_SUBGROUP_OR      = 229, /**< (value): All bits of the value over the active invocations of the subgroup. */
    VD_OP_SUBGROUP_XOR     = 230, /**< (value): The parity of the bits of the value over the active invocations of
                                       the subgroup. */
    VD_OP_SUBGROUP_ELECT   = 231, /**< (): True in exactly one active invocation of the subgroup. */
    VD_OP_SUBGROUP_BROADCAST_FIRST = 232, /**< (value): The value of the lowest active lane of the subgroup. */
    VD_OP_SUBGROUP_SHUFFLE = 233, /**< (value, lane): The value of another lane, by its number. */
    VD_OP_SUBGROUP_SHUFFLE_XOR = 234, /**< (value, mask): The value of lane ^ mask. */
    VD_OP_SUBGROUP_SHUFFLE_UP = 235, /**< (value, delta): The value of lane - delta. */
    VD_OP_SUBGROUP_SHUFFLE_DOWN = 236, /**< (value, delta): The value of lane + delta. */
    VD_OP_SUBGROUP_ANY     = 237, /**< (condition): Whether a condition holds in at least one active invocation of
                                       the subgroup. */
    VD_OP_SUBGROUP_ALL     = 238, /**< (condition): Whether a condition holds in all active invocations of the
                                       subgroup. */
    VD_OP_SUBGROUP_BALLOT  = 239, /**< (condition): In which active lanes a condition holds: lane n is bit n % 32 of
                                       component n / 32. Since 0.2. */
    VD_OP_SUBGROUP_BROADCAST = 240, /**< (value, lane): The value of one lane, which all active lanes name alike.
                                         Since 0.2. */
    /* control flow */
    VD_OP_IF               = 256, /**< (condition): Open a block that runs if the condition is true. */
    VD_OP_ELSE_IF          = 257, /**< (condition): Close the block of an if and open one for another condition.
                                       `immediate`: 1 continues the if that was closed last. */
    VD_OP_ELSE             = 258, /**< (): Close the block of an if and open the other. `immediate`: 1 continues the
                                       if that was closed last. */
    VD_OP_WHILE            = 259, /**< (condition): Open a loop that evaluates the condition before each iteration
                                       and ends when it is false. `immediate`: VD_LOOP_, or the factor to unroll by. */
    VD_OP_LOOP             = 260, /**< (): Open a loop that break or return ends. `immediate`: VD_LOOP_, or the
                                       factor to unroll by. */
    VD_OP_FOR              = 261, /**< (start, stop, step): Open a loop that counts from start while below stop, or
                                       above it for a negative step; gives the count. `immediate`: VD_LOOP_, or the
                                       factor to unroll by. */
    VD_OP_END              = 262, /**< (): Close the innermost block. */
    VD_OP_BREAK            = 263, /**< (): Leave the innermost loop. */
    VD_OP_CONTINUE         = 264, /**< (): Go on with the next iteration of the innermost loop. */
    VD_OP_RETURN           = 265, /**< ([value]): End this invocation, or a function with its value. */
    VD_OP_SCOPE            = 266, /**< (): Open a block that groups names. */
    VD_OP_COMMENT          = 267, /**< (text): Put a comment into printed source. */
    VD_OP_PRINTF           = 268, /**< (format, [values...]): Print scalars by a format, which is checked. */
    VD_OP_ASSERT           = 269, /**< (condition, [text]): Report where the condition is false. */
    /* images */
    VD_OP_IMAGE_SAMPLE     = 272, /**< (image, at, [level]): The texels around a place of a sampled image, filtered
                                       as its sampler says. */
    VD_OP_IMAGE_LOAD       = 273, /**< (image, at, [level]): One texel of an image, by one i32 or u32 for each
                                       dimension and for the layer; zeros outside of the image. */
    VD_OP_IMAGE_STORE      = 274, /**< (image, at, texel): Put one texel of four channels into an image that the
                                       kernel writes; outside of it nothing happens. */
    VD_OP_IMAGE_SIZE       = 275, /**< (image, [level]): The width, the height, the depth or the number of layers of
                                       an image, each 1 where it has none, and its number of levels. */
    /* end of ops */
    VD_OP_FORCE_32         = 0x7FFFFFFF
} vd_op;

/** Built-in value of VD_OP_BUILTIN. @since 0.1 */
typedef VD_ENUM(vd_builtin) {
    VD_BUILTIN_GLOBAL_ID      = 0,                   /**< Number of the invocation in the launch, u32x3. */
    VD_BUILTIN_LOCAL_ID       = 1,                   /**< Number of the invocation in its workgroup, u32x3. */
    VD_BUILTIN_LOCAL_INDEX    = 2,                   /**< Number in the workgroup, u32: x + size.x * (y + size.y *
                                                          z). */
    VD_BUILTIN_WORKGROUP_ID   = 3,                   /**< Number of the workgroup, u32x3. */
    VD_BUILTIN_WORKGROUP_SIZE = 4,                   /**< Invocations of a workgroup, u32x3. A constant once the size is
                                                          known. */
    VD_BUILTIN_NUM_WORKGROUPS = 5,                   /**< Number of workgroups, u32x3. */
    VD_BUILTIN_SUBGROUP_ID    = 6,                   /**< Number of the subgroup in its workgroup, u32. */
    VD_BUILTIN_SUBGROUP_SIZE  = 7,                   /**< Lanes of a subgroup, u32. */
    VD_BUILTIN_SUBGROUP_LANE  = 8,                   /**< Number of the invocation in its subgroup, u32. */
    VD_BUILTIN_NUM_SUBGROUPS  = 9,                   /**< Number of subgroups of a workgroup, u32. */
    VD_BUILTIN_EXEC_SIZE      = 10,                  /**< Number of invocations that the launch asks for, u32x3. */
    VD_BUILTIN_CLUSTER_RANK   = 11 /*@unstable*/,    /**< Number of the workgroup in its cluster, u32. */
    VD_BUILTIN_FORCE_32       = 0x7FFFFFFF
} vd_builtin;

/** `immediate` of VD_OP_LOAD and VD_OP_STORE. Alignment goes to bits 8-15 as its logarithm plus 1. @since 0.1 */
enum {
    VD_ACCESS_X1        = 0,       /**< One element. */
    VD_ACCESS_X2        = 2,       /**< Two consecutive elements as a vector. */
    VD_ACCESS_X4        = 4,       /**< Four consecutive elements as a vector. */
    VD_ACCESS_STREAMING = 1 << 16, /**< Used once: do not keep it in caches. */
    VD_ACCESS_KEEP      = 1 << 17, /**< Used again: keep it in caches. */
    VD_ACCESS_COHERENT  = 1 << 18  /**< Other workgroups' writes are seen. */
};
typedef uint32_t vd_access /*@values(VD_ACCESS_)*/;

/** `immediate` of VD_OP_FENCE and the atomics: order in bits 0-3, scope in bits 4-7, spaces in bits 8-11. @since 0.1 */
enum {
    VD_MEMORY_RELAXED         = 0,                    /**< No order with other accesses; the default. */
    VD_MEMORY_ACQUIRE         = 1,                    /**< Later accesses stay behind it. */
    VD_MEMORY_RELEASE         = 2,                    /**< Earlier accesses stay before it. */
    VD_MEMORY_ACQUIRE_RELEASE = 3,                    /**< Both. */
    VD_MEMORY_DEVICE          = 0 << 4,               /**< All invocations of the device; the default scope. */
    VD_MEMORY_WORKGROUP       = 1 << 4,               /**< The invocations of the workgroup. */
    VD_MEMORY_SUBGROUP        = 2 << 4,               /**< The invocations of the subgroup. */
    VD_MEMORY_CLUSTER         = 3 << 4 /*@unstable*/, /**< The invocations of the cluster. */
    VD_MEMORY_SYSTEM          = 4 << 4,               /**< The device and the host. */
    VD_MEMORY_STORAGE         = 1 << 8,               /**< Buffers. No space bit at all means every space. */
    VD_MEMORY_SHARED          = 2 << 8,               /**< Shared memory. */
    VD_MEMORY_IMAGE           = 4 << 8                /**< Images. */
};
typedef uint32_t vd_memory /*@values(VD_MEMORY_)*/;

/** `immediate` of loops: how often to unroll. @since 0.1 */
enum {
    VD_LOOP_DEFAULT = 0,     /**< The compiler's choice. */
    VD_LOOP_ROLLED  = 1,     /**< Keep it rolled. */
    VD_LOOP_FULL    = 0xFFFF /**< Unroll it all; other numbers are a factor. */
};
typedef uint32_t vd_loop /*@values(VD_LOOP_)*/;

#define VD_MATH_PRECISE 0x8000000000000000 /*@type(uint64_t)*/ /**< In `immediate` of a float op: no contraction,
                                                                    correct rounding. @since 0.1 */
#define VD_MATH_NATIVE 0x4000000000000000 /*@type(uint64_t)*/ /**< In `immediate` of a float op: the driver's own
                                                                   form. @since 0.1 */

/** Properties of an op. @since 0.1 */
typedef struct vd_op_info {
    uint32_t    struct_size;   /**< Set by VD_OP_INFO_INIT. */
    vd_op       op;            /**< Number of the op. */
    const char *name;          /**< Name of the op in the text form, such as "add". */
    const char *doc;           /**< Description of the op in one line. */
    uint32_t    min_operands;  /**< Smallest number of operands. */
    uint32_t    max_operands;  /**< Largest number of operands. */
    vd_bool     is_statement;  /**< Whether the op is a statement, which is appended where it is emitted. */
    vd_bool     is_convergent; /**< Whether all invocations must reach the op together. */
    double      native_ulp;    /**< Error bound of the driver's own form for f32, in ULP. 0 is exact, and a negative
                                    number means no bound. */
    double      precise_ulp;   /**< Error bound of the precise form for f32, in ULP. 0 is exact. */
    const char *operands;      /**< Names of the operands in order, such as "x, low, high". It is "" if there are none.
                                    Since 0.2. */
} vd_op_info;
#define VD_OP_INFO_INIT { (uint32_t)sizeof(vd_op_info), VD_OP_NONE, NULL, NULL, 0, 0, 0, 0, 0, 0, NULL }

/**
 * Describe an op.
 *
 * @param op       Op to describe.
 * @param out_info Receives the properties. Its strings are valid as long as the library is loaded.
 * @return VD_ERR_INVALID (no such op).
 * @since 0.1
 */
VD_API vd_status vd_op_get_info(vd_op op, vd_op_info *out_info);

/**
 * List the ops of this library.
 *
 * @param cap       Number of entries that `out_ops` has room for.
 * @param out_ops   Receives the op numbers in ascending order. It may be NULL if `cap` is 0.
 * @param out_count Receives the number of all of them.
 * @return VD_INCOMPLETE; VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_op_list(uint32_t cap, vd_op *out_ops /*@nullable @array(cap)*/, uint32_t *out_count)
    /*@static @remarks(VD_INCOMPLETE)*/;

/** Options of a kernel or function. @since 0.1 */
enum {
    VD_BUILDER_BY_VALUE       = 1 << 0, /**< Freeze every load where it is emitted. */
    VD_BUILDER_FUNCTION       = 1 << 1, /**< A function for vd_builder_call(), not a kernel. */
    VD_BUILDER_NO_EXEC_BOUNDS = 1 << 2, /**< Invocations past the launch's size run like all others. */
    VD_BUILDER_NO_SUBGROUP    = 1 << 3, /**< Subgroup operations are an error. */
    VD_BUILDER_NO_PRINTF      = 1 << 4, /**< Printing does nothing. */
    VD_BUILDER_PRECISE        = 1 << 5, /**< No contraction, correctly rounded division and square root. */
    VD_BUILDER_NATIVE         = 1 << 6  /**< The driver's own math functions everywhere. */
};
typedef uint32_t vd_builder_flags /*@flags(VD_BUILDER_)*/;

/** Options of a new builder. @since 0.1 */
typedef struct vd_builder_desc {
    uint32_t         struct_size;                 /**< Set by VD_BUILDER_DESC_INIT. */
    vd_builder_flags flags;                       /**< Options of the kernel or function. */
    const char      *name /*@nullable*/;          /**< Name of the kernel in source, logs and messages. NULL means
                                                       "kernel". */
    uint32_t         workgroup_size[3];           /**< Workgroup size that the kernel requires. Zero leaves it to the
                                                       plan. */
    uint32_t         cluster_size[3] /*@unstable*/;
                                                  /**< Number of workgroups of a cluster on each axis. Zero means no
                                                       clusters. */
    uint32_t         min_workgroups;              /**< Number of workgroups that a multiprocessor should hold at a time.
                                                       0 means no preference. */
    uint32_t         shared_carveout;             /**< Percentage of the L1 cache to use as shared memory, plus 1. 0
                                                       leaves it to the driver. */
    uint32_t         dynamic_shared_size;         /**< Bytes of shared memory in addition to the declared arrays. */
    vd_type          return_type;                 /**< Type that a function returns, or VD_TYPE_NONE if it returns
                                                       nothing. */
} vd_builder_desc;
#define VD_BUILDER_DESC_INIT { (uint32_t)sizeof(vd_builder_desc), 0, NULL, { 0 }, { 0 }, 0, 0, 0, 0 }

/**
 * Begin a kernel or a function.
 *
 * @param desc        Options of the builder. NULL means a kernel with the defaults.
 * @param out_builder The new builder. Release it with vd_builder_release().
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_create(const vd_builder_desc *desc /*@nullable*/, vd_builder **out_builder);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_builder_retain(vd_builder *builder /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_builder_release(vd_builder *builder /*@nullable*/);

/** Kind of an argument. @since 0.1 */
typedef VD_ENUM(vd_argument_kind) {
    VD_ARGUMENT_BUFFER   = 0,               /**< Elements of `type` in a buffer. */
    VD_ARGUMENT_CONSTANT = 1,               /**< A value fixed when the launch is recorded. */
    VD_ARGUMENT_VARIABLE = 2,               /**< A value that may change between submissions. */
    VD_ARGUMENT_IMAGE    = 3,               /**< A sampled image. */
    VD_ARGUMENT_VALUE    = 4,               /**< A function's parameter by value. */
    VD_ARGUMENT_REFERENCE = 5,              /**< A function's parameter by reference. */
    VD_ARGUMENT_KIND_FORCE_32 = 0x7FFFFFFF
} vd_argument_kind;

/** A place in the user's source, of one builder: vd_builder_location() gives it; 0 is no place. @since 0.2 */
typedef uint32_t vd_location;

/** Accesses of a kernel to an argument. @since 0.1 */
enum {
    VD_ARGUMENT_ACCESS_READ   = 1 << 0, /**< It is read. */
    VD_ARGUMENT_ACCESS_WRITE  = 1 << 1, /**< It is written. */
    VD_ARGUMENT_ACCESS_ATOMIC = 1 << 2, /**< It is accessed by atomics. */
    VD_ARGUMENT_ACCESS_SHAPE  = 1 << 3  /**< The buffer's shape is read. */
};
typedef uint32_t vd_argument_access /*@flags(VD_ARGUMENT_ACCESS_)*/;

/** Format of a texel, with Vulkan's numbers. @since 0.1 */
typedef VD_ENUM(vd_format) {
    VD_FORMAT_NONE        = 0,    /**< No format. */
    VD_FORMAT_R8_UNORM    = 9,    /**< One channel of unsigned bytes that stand for 0 to 1. */
    VD_FORMAT_R8_U8       = 13,   /**< One channel of u8. */
    VD_FORMAT_R8_I8       = 14,   /**< One channel of i8. */
    VD_FORMAT_RG8_UNORM   = 16,   /**< Two channels of unsigned bytes that stand for 0 to 1. */
    VD_FORMAT_RG8_U8      = 20,   /**< Two channels of u8. */
    VD_FORMAT_RG8_I8      = 21,   /**< Two channels of i8. */
    VD_FORMAT_RGBA8_UNORM = 37,   /**< Four channels of unsigned bytes that stand for 0 to 1. */
    VD_FORMAT_RGBA8_U8    = 41,   /**< Four channels of u8. */
    VD_FORMAT_RGBA8_I8    = 42,   /**< Four channels of i8. */
    VD_FORMAT_R16_U16     = 74,   /**< One channel of u16. */
    VD_FORMAT_R16_I16     = 75,   /**< One channel of i16. */
    VD_FORMAT_R16_F16     = 76,   /**< One channel of f16. */
    VD_FORMAT_RG16_U16    = 81,   /**< Two channels of u16. */
    VD_FORMAT_RG16_I16    = 82,   /**< Two channels of i16. */
    VD_FORMAT_RG16_F16    = 83,   /**< Two channels of f16. */
    VD_FORMAT_RGBA16_U16  = 95,   /**< Four channels of u16. */
    VD_FORMAT_RGBA16_I16  = 96,   /**< Four channels of i16. */
    VD_FORMAT_RGBA16_F16  = 97,   /**< Four channels of f16. */
    VD_FORMAT_R32_U32     = 98,   /**< One channel of u32. */
    VD_FORMAT_R32_I32     = 99,   /**< One channel of i32. */
    VD_FORMAT_R32_F32     = 100,  /**< One channel of f32. */
    VD_FORMAT_RG32_U32    = 101,  /**< Two channels of u32. */
    VD_FORMAT_RG32_I32    = 102,  /**< Two channels of i32. */
    VD_FORMAT_RG32_F32    = 103,  /**< Two channels of f32. */
    VD_FORMAT_RGBA32_U32  = 107,  /**< Four channels of u32. */
    VD_FORMAT_RGBA32_I32  = 108,  /**< Four channels of i32. */
    VD_FORMAT_RGBA32_F32  = 109,  /**< Four channels of f32. */
    VD_FORMAT_FORCE_32 = 0x7FFFFFFF
} vd_format;

/** Options of an argument. None are defined. @since 0.2 */
typedef uint32_t vd_argument_flags;

/** Kind, type and name of an argument. @since 0.2 */
typedef struct vd_argument_desc {
    uint32_t           struct_size;                  /**< Set by VD_ARGUMENT_DESC_INIT. */
    vd_argument_kind   kind;                         /**< Kind of the argument. */
    vd_type            type;                         /**< Type of a buffer's elements or of the value. Of an image it is
                                                          that of a channel as the kernel sees it: f32, i32 or u32. */
    vd_argument_flags  flags;                        /**< Must be zero. */
    const char        *name;                         /**< Name in source and messages. It is copied. */
    vd_location        location;                     /**< Location in the user's source, or 0. */
    uint32_t           image_dimensions;             /**< Number of dimensions of an image, 1 to 3. 0 for other
                                                          kinds. */
    vd_bool            image_layers;                 /**< Whether an image has array layers. */
    vd_format          image_format;                 /**< Format of the texels of an image with `image_access`.
                                                          VD_FORMAT_NONE for other arguments. */
    vd_argument_access image_access;                 /**< Accesses of the kernel to an image of a format:
                                                          VD_ARGUMENT_ACCESS_READ, _WRITE or both. 0 means that it
                                                          samples the image, whose format may be any of its channels. */
    uint32_t           reserved;                     /**< Must be zero. */
} vd_argument_desc;
#define VD_ARGUMENT_DESC_INIT { (uint32_t)sizeof(vd_argument_desc), VD_ARGUMENT_BUFFER, 0, 0, NULL, 0, 0, 0, \
    VD_FORMAT_NONE, 0, 0 }

/* An initialiser of vd_argument_desc for C and C++. */
#define VD_ARGUMENT_DESC_OF(kind, type, name) { (uint32_t)sizeof(vd_argument_desc), (kind), (type), 0, (name), 0, 0, \
    0, VD_FORMAT_NONE, 0, 0 }

/**
 * Declare the next argument. Arguments are numbered in this order.
 *
 * @param builder   Kernel being written.
 * @param desc      Kind, type and name of the argument.
 * @param out_value Receives a reference to it.
 * @return VD_ERR_INVALID, VD_ERR_STATE (finished).
 * @since 0.1
 */
VD_API vd_status vd_builder_argument(vd_builder *builder, const vd_argument_desc *desc, vd_value *out_value);

#define VD_SHARED_OFFSET_AUTO 0xFFFFFFFF /*@type(uint32_t)*/ /**< An array of shared memory gets bytes of its own.
                                                                  @since 0.1 */

/**
 * Declare an array that the invocations of a workgroup share. Not initialised.
 *
 * @param builder   Kernel being written.
 * @param type      Type of the elements.
 * @param count     Number of elements, at least 1.
 * @param offset    Byte offset in the workgroup's shared memory, so that arrays may overlap; VD_SHARED_OFFSET_AUTO
 *                  gives each its own bytes.
 * @param name      Name in source. NULL lets the library choose one.
 * @param out_value Receives a reference to it.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_builder_shared(vd_builder *builder, vd_type type, uint32_t count, uint32_t offset,
                                   const char *name /*@nullable*/, vd_value *out_value);

/**
 * Intern an array type of a fixed length.
 *
 * @param builder  Kernel being written.
 * @param element  Type of an element.
 * @param count    Number of elements, at least 1.
 * @param out_type Receives the array type, which is valid in this builder only.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_array_type(vd_builder *builder, vd_type element, uint32_t count, vd_type *out_type);

/**
 * Intern a struct type, in scalar block layout.
 *
 * @param builder     Kernel being written.
 * @param name        Name in source.
 * @param field_types Types of the fields.
 * @param field_names Names of the fields.
 * @param field_count Number of fields, at least 1.
 * @param out_type    Receives the struct type, which is valid in this builder only.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_struct_type(vd_builder *builder, const char *name,
                                        const vd_type *field_types /*@array(field_count)*/,
                                        const char *const *field_names /*@array(field_count)*/, uint32_t field_count,
                                        vd_type *out_type);

/**
 * Intern a constant of any type from its bytes in memory layout. VD_OP_CONST is faster for scalars.
 *
 * @param builder   Kernel being written.
 * @param type      Type of the constant.
 * @param data      Bytes of the constant.
 * @param size      Number of bytes, exactly the type's size.
 * @param out_value The constant.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_constant(vd_builder *builder, vd_type type, const void *data /*@bytes(size)*/,
                                     uint64_t size, vd_value *out_value);

/**
 * Intern a string for VD_OP_PRINTF, VD_OP_ASSERT and VD_OP_COMMENT.
 *
 * @param builder   Kernel being written.
 * @param text      The string.
 * @param out_value Operand for these ops.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_string(vd_builder *builder, const char *text, vd_value *out_value);

/**
 * Intern a location in the user's source, for messages. If the next call that writes into the kernel takes no location,
 * as vd_builder_shared(), an error of it names this one.
 *
 * @param builder      Kernel being written.
 * @param file         File.
 * @param line         Line, from 1.
 * @param function     Function at the location. NULL if it is unknown.
 * @param out_location Number to give to vd_builder_emit(); 0 is no place.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_location(vd_builder *builder, const char *file, uint32_t line,
                                     const char *function /*@nullable*/, vd_location *out_location);

/**
 * Name a variable in printed source, or the kernel. A name that is taken or reserved gets a suffix.
 *
 * @param builder Kernel being written.
 * @param value   A variable that VD_OP_VAR gave; 0 names the kernel.
 * @param name    Its name.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_name(vd_builder *builder, vd_value value, const char *name);

/**
 * Emit one op: an expression becomes a recipe, a statement is appended. Never waits. The builder keeps the first
 * failure of this and of every other call that declares or writes something; vd_builder_finish() reports it again.
 *
 * @param builder       Kernel being written.
 * @param op            Op to emit.
 * @param type          Type of the result; VD_TYPE_NONE infers it where the operands decide.
 * @param operands      Operands of the op.
 * @param operand_count Number of entries.
 * @param immediate     What the op's line says: a vd_access, vd_memory, vd_loop, vd_builtin or a number.
 *                      VD_MATH_PRECISE or VD_MATH_NATIVE may be added for floating-point ops.
 * @param location      Location in the user's source from vd_builder_location(), or 0.
 * @param out_value     The result; NULL if not wanted. 0 for statements without one.
 * @return VD_ERR_INVALID (a wrong type, count or place; the message names the op and the user's line), VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_builder_emit(vd_builder *builder, vd_op op, vd_type type,
                                 const vd_value *operands /*@nullable @array(operand_count)*/, uint32_t operand_count,
                                 uint64_t immediate, vd_location location, vd_value *out_value /*@nullable*/) /*@hot*/;

/**
 * Inline a function here.
 *
 * @param builder       Kernel being written.
 * @param function      A function that a builder with VD_BUILDER_FUNCTION finished.
 * @param operands      One for each parameter: values, or references for parameters by reference.
 * @param operand_count Number of entries.
 * @param location      Location in the user's source, or 0.
 * @param out_value     Receives the returned value, or 0 if there is none.
 * @return VD_ERR_INVALID (count or type), VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_builder_call(vd_builder *builder, const vd_kernel *function,
                                 const vd_value *operands /*@nullable @array(operand_count)*/, uint32_t operand_count,
                                 vd_location location, vd_value *out_value /*@nullable*/);

/**
 * Write a recipe or reference as text that a person can read, as "buf0[i] + 1".
 *
 * @param builder  Kernel being written.
 * @param value    Recipe or reference to write.
 * @param out_text Receives the text. Release it with vd_blob_release().
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_builder_describe(const vd_builder *builder, vd_value value, vd_blob **out_text);

/**
 * Finish the kernel: verify it and run the passes. The builder takes no further calls.
 *
 * @param builder    Kernel being written.
 * @param out_kernel The kernel, or NULL on failure. Release it with vd_kernel_release().
 * @return VD_ERR_STATE (an open block; finished before), VD_ERR_COMPILE (an earlier call failed; does not verify; the
 *         message has the line).
 * @since 0.1
 */
VD_API vd_status vd_builder_finish(vd_builder *builder, vd_kernel **out_kernel) /*@constructs*/;

/* ---- Kernels --------------------------------------------------------------------------------------------------
 * A vd_kernel is immutable and belongs to no context. */

/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_kernel_retain(vd_kernel *kernel /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_kernel_release(vd_kernel *kernel /*@nullable*/);

/** Properties and requirements of a kernel. @since 0.1 */
typedef struct vd_kernel_info {
    uint32_t         struct_size;       /**< Set by VD_KERNEL_INFO_INIT. */
    vd_builder_flags flags;             /**< Flags that the kernel was built with. */
    const char      *name;              /**< Name of the kernel. The kernel owns the string. */
    uint32_t         argument_count;    /**< Number of arguments. */
    uint32_t         values_size;       /**< Size in bytes of the block of constants and variables that a launch
                                             gives. */
    vd_features      requirements;      /**< Features that a device must have. */
    uint32_t         shared_size;       /**< Bytes of shared memory, including dynamic shared memory. */
    uint32_t         op_count;          /**< Number of ops after the passes. */
    uint32_t         workgroup_size[3]; /**< Workgroup size that the kernel requires, or zero. */
    vd_bool          uses_barrier;      /**< Whether the kernel has a barrier. */
    uint64_t         hash[2];           /**< Hash of the code. Names and locations are not part of it. */
} vd_kernel_info;
#define VD_KERNEL_INFO_INIT { (uint32_t)sizeof(vd_kernel_info), 0, NULL, 0, 0, 0, 0, 0, { 0 }, 0, { 0 } }

/**
 * Get the properties and requirements of a kernel.
 *
 * @param kernel   Kernel to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_kernel_get_info(const vd_kernel *kernel, vd_kernel_info *out_info);

/**
 * An argument of a kernel.
 *
 * A launch gives constants and variables as one block of bytes: in the order in which they were declared, each at the
 * next multiple of its alignment, nothing behind the last; buffers and images are left out. The alignment is scalar: of
 * a vector, complex, matrix or array it is that of its scalar, of a struct the largest of its fields. So three f32 take
 * 12 bytes at a multiple of 4, columns of a matrix follow each other, and only a struct is padded at its end, to a
 * multiple of its alignment.
 * @since 0.1
 */
typedef struct vd_argument_info {
    uint32_t           struct_size; /**< Set by VD_ARGUMENT_INFO_INIT. */
    vd_argument_kind   kind;        /**< Kind of the argument. */
    const char        *name;        /**< Name of the argument. The kernel owns the string. */
    vd_type            type;        /**< Type of a buffer's elements, of the value, or of an image's channels. */
    uint32_t           binding;     /**< Number of a buffer or an image among the bindings of a launch. */
    uint32_t           offset;      /**< First byte of a value in the block of values. */
    uint32_t           size;        /**< Size in bytes of an element or of the value. */
    vd_argument_access access;      /**< Accesses of the kernel's code to the argument. */
    uint32_t           reserved;    /**< Always zero. */
    uint32_t           image_dimensions; /**< Number of dimensions of an image. 0 for other kinds. */
    vd_bool            image_layers; /**< Whether an image has array layers. */
    vd_format          image_format; /**< Format of an image that the kernel loads or stores. */
    vd_argument_access image_access; /**< Accesses that an image was declared with. 0 means that it is sampled. */
} vd_argument_info;
#define VD_ARGUMENT_INFO_INIT { (uint32_t)sizeof(vd_argument_info), VD_ARGUMENT_BUFFER, NULL, 0, 0, 0, 0, 0, 0, 0, 0, \
    VD_FORMAT_NONE, 0 }

/**
 * Describe an argument.
 *
 * @param kernel   Kernel to look into.
 * @param index    Number of the argument.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_kernel_get_argument(const vd_kernel *kernel, uint32_t index, vd_argument_info *out_info);

/** Language of printed or given source. @since 0.1 */
typedef VD_ENUM(vd_language) {
    VD_LANGUAGE_IR       = 0, /**< The text form, which vd_kernel_parse() reads. */
    VD_LANGUAGE_GLSL     = 1, /**< Source for Vulkan. */
    VD_LANGUAGE_CUDA     = 2, /**< CUDA C++. */
    VD_LANGUAGE_OPENCL   = 3, /**< OpenCL C. */
    VD_LANGUAGE_SPIRV    = 4, /**< Compiled for Vulkan: words, not text. */
    VD_LANGUAGE_FORCE_32 = 0x7FFFFFFF
} vd_language;

/** Options of printed text. @since 0.1 */
enum {
    VD_PRINT_LINE_NUMBERS = 1 << 0, /**< Begin each line with its number. */
    VD_PRINT_LOCATIONS    = 1 << 1, /**< IR: also the places in the user's source. */
    VD_PRINT_CANONICAL    = 1 << 2  /**< IR: neither names nor places; equal code gives equal text. */
};
typedef uint32_t vd_print_flags /*@flags(VD_PRINT_)*/;

/** Language and options of printed text. @since 0.1 */
typedef struct vd_print_desc {
    uint32_t       struct_size;       /**< Set by VD_PRINT_DESC_INIT. */
    vd_language    language;          /**< Language to print. */
    vd_print_flags flags;             /**< Options of the output. */
    uint32_t       workgroup_size[3]; /**< Workgroup size in the output. Zero means the kernel's own, or else 64, 1,
                                           1. */
    const vd_device_info *device /*@nullable*/;
                                      /**< Device that the source is for: its features and its limit of push
                                           constants count. NULL means a device with every feature. */
} vd_print_desc;
#define VD_PRINT_DESC_INIT { (uint32_t)sizeof(vd_print_desc), VD_LANGUAGE_IR, 0, { 0 }, NULL }

/**
 * Print a kernel. Needs no device and no driver. Its samples of images are those of the language; a plan's choose the
 * nearest texels and levels exactly.
 *
 * @param kernel   Kernel to print.
 * @param desc     Language and options. NULL prints the text form.
 * @param out_text Receives the text. Release it with vd_blob_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (the language lacks something), VD_ERR_COMPILE.
 * @since 0.1
 */
VD_API vd_status vd_kernel_print(const vd_kernel *kernel, const vd_print_desc *desc /*@nullable*/, vd_blob **out_text);

/**
 * Read a kernel from its text form.
 *
 * @param text       The text.
 * @param size       Size in bytes.
 * @param out_kernel The kernel, or NULL on failure.
 * @return VD_ERR_COMPILE (the message has line and column), VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_kernel_parse(const char *text /*@bytes(size)*/, uint64_t size, vd_kernel **out_kernel)
    /*@constructs*/;

/* ---- Plans ----------------------------------------------------------------------------------------------------
 * A vd_plan is compiled work for a context, which it keeps alive. It is immutable and may be launched from any
 * thread. */

/** Kind of a binding of source text. A plan takes all but the last, which vd_spirv_get_binding() also reports; textures
 *  and samplers apart are Vulkan's alone. @since 0.1 */
typedef VD_ENUM(vd_binding_kind) {
    VD_BINDING_NONE           = 0,               /**< Nothing is bound. */
    VD_BINDING_STORAGE_BUFFER = 1,               /**< A buffer. */
    VD_BINDING_UNIFORM_BUFFER = 3,               /**< A buffer that is read as a uniform block. */
    VD_BINDING_SAMPLED_IMAGE  = 5,               /**< An image and its sampler. */
    VD_BINDING_STORAGE_IMAGE  = 6,               /**< A level of an image that the code loads and stores. */
    VD_BINDING_TEXTURE        = 7,               /**< An image whose sampler is another binding. */
    VD_BINDING_SAMPLER        = 8,               /**< A sampler alone. */
    VD_BINDING_OTHER          = 9,               /**< A texel buffer, a cube, an acceleration structure and so on. */
    VD_BINDING_KIND_FORCE_32  = 0x7FFFFFFF
} vd_binding_kind;

/** Value of a specialisation constant. @since 0.2 */
typedef struct vd_spec_constant {
    uint32_t id;       /**< Number of the constant: SpecId of SPIR-V, constant_id of GLSL. */
    uint32_t reserved; /**< Must be zero. */
    uint64_t bits;     /**< Bits of the value. The bits above a narrower constant are zero, or copies of its sign. A
                            truth value is 0 or 1. */
} vd_spec_constant;

/** Source text in the backend's own language, or SPIR-V, and the arguments that it takes. @since 0.1 */
typedef struct vd_source_desc {
    uint32_t               struct_size;           /**< Set by VD_SOURCE_DESC_INIT. */
    vd_language            language;              /**< Language of the source: GLSL or SPIR-V on Vulkan, CUDA C++ on
                                                       CUDA, OpenCL C on OpenCL. */
    const char            *text /*@bytes(size)*/; /**< The source. */
    uint64_t               size;                  /**< Size of the source in bytes. */
    const char            *entry /*@nullable*/;   /**< Name of the entry point. NULL means "main" on Vulkan and
                                                       "vkdispatch_main" elsewhere. */
    const vd_binding_kind *binding_kinds /*@nullable @array(binding_count)*/;
                                                  /**< Kind of each binding. */
    uint32_t               binding_count;         /**< Number of bindings. */
    uint32_t               values_size;           /**< Size in bytes of the push constants or of the value parameter. */
    const vd_spec_constant *spec_constants /*@nullable @array(spec_constant_count)*/;
                                                  /**< Vulkan: values of specialisation constants, each once. Others
                                                       keep their defaults. */
    uint32_t               spec_constant_count;   /**< Number of entries of `spec_constants`. */
    uint32_t               reserved;              /**< Must be zero. */
} vd_source_desc;
#define VD_SOURCE_DESC_INIT { (uint32_t)sizeof(vd_source_desc), VD_LANGUAGE_IR, NULL, 0, NULL, NULL, 0, 0, NULL, 0, 0 }

/** Options of a plan. None are defined. @since 0.1 */
typedef uint32_t vd_plan_flags;

/** Code and options of a new plan. Either `kernel` or `source` is given. @since 0.1 */
typedef struct vd_plan_desc {
    uint32_t              struct_size;          /**< Set by VD_PLAN_DESC_INIT. */
    vd_plan_flags         flags;                /**< Must be zero. */
    const vd_kernel      *kernel /*@nullable*/; /**< Kernel to compile, or NULL if `source` is given. */
    const vd_source_desc *source /*@nullable*/; /**< Source text to compile, or NULL if `kernel` is given. */
    uint32_t              workgroup_size[3];    /**< Workgroup size. All zero means the kernel's own, or else one that
                                                     the library chooses. A zero beside others is 1. */
    uint32_t              device;               /**< Index of the device in the context. */
    const char           *label /*@nullable*/;  /**< Name in logs and messages. It is copied. NULL means the kernel's
                                                     name. */
} vd_plan_desc;
#define VD_PLAN_DESC_INIT { (uint32_t)sizeof(vd_plan_desc), 0, NULL, NULL, { 0 }, 0, NULL }

/**
 * Compile a kernel. Looks into the caches first. CUDA loads a kernel only once the work that the context's queues were
 * given is done; so there the call waits for that work, and for semaphores that it waits for.
 *
 * @param ctx      Context to run in.
 * @param desc     Code and options of the plan.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (the device lacks what the kernel needs; the message names both and the
 *         user's line), VD_ERR_COMPILE (the message has the compiler's log).
 * @since 0.1
 */
VD_API vd_status vd_plan_create(vd_context *ctx, const vd_plan_desc *desc, vd_plan **out_plan) /*@waits*/;

/**
 * Compile many kernels, on as many threads as there are cores. Waits as vd_plan_create() does.
 *
 * @param ctx       Context to run in.
 * @param descs     Code and options of each plan, at a distance of `descs[0].struct_size` bytes.
 * @param count     Number of entries.
 * @param out_plans Receives the plans. A plan that failed is NULL.
 * @return The status of the first plan that failed. The other plans are created nevertheless.
 * @since 0.1
 */
VD_API vd_status vd_plan_create_many(vd_context *ctx, const vd_plan_desc *descs /*@array(count)*/, uint32_t count,
                                 vd_plan **out_plans /*@array(count)*/) /*@waits @partial*/;

/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_plan_retain(vd_plan *plan /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_plan_release(vd_plan *plan /*@nullable*/);

/** Properties of a plan. @since 0.1 */
typedef struct vd_plan_info {
    uint32_t    struct_size;       /**< Set by VD_PLAN_INFO_INIT. */
    uint32_t    binding_count;     /**< Number of bindings that a launch gives. */
    uint32_t    values_size;       /**< Size in bytes of the block of values that a launch gives. */
    uint32_t    workgroup_size[3]; /**< Workgroup size. */
    uint32_t    shared_size;       /**< Bytes of shared memory of a workgroup. */
    uint32_t    registers;         /**< Number of registers of an invocation, or 0 if it is unknown. On Vulkan it may
                                        be unknown before vd_plan_explain(). */
    vd_bool     from_cache;        /**< Whether the compiled code came from the disk cache. */
    uint32_t    reserved;          /**< Always zero. */
    const char *name;              /**< Name of the plan. The plan owns the string. */
    vd_bool     own_size;          /**< Whether the plan knows its own size, as transforms and reductions do: then a
                                        launch gives none. */
    uint32_t    reserved_size;     /**< Always zero. */
} vd_plan_info;
#define VD_PLAN_INFO_INIT { (uint32_t)sizeof(vd_plan_info), 0, 0, { 0 }, 0, 0, 0, 0, NULL, 0, 0 }

/**
 * Get the properties of a plan.
 *
 * @param plan     Plan to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_plan_get_info(const vd_plan *plan, vd_plan_info *out_info);

/**
 * Get the source that was compiled: GLSL, CUDA C++, OpenCL C, or the text form on the host backend.
 *
 * @param plan     Plan to look into.
 * @param out_size Size in bytes.
 * @return Text, followed by NUL, that is valid as long as `plan`; NULL if `plan` is NULL.
 * @since 0.1
 */
VD_API const char *vd_plan_get_source(const vd_plan *plan, uint64_t *out_size /*@nullable*/)
    /*@borrowed(plan) @nullable*/;

/**
 * Describe in plain text how a plan works. A transform lists its passes with radices, invocations, shared memory and
 * workspace. Where the device tells them, each kernel has its registers and the bytes that it spills, as it was
 * compiled; Vulkan's drivers may have to compile it once more for that, at the first call.
 *
 * @param plan     Plan to look into.
 * @param out_text Receives the text. Release it with vd_blob_release().
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_plan_explain(const vd_plan *plan, vd_blob **out_text);

/** Binding of an argument: a range of a buffer, or an image with its sampler. @since 0.1 */
typedef struct vd_binding {
    vd_buffer  *buffer /*@nullable*/;            /**< Buffer of a buffer argument. */
    uint64_t    offset;                          /**< First byte of the range. Counted from the start of the buffer
                                                      that a slice was made from, it must be a multiple of min(16, the
                                                      largest power of two that divides the element's size). Source
                                                      text needs one of the device's storage_buffer_alignment, too, and
                                                      so do kernels on Vulkan whose elements' size never adds up to
                                                      such a place before it. Unaligned ranges there cost a compilation
                                                      at the plan's first one. */
    uint64_t    size;                            /**< Size of the range in bytes, at least 1, or VD_WHOLE_SIZE. */
    vd_image   *image /*@nullable*/;             /**< Image of an image argument. */
    vd_sampler *sampler /*@nullable*/;           /**< Sampler of an image that the kernel samples. NULL samples with
                                                      VD_SAMPLER_DESC_INIT. Of an argument that is a sampler alone.
                                                      Other arguments take none. */
    uint32_t    level;                           /**< Mip level of an image argument with `image_access`. Other
                                                      arguments take 0. */
    uint32_t    reserved_level;                  /**< Must be zero. */
    uint64_t    reserved[2];                     /**< Must be zero. */
} vd_binding;
/* An initialiser of vd_binding for C and C++. */
#define VD_BINDING_OF(buffer, offset, size) { (buffer), (offset), (size), NULL, NULL, 0, 0, { 0 } }

/**
 * Size, arguments and queue of a launch. Either `invocations` or `workgroups` is given.
 *
 * With `counts` the numbers of workgroups are read on the device when the launch begins. The size given here is then
 * the most, and is the launch's size for the kernel (VD_BUILTIN_EXEC_SIZE); VD_BUILTIN_NUM_WORKGROUPS is what runs. A
 * larger count is taken for the most, and a zero on any axis runs nothing.
 *
 * @since 0.1
 */
typedef struct vd_launch_desc {
    uint32_t          struct_size;                /**< Set by VD_LAUNCH_DESC_INIT. */
    uint32_t          queue;                      /**< Queue to run on. Recording ignores it. */
    uint32_t          invocations[3];             /**< Number of invocations on each axis. Zero on a later axis means
                                                       1. */
    uint32_t          workgroups[3];              /**< Number of workgroups on each axis, given instead of
                                                       `invocations`. */
    const vd_binding *bindings /*@nullable @array(binding_count)*/;
                                                  /**< One binding for each buffer or image argument, in order. */
    const void       *values /*@nullable @bytes(values_size)*/;
                                                  /**< Block of constants and variables, in the layout that
                                                       vd_argument_info describes. It is copied. */
    uint32_t          binding_count;              /**< Number of bindings. */
    uint32_t          values_size;                /**< Size of `values` in bytes. */
    const vd_order_desc *order /*@nullable*/;     /**< Order of the launch among other work. NULL means that it waits
                                                       for nothing. Recording takes NULL alone. */
    vd_buffer        *counts /*@nullable*/;       /**< Buffer with three numbers of 32 bits: the workgroups on each
                                                       axis. NULL runs the size that is given. Earlier work may write
                                                       them; the kernel may not. Source text takes counts on Vulkan
                                                       alone, and plans with a size of their own take none. On CUDA and
                                                       OpenCL the first such launch of a plan compiles the kernel once
                                                       more, and every launch starts the most workgroups, which end at
                                                       once past the counts. */
    uint64_t          counts_offset;              /**< First byte of the counts, a multiple of 4. */
} vd_launch_desc;
#define VD_LAUNCH_DESC_INIT { (uint32_t)sizeof(vd_launch_desc), 0, { 0 }, { 0 }, NULL, NULL, 0, 0, NULL, NULL, 0 }

/**
 * Run a plan now. Returns at once; the work is ordered by the memory that it touches. Waits only for room where the
 * queue is full, and while another thread reads or writes the same bytes from the host.
 *
 * @param plan       Plan to run.
 * @param desc       Size, arguments and queue.
 * @param out_ticket Receives the ticket of the work. NULL if it is not needed.
 * @return VD_ERR_INVALID (a missing or wrong argument, a size past the device's limit), VD_ERR_STATE (discarded
 *         buffer), VD_ERR_UNSUPPORTED (an offset that the device does not bind at), VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_plan_launch(vd_plan *plan, const vd_launch_desc *desc, vd_ticket *out_ticket /*@nullable*/)
    /*@waits*/;

/**
 * Run or record a plan with whole buffers: the short way for bindings. Never waits: on VD_ERR_WOULD_BLOCK,
 * vd_plan_launch() does what this call has not done.
 *
 * @param plan          Plan to run.
 * @param graph         Graph to record into. NULL runs the plan now on `queue`.
 * @param queue         Queue to run on.
 * @param invocations_x Invocations on the first axis.
 * @param invocations_y Invocations on the second axis.
 * @param invocations_z Invocations on the third axis.
 * @param buffers       One buffer for each buffer argument.
 * @param buffer_count  Number of entries.
 * @param values        Block of constants and variables. It is copied.
 * @param values_size   Size in bytes.
 * @return VD_ERR_WOULD_BLOCK; otherwise as vd_plan_launch().
 * @since 0.1
 */
VD_API vd_status vd_plan_try_launch(vd_plan *plan, vd_graph *graph /*@nullable*/, uint32_t queue,
                                    uint32_t invocations_x, uint32_t invocations_y, uint32_t invocations_z,
                                    vd_buffer *const *buffers /*@nullable @array(buffer_count)*/, uint32_t buffer_count,
                                    const void *values /*@nullable @bytes(values_size)*/, uint32_t values_size)
    /*@hot*/;

/* ---- SPIR-V ---------------------------------------------------------------------------------------------------
 * A vd_spirv is what a module of SPIR-V says about one of its compute entry points. It needs no device and no driver,
 * and keeps nothing alive. It is immutable. Reading checks the module's structure alone; vd_plan_create() checks all of
 * it. */

/**
 * Read a module of SPIR-V.
 *
 * @param words     Words of the module, which need no alignment.
 * @param size      Size in bytes, a multiple of 4.
 * @param entry     Name of the compute entry point to look at. NULL means "main", or else the only one.
 * @param out_spirv The module, or NULL on failure. Release it with vd_spirv_release().
 * @return VD_ERR_INVALID (no such entry point; the message lists those that there are), VD_ERR_COMPILE (not a module of
 *         SPIR-V; the message has the word).
 * @since 0.2
 */
VD_API vd_status vd_spirv_create(const void *words /*@bytes(size)*/, uint64_t size, const char *entry /*@nullable*/,
                                 vd_spirv **out_spirv);

/** Take a reference. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_spirv_retain(vd_spirv *spirv /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.2 */
VD_API void vd_spirv_release(vd_spirv *spirv /*@nullable*/);

#define VD_NO_SPEC_CONSTANT 0xFFFFFFFF /*@type(uint32_t)*/ /**< No specialisation constant. @since 0.2 */

/** Properties of a compute entry point of SPIR-V. @since 0.2 */
typedef struct vd_spirv_info {
    uint32_t    struct_size;           /**< Set by VD_SPIRV_INFO_INIT. */
    uint32_t    version;               /**< Version of SPIR-V: the major number * 65536 + the minor number * 256. */
    const char *entry;                 /**< Name of the entry point. The module owns the string. */
    uint64_t    shared_size;           /**< Least number of bytes of shared memory that a workgroup uses. */
    uint32_t    workgroup_size[3];     /**< Workgroup size, with the defaults of specialisation constants. */
    uint32_t    workgroup_size_ids[3]; /**< Specialisation constant that gives the workgroup size on each axis, or
                                            VD_NO_SPEC_CONSTANT. */
    uint32_t    entry_count;           /**< Number of compute entry points of the module. */
    uint32_t    binding_count;         /**< Number of bindings that the module declares. */
    uint32_t    push_constant_count;   /**< Number of members of the block of push constants, as they are listed. */
    uint32_t    push_constant_size;    /**< Bytes up to the end of the last push constant that is used. */
    uint32_t    spec_constant_count;   /**< Number of specialisation constants. */
    uint32_t    capability_count;      /**< Number of capabilities. */
    vd_bool     uses_subgroups;        /**< Whether the module declares subgroup operations. */
    uint32_t    reserved;              /**< Always zero. */
} vd_spirv_info;
#define VD_SPIRV_INFO_INIT { (uint32_t)sizeof(vd_spirv_info), 0, NULL, 0, { 0 }, { 0 }, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Get the properties of an entry point.
 *
 * @param spirv    Module to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_spirv_get_info(const vd_spirv *spirv, vd_spirv_info *out_info);

/**
 * Get the name of a compute entry point of a module.
 *
 * @param spirv Module to look into.
 * @param index Number of the entry point, below vd_spirv_info::entry_count.
 * @return Name that is valid as long as `spirv`; NULL if `spirv` is NULL or `index` is too large.
 * @since 0.2
 */
VD_API const char *vd_spirv_get_entry(const vd_spirv *spirv, uint32_t index) /*@borrowed(spirv) @nullable*/;

/** A binding that SPIR-V declares. @since 0.2 */
typedef struct vd_spirv_binding_info {
    uint32_t           struct_size; /**< Set by VD_SPIRV_BINDING_INFO_INIT. */
    vd_binding_kind    kind;        /**< Kind of the binding. */
    const char        *name;        /**< Name of the variable, or of its block, or "". The module owns the string. */
    uint64_t           size;        /**< Least size in bytes of a buffer: up to the end of its last member, or up to an
                                         array of unknown length. 0 for other kinds. */
    uint32_t           set;         /**< Number of the descriptor set. A plan binds set 0 alone. */
    uint32_t           binding;     /**< Number of the binding in its set. */
    uint32_t           count;       /**< Number of descriptors: 1 unless it is an array, 0 if the array's length is not
                                         known. */
    vd_bool            used;        /**< Whether the entry point uses it. */
    vd_argument_access access;      /**< Accesses that the declaration allows. */
    vd_type            type;        /**< Type of an image's channels. VD_TYPE_NONE for other kinds. */
    uint32_t           image_dimensions; /**< Number of dimensions of an image. 0 for other kinds. */
    vd_bool            image_layers; /**< Whether an image has array layers. */
    vd_format          image_format; /**< Format of an image that the code loads and stores. VD_FORMAT_NONE if the code
                                          does not say one. */
    vd_type            element;     /**< Type of the elements of a buffer whose block ends in an array of scalars,
                                         vectors or matrices. VD_TYPE_NONE for others. */
} vd_spirv_binding_info;
#define VD_SPIRV_BINDING_INFO_INIT { (uint32_t)sizeof(vd_spirv_binding_info), VD_BINDING_NONE, NULL, 0, 0, 0, 0, 0, 0, \
    VD_TYPE_NONE, 0, 0, VD_FORMAT_NONE, VD_TYPE_NONE }

/**
 * Describe a binding. Bindings are ordered by set and number.
 *
 * @param spirv    Module to look into.
 * @param index    Number of the entry, below vd_spirv_info::binding_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_spirv_get_binding(const vd_spirv *spirv, uint32_t index, vd_spirv_binding_info *out_info);

/** A member of the block of push constants. Members of structs in it are listed one by one, and so are the elements of
 * arrays of structs or arrays: "lights[1].color". What has thousands of them is one member. @since 0.2 */
typedef struct vd_push_constant_info {
    uint32_t    struct_size; /**< Set by VD_PUSH_CONSTANT_INFO_INIT. */
    uint32_t    offset;      /**< First byte in the block. */
    const char *name;        /**< Name of the member, or "". The module owns the string. */
    uint64_t    size;        /**< Size in bytes. */
    vd_type     type;        /**< Type of a scalar, vector or matrix. VD_TYPE_NONE for others. */
    vd_bool     used;        /**< Whether the entry point uses it, as far as the module shows it. */
    vd_type     element;     /**< Type of the elements of an array of scalars, vectors or matrices. VD_TYPE_NONE for
                                  others. */
    uint32_t    stride;      /**< Distance of its elements in bytes. */
    uint32_t    matrix_stride; /**< Distance in bytes of the columns of a matrix, or of its rows where `row_major` is
                                    true; the same of the matrices of an array. 0 for others. */
    vd_bool     row_major;   /**< Whether a matrix has row after row in memory, and not column after column. */
} vd_push_constant_info;
#define VD_PUSH_CONSTANT_INFO_INIT { (uint32_t)sizeof(vd_push_constant_info), 0, NULL, 0, VD_TYPE_NONE, 0, \
    VD_TYPE_NONE, 0, 0, 0 }

/**
 * Describe a push constant. Push constants are in the order of their declaration.
 *
 * @param spirv    Module to look into.
 * @param index    Number of the member, below vd_spirv_info::push_constant_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_spirv_get_push_constant(const vd_spirv *spirv, uint32_t index, vd_push_constant_info *out_info);

/** A specialisation constant. @since 0.2 */
typedef struct vd_spec_constant_info {
    uint32_t    struct_size; /**< Set by VD_SPEC_CONSTANT_INFO_INIT. */
    uint32_t    id;          /**< Number of the constant, which vd_spec_constant takes. */
    const char *name;        /**< Name of the constant, or "". The module owns the string. */
    uint64_t    bits;        /**< Bits of the default. The bits above a narrower constant are zero. */
    vd_type     type;        /**< Type of the constant, a scalar. */
    uint32_t    reserved;    /**< Always zero. */
} vd_spec_constant_info;
#define VD_SPEC_CONSTANT_INFO_INIT { (uint32_t)sizeof(vd_spec_constant_info), 0, NULL, 0, VD_TYPE_NONE, 0 }

/**
 * Describe a specialisation constant. Constants are ordered by their numbers.
 *
 * @param spirv    Module to look into.
 * @param index    Number of the entry, below vd_spirv_info::spec_constant_count.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_spirv_get_spec_constant(const vd_spirv *spirv, uint32_t index, vd_spec_constant_info *out_info);

/**
 * List the capabilities that a module declares, with SPIR-V's numbers.
 *
 * @param spirv            Module to look into.
 * @param cap              Number of entries of `out_capabilities`.
 * @param out_capabilities Receives the numbers. NULL if `cap` is 0.
 * @param out_count        Receives the number of capabilities.
 * @return VD_INCOMPLETE; VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_spirv_get_capabilities(const vd_spirv *spirv, uint32_t cap,
                                           uint32_t *out_capabilities /*@nullable @array(cap)*/, uint32_t *out_count)
    /*@remarks(VD_INCOMPLETE)*/;

/**
 * Compile a compute shader in GLSL to SPIR-V 1.3, in this process. Needs no device and no driver. vd_plan_create()
 * takes GLSL too; this is for those who want to look into the module, or to keep it. The disk cache of the option
 * "cache_dir" keeps it, so that a source is compiled once.
 *
 * @param text      The source, which begins with its #version.
 * @param size      Size of the source in bytes.
 * @param label     Name in messages. NULL means "shader".
 * @param out_words Receives the words of the module. Release them with vd_blob_release().
 * @return VD_ERR_COMPILE (the message has the compiler's log and the numbered source), VD_ERR_UNSUPPORTED (a library
 *         without Vulkan has no compiler).
 * @since 0.2
 */
VD_API vd_status vd_spirv_compile_glsl(const char *text /*@bytes(size)*/, uint64_t size,
                                       const char *label /*@nullable*/, vd_blob **out_words) /*@static*/;

/* ---- Graphs ---------------------------------------------------------------------------------------------------
 * A vd_graph is a list of work that is recorded once and submitted many times. It keeps its context, plans and buffers
 * alive. Recording belongs to one thread at a time; it may go on after a submit. A call that records while another
 * thread's call uses the same graph, or that uses it while another one records, changes nothing and returns
 * VD_ERR_STATE. The order of execution follows from the memory that each node reads and writes. */

/** A node of a graph: the number of a recorded launch, copy, fill or call. @since 0.2 */
typedef uint32_t vd_node;

/** Options of a graph. None are defined. @since 0.1 */
typedef uint32_t vd_graph_flags;

/** Properties of a new graph. @since 0.1 */
typedef struct vd_graph_desc {
    uint32_t       struct_size;         /**< Set by VD_GRAPH_DESC_INIT. */
    vd_graph_flags flags;               /**< Must be zero. */
    const char    *label /*@nullable*/; /**< Name in logs and messages. It is copied. */
} vd_graph_desc;
#define VD_GRAPH_DESC_INIT { (uint32_t)sizeof(vd_graph_desc), 0, NULL }

/**
 * Create an empty graph.
 *
 * @param ctx       Context to run in.
 * @param desc      Properties of the graph. NULL means the defaults.
 * @param out_graph The new graph. Release it with vd_graph_release().
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_graph_create(vd_context *ctx, const vd_graph_desc *desc /*@nullable*/, vd_graph **out_graph);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_graph_retain(vd_graph *graph /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_graph_release(vd_graph *graph /*@nullable*/);

/**
 * Record a launch.
 *
 * @param graph    Graph to record into.
 * @param plan     Plan that the node runs.
 * @param desc     Size and arguments. The queue is ignored.
 * @param out_node Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_graph_launch(vd_graph *graph, vd_plan *plan, const vd_launch_desc *desc,
                                 vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Record a copy.
 *
 * @param graph              Graph to record into.
 * @param source             Source of the copy.
 * @param source_offset      First byte of its range.
 * @param destination        Destination of the copy.
 * @param destination_offset First byte of its range.
 * @param size               Size in bytes. VD_WHOLE_SIZE copies to the end of `source`.
 * @param out_node           Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_graph_copy(vd_graph *graph, vd_buffer *source, uint64_t source_offset, vd_buffer *destination,
                               uint64_t destination_offset, uint64_t size, vd_node *out_node /*@nullable*/)
    /*@exclusive*/;

/**
 * Record a fill with a repeated 32-bit pattern.
 *
 * @param graph    Graph to record into.
 * @param buffer   Buffer to fill.
 * @param offset   First byte, a multiple of 4.
 * @param size     Size in bytes, a multiple of 4, or VD_WHOLE_SIZE.
 * @param pattern  Four bytes to repeat.
 * @param out_node Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.1
 */
VD_API vd_status vd_graph_fill(vd_graph *graph, vd_buffer *buffer, uint64_t offset, uint64_t size, uint32_t pattern,
                               vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Record a fill with a repeated pattern of 1 to 16 bytes.
 *
 * @param graph        Graph to record into.
 * @param buffer       Buffer to fill.
 * @param offset       First byte.
 * @param size         Size in bytes, a multiple of `pattern_size`, or VD_WHOLE_SIZE.
 * @param pattern      Bytes to repeat. They are copied.
 * @param pattern_size Number of bytes, 1 to 16.
 * @param out_node     Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE, VD_ERR_UNSUPPORTED (a range of no whole 32-bit words where the device's kernels
 *         have no numbers of 1 or 2 bytes; more than 2^32 bytes, words or pairs of bytes).
 * @since 0.2
 */
VD_API vd_status vd_graph_fill_pattern(vd_graph *graph, vd_buffer *buffer, uint64_t offset, uint64_t size,
                                       const void *pattern /*@bytes(pattern_size)*/, uint32_t pattern_size,
                                       vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Record a copy of elements that lie with gaps, as vd_buffer_copy_strided() copies them.
 *
 * @param graph       Graph to record into.
 * @param source      Source of the copy.
 * @param destination Destination of the copy.
 * @param desc        Shape, offsets and strides. It is copied.
 * @param out_node    Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE, VD_ERR_UNSUPPORTED; for the reasons of vd_buffer_copy_strided().
 * @since 0.2
 */
VD_API vd_status vd_graph_copy_strided(vd_graph *graph, vd_buffer *source, vd_buffer *destination,
                                       const vd_strided_copy_desc *desc, vd_node *out_node /*@nullable*/)
    /*@exclusive*/;

/**
 * Change the values of a recorded launch for later submissions. Work in flight keeps its values.
 *
 * @param graph  Graph of the launch.
 * @param node   Number of a launch, as vd_graph_launch() gave it.
 * @param offset First byte to change, of the block of values that the launch took.
 * @param values New bytes. They are copied.
 * @param size   Size in bytes.
 * @return VD_ERR_INVALID (not a launch, past the end of its values).
 * @since 0.1
 */
VD_API vd_status vd_graph_set_values(vd_graph *graph, vd_node node, uint32_t offset,
                                     const void *values /*@bytes(size)*/, uint32_t size) /*@exclusive*/;

/**
 * Replace buffers and images of a recorded node for later submissions. Work in flight keeps those that it was submitted
 * with, and memory that nothing else holds is freed when that work is done. The graph's order follows what its nodes
 * access from now on.
 *
 * The arguments of a launch are those of vd_launch_desc.bindings; its counts, where it has any, come after them. A copy
 * has its source as argument 0 and its destination as argument 1, a fill its buffer as argument 0; there, and for
 * counts, `size` is the node's own or VD_WHOLE_SIZE. That of a copy with gaps is the size from the first byte of its
 * first element to the last byte of its last. A copy from or to an image keeps its regions, and takes an image where it
 * had one. A launch keeps its size: where each of its invocations indexes a buffer by its number, a buffer that is too
 * short for that takes no longer one's place. After a failure the node is as it was.
 *
 * @param graph         Graph of the node.
 * @param node          Number of a launch, copy or fill, as the call that recorded it gave it.
 * @param first         First argument to replace.
 * @param bindings      One binding for each argument from `first` on.
 * @param binding_count Number of entries.
 * @return VD_ERR_INVALID (no such node or argument, a binding that the node could not be recorded with), VD_ERR_STATE
 *         (a discarded buffer), VD_ERR_UNSUPPORTED (the node is one of vd_graph_generate_mips()).
 * @since 0.2
 */
VD_API vd_status vd_graph_set_bindings(vd_graph *graph, vd_node node, uint32_t first,
                                       const vd_binding *bindings /*@array(binding_count)*/, uint32_t binding_count)
    /*@exclusive*/;

/**
 * Replace buffers in all nodes of a graph that have them as arguments, as vd_graph_set_bindings() does, all at once:
 * two buffers can be swapped. Offsets stay, and a range to the end of a buffer stays one. A slice of a buffer is
 * replaced by the same slice of its replacement, unless it is given itself, by any handle of its range. After a failure
 * the graph is as it was.
 *
 * @param graph        Graph to change.
 * @param buffers      Buffers to replace.
 * @param replacements The buffer that takes the place of each.
 * @param count        Number of entries.
 * @return VD_ERR_INVALID (a buffer that is given twice or that no node has, or a replacement that a node could not be
 *         recorded with), VD_ERR_STATE (a discarded buffer).
 * @since 0.2
 */
VD_API vd_status vd_graph_replace_buffers(vd_graph *graph, vd_buffer *const *buffers /*@array(count)*/,
                                          vd_buffer *const *replacements /*@array(count)*/, uint32_t count)
    /*@exclusive*/;

#define VD_ALL_ARGUMENTS 0xFFFFFFFF /*@type(uint32_t)*/ /**< Every argument of a node. @since 0.2 */

/**
 * Leave accesses of a node out of the graph's order, or take them into it again. The caller vouches that the node may
 * run side by side with all others that access the memory of that argument, be they launches, copies or fills. Other
 * submitted work is ordered as before, and so are the instances of a submission.
 *
 * @param graph     Graph of the node.
 * @param node      Number of a launch, copy or fill.
 * @param argument  Number of an argument, as vd_graph_set_bindings() counts them, or VD_ALL_ARGUMENTS.
 * @param unordered 1 leaves the accesses out, and 0 takes them in.
 * @return VD_ERR_INVALID (no such node or argument, a number above 1).
 * @since 0.2
 */
VD_API vd_status vd_graph_set_unordered(vd_graph *graph, vd_node node, uint32_t argument, vd_bool unordered)
    /*@exclusive*/;

/**
 * Name a node in vd_graph_get_dot(), and all nodes of a launch that has several.
 *
 * @param graph Graph of the node.
 * @param node  Number of a node.
 * @param label Name. It is copied. "" takes the name away.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_graph_set_label(vd_graph *graph, vd_node node, const char *label) /*@exclusive*/;

/**
 * Record all nodes of another graph, as they are now. They keep their order, labels, buffers and values; later changes
 * of `other` change nothing here.
 *
 * @param graph     Graph to record into.
 * @param other     Graph to record, of the same context. It may be `graph` itself.
 * @param out_first Receives the number that `other`'s node 0 has in `graph`; its node n has the number n above that.
 *                  NULL if it is not needed.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_graph_add_graph(vd_graph *graph, vd_graph *other, vd_node *out_first /*@nullable*/) /*@exclusive*/;

/** Callback for a call that a graph makes. It runs on a thread of the library or of the driver. It must return soon:
 *  the queue, and on CUDA the driver's other work, stops meanwhile. It must not call the library, where calls that
 *  would wait or submit work return VD_ERR_STATE, nor the driver's own API. @since 0.2 */
typedef void (*vd_graph_fn)(void *user /*@nullable*/);

/**
 * Record a call of a function of the host. It is called when all nodes before it are done, and the nodes after it begin
 * when it has returned. Each run of the graph calls it once; runs of one queue follow one another. It may be left out
 * if work before it failed.
 *
 * @param graph     Graph to record into.
 * @param callback  Function to call.
 * @param user      Passed to `callback`.
 * @param user_free Function that is called once with `user`, when neither a graph nor work in flight uses it any more.
 *                  NULL if there is nothing to free. It is not called if this entry fails.
 * @param out_node  Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_graph_call(vd_graph *graph, vd_graph_fn callback, void *user /*@nullable @user(callback)*/,
                               vd_free_fn user_free /*@nullable*/, vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Remove all recorded nodes. Work in flight is not affected.
 *
 * @param graph Graph to empty.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_graph_reset(vd_graph *graph) /*@exclusive*/;

/** Properties of a graph. @since 0.1 */
typedef struct vd_graph_info {
    uint32_t struct_size; /**< Set by VD_GRAPH_INFO_INIT. */
    uint32_t node_count;  /**< Number of recorded nodes. */
    uint32_t level_count; /**< Number of levels. Nodes of a level have no hazard among them. */
    uint32_t reserved;    /**< Always zero. */
    uint32_t edge_count;  /**< Number of pairs of a node and an earlier one that it runs after. Of nodes that follow
                               from others no pair need be counted. */
} vd_graph_info;
#define VD_GRAPH_INFO_INIT { (uint32_t)sizeof(vd_graph_info), 0, 0, 0, 0 }

/**
 * Get the properties of a graph.
 *
 * @param graph    Graph to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_graph_get_info(const vd_graph *graph, vd_graph_info *out_info);

/**
 * Describe a graph in Graphviz's language DOT: its nodes by label or kernel, in rows by level, and the edges that order
 * them with the buffers that they are for.
 *
 * @param graph    Graph to look into.
 * @param out_text Receives the text. Release it with vd_blob_release().
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_graph_get_dot(const vd_graph *graph, vd_blob **out_text);

/** Values of a launch that differ between the instances of a submission. @since 0.2 */
typedef struct vd_instance_values {
    vd_node     node;        /**< Number of a launch, as vd_graph_launch() gave it. */
    uint32_t    offset;      /**< First byte that changes, of the block of values that the launch took. */
    uint32_t    size;        /**< Bytes of one instance, at least 1. */
    uint32_t    reserved;    /**< Must be zero. */
    const void *values /*@bytes(values_size)*/;
                             /**< Bytes of the first instance, then of the next, without gaps. They are copied. */
    uint64_t    values_size; /**< Size of all of them: `size` times the number of instances. */
} vd_instance_values;

/** Queue, order and repetition of submitted work. @since 0.1 */
typedef struct vd_submit_desc {
    uint32_t             struct_size;         /**< Set by VD_SUBMIT_DESC_INIT. */
    uint32_t             queue;               /**< Queue to run on. */
    uint32_t             repeat;              /**< Number of instances: times that the graph runs. 0 means 1. */
    uint32_t             reserved;            /**< Must be zero. */
    const vd_order_desc *order /*@nullable*/; /**< Order among other work. NULL means that it waits for nothing. */
    const vd_instance_values *instance_values /*@nullable @array(instance_value_count)*/;
                                              /**< Values that each instance has instead of the recorded ones. */
    uint32_t             instance_value_count; /**< Number of entries. Of two for the same bytes the later one
                                                    counts. */
    uint32_t             reserved_count;      /**< Must be zero. */
} vd_submit_desc;
#define VD_SUBMIT_DESC_INIT { (uint32_t)sizeof(vd_submit_desc), 0, 0, 0, NULL, NULL, 0, 0 }

/**
 * Submit a recorded graph to a queue and return at once.
 *
 * The work is ordered after earlier work that touches the same memory. It keeps plans and buffers alive until it is
 * done, so `graph` may be released, recorded further or submitted again right away. An empty graph is no error. The
 * call waits as vd_plan_launch() does; the queue waits for the tickets, also for those of another device. Instances are
 * ordered as if each had been submitted after the one before, and other work sees all of them or none.
 *
 * @param graph      Graph to run.
 * @param desc       Queue, repetition and order. NULL means queue 0, once.
 * @param out_ticket Receives the ticket of the work. NULL if it is not needed.
 * @return VD_ERR_INVALID (values of another number of instances), VD_ERR_STATE (a buffer or image was discarded),
 *         VD_ERR_UNSUPPORTED, VD_ERR_DEVICE_LOST.
 * @thread Any, but not while `graph` is being recorded.
 * @since 0.1
 */
VD_API vd_status vd_graph_submit(vd_graph *graph, const vd_submit_desc *desc /*@nullable*/,
                                 vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/* ---- Fourier transforms ---------------------------------------------------------------------------------------
 * A transform is a plan that knows its own size: it is launched and recorded as any other, with `invocations` and
 * `workgroups` zero. Its buffers are the output and then, unless it works in place, the input, then a convolution's
 * filter. Arrays are in C order; axes that are not transformed are batches. Every length from 1 to 2^32 works; with a
 * prime factor above 31, to 2^31. A plan keeps its constants and a workspace, where it needs one.
 *
 * What a plan writes must not share a byte with another argument that it reads, unless the elements of both are at the
 * very same places. A launch that breaks this rule is refused, except where a map decides on the places.
 *
 * A vd_fft_gen makes a plan with the caller's functions inside. It hands out what has to be written, element by
 * element, and the builder to write it into; the caller writes and asks for the next. It belongs to one thread at a
 * time. */

/** Kind of a transform. @since 0.1 */
typedef VD_ENUM(vd_fft_kind) {
    VD_FFT_KIND_C2C      = 0, /**< Complex to complex. */
    VD_FFT_KIND_R2C      = 1, /**< Real lines to the first n / 2 + 1 numbers of their spectra. */
    VD_FFT_KIND_C2R      = 2, /**< The opposite, as an inverse transform. */
    VD_FFT_KIND_FORCE_32 = 0x7FFFFFFF
} vd_fft_kind;

/** Direction of a transform. @since 0.2 */
typedef VD_ENUM(vd_fft_direction) {
    VD_FFT_DIRECTION_FORWARD  = 0, /**< With exp(-2 pi i j k / n). */
    VD_FFT_DIRECTION_INVERSE  = 1, /**< With exp(+2 pi i j k / n). */
    VD_FFT_DIRECTION_FORCE_32 = 0x7FFFFFFF
} vd_fft_direction;

/** Normalization of a transform. A convolution divides by n, or by nothing with VD_FFT_NORM_NONE. @since 0.1 */
typedef VD_ENUM(vd_fft_norm) {
    VD_FFT_NORM_INVERSE  = 0, /**< An inverse transform by n. */
    VD_FFT_NORM_NONE     = 1, /**< Nothing. */
    VD_FFT_NORM_ORTHO    = 2, /**< Either by the root of n. */
    VD_FFT_NORM_FORWARD  = 3, /**< A forward transform by n. */
    VD_FFT_NORM_FORCE_32 = 0x7FFFFFFF
} vd_fft_norm;

/** Ways to run the passes of a transform that are measured on the device. @since 0.2 */
typedef VD_ENUM(vd_fft_tune) {
    VD_FFT_TUNE_NONE     = 0, /**< None: records and estimates choose. */
    VD_FFT_TUNE_BEST     = 1, /**< The four that estimates rank best for each pass. */
    VD_FFT_TUNE_ALL      = 2, /**< All that are known for each pass. */
    VD_FFT_TUNE_FORCE_32 = 0x7FFFFFFF
} vd_fft_tune;

/** Order of a spectrum in memory along its axes: of what a forward transform writes, of what an inverse one reads, and
 *  of a convolution's filter. @since 0.2 */
typedef VD_ENUM(vd_fft_spectrum) {
    VD_FFT_SPECTRUM_NATURAL  = 0, /**< By frequency. */
    VD_FFT_SPECTRUM_ANY      = 1, /**< Order in which the passes of a long line leave the elements, which saves moving
                                       them; natural for lines that one pass takes, and for real lines. It is not
                                       specified, but the same for equal lengths and compute types in all plans of one
                                       device and process. */
    VD_FFT_SPECTRUM_FORCE_32 = 0x7FFFFFFF
} vd_fft_spectrum;

/** Options of a transform, and the maps that the caller writes. @since 0.1 */
enum {
    VD_FFT_OUT_OF_PLACE  = 1 << 0, /**< Input and output are two arguments. */
    VD_FFT_CONVOLVE      = 1 << 1, /**< Transform along the axes, multiply by a filter's spectrum, and back; of real
                                        lines where the kind is R2C. */
    VD_FFT_CONJUGATE     = 1 << 2, /**< Multiply by the conjugate: a correlation. */
    VD_FFT_SHARED_FILTER = 1 << 3, /**< The filter lacks the dimensions before the (foremost) axis: one for all. */
    VD_FFT_WORKSPACE     = 1 << 7, /**< The plan's last argument is its workspace: a buffer of at least
                                        vd_context_get_fft_workspace_size() bytes that no other argument shares. Work
                                        that shares it runs one after the other. Without the flag the plan shares the
                                        library's with the other plans of the queue. */
    VD_FFT_MAP_OUTPUT    = 1 << 4, /**< The caller writes what stores the result. */
    VD_FFT_MAP_INPUT     = 1 << 5, /**< The caller writes what loads the input. */
    VD_FFT_MAP_FILTER    = 1 << 6  /**< The caller writes what changes the spectrum. */
};
typedef uint32_t vd_fft_flags /*@flags(VD_FFT_)*/;

/** Properties of a transform. @since 0.1 */
typedef struct vd_fft_desc {
    uint32_t         struct_size;                 /**< Set by VD_FFT_DESC_INIT. */
    vd_fft_kind      kind;                        /**< Kind of the transform. Real lines lie along the last axis. */
    vd_fft_direction direction;                   /**< Direction of the transform, or of a convolution's transform to
                                                       the spectrum. C2R is an inverse transform whatever this says. */
    vd_fft_flags     flags;                       /**< Options of the transform, and the maps that the caller writes. */
    vd_fft_norm      norm;                        /**< Normalization of the result. */
    uint32_t         device;                      /**< Index of the device in the context. */
    uint32_t         rank;                        /**< Number of dimensions of the array, 1 to VD_MAX_DIMS. Entries of
                                                       the arrays below past it are ignored. */
    uint32_t         axis_count;                  /**< Number of axes to transform. 0 means the last axis alone. */
    uint64_t         shape[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Dimensions of the array in C order. For real kinds they are the
                                                       real array's. */
    int32_t          axes[VD_MAX_DIMS] /*@array(axis_count)*/;
                                                  /**< Axes in order of execution. Negative numbers count from the end.
                                                       Real lines are R2C's first axis and C2R's last. */
    int64_t          in_strides[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Distance in elements between neighbours of each input dimension.
                                                       All zero means packed; in place, rows of reals are then padded to
                                                       2 * (n / 2 + 1). Negative strides are not supported. */
    int64_t          out_strides[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Distance in elements between neighbours of each output dimension.
                                                       All zero means packed. In place, strides that are all zero on one
                                                       side follow the other side. Each stride must exceed everything
                                                       that smaller ones reach, so interleaved results are refused. */
    uint64_t         in_offset;                   /**< Index of the input's first element. In place, 0 follows
                                                       `out_offset`. */
    uint64_t         out_offset;                  /**< Index of the output's first element. In place, 0 follows
                                                       `in_offset`. */
    uint64_t         in_low[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< First element on each axis of the range of input elements that
                                                       may be other than zero. Elements outside of the range count as
                                                       zero and are not read. With VD_FFT_MAP_INPUT the map is called
                                                       for every element, and vd_fft_gen_read() applies the range. */
    uint64_t         in_high[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< End of that range on each axis, above `in_low`. 0 means the axis'
                                                       end. */
    uint64_t         out_low[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< First element on each axis of the range of output elements that
                                                       are wanted. With one axis, elements outside of the range keep
                                                       their contents; with several, they are undefined. */
    uint64_t         out_high[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< End of that range on each axis, above `out_low`. 0 means the
                                                       axis' end. */
    int64_t          filter_strides[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Distance in elements between neighbours of each dimension of a
                                                       convolution's filter, which has the spectrum's dimensions.
                                                       Filters and their results follow each other at the largest
                                                       product of a stride and its dimension. All zero means packed. */
    uint64_t         filter_offset;               /**< Index of the filter's first element. */
    vd_type          in_type;                     /**< Type of the input's elements: complex, or real in R2C. 0 takes
                                                       the precision of `out_type`. */
    vd_type          out_type;                    /**< Type of the output's elements: complex, or real in C2R. 0 takes
                                                       the precision of `in_type`, or else f32. */
    vd_type          filter_type;                 /**< Type of the filter's elements. 0 means the compute type. */
    vd_type          compute_type;                /**< Complex type to compute in. 0 means the wider of input and
                                                       output, at least VD_TYPE_COMPLEX_F32. */
    double           scale;                       /**< Additional factor of the result. 0 means 1. */
    uint32_t         filter_count;                /**< Number of filters of a convolution, 1 to 64, stored one after the
                                                       other like the results. 0 means 1. */
    uint32_t         max_registers;               /**< Number of complex registers of an invocation, at least 2. A pass
                                                       takes more if its length has a larger prime factor, and twice as
                                                       many if a line does not fit otherwise. 0 leaves it to the
                                                       library. */
    vd_builder_flags builder_flags;               /**< Flags of the builders that maps are written with. */
    uint32_t         reserved;                    /**< Must be zero. */
    const char      *label /*@nullable*/;         /**< Name in source and logs. It is copied. */
    vd_fft_tune      tune;                        /**< Ways to run a pass that are measured on the device. The results
                                                       are kept in the cache folder, by device and driver, so that each
                                                       pass is measured once. Measuring takes buffers of the transform's
                                                       sizes and waits for the device. For vd_plan_create_fft()
                                                       alone. */
    vd_fft_spectrum  spectrum;                    /**< Order of the spectrum. With VD_FFT_SPECTRUM_ANY a range of the
                                                       spectrum is refused, and maps get the frequency of an element as
                                                       its position, and the place where it lies as its index. */
} vd_fft_desc;
#define VD_FFT_DESC_INIT { (uint32_t)sizeof(vd_fft_desc), VD_FFT_KIND_C2C, VD_FFT_DIRECTION_FORWARD, 0, \
    VD_FFT_NORM_INVERSE, 0, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, 0, 0, { 0 }, { 0 }, { 0 }, { 0 }, { 0 }, 0, 0, 0, 0, 0, \
    0, 0, 0, 0, 0, NULL, VD_FFT_TUNE_NONE, VD_FFT_SPECTRUM_NATURAL }

/**
 * Create the plan of a transform without maps. Waits as vd_plan_create() and vd_buffer_write() do, since constants are
 * sent to the device, and for the measurements of vd_fft_desc::tune.
 *
 * @param ctx      Context to run in.
 * @param desc     Properties of the transform.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (the device lacks a type; a combination that is not supported).
 * @since 0.1
 */
VD_API vd_status vd_plan_create_fft(vd_context *ctx, const vd_fft_desc *desc, vd_plan **out_plan) /*@waits*/;

/**
 * Get the size in bytes of the workspace of a transform, which its passes write and read again. Compiles nothing.
 *
 * @param ctx      Context to run in.
 * @param desc     Properties of the transform, of vd_plan_create_fft() or vd_fft_gen_create().
 * @param out_size The number of bytes, or 0 if the transform has no workspace, and on failure.
 * @return As vd_plan_create_fft().
 * @since 0.2
 */
VD_API vd_status vd_context_get_fft_workspace_size(vd_context *ctx, const vd_fft_desc *desc, uint64_t *out_size);

/**
 * Create the plan of a transform that the VkFFT library computes, on Vulkan. Waits for the device, which computes
 * constants.
 *
 * A convolution is along all axes, and each array has a filter of its own. A range of input or output whose first
 * element is above its end goes around the end of its axis.
 *
 * @param ctx      Context to run in.
 * @param desc     Properties of the transform, without maps.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (another backend; a transform that VkFFT cannot do; a library without
 *         VkFFT).
 * @since 0.2
 */
VD_API vd_status vd_plan_create_vkfft(vd_context *ctx, const vd_fft_desc *desc, vd_plan **out_plan) /*@waits*/;

/**
 * Begin a transform with maps.
 *
 * @param ctx     Context to run in.
 * @param desc    Properties of the transform. Its flags select the maps that the caller writes.
 * @param out_gen The generator. Release it with vd_fft_gen_release().
 * @return As vd_plan_create_fft().
 * @since 0.1
 */
VD_API vd_status vd_fft_gen_create(vd_context *ctx, const vd_fft_desc *desc, vd_fft_gen **out_gen);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_fft_gen_retain(vd_fft_gen *gen /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_fft_gen_release(vd_fft_gen *gen /*@nullable*/);

/** Point of a transform at which the caller writes code. @since 0.1 */
typedef VD_ENUM(vd_fft_point) {
    VD_FFT_POINT_DONE      = 0, /**< Nothing: all is written. */
    VD_FFT_POINT_ARGUMENTS = 1, /**< Declare a part's arguments, the same in every pass. */
    VD_FFT_POINT_READ      = 2, /**< Store what the transform shall take into `value`. */
    VD_FFT_POINT_FILTER    = 3, /**< Change `value`, a number of the spectrum. */
    VD_FFT_POINT_WRITE     = 4, /**< Put `value` somewhere. */
    VD_FFT_POINT_FORCE_32  = 0x7FFFFFFF
} vd_fft_point;

/** Element for which the caller writes code. @since 0.1 */
typedef struct vd_fft_element {
    uint32_t     struct_size;   /**< Set by VD_FFT_ELEMENT_INIT. */
    vd_fft_point point;         /**< Point of the transform that the element belongs to. */
    vd_fft_flags part;          /**< Part whose arguments are declared: VD_FFT_MAP_OUTPUT, VD_FFT_MAP_INPUT or
                                     VD_FFT_MAP_FILTER. */
    uint32_t     pass;          /**< Number of the pass. Each pass has its own builder. */
    uint32_t     element_id;    /**< Number of the element among those of an invocation. */
    uint32_t     element_count; /**< Number of elements of an invocation. */
    uint32_t     filter_index;  /**< Number of the filter. */
    uint32_t     filter_count;  /**< Number of filters. */
    vd_fft_direction direction; /**< Direction of the transform. */
    uint32_t     axis;          /**< Axis that the pass transforms. */
    uint64_t     size;          /**< Length of the axis. */
    uint64_t     stride;        /**< Distance in elements between neighbours along the axis. */
    vd_value     position;      /**< Position along the axis. */
    vd_value     index;         /**< Index of the element in the array or the filter, in natural order. It is the same
                                     for each of several filters. */
    vd_value     value;         /**< Variable of the compute type. */
} vd_fft_element;
#define VD_FFT_ELEMENT_INIT { (uint32_t)sizeof(vd_fft_element), VD_FFT_POINT_DONE, 0, 0, 0, 0, \
    0, 0, VD_FFT_DIRECTION_FORWARD, 0, 0, 0, 0, 0, 0 }

/**
 * Continue with the next element that the caller has to write.
 *
 * @param gen         Transform being written.
 * @param out_element Receives the element for which code is to be written.
 * @param out_builder Where to write it, with all blocks closed again; NULL when all is done. Release it with
 *                    vd_builder_release(). Do not finish it.
 * @return VD_ERR_STATE (a block was left open), VD_ERR_COMPILE.
 * @since 0.1
 */
VD_API vd_status vd_fft_gen_next(vd_fft_gen *gen, vd_fft_element *out_element, vd_builder **out_builder /*@optional*/);

/**
 * Write the usual load at a READ or FILTER point: converted, mirrored where a spectrum is half there, zero out of
 * range.
 *
 * @param gen    Transform being written.
 * @param buffer A buffer argument of complex numbers, pairs or reals.
 * @param index  Element of it; 0: the element's own index.
 * @param into   Variable of the compute type; 0: the element's own.
 * @return VD_ERR_STATE (not at such a point), VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_gen_read(vd_fft_gen *gen, vd_value buffer, vd_value index, vd_value into);

/**
 * Write the usual store at a WRITE point: converted, in range only.
 *
 * @param gen    Transform being written.
 * @param buffer A buffer argument of complex numbers, pairs or reals.
 * @param index  Element of it; 0: the element's own index.
 * @param value  A number of the compute type; 0: the element's own.
 * @return VD_ERR_STATE (not at such a point), VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_gen_write(vd_fft_gen *gen, vd_value buffer, vd_value index, vd_value value);

/**
 * Compile the code that was written. Waits as vd_plan_create() and vd_buffer_write() do, since constants are sent to
 * the device.
 *
 * @param gen      Transform being written; it takes no further calls.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_STATE (elements are left), VD_ERR_COMPILE, VD_ERR_UNSUPPORTED.
 * @since 0.1
 */
VD_API vd_status vd_fft_gen_finish(vd_fft_gen *gen, vd_plan **out_plan) /*@waits @constructs*/;

/* ---- Reductions -----------------------------------------------------------------------------------------------
 * A reduction is a plan that knows its own size, launched and recorded as a transform is. Its buffers are the output,
 * one element for each combination of the dimensions that stay, in C order, and then the input. The same input gives
 * the same result each time, but not the one that a loop from first to last would give. A plan keeps the memory in
 * which workgroups leave their parts. Kernels do not depend on the sizes: arrays of other shapes mostly share them.
 *
 * A vd_reduce_gen makes a plan with the caller's functions inside, as a vd_fft_gen does. */

/** Operation that combines two elements. @since 0.1 */
typedef VD_ENUM(vd_reduce_op) {
    VD_REDUCE_OP_ADD      = 0, /**< The sum. */
    VD_REDUCE_OP_MUL      = 1, /**< The product. */
    VD_REDUCE_OP_MIN      = 2, /**< A NaN is passed over; NaN alone gives NaN, as NumPy's fmin.reduce. */
    VD_REDUCE_OP_MAX      = 3, /**< A NaN is passed over; NaN alone gives NaN, as NumPy's fmax.reduce. */
    VD_REDUCE_OP_AND      = 4, /**< Bitwise and. */
    VD_REDUCE_OP_OR       = 5, /**< Bitwise or. */
    VD_REDUCE_OP_XOR      = 6, /**< Bitwise exclusive or. */
    VD_REDUCE_OP_CUSTOM   = 7, /**< The caller writes it; it must be associative and commutative. */
    VD_REDUCE_OP_FORCE_32 = 0x7FFFFFFF
} vd_reduce_op;

/** Options of a reduction, and the functions that the caller writes. @since 0.1 */
enum {
    VD_REDUCE_MAP_INPUT  = 1 << 0, /**< The caller writes what an element is, from arguments of their own. */
    VD_REDUCE_TWO_PASSES = 1 << 1  /**< Combine the results of the workgroups in a second dispatch, not in the last
                                       workgroup of the first one. */
};
typedef uint32_t vd_reduce_flags /*@flags(VD_REDUCE_)*/;

/** Properties of the reduction. @since 0.1 */
typedef struct vd_reduce_desc {
    uint32_t         struct_size;                 /**< Set by VD_REDUCE_DESC_INIT. */
    vd_reduce_op     op;                          /**< Operation that combines two elements. */
    vd_reduce_flags  flags;                       /**< Options of the reduction, and the functions that the caller
                                                       writes. */
    uint32_t         rank;                        /**< Number of dimensions of the array, 1 to VD_MAX_DIMS. Entries of
                                                       the arrays below past it are ignored. */
    uint32_t         axis_count;                  /**< Number of axes to reduce. 0 means all of them. */
    uint32_t         device;                      /**< Index of the device in the context. */
    uint64_t         shape[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Dimensions of the array in C order. */
    int32_t          axes[VD_MAX_DIMS] /*@array(axis_count)*/;
                                                  /**< Axes to reduce, in any order. Negative numbers count from the
                                                       end. */
    int64_t          in_strides[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Distance in elements between neighbours of each input dimension.
                                                       All zero means packed. Negative strides are not supported. */
    int64_t          out_strides[VD_MAX_DIMS] /*@array(rank)*/;
                                                  /**< Distance in elements between neighbours of each result dimension,
                                                       numbered as the array's. Entries of `axes` are ignored. All zero
                                                       means packed. Each stride must exceed everything that smaller
                                                       ones reach. */
    uint64_t         in_offset;                   /**< Index of the input's first element. */
    uint64_t         out_offset;                  /**< Index of the first result. */
    vd_type          in_type;                     /**< Type of the input's elements. 0 means `compute_type`. */
    vd_type          out_type;                    /**< Type of the results. 0 means `compute_type`. */
    vd_type          compute_type;                /**< Type of the combined elements: scalar, vector or complex. 0 means
                                                       `in_type`, or else f32. */
    uint32_t         identity_size;               /**< Size of `identity` in bytes, which is the size of
                                                       `compute_type`. */
    const void      *identity /*@nullable @bytes(identity_size)*/;
                                                  /**< Neutral element of VD_REDUCE_OP_CUSTOM. */
    uint32_t         workgroup_size;              /**< Largest number of invocations of a workgroup. 0 leaves it to the
                                                       library. */
    vd_builder_flags builder_flags;               /**< Flags of the builders that functions are written with. */
    const char      *label /*@nullable*/;         /**< Name in source and logs. It is copied. */
} vd_reduce_desc;
#define VD_REDUCE_DESC_INIT { (uint32_t)sizeof(vd_reduce_desc), VD_REDUCE_OP_ADD, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, \
    { 0 }, 0, 0, 0, 0, 0, 0, NULL, 0, 0, NULL }

/**
 * Make the plan of a reduction without functions of the caller's. Where an access takes several elements, the plan
 * wants the input bound at a multiple of 16 bytes. Waits as vd_plan_create() and vd_buffer_write() do, since counters
 * are cleared on the device.
 *
 * @param ctx      Context to run in.
 * @param desc     Properties of the reduction.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (the device lacks a type).
 * @since 0.1
 */
VD_API vd_status vd_plan_create_reduce(vd_context *ctx, const vd_reduce_desc *desc, vd_plan **out_plan) /*@waits*/;

/**
 * Begin a reduction with functions of the caller.
 *
 * @param ctx     Context to run in.
 * @param desc    Properties of the reduction. Its op and flags select the functions that the caller writes.
 * @param out_gen The generator. Release it with vd_reduce_gen_release().
 * @return As vd_plan_create_reduce().
 * @since 0.1
 */
VD_API vd_status vd_reduce_gen_create(vd_context *ctx, const vd_reduce_desc *desc, vd_reduce_gen **out_gen);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_reduce_gen_retain(vd_reduce_gen *gen /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_reduce_gen_release(vd_reduce_gen *gen /*@nullable*/);

/** Point of a reduction at which the caller writes code. @since 0.1 */
typedef VD_ENUM(vd_reduce_point) {
    VD_REDUCE_POINT_DONE      = 0, /**< Nothing: all is written. */
    VD_REDUCE_POINT_COMBINE   = 1, /**< Store what `left` and `right` are together into `value`. Comes once, first. */
    VD_REDUCE_POINT_ARGUMENTS = 2, /**< Declare the arguments that elements come from, the same in every pass. */
    VD_REDUCE_POINT_READ      = 3, /**< Store element number `index` into `value`. */
    VD_REDUCE_POINT_FORCE_32  = 0x7FFFFFFF
} vd_reduce_point;

/** Part of a reduction for which the caller writes code. @since 0.1 */
typedef struct vd_reduce_element {
    uint32_t        struct_size;   /**< Set by VD_REDUCE_ELEMENT_INIT. */
    vd_reduce_point point;         /**< Point of the reduction that the element belongs to. */
    uint32_t        pass;          /**< Number of the pass. Each pass has its own builder. */
    uint32_t        element_id;    /**< Number of the element among those that the caller writes. */
    uint32_t        element_count; /**< Number of elements that the caller writes. */
    uint32_t        reserved;      /**< Always zero. */
    vd_value        index;         /**< Index of the element in the array, in natural order. It is u64 past 2^31
                                        elements, else u32. */
    vd_value        left;          /**< First value to combine, of the compute type. */
    vd_value        right;         /**< Second value to combine, of the compute type. */
    vd_value        value;         /**< Variable of the compute type. */
} vd_reduce_element;
#define VD_REDUCE_ELEMENT_INIT { (uint32_t)sizeof(vd_reduce_element), VD_REDUCE_POINT_DONE, 0, 0, 0, 0, 0, 0, 0, 0 }

/**
 * Continue with the next part that the caller has to write.
 *
 * @param gen         Reduction being written.
 * @param out_element Receives the element for which code is to be written.
 * @param out_builder Where to write it, with all blocks closed again; NULL when all is done. Release it with
 *                    vd_builder_release(). Do not finish it.
 * @return VD_ERR_STATE (a block was left open), VD_ERR_COMPILE.
 * @since 0.1
 */
VD_API vd_status vd_reduce_gen_next(vd_reduce_gen *gen, vd_reduce_element *out_element,
                                    vd_builder **out_builder /*@optional*/);

/**
 * Compile the code that was written. Waits as vd_plan_create() and vd_buffer_write() do, since counters are cleared on
 * the device.
 *
 * @param gen      Reduction being written; it takes no further calls.
 * @param out_plan The plan, or NULL on failure. Release it with vd_plan_release().
 * @return VD_ERR_STATE (parts are left), VD_ERR_COMPILE, VD_ERR_UNSUPPORTED.
 * @since 0.1
 */
VD_API vd_status vd_reduce_gen_finish(vd_reduce_gen *gen, vd_plan **out_plan) /*@waits @constructs*/;

/* ---- Profiles -------------------------------------------------------------------------------------------------
 * A profile records when work ran, from its creation until it is stopped: the launches, copies and fills that its
 * context submits meanwhile, nodes of graphs too, and the calls that the program makes. Commands that are timed run one
 * after the other, behind barriers of their own, so waiting for an earlier one does not count. Without a profile
 * nothing is timed and nothing costs more. Several profiles may record at the same time.
 *
 * All times are nanoseconds of one clock, the host's monotonic one (CLOCK_MONOTONIC on Linux, the one of Python's
 * time.perf_counter_ns()). Devices have clocks of their own; vd_profile_info::clock_error_ns says how far a time of
 * theirs may be off there. The length of a span is as exact as the device's clock. */

/** Kind of a span. @since 0.2 */
typedef VD_ENUM(vd_span_kind) {
    VD_SPAN_LAUNCH        = 0, /**< A kernel on the device. */
    VD_SPAN_COPY          = 1, /**< A copy on the device, between buffers or images. */
    VD_SPAN_FILL          = 2, /**< A fill on the device. */
    VD_SPAN_CALL          = 3, /**< A call of the library, on a thread of the host. */
    VD_SPAN_WRITE         = 4, /**< A call that writes memory of the host to a buffer. */
    VD_SPAN_READ          = 5, /**< A call that reads a buffer to memory of the host. */
    VD_SPAN_WAIT          = 6, /**< A call that waits for work. */
    VD_SPAN_KIND_FORCE_32 = 0x7FFFFFFF
} vd_span_kind;

/** Limits of a new profile. @since 0.2 */
typedef struct vd_profile_desc {
    uint32_t struct_size; /**< Set by VD_PROFILE_DESC_INIT. */
    uint32_t capacity;    /**< Largest number of spans, at most 16,777,216; 0 means 65,536. What comes after as many is
                               counted and not recorded. */
} vd_profile_desc;
#define VD_PROFILE_DESC_INIT { (uint32_t)sizeof(vd_profile_desc), 0 }

/**
 * Create a profile, which records at once. On CUDA the first of a device loads a kernel that reads its timer, once
 * the device has nothing to do, for which this waits 0.1 seconds at most. What is submitted before that runs untimed,
 * and is counted as lost.
 *
 * @param ctx         Context whose work is timed.
 * @param desc        Limits. NULL means the defaults.
 * @param out_profile Receives the new profile. Stop it before it is looked into.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (a backend that runs no kernels, a device whose timer stands still),
 *         VD_ERR_COMPILE, VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_profile_create(vd_context *ctx, const vd_profile_desc *desc /*@nullable*/,
                                   vd_profile **out_profile);

/** Take another reference to a profile. @since 0.2 */
VD_API void vd_profile_retain(vd_profile *profile /*@nullable*/);
/** Give back a reference to a profile. One that still records is stopped. @since 0.2 */
VD_API void vd_profile_release(vd_profile *profile /*@nullable*/);

/**
 * Stop a profile: work that is submitted from now on is not recorded. Waits until the recorded work is done and
 * collects its times. After VD_TIMEOUT it may be called again; a profile that was stopped stays as it is.
 *
 * @param profile    Profile to stop.
 * @param timeout_ns Nanoseconds to wait. VD_WAIT_FOREVER waits without limit.
 * @return VD_ERR_KERNEL (work that was recorded failed, or earlier work whose failure was not reported yet; the other
 *         times are kept), VD_ERR_DEVICE_LOST, VD_TIMEOUT.
 * @since 0.2
 */
VD_API vd_status vd_profile_stop(vd_profile *profile, uint64_t timeout_ns) /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * Stop a profile as vd_profile_stop() does, but leave the failures of work to waits.
 *
 * @param profile    Profile to stop.
 * @param timeout_ns Nanoseconds to wait. VD_WAIT_FOREVER waits without limit.
 * @return VD_ERR_DEVICE_LOST, VD_TIMEOUT.
 * @since 0.2
 */
VD_API vd_status vd_profile_end(vd_profile *profile, uint64_t timeout_ns) /*@waits @remarks(VD_TIMEOUT)*/;

/** Properties of a profile. @since 0.2 */
typedef struct vd_profile_info {
    uint32_t struct_size;    /**< Set by VD_PROFILE_INFO_INIT. */
    vd_bool  stopped;        /**< Whether it was stopped and all times are known. */
    uint64_t span_count;     /**< Number of recorded spans. 0 until it is stopped. */
    uint64_t lost_count;     /**< Number of spans that were not recorded: beyond the capacity, of work that failed, or
                                  of a queue without timestamps. */
    uint64_t clock_error_ns; /**< Most nanoseconds that a device's time may be off on the host's clock. 0 on the
                                  host. */
} vd_profile_info;
#define VD_PROFILE_INFO_INIT { (uint32_t)sizeof(vd_profile_info), 0, 0, 0, 0 }

/**
 * Get the properties of a profile.
 *
 * @param profile  Profile to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_profile_get_info(const vd_profile *profile, vd_profile_info *out_info);

/** Time at which something ran. @since 0.2 */
typedef struct vd_span_info {
    uint32_t     struct_size; /**< Set by VD_SPAN_INFO_INIT. */
    vd_span_kind kind;        /**< Kind of the span. */
    const char  *name;        /**< Name of the kernel, "copy" or "fill"; or of the called entry. The profile owns the
                                   string. */
    const char  *label;       /**< Label of the work or of the graph's node, or "". The profile owns the string. */
    uint64_t     begin_ns;    /**< Time of its begin on the host's clock, in nanoseconds. */
    uint64_t     end_ns;      /**< Time of its end on the host's clock, in nanoseconds. */
    uint64_t     size;        /**< Bytes of a copy, fill, write or read. 0 for other kinds. */
    uint32_t     queue;       /**< Queue that it ran on. For the host's spans it is the calling thread's number, on
                                   Linux, macOS and Windows the system's: no two threads at a time have the same. */
    uint32_t     reserved;    /**< Always zero. */
} vd_span_info;
#define VD_SPAN_INFO_INIT { (uint32_t)sizeof(vd_span_info), VD_SPAN_LAUNCH, NULL, NULL, 0, 0, 0, 0, 0 }

/**
 * Get a span of a profile. They are sorted by their begin. Device spans of one queue do not overlap, and of two host
 * spans of one thread that overlap the one lies within the other.
 *
 * @param profile  Profile to look into.
 * @param index    Number of the span, below vd_profile_info::span_count.
 * @param out_info Receives the span.
 * @return VD_ERR_INVALID, VD_ERR_STATE (the profile was not stopped).
 * @since 0.2
 */
VD_API vd_status vd_profile_get_span(const vd_profile *profile, uint64_t index, vd_span_info *out_info);

/* ---- Images and samplers -------------------------------------------------------------------------------------------
 * A vd_image and a vd_sampler keep their context alive. Texels lie as in a C array
 * [layer][depth][height][width][channel], without gaps, wherever a call takes or gives them. Work on an image is
 * ordered like work on a buffer, by the bytes of each level and layer that it accesses. Where a device has no images of
 * its own (OpenCL, host), an image is a buffer from which kernels read and filter by themselves. On a GPU of OpenCL the
 * device's texture units sample level 0, but of arrays of lines, from a copy that the library makes when a kernel first
 * samples the image, and again once the image was written: such an image takes the memory of level 0 twice. */

/** Options of an image. @since 0.1 */
enum {
    VD_IMAGE_PER_QUEUE = 1 << 0, /**< One replica for each queue of the context. */
    VD_IMAGE_STORAGE   = 1 << 1, /**< Kernels write it, too. */
    VD_IMAGE_HOST      = 1 << 2  /**< Host-visible memory, which vd_image_map() maps: fast to read back, slower in
                                      kernels on a GPU. Unsupported where the device keeps no such image of that format,
                                      size and number of levels in rows, and on CUDA: vd_context_get_image_support()
                                      reports it. */
};
typedef uint32_t vd_image_flags /*@flags(VD_IMAGE_)*/;

#define VD_MIP_LEVELS_ALL 0xFFFFFFFF /*@type(uint32_t)*/ /**< Levels down to a single texel. @since 0.1 */

/** Properties of a new image. @since 0.1 */
typedef struct vd_image_desc {
    uint32_t       struct_size;         /**< Set by VD_IMAGE_DESC_INIT. */
    vd_format      format;              /**< Format of a texel. */
    uint32_t       dimensions;          /**< Number of dimensions, 1 to 3. */
    uint32_t       layers;              /**< Number of array layers. 0 means that the image is not layered. */
    uint32_t       extent[3];           /**< Width, height and depth in texels. Zero on a later axis means 1. */
    uint32_t       mip_levels;          /**< Number of mip levels. 0 means 1, and VD_MIP_LEVELS_ALL means all down to a
                                             single texel. */
    uint32_t       device;              /**< Index of the device in the context. */
    vd_image_flags flags;               /**< Options of the image. */
    const char    *label /*@nullable*/; /**< Name in logs and messages. It is copied. */
} vd_image_desc;
#define VD_IMAGE_DESC_INIT { (uint32_t)sizeof(vd_image_desc), VD_FORMAT_NONE, 0, 0, { 0 }, 0, 0, 0, NULL }

/** Support of a context for images of certain properties. @since 0.2 */
typedef struct vd_image_support_info {
    uint32_t struct_size; /**< Set by VD_IMAGE_SUPPORT_INFO_INIT. */
    vd_bool  supported;   /**< Whether vd_image_create() makes such an image, as far as there is memory for it. */
    vd_bool  mappable;    /**< Whether vd_image_map() can map such an image. */
} vd_image_support_info;
#define VD_IMAGE_SUPPORT_INFO_INIT { (uint32_t)sizeof(vd_image_support_info), 0, 0 }

/**
 * Get the support for images of certain properties, without creating one.
 *
 * @param ctx      Context to look into.
 * @param desc     Properties of an image.
 * @param out_info Receives the support.
 * @return VD_ERR_INVALID (as vd_image_create() returns it), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_context_get_image_support(const vd_context *ctx, const vd_image_desc *desc,
                                              vd_image_support_info *out_info);

/**
 * Create an image. Its contents are undefined.
 *
 * @param ctx       Context to allocate in.
 * @param desc      Properties of the new image.
 * @param out_image The new image, or NULL on failure. Release it with vd_image_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED, VD_ERR_OUT_OF_MEMORY.
 * @since 0.1
 */
VD_API vd_status vd_image_create(vd_context *ctx, const vd_image_desc *desc, vd_image **out_image);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_image_retain(vd_image *image /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_image_release(vd_image *image /*@nullable*/);

/** Properties of an image. @since 0.1 */
typedef struct vd_image_info {
    uint32_t       struct_size; /**< Set by VD_IMAGE_INFO_INIT. */
    vd_format      format;      /**< Format of a texel. */
    uint32_t       dimensions;  /**< Number of dimensions, 1 to 3. */
    uint32_t       layers;      /**< Number of array layers, or 0 if the image is not layered. */
    uint32_t       extent[3];   /**< Width, height and depth in texels. */
    uint32_t       mip_levels;  /**< Number of mip levels. */
    uint32_t       device;      /**< Index of the device in the context. */
    vd_image_flags flags;       /**< Flags that the image was created with. */
    uint64_t       size;        /**< Size in bytes of all layers of level 0, without gaps. */
    vd_bool        mappable;    /**< Whether vd_image_map() can map the image. */
    uint32_t       reserved;    /**< Always zero. */
} vd_image_info;
#define VD_IMAGE_INFO_INIT { (uint32_t)sizeof(vd_image_info), VD_FORMAT_NONE, 0, 0, { 0 }, 0, 0, 0, 0, 0, 0 }

/**
 * Get the properties of an image.
 *
 * @param image    Image to look into.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_image_get_info(const vd_image *image, vd_image_info *out_info);

/** A mip level of an image: half as large as the one before on each axis, rounded down, and at least 1. Layers stay.
 *  @since 0.2 */
typedef struct vd_image_level_info {
    uint32_t struct_size; /**< Set by VD_IMAGE_LEVEL_INFO_INIT. */
    uint32_t extent[3];   /**< Width, height and depth in texels. */
    uint64_t size;        /**< Size in bytes of all layers of the level, without gaps. */
} vd_image_level_info;
#define VD_IMAGE_LEVEL_INFO_INIT { (uint32_t)sizeof(vd_image_level_info), { 0 }, 0 }

/**
 * Get the extent of a mip level.
 *
 * @param image    Image to look into.
 * @param level    Number of the level.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID (no such level).
 * @since 0.2
 */
VD_API vd_status vd_image_get_level(const vd_image *image, uint32_t level, vd_image_level_info *out_info);

/** Part of an image. @since 0.1 */
typedef struct vd_image_region {
    uint32_t struct_size; /**< Set by VD_IMAGE_REGION_INIT. */
    uint32_t level;       /**< Mip level. */
    uint32_t layer;       /**< First array layer. */
    uint32_t layer_count; /**< Number of array layers. 0 means all from the first on. */
    uint32_t offset[3];   /**< First texel on each axis. */
    uint32_t extent[3];   /**< Number of texels on each axis. 0 means all from the first on. */
} vd_image_region;
#define VD_IMAGE_REGION_INIT { (uint32_t)sizeof(vd_image_region), 0, 0, 0, { 0 }, { 0 } }

/**
 * Copy host memory into an image. The data has been taken when the call returns. Waits only for memory to send the data
 * through, which earlier work may hold.
 *
 * @param image  Destination of the copy.
 * @param region Part of the image. NULL means all of level 0.
 * @param data   Texels without gaps.
 * @param size   Size in bytes, exactly the region's.
 * @param queue  Queue that the transfer is ordered on. VD_QUEUE_ALL writes every replica.
 * @return VD_ERR_INVALID, VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_image_write(vd_image *image, const vd_image_region *region /*@nullable*/,
                                const void *data /*@bytes(size)*/, uint64_t size, uint32_t queue) /*@waits*/;

/**
 * Copy an image into host memory, after all earlier work of the queue that writes it. Waits.
 *
 * @param image    Source of the copy.
 * @param region   Part of the image. NULL means all of level 0.
 * @param size     Size in bytes, exactly the region's.
 * @param queue    Queue that the transfer is ordered on.
 * @param out_data Texels without gaps.
 * @return VD_ERR_INVALID, VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST, VD_ERR_KERNEL (an earlier kernel failed).
 * @since 0.1
 */
VD_API vd_status vd_image_read(vd_image *image, const vd_image_region *region /*@nullable*/, uint64_t size,
                               uint32_t queue, void *out_data /*@bytes(size)*/) /*@waits*/;

/**
 * Copy from a buffer into an image. Returns at once; waits only for room where the queue is full.
 *
 * @param image         Destination of the copy.
 * @param region        Part of the image. NULL means all of level 0.
 * @param source        Source of the copy: texels without gaps.
 * @param source_offset First byte of its range, a multiple of the texel's size and of 4.
 * @param queue         Queue to run on.
 * @param order         Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket    Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past an edge, two contexts), VD_ERR_STATE (discarded), VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_image_copy_from_buffer(vd_image *image, const vd_image_region *region /*@nullable*/,
                                           vd_buffer *source, uint64_t source_offset, uint32_t queue,
                                           const vd_order_desc *order /*@nullable*/,
                                           vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/**
 * Copy from an image into a buffer. Returns at once; waits only for room where the queue is full.
 *
 * @param image              Source of the copy.
 * @param region             Part of the image. NULL means all of level 0.
 * @param destination        Destination of the copy: texels without gaps.
 * @param destination_offset First byte of its range, a multiple of the texel's size and of 4.
 * @param queue              Queue to run on.
 * @param order              Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket         Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past an edge, two contexts), VD_ERR_STATE (discarded), VD_ERR_DEVICE_LOST.
 * @since 0.1
 */
VD_API vd_status vd_image_copy_to_buffer(vd_image *image, const vd_image_region *region /*@nullable*/,
                                         vd_buffer *destination, uint64_t destination_offset, uint32_t queue,
                                         const vd_order_desc *order /*@nullable*/, vd_ticket *out_ticket /*@nullable*/)
    /*@waits*/;

/**
 * Copy from one image to another of the same format, or between parts of one that do not overlap. Returns at once;
 * waits only for room where the queue is full.
 *
 * @param image         Source of the copy.
 * @param region        Part of the source. NULL means all of level 0.
 * @param destination   Destination of the copy.
 * @param to            Part of the destination, of the same extent and number of layers. NULL means all of level 0.
 * @param queue         Queue to run on.
 * @param order         Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket    Receives the ticket of the copy. NULL if it is not needed.
 * @return VD_ERR_INVALID (past an edge, overlap, another format or extent, two contexts), VD_ERR_STATE (discarded),
 *         VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_image_copy(vd_image *image, const vd_image_region *region /*@nullable*/, vd_image *destination,
                               const vd_image_region *to /*@nullable*/, uint32_t queue,
                               const vd_order_desc *order /*@nullable*/, vd_ticket *out_ticket /*@nullable*/)
    /*@waits*/;

/**
 * Compute all levels above the first, each from the one before. Returns at once; waits only for room where the queue is
 * full. A texel is the mean of the part of the level before that it covers, which on an axis of odd size ends within
 * texels: these count in part. The mean of floats is computed in f32; that of integers is rounded to nearest.
 *
 * @param image      Image of several levels.
 * @param queue      Queue to run on.
 * @param order      Order among other work. NULL means that the work waits for nothing.
 * @param out_ticket Receives the ticket of the work. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE (discarded), VD_ERR_UNSUPPORTED, VD_ERR_OUT_OF_MEMORY, VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_image_generate_mips(vd_image *image, uint32_t queue, const vd_order_desc *order /*@nullable*/,
                                        vd_ticket *out_ticket /*@nullable*/) /*@waits*/;

/**
 * Give the host the texels of a level where they are, without a copy. The mapping has all layers, in rows that may have
 * gaps between them: vd_mapping_info reports the pitches. It waits, and keeps other work from the level, as that of
 * vd_buffer_map() does.
 *
 * Images with VD_IMAGE_HOST can be mapped. Other images can be mapped where they are in memory that the host reaches
 * (OpenCL on a CPU, host); vd_image_info.mappable reports it. On OpenCL, VD_MAP_SHARED is unsupported for an image
 * that the device's texture units sample.
 *
 * @param image       Image to map.
 * @param level       Mip level.
 * @param flags       VD_MAP_READ, VD_MAP_WRITE or both. VD_MAP_NO_WAIT and VD_MAP_SHARED may be added.
 * @param queue       Whose replica, of an image with VD_IMAGE_PER_QUEUE; any other image is the same for all.
 * @param out_mapping The mapping. End it with vd_mapping_end() and release it with vd_mapping_release().
 * @return VD_ERR_INVALID (no such level), VD_ERR_STATE (discarded, mapped), VD_ERR_UNSUPPORTED (device memory,
 *         VD_MAP_SHARED), VD_ERR_WOULD_BLOCK, VD_ERR_KERNEL (an earlier kernel failed), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_image_map(vd_image *image, uint32_t level, vd_map_flags flags, uint32_t queue,
                              vd_mapping **out_mapping) /*@waits @constructs*/;

/**
 * Free the memory once no work in flight uses it, whoever still holds the image. Use after that is VD_ERR_STATE.
 *
 * @param image Image to give up.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_image_discard(vd_image *image);

/**
 * Give the native object behind an image. Of the device's own images: "VkImage" (in the layout GENERAL, which it keeps,
 * with usage for sampling and copies, and for storing with VD_IMAGE_STORAGE), "CUmipmappedArray", "CUarray" (level 0).
 * Where images lie in buffers: "cl_mem" (OpenCL), "address" (host), the texels level by level as vd_image_read() gives
 * them. Waits for the image's preparation if nothing has used it yet. Work of the program's on it is ordered by the
 * program. On a GPU of OpenCL each launch that samples the image copies level 0 from then on, since the program may
 * have written it.
 *
 * @param image      Image to look into.
 * @param kind       Kind of native object.
 * @param queue      Whose replica, of an image with VD_IMAGE_PER_QUEUE; any other image is the same for all.
 * @param out_handle Receives the native object, which the library keeps.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED, VD_ERR_STATE (discarded), VD_ERR_DEVICE_LOST.
 * @since 0.2
 */
VD_API vd_status vd_image_get_native(const vd_image *image, const char *kind, uint32_t queue,
                                     uint64_t *out_handle) /*@waits*/;

/**
 * Record a copy from a buffer into an image.
 *
 * @param graph         Graph to record into.
 * @param image         Destination of the copy.
 * @param region        Part of the image. NULL means all of level 0.
 * @param source        Source of the copy: texels without gaps.
 * @param source_offset First byte of its range, a multiple of the texel's size and of 4.
 * @param out_node      Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.2
 */
VD_API vd_status vd_graph_copy_buffer_to_image(vd_graph *graph, vd_image *image,
                                               const vd_image_region *region /*@nullable*/, vd_buffer *source,
                                               uint64_t source_offset, vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Record a copy from an image into a buffer.
 *
 * @param graph              Graph to record into.
 * @param image              Source of the copy.
 * @param region             Part of the image. NULL means all of level 0.
 * @param destination        Destination of the copy: texels without gaps.
 * @param destination_offset First byte of its range, a multiple of the texel's size and of 4.
 * @param out_node           Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.2
 */
VD_API vd_status vd_graph_copy_image_to_buffer(vd_graph *graph, vd_image *image,
                                               const vd_image_region *region /*@nullable*/, vd_buffer *destination,
                                               uint64_t destination_offset, vd_node *out_node /*@nullable*/)
    /*@exclusive*/;

/**
 * Record a copy from one image to another of the same format, or between parts of one that do not overlap.
 *
 * @param graph       Graph to record into.
 * @param image       Source of the copy.
 * @param region      Part of the source. NULL means all of level 0.
 * @param destination Destination of the copy.
 * @param to          Part of the destination, of the same extent and number of layers. NULL means all of level 0.
 * @param out_node    Receives the node's number in the graph. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE.
 * @since 0.2
 */
VD_API vd_status vd_graph_copy_image(vd_graph *graph, vd_image *image, const vd_image_region *region /*@nullable*/,
                                     vd_image *destination, const vd_image_region *to /*@nullable*/,
                                     vd_node *out_node /*@nullable*/) /*@exclusive*/;

/**
 * Record vd_image_generate_mips().
 *
 * @param graph    Graph to record into.
 * @param image    Image of several levels.
 * @param out_node Receives the number of the last of its nodes. NULL if it is not needed.
 * @return VD_ERR_INVALID, VD_ERR_STATE, VD_ERR_UNSUPPORTED, VD_ERR_OUT_OF_MEMORY.
 * @since 0.2
 */
VD_API vd_status vd_graph_generate_mips(vd_graph *graph, vd_image *image, vd_node *out_node /*@nullable*/)
    /*@exclusive*/;

/**
 * Replace images in all nodes of a graph that have them as arguments: vd_graph_replace_buffers() for images. Samplers
 * and levels stay.
 *
 * @param graph        Graph to change.
 * @param images       Images to replace.
 * @param replacements The image that takes the place of each.
 * @param count        Number of entries.
 * @return VD_ERR_INVALID (also for another format, extent or number of levels, where a node of vd_graph_generate_mips()
 *         has the image), VD_ERR_STATE.
 * @since 0.2
 */
VD_API vd_status vd_graph_replace_images(vd_graph *graph, vd_image *const *images /*@array(count)*/,
                                         vd_image *const *replacements /*@array(count)*/, uint32_t count)
    /*@exclusive*/;

/** Interpolation between texels. @since 0.1 */
typedef VD_ENUM(vd_filter) {
    VD_FILTER_NEAREST  = 0, /**< The texel whose center is nearest, exactly; of two the one at the higher place. */
    VD_FILTER_LINEAR   = 1, /**< A weighted mean of the neighbours. */
    VD_FILTER_FORCE_32 = 0x7FFFFFFF
} vd_filter;

/** Addressing outside of an image, with Vulkan's numbers. @since 0.1 */
typedef VD_ENUM(vd_address_mode) {
    VD_ADDRESS_REPEAT               = 0, /**< The image again. */
    VD_ADDRESS_MIRRORED_REPEAT      = 1, /**< The image again, every other time mirrored. */
    VD_ADDRESS_CLAMP_TO_EDGE        = 2, /**< The texel at the edge. */
    VD_ADDRESS_CLAMP_TO_BORDER      = 3, /**< The border's color. */
    VD_ADDRESS_MIRROR_CLAMP_TO_EDGE = 4, /**< The image mirrored once, then the texel at the edge. */
    VD_ADDRESS_MODE_FORCE_32        = 0x7FFFFFFF
} vd_address_mode;

/** Border color of VD_ADDRESS_CLAMP_TO_BORDER, with Vulkan's numbers. @since 0.1 */
typedef VD_ENUM(vd_border_color) {
    VD_BORDER_FLOAT_TRANSPARENT_BLACK = 0, /**< Floats: all channels 0. */
    VD_BORDER_INT_TRANSPARENT_BLACK   = 1, /**< Integers: all channels 0. */
    VD_BORDER_FLOAT_OPAQUE_BLACK      = 2, /**< Floats: colors 0, alpha 1. */
    VD_BORDER_INT_OPAQUE_BLACK        = 3, /**< Integers: colors 0, alpha 1. */
    VD_BORDER_FLOAT_OPAQUE_WHITE      = 4, /**< Floats: all channels 1. */
    VD_BORDER_INT_OPAQUE_WHITE        = 5, /**< Integers: all channels 1. */
    VD_BORDER_COLOR_FORCE_32          = 0x7FFFFFFF
} vd_border_color;

#define VD_LOD_BASE (-1) /*@type(int32_t)*/ /**< Highest level of detail of a sampler that takes level 0 alone.
                                                 @since 0.2 */

/** Filter and addressing of a sampler. @since 0.1 */
typedef struct vd_sampler_desc {
    uint32_t        struct_size;  /**< Set by VD_SAMPLER_DESC_INIT. */
    vd_filter       mag_filter;   /**< Filter for texels that are larger than the distance of the samples. */
    vd_filter       min_filter;   /**< Filter for texels that are smaller than the distance of the samples. */
    vd_filter       mip_filter;   /**< Filter between mip levels. */
    vd_address_mode address_mode; /**< Addressing outside of the image, on all axes. */
    vd_border_color border_color; /**< Color of VD_ADDRESS_CLAMP_TO_BORDER. */
    float           mip_lod_bias; /**< Number that is added to the level of detail. */
    float           min_lod;      /**< Lowest level of detail. */
    float           max_lod;      /**< Highest level of detail. 0 means all levels, and VD_LOD_BASE, or any negative
                                       number, level 0 alone. */
    uint32_t        device;       /**< Index of the device in the context. */
} vd_sampler_desc;
#define VD_SAMPLER_DESC_INIT { (uint32_t)sizeof(vd_sampler_desc), VD_FILTER_NEAREST, VD_FILTER_NEAREST, \
    VD_FILTER_NEAREST, VD_ADDRESS_REPEAT, VD_BORDER_FLOAT_TRANSPARENT_BLACK, 0, 0, 0, 0 }

/**
 * Create a sampler, for any image of its device.
 *
 * @param ctx         Context to use it in.
 * @param desc        Filter and addressing.
 * @param out_sampler The new sampler, or NULL on failure. Release it with vd_sampler_release().
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED.
 * @since 0.1
 */
VD_API vd_status vd_sampler_create(vd_context *ctx, const vd_sampler_desc *desc, vd_sampler **out_sampler);
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_sampler_retain(vd_sampler *sampler /*@nullable*/);
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_sampler_release(vd_sampler *sampler /*@nullable*/);

/* ---- Unstable ------------------------------------------------------------------------------------------------------
 * What is not proven yet. Until it moves to a section above, it may change or go in any release; its symbols have a
 * version of their own. The section is declared where a program defines VD_UNSTABLE, and works with a library of the
 * same VD_UNSTABLE_VERSION alone. Fields and enumerators above that are no more certain are marked @unstable: those of
 * clusters, which CUDA alone runs. Transforms inside kernels stay here until the way in which a line is divided among
 * invocations is settled, which vd_fft_block_info and the order of the registers show.
 *
 * Transforms inside kernels. A vd_fft_block writes transforms into a kernel that its caller builds: each of a
 * workgroup's lines lies in the registers of the invocations that share it, and the caller fills them, does what it
 * likes, and stores them. Its calls emit code at the builder's present place; all invocations of a workgroup must come
 * there together. Launch the kernel by `workgroups`, with the workgroup size that the block fixes in it. A line must
 * fit a workgroup; no prime factor of its length is above 13. Nothing besides the caller's own arguments is bound. A
 * block keeps its builder alive.
 *
 * The registers are in an *order*, which says what each one is. A transform goes from the order of its inputs
 * (VD_FFT_ORDER_INPUT, the first one) to that of its outputs (VD_FFT_ORDER_OUTPUT), or from there back: so what follows
 * a transform, a multiplication and the transform back, needs no reordering in between. */

#ifdef VD_UNSTABLE

#define VD_UNSTABLE_VERSION 1 /*@type(uint32_t)*/ /**< Version of this section, which changes whenever a declaration of
                                                       the section does. A library with another version refuses the
                                                       entries of the section with VD_ERR_UNSUPPORTED. @since 0.2 */

/** A transform of lines in the registers of a kernel that the caller writes. @since 0.1 */
typedef struct vd_fft_block vd_fft_block /*@exclusive @unstable*/;

/** Lines to transform: those along the middle dimension of an array [outer_count][size][inner_count]. @since 0.1 */
typedef struct vd_fft_block_desc {
    uint32_t struct_size;      /**< Set by VD_FFT_BLOCK_DESC_INIT. */
    uint32_t unstable_version; /**< VD_UNSTABLE_VERSION, set by VD_FFT_BLOCK_DESC_INIT. */
    vd_type  compute_type;     /**< Complex type of the registers. 0 means VD_TYPE_COMPLEX_F32. */
    uint32_t reserved;         /**< Must be zero. */
    uint64_t size;             /**< Number of complex elements of a line, at least 1. */
    uint64_t outer_count;      /**< Number of arrays of lines, one after the other. 0 means 1. */
    uint64_t inner_count;      /**< Number of lines side by side, which is the distance between neighbours of a line. 0
                                    means 1. */
    uint32_t max_registers;    /**< Number of complex registers of an invocation, at least the largest prime factor
                                    of `size`. It is doubled if a line does not fit otherwise. 0 leaves it to the
                                    library. */
    uint32_t max_invocations;  /**< Largest number of invocations of a workgroup. 0 means the limit of `device`. If
                                    `device` is NULL, 0 means 128, which every device has. */
    uint32_t max_shared_size;  /**< Bytes of shared memory that the block may use. 0 means the largest shared memory
                                    of a workgroup on `device`. If `device` is NULL, 0 means 16384, which every
                                    device has. */
    uint32_t max_lines;        /**< Largest number of lines of a workgroup. 0 leaves it to the library. */
    const vd_device_info *device /*@nullable*/;
                               /**< Device that the kernel is tuned for, as vd_context_get_device() reports it. The
                                    kernel is correct on every device whose limits it fits. The properties are
                                    copied. NULL means any device. */
} vd_fft_block_desc;
#define VD_FFT_BLOCK_DESC_INIT { \
    (uint32_t)sizeof(vd_fft_block_desc), VD_UNSTABLE_VERSION, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL }

#define VD_MAX_FFT_STAGES 32 /*@type(uint32_t)*/ /**< Stages of a line at most. @since 0.1 */

/** Layout of the lines' transforms. @since 0.1 */
typedef struct vd_fft_block_info {
    uint32_t struct_size;                         /**< Set by VD_FFT_BLOCK_INFO_INIT. */
    uint32_t invocations;                         /**< Number of invocations that share a line. */
    uint32_t lines;                               /**< Number of lines of a workgroup. */
    vd_bool  columns;                             /**< Whether neighbouring invocations work on neighbouring lines
                                                       instead of on one line. */
    uint32_t register_count;                      /**< Number of complex registers of an invocation. */
    uint32_t stage_count;                         /**< Number of stages of a transform, at least 1. */
    uint32_t radices[VD_MAX_FFT_STAGES] /*@array(stage_count)*/;
                                                  /**< Radix of each stage. Invocation n % `invocations` of a line
                                                       computes its n-th butterfly. */
    uint32_t workgroup_size[3];                   /**< Workgroup size of the kernel. */
    uint32_t workgroups[3];                       /**< Number of workgroups to launch on each axis. */
    uint32_t shared_size;                         /**< Bytes of shared memory that transforms use. */
} vd_fft_block_info;
#define VD_FFT_BLOCK_INFO_INIT { (uint32_t)sizeof(vd_fft_block_info), 0, 0, 0, 0, 0, { 0 }, { 0 }, { 0 }, 0 }

/**
 * Get the layout that a block for these lines would have.
 *
 * @param desc     Properties of the transform.
 * @param out_info Receives the properties.
 * @return VD_ERR_INVALID (a prime factor above 13), VD_ERR_UNSUPPORTED (a line does not fit a workgroup; the program
 *         was built for another VD_UNSTABLE_VERSION).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_get_info(const vd_fft_block_desc *desc, vd_fft_block_info *out_info)
    /*@static @unstable*/;

/**
 * Begin to transform in a kernel: declare registers, which are zero, and work out which line an invocation has. What
 * the block computes here is known in the block of code that is open now, and in those inside of it.
 *
 * @param builder   Kernel being written. Its workgroup size gets fixed; if it was before, it must be the same.
 * @param desc      Properties of the transform.
 * @param out_block The new block, or NULL on failure. Release it with vd_fft_block_release().
 * @return As vd_fft_block_get_info(); VD_ERR_INVALID (a function; another workgroup size), VD_ERR_STATE (finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_create(vd_builder *builder, const vd_fft_block_desc *desc, vd_fft_block **out_block)
    /*@unstable*/;
/** Take a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_fft_block_retain(vd_fft_block *block /*@nullable*/) /*@unstable*/;
/** Drop a reference. NULL is allowed and ignored. @since 0.1 */
VD_API void vd_fft_block_release(vd_fft_block *block /*@nullable*/) /*@unstable*/;

/** Line that an invocation works on, as values of the kernel. An invocation without a line of its own has the last
 *  line. @since 0.1 */
typedef struct vd_fft_block_assignment {
    uint32_t struct_size; /**< Set by VD_FFT_BLOCK_ASSIGNMENT_INIT. */
    uint32_t reserved;    /**< Always zero. */
    vd_value invocation;  /**< Number of the invocation among those that share the line, u32. */
    vd_value line;        /**< Number of the line in its workgroup, u32. */
    vd_value outer;       /**< Index of the line along the first dimension, u32. */
    vd_value inner;       /**< Index of the line along the last dimension, u32. */
    vd_value first;       /**< Index of the line's first element. It is u64 past 2^31 elements, and for a device
                               whose instructions add a constant to a 64-bit address. Otherwise it is u32. */
    vd_value exists;      /**< Condition that the line exists, bool. 0 means that it always does. */
} vd_fft_block_assignment;
#define VD_FFT_BLOCK_ASSIGNMENT_INIT { (uint32_t)sizeof(vd_fft_block_assignment), 0, 0, 0, 0, 0, 0, 0 }

/**
 * Get the line that an invocation works on.
 *
 * @param block          Block in a kernel.
 * @param out_assignment Receives the properties.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_block_get_assignment(const vd_fft_block *block, vd_fft_block_assignment *out_assignment)
    /*@unstable*/;

/**
 * List the registers: variables of the compute type.
 *
 * @param block         Block in a kernel.
 * @param cap           Number of entries that `out_registers` has room for.
 * @param out_registers Receives references to them. It may be NULL if `cap` is 0.
 * @param out_count     Receives the number of all of them.
 * @return VD_INCOMPLETE; VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_block_get_registers(const vd_fft_block *block, uint32_t cap,
                                        vd_value *out_registers /*@nullable @array(cap)*/, uint32_t *out_count)
    /*@remarks(VD_INCOMPLETE) @unstable*/;

/**
 * Work on other variables from here on, as a kernel that holds several lines at once does. The order stays.
 *
 * @param block          Block in a kernel.
 * @param registers      References to variables of the compute type, each another one.
 * @param register_count How many, exactly the block's.
 * @return VD_ERR_INVALID, VD_ERR_STATE (elements are being gone through; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_set_registers(vd_fft_block *block, const vd_value *registers /*@array(register_count)*/,
                                            uint32_t register_count) /*@unstable*/;

/* Orders of the registers: 2 s is that of the inputs of stage s, 2 s + 1 that of its outputs; from the end -2 is that
 * of the inputs of the last stage, -1 that of its outputs. A stage may use fewer registers than there are. */
#define VD_FFT_ORDER_INPUT 0 /*@type(int32_t)*/ /**< The order of the inputs of the first stage. @since 0.1 */
#define VD_FFT_ORDER_OUTPUT (-1) /*@type(int32_t)*/ /**< The order of the outputs of the last stage. @since 0.1 */

/** Purpose of a walk over elements. @since 0.1 */
typedef VD_ENUM(vd_fft_access) {
    VD_FFT_ACCESS_READ         = 0, /**< To fill registers. An invocation without work may repeat what another one
                                         reads. */
    VD_FFT_ACCESS_WRITE        = 1, /**< To store registers in memory: each element of a line that exists, once. */
    VD_FFT_ACCESS_WRITE_SHARED = 2, /**< To store registers in shared memory: each element of a line of the workgroup,
                                         once. */
    VD_FFT_ACCESS_FORCE_32     = 0x7FFFFFFF
} vd_fft_access;

/** One register, and the element of the line that it holds. @since 0.1 */
typedef struct vd_fft_block_element {
    uint32_t struct_size;   /**< Set by VD_FFT_BLOCK_ELEMENT_INIT. */
    uint32_t element_id;    /**< Number of the register. */
    uint32_t element_count; /**< Number of registers that the order uses. */
    uint32_t butterfly;     /**< Number of the invocation's butterfly that the register belongs to. */
    vd_value position;      /**< Position along the line, u32. */
    vd_value index;         /**< Index of the element in the array, of the type of `vd_fft_block_assignment.first`. */
    vd_value value;         /**< Register of the element, or 0 after the last one. */
} vd_fft_block_element;
#define VD_FFT_BLOCK_ELEMENT_INIT { (uint32_t)sizeof(vd_fft_block_element), 0, 0, 0, 0, 0, 0 }

/**
 * Go on to the next register in the present order. What is emitted until the next call is for this element; where only
 * some invocations may do it, it stands in an `if` that the block opens and closes.
 *
 * @param block       Block in a kernel.
 * @param access      Purpose of the walk. It must not change before the last element.
 * @param out_element The element.
 * @return VD_ERR_STATE (elements are being gone through for something else; a block of code was left open; the kernel
 *         is finished), VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_block_next(vd_fft_block *block, vd_fft_access access, vd_fft_block_element *out_element)
    /*@unstable*/;

/**
 * End the walk over elements before the last one. Without a walk it does nothing.
 *
 * @param block Block in a kernel.
 * @return VD_ERR_STATE (a block of code was left open; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_end(vd_fft_block *block) /*@unstable*/;

/**
 * Transform the lines, from the order of inputs to that of outputs or back. The result is not normalized.
 *
 * @param block     Block in a kernel.
 * @param direction Direction of the transform.
 * @return VD_ERR_STATE (another order; elements are being gone through; the kernel is finished), VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_fft_block_execute(vd_fft_block *block, vd_fft_direction direction) /*@unstable*/;

/**
 * Divide the registers by the length of a line.
 *
 * @param block Block in a kernel.
 * @return VD_ERR_STATE (elements are being gone through; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_normalize(vd_fft_block *block) /*@unstable*/;

/**
 * Bring the registers into another order, through shared memory where invocations share a line.
 *
 * @param block Block in a kernel.
 * @param order VD_FFT_ORDER_INPUT or another one.
 * @return VD_ERR_INVALID (no such order), VD_ERR_STATE (elements are being gone through; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_reorder(vd_fft_block *block, int32_t order) /*@unstable*/;

/**
 * Set the order that the registers are in, after the caller filled them by other means.
 *
 * @param block Block in a kernel.
 * @param order VD_FFT_ORDER_INPUT or another one.
 * @return VD_ERR_INVALID (no such order), VD_ERR_STATE (elements are being gone through).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_set_order(vd_fft_block *block, int32_t order) /*@unstable*/;

/**
 * Write the registers to shared memory, each at its position along the line.
 *
 * @param block Block in a kernel.
 * @return VD_ERR_UNSUPPORTED (the lines of a workgroup do not fit), VD_ERR_STATE (elements are being gone through; the
 *         kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_to_shared(vd_fft_block *block) /*@unstable*/;

/**
 * Read the registers from shared memory.
 *
 * @param block Block in a kernel.
 * @param order Order that the registers will have.
 * @return VD_ERR_INVALID (no such order), VD_ERR_UNSUPPORTED (the lines of a workgroup do not fit), VD_ERR_STATE
 *         (elements are being gone through; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_from_shared(vd_fft_block *block, int32_t order) /*@unstable*/;

/**
 * Get a reference to an element of the invocation's line in shared memory. vd_fft_block_to_shared() fills it, and
 * transforms overwrite it.
 *
 * @param block         Block in a kernel.
 * @param position      Position along the line, an integer below its length.
 * @param out_reference A reference to it, of the compute type.
 * @return VD_ERR_INVALID, VD_ERR_UNSUPPORTED (the lines of a workgroup do not fit), VD_ERR_STATE (finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_shared(vd_fft_block *block, vd_value position, vd_value *out_reference) /*@unstable*/;

/**
 * Say what the caller does next with what vd_fft_block_shared() finds: a barrier stands here if shared memory was last
 * used the other way. The block's own calls see to that themselves.
 *
 * @param block  Block in a kernel.
 * @param access VD_FFT_ACCESS_READ or VD_FFT_ACCESS_WRITE_SHARED.
 * @return VD_ERR_INVALID, VD_ERR_STATE (elements are being gone through; the kernel is finished).
 * @since 0.1
 */
VD_API vd_status vd_fft_block_sync_shared(vd_fft_block *block, vd_fft_access access) /*@unstable*/;

/** A finding about the order of a block's registers. @since 0.2 */
typedef VD_ENUM(vd_fft_block_remark_kind) {
    VD_FFT_BLOCK_REMARK_NONE     = 0, /**< Nothing: there is no further remark. */
    VD_FFT_BLOCK_REMARK_CALL     = 1, /**< A call was given registers that are in another order than it takes. */
    VD_FFT_BLOCK_REMARK_ELEMENTS = 2, /**< Elements of another order than the registers' were used with their
                                           position. */
    VD_FFT_BLOCK_REMARK_MIXED    = 3, /**< A register of one order was put together with the same register of
                                           another. */
    VD_FFT_BLOCK_REMARK_FORCE_32 = 0x7FFFFFFF
} vd_fft_block_remark_kind;

/** Registers that were used in another order than they are in. @since 0.2 */
typedef struct vd_fft_block_remark {
    uint32_t struct_size;          /**< Set by VD_FFT_BLOCK_REMARK_INIT. */
    vd_fft_block_remark_kind kind; /**< Kind of the finding; VD_FFT_BLOCK_REMARK_NONE if there is no further remark. */
    int32_t  found;                /**< Order that the registers are in, counted from 0. */
    int32_t  wanted;               /**< Order in which they were used, or the other order that they were put together
                                        with. */
    vd_location location;          /**< Location of the builder where registers were put together; 0 for other
                                        remarks. */
    uint32_t reserved;             /**< Zero. */
} vd_fft_block_remark;
#define VD_FFT_BLOCK_REMARK_INIT { (uint32_t)sizeof(vd_fft_block_remark), VD_FFT_BLOCK_REMARK_NONE, 0, 0, 0, 0 }

/**
 * Take the next remark on registers that were used in another order than they are in.
 *
 * The kernel stays as it was written; mostly vd_fft_block_reorder() is missing. The block follows what stores, loads
 * and branches of the builder do, and does not remark on what it cannot know. Remarks that nobody has taken become
 * warnings in the log when the block is released.
 *
 * @param block      Block in a kernel.
 * @param out_remark Receives the remark.
 * @return VD_ERR_INVALID.
 * @since 0.2
 */
VD_API vd_status vd_fft_block_take_remark(vd_fft_block *block, vd_fft_block_remark *out_remark) /*@unstable*/;

#endif /* VD_UNSTABLE */

#ifdef __cplusplus
}
#endif

#endif /* VKDISPATCH_H */
