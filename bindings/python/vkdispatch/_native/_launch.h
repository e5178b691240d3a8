/* What _launcher.c, _launch.c and _calls.c share. They belong to the extension _vdhot; see _launcher.c. */
#pragma once
#define Py_LIMITED_API 0x030A0000
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stddef.h>
#include <stdint.h>

/* What the extension and the package ask of each other; _extension.py has the package's number, counted up with it. */
#define VD_HOT_INTERFACE 5

#if defined(_MSC_VER)
#define VD_PER_THREAD __declspec(thread)
#else
#define VD_PER_THREAD _Thread_local
#endif

/* ---- Objects */

int vd_visit_all(PyObject** first, size_t count, visitproc visit, void* arg);
void vd_clear_all(PyObject** first, size_t count);
void vd_free_object(PyObject* object);
/* An object of `type`, whose fields behind the head are zero. */
void* vd_new_object(PyTypeObject* type);

/* The Python objects of each type stand side by side: their number and the first. */
#define COLLECTED(name, type, first, count)                                      \
  static int name##_traverse(PyObject* object, visitproc visit, void* arg) {     \
    Py_VISIT(Py_TYPE(object));                                                   \
    return vd_visit_all((PyObject**)&((type*)object)->first, count, visit, arg); \
  }                                                                              \
  static int name##_clear(PyObject* object) {                                    \
    vd_clear_all((PyObject**)&((type*)object)->first, count);                    \
    return 0;                                                                    \
  }                                                                              \
  static void name##_dealloc(PyObject* object) {                                 \
    PyObject_GC_UnTrack(object);                                                 \
    vd_clear_all((PyObject**)&((type*)object)->first, count);                    \
    vd_free_object(object);                                                      \
  }

#define COLLECTED_SLOTS(name) \
  {Py_tp_traverse, (void*)name##_traverse}, {Py_tp_clear, (void*)name##_clear}, { Py_tp_dealloc, (void*)name##_dealloc }

/* ---- What launches look at */

/* A BufferBase: the library's handle, none once the buffer is destroyed, the elements' dtype, the size in bytes, and the
 * number of its context. */
typedef struct {
  PyObject_HEAD void* handle;
  PyObject* dtype;
  unsigned long long size;
  unsigned long long context;
} Buffer;
extern PyTypeObject* vd_buffer_type;

/* What a thread has that a launch must look at, which is seldom: bits of mark_thread(). */
enum { kGraph = 1, kTracing = 2, kStream = 4 };
extern VD_PER_THREAD unsigned vd_thread_marks;

extern int32_t (*vd_try_launch)(void*, void*, uint32_t, uint32_t, uint32_t, uint32_t, void**, uint32_t, const void*,
                                uint32_t);
/* Sets the exception of a negative status. */
void vd_raise_status(int32_t status);

typedef void (*Reference)(void* object);
extern struct References {
  Reference retain_plan, release_plan, retain_buffer, release_buffer;
} vd_references;
/* Set once a graph has a call of a Python function: the driver may hold up a launch until that function has returned,
 * which takes the interpreter's lock. */
extern int vd_unlock_launches;

/* ---- Launch */

extern PyType_Spec vd_launch_spec;
/* 1: launched. 0: left to the kernel's _call(). -1: the library refused it, and the exception is set. */
int vd_launch_run(PyObject* launch, PyObject* args, PyObject* kwargs);
/* Makes the names that it looks for; -1 and an exception if it cannot. */
int vd_launch_prepare(void);

/* ---- Calls from the library */

int vd_add_calls(PyObject* module); /* in _calls.c */
