"""Makes the generator importable, and gives tests a small header to vary."""

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "bindings" / "generator"))

#: The header as it begins before the first section, and as it ends.
PROLOGUE = """#ifndef VKDISPATCH_H
#define VKDISPATCH_H
#include <stddef.h>
#include <stdint.h>
#define VD_API
#ifdef __cplusplus
#define VD_ENUM(name) enum name : int32_t
extern "C" {
#else
#define VD_ENUM(name) enum name
#endif
"""
EPILOGUE = """
#ifdef __cplusplus
}
#endif

#endif /* VKDISPATCH_H */
"""
BODY = """
/* ---- Version ----------
 * Numbers. */

#define VD_VERSION_MAJOR 0 /*@type(uint32_t)*/ /**< Major. @since 0.1 */
#define VD_VERSION_MINOR 1 /*@type(uint32_t)*/ /**< Minor. @since 0.1 */
#define VD_VERSION_PATCH 0 /*@type(uint32_t)*/ /**< Patch. @since 0.1 */
#define VD_ABI 0 /*@type(uint32_t)*/ /**< Promise. @since 0.1 */
#define VD_MAX_DIMS 8 /*@type(uint32_t)*/ /**< Dimensions at most. @since 0.1 */

/** What a call came to. @since 0.1 */
typedef VD_ENUM(vd_status) {
    VD_OK              = 0,  /**< Success. */
    VD_TIMEOUT         = 1,  /**< The time ran out. */
    VD_INCOMPLETE      = 2,  /**< A list did not fit. */
    VD_ERR_INVALID     = -1, /**< A wrong argument. */
    VD_STATUS_FORCE_32 = 0x7FFFFFFF
} vd_status;

/** This thread's last failure. @since 0.1 */
VD_API const char *vd_last_error(void) /*@module*/;

/* ---- Buffers ----------
 * Memory. */

/** Memory on a device. @since 0.1 */
typedef struct vd_buffer vd_buffer;

/** Take a reference. @since 0.1 */
VD_API void vd_buffer_retain(vd_buffer *buffer /*@nullable*/);
/** Drop a reference. @since 0.1 */
VD_API void vd_buffer_release(vd_buffer *buffer /*@nullable*/);

/** How a buffer is placed. @since 0.1 */
enum {
    VD_BUFFER_DEVICE = 0,     /**< Device memory. */
    VD_BUFFER_HOST   = 1 << 0 /**< Host memory. */
};
typedef uint32_t vd_buffer_flags /*@flags(VD_BUFFER_)*/;

/** What to create. @since 0.1 */
typedef struct vd_buffer_desc {
    uint32_t        struct_size;        /**< Set by VD_BUFFER_DESC_INIT. */
    vd_buffer_flags flags;              /**< Placement. */
    uint64_t        size;               /**< Bytes. */
    uint32_t        rank;               /**< Dimensions. */
    uint32_t        device;             /**< Device. */
    uint64_t        shape[VD_MAX_DIMS] /*@array(rank)*/; /**< Elements. */
    const char     *label /*@nullable*/;              /**< Name. */
    const void     *data /*@nullable @bytes(size)*/; /**< Contents. */
} vd_buffer_desc;
#define VD_BUFFER_DESC_INIT { (uint32_t)sizeof(vd_buffer_desc), 0, 0, 0, 0, { 0 }, NULL, NULL }

/**
 * Create a buffer. Its contents are undefined.
 *
 * @param desc       What to create.
 * @param out_buffer The new buffer.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_create(const vd_buffer_desc *desc, vd_buffer **out_buffer);

/**
 * Use buffers.
 *
 * @param buffer   First.
 * @param count    A number.
 * @param items    Others.
 * @param item_count How many.
 * @param data     Bytes.
 * @param data_size How many.
 * @param out_value What came of it.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_use(vd_buffer *buffer, uint32_t count, vd_buffer **items /*@nullable @array(item_count)*/,
                               uint32_t item_count, const void *data /*@nullable @bytes(data_size)*/,
                               uint32_t data_size, uint64_t *out_value) /*@hot*/;

/**
 * Read. Waits for the memory.
 *
 * @param buffer   Buffer.
 * @param size     Bytes.
 * @param out_data Where to.
 * @return VD_TIMEOUT; VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_read(vd_buffer *buffer, uint64_t size, void *out_data /*@bytes(size)*/)
    /*@waits @remarks(VD_TIMEOUT)*/;

/**
 * List the sizes that there are.
 *
 * @param cap       Entries that `out_sizes` holds.
 * @param out_sizes The sizes.
 * @param out_count How many there are.
 * @return VD_INCOMPLETE; VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_buffer_sizes(uint32_t cap, uint64_t *out_sizes /*@nullable @array(cap)*/, uint32_t *out_count)
    /*@static @remarks(VD_INCOMPLETE)*/;

/* ---- Recorders ----------
 * Lists of work. */

/** A recorder. @since 0.1 */
typedef struct vd_recorder vd_recorder /*@exclusive*/;

/** Take a reference. @since 0.1 */
VD_API void vd_recorder_retain(vd_recorder *recorder /*@nullable*/);
/** Drop a reference. @since 0.1 */
VD_API void vd_recorder_release(vd_recorder *recorder /*@nullable*/);

/** How to go on. @since 0.1 */
enum {
    VD_STEP_ONE = 1,                /**< One step. */
    VD_STEP_ALL = 9 /*@unstable*/   /**< All steps. */
};
typedef uint32_t vd_step /*@values(VD_STEP_)*/;

/**
 * Read a recorder from text.
 *
 * @param text         The text.
 * @param out_recorder The recorder.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_recorder_parse(const char *text, vd_recorder **out_recorder) /*@constructs*/;

/**
 * Record.
 *
 * @param recorder Where to.
 * @param buffer   What.
 * @param step     How.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_recorder_add(vd_recorder *recorder, vd_buffer *buffer, vd_step step);

/** Set the level. @since 0.1 */
VD_API void vd_log_set_level(uint32_t level) /*@module(log)*/;

/* ---- Unstable ----------
 * Not proven. */
#ifdef VD_UNSTABLE

#define VD_UNSTABLE_VERSION 3 /*@type(uint32_t)*/ /**< Version of the section. @since 0.1 */

/** An image. @since 0.1 */
typedef struct vd_image vd_image;

/** Take a reference. @since 0.1 */
VD_API void vd_image_retain(vd_image *image /*@nullable*/) /*@unstable*/;
/** Drop a reference. @since 0.1 */
VD_API void vd_image_release(vd_image *image /*@nullable*/) /*@unstable*/;

/** What an image is. @since 0.1 */
typedef struct vd_image_desc {
    uint32_t struct_size;      /**< Set by VD_IMAGE_DESC_INIT. */
    uint32_t unstable_version; /**< VD_UNSTABLE_VERSION. */
} vd_image_desc;
#define VD_IMAGE_DESC_INIT { (uint32_t)sizeof(vd_image_desc), VD_UNSTABLE_VERSION }

/**
 * Create an image.
 *
 * @param desc      What it is.
 * @param out_image The image.
 * @return VD_ERR_INVALID.
 * @since 0.1
 */
VD_API vd_status vd_image_create(const vd_image_desc *desc, vd_image **out_image) /*@unstable*/;

#endif /* VD_UNSTABLE */
"""


@pytest.fixture
def small():
    """A function that gives the small header, with one piece of text replaced by another."""

    def make(old: str = "", new: str = "") -> str:
        assert old in BODY
        return PROLOGUE + (BODY.replace(old, new, 1) if old else BODY) + EPILOGUE

    return make


@pytest.fixture
def root() -> Path:
    return ROOT
