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

#define VD_VERSION_MAJOR 0
#define VD_VERSION_MINOR 1
#define VD_VERSION_PATCH 0
#define VD_ABI 0
#define VD_MAX_DIMS 8

/** What a call came to. @since 0.1 */
typedef VD_ENUM(vd_status) {
    VD_OK              = 0,
    VD_INCOMPLETE      = 2,
    VD_ERR_INVALID     = -1, /**< A wrong argument. */
    VD_STATUS_FORCE_32 = 0x7FFFFFFF
} vd_status;

/** This thread's last failure. @since 0.1 */
VD_API const char *vd_last_error(void);

/* ---- Buffers ----------
 * Memory. */

/** Memory on a device. */
typedef struct vd_buffer vd_buffer;

/** Take a reference. @since 0.1 */
VD_API void vd_buffer_retain(vd_buffer *buffer /*@nullable*/);
/** Drop a reference. @since 0.1 */
VD_API void vd_buffer_release(vd_buffer *buffer /*@nullable*/);

/** How a buffer is placed. */
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
    uint64_t        shape[VD_MAX_DIMS]; /**< Elements. */
    const char     *label /*@nullable*/;              /**< Name. */
    const void     *data /*@nullable @bytes(size)*/; /**< Contents. */
} vd_buffer_desc;
#define VD_BUFFER_DESC_INIT { (uint32_t)sizeof(vd_buffer_desc), 0, 0, { 0 }, NULL, NULL }

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
                               uint32_t item_count, const void *data /*@nullable @bytes(data_size)*/, uint32_t data_size,
                               uint64_t *out_value) /*@hot*/;
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
