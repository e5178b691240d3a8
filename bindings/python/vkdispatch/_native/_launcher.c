/* Calling a kernel from Python without running Python code of the package's own: the bases of kernels and buffers, and
 * what waits for a context and submits a graph. Part of _vdhot; _launcher.py has the names where that is not built.
 *
 * What is out of the ordinary (a missing argument, another type, another size, a queue that is full) is not dealt with
 * here: the kernel's method _call() checks everything and says what is wrong. */
#include "_launch.h"

#include <limits.h>
#include <structmember.h>
#include <time.h>

static PyObject* raise_function; /* raises the exception of (status, message) */
static const char* (*last_error)(void);
static int32_t (*wait_idle)(void*, uint32_t, uint64_t);
static int32_t (*submit_graph)(void*, const void*, uint64_t*);
static int32_t (*wait_ticket)(void*, uint64_t, uint64_t);
int32_t (*vd_try_launch)(void*, void*, uint32_t, uint32_t, uint32_t, uint32_t, void**, uint32_t, const void*, uint32_t);
struct References vd_references;
int vd_unlock_launches;

VD_PER_THREAD unsigned vd_thread_marks;
PyTypeObject* vd_buffer_type;
static PyTypeObject* launch_type;
static PyObject* name_call;

void vd_raise_status(int32_t status) {
  PyObject* result = PyObject_CallFunction(raise_function, "iy", (int)status, last_error());
  if (!result) return;
  Py_DECREF(result);
  PyErr_SetString(PyExc_SystemError, "a failed call raised nothing");
}
/* ---- Objects */

int vd_visit_all(PyObject** first, size_t count, visitproc visit, void* arg) {
  for (size_t i = 0; i < count; i++) Py_VISIT(first[i]);
  return 0;
}

void vd_clear_all(PyObject** first, size_t count) {
  for (size_t i = 0; i < count; i++) Py_CLEAR(first[i]);
}

void vd_free_object(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

void* vd_new_object(PyTypeObject* type) {
  allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  return alloc(type, 0);
}

/* ---- BufferBase */

COLLECTED(buffer, Buffer, dtype, 1)

static PyObject* buffer_get_bind(PyObject* object, void* closure) {
  (void)closure;
  void* handle = ((Buffer*)object)->handle;
  if (handle) return PyLong_FromVoidPtr(handle);
  PyErr_SetString(PyExc_AttributeError, "_bind");
  return NULL;
}

static int buffer_set_bind(PyObject* object, PyObject* value, void* closure) {
  (void)closure;
  void* handle = NULL;
  if (value && value != Py_None) {
    handle = PyLong_AsVoidPtr(value);
    if (!handle && PyErr_Occurred()) return -1;
  }
  ((Buffer*)object)->handle = handle;
  return 0;
}

static PyMemberDef buffer_members[] = {
    {"var_type", T_OBJECT_EX, offsetof(Buffer, dtype), 0, "The dtype of the elements."},
    {"mem_size", T_ULONGLONG, offsetof(Buffer, size), 0, "Bytes of all elements."},
    {"_context_serial", T_ULONGLONG, offsetof(Buffer, context), 0, "The number of its context."},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef buffer_properties[] = {
    {"_bind", buffer_get_bind, buffer_set_bind, "What a launch passes on; None takes it away.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot buffer_slots[] = {
    COLLECTED_SLOTS(buffer),
    {Py_tp_members, buffer_members},
    {Py_tp_getset, buffer_properties},
    {0, NULL},
};

static PyType_Spec buffer_spec = {
    "vkdispatch._native._vdhot.BufferBase",
    (int)sizeof(Buffer),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    buffer_slots,
};

/* ---- KernelBase: what a kernel is called by */

typedef struct {
  PyObject_HEAD PyObject* quick; /* a Launch, or NULL */
} Kernel;

COLLECTED(kernel, Kernel, quick, 1)

static PyObject* kernel_get_quick(PyObject* object, void* closure) {
  (void)closure;
  PyObject* quick = ((Kernel*)object)->quick;
  if (!quick) Py_RETURN_NONE;
  Py_INCREF(quick);
  return quick;
}

static int kernel_set_quick(PyObject* object, PyObject* value, void* closure) {
  (void)closure;
  if (value == Py_None) value = NULL;
  if (value && Py_TYPE(value) != launch_type) {
    PyErr_SetString(PyExc_TypeError, "_quick is a Launch or None");
    return -1;
  }
  PyObject* before = ((Kernel*)object)->quick;
  Py_XINCREF(value);
  ((Kernel*)object)->quick = value;
  Py_XDECREF(before);
  return 0;
}

static PyObject* kernel_call(PyObject* object, PyObject* args, PyObject* kwargs) {
  PyObject* quick = ((Kernel*)object)->quick;
  if (quick) {
    Py_INCREF(quick);
    const int result = vd_launch_run(quick, args, kwargs);
    Py_DECREF(quick);
    if (result > 0) Py_RETURN_NONE;
    if (result < 0) return NULL;
  }
  PyObject* slower = PyObject_GetAttr(object, name_call);
  if (!slower) return NULL;
  PyObject* result = PyObject_Call(slower, args, kwargs);
  Py_DECREF(slower);
  return result;
}

static PyGetSetDef kernel_properties[] = {
    {"_quick", kernel_get_quick, kernel_set_quick, "The prepared launch; None leaves every call to _call().", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot kernel_slots[] = {
    COLLECTED_SLOTS(kernel),
    {Py_tp_call, (void*)kernel_call},
    {Py_tp_getset, kernel_properties},
    {0, NULL},
};

static PyType_Spec kernel_spec = {
    "vkdispatch._native._vdhot.KernelBase",
    (int)sizeof(Kernel),
    0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC,
    kernel_slots,
};

/* ---- Waiter and Submitter: what may wait, a context's queues and a graph, without the interpreter's lock */

typedef struct {
  PyObject_HEAD PyObject* owner; /* keeps the context or graph alive */
  void* handle;
  uint32_t short_waits; /* in a row */
  int hurries;          /* a wait without a timeout is quicker there */
} Waiter;

COLLECTED(waiter, Waiter, owner, 1)

static PyObject* waiter_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  unsigned long long address;
  PyObject* owner;
  int hurries = 0;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "KO|p", &address, &owner, &hurries)) return NULL;
  Waiter* self = vd_new_object(type);
  if (!self) return NULL;
  self->handle = (void*)(uintptr_t)address;
  self->hurries = hurries;
  Py_INCREF(owner);
  self->owner = owner;
  return (PyObject*)self;
}

/* Where it pays, a wait after so many short ones has no timeout; one that turns out long is the last of those. */
#define SHORT_WAITS 16
#define SHORT_WAIT_NS 200000

static uint64_t nanoseconds(void) {
#if defined(CLOCK_MONOTONIC)
  struct timespec now;
  if (clock_gettime(CLOCK_MONOTONIC, &now) == 0) return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
  return 0;
}

/* In slices, so that an interrupt from the keyboard arrives between two of them. */
static PyObject* waiter_wait(PyObject* object, PyObject* const* args, Py_ssize_t count) {
  if (count != 2) {
    PyErr_SetString(PyExc_TypeError, "wait_idle takes 2 arguments");
    return NULL;
  }
  const unsigned long queue = PyLong_AsUnsignedLong(args[0]);
  const unsigned long long slice = PyLong_AsUnsignedLongLong(args[1]);
  if ((queue == (unsigned long)-1 || slice == ULLONG_MAX) && PyErr_Occurred()) return NULL;
  Waiter* self = (Waiter*)object;
  const uint64_t began = self->hurries ? nanoseconds() : 0;
  const int hurry = self->short_waits >= SHORT_WAITS;
  for (;;) {
    int32_t status;
    Py_BEGIN_ALLOW_THREADS status = wait_idle(self->handle, (uint32_t)queue, hurry ? UINT64_MAX : slice);
    Py_END_ALLOW_THREADS if (status == 0) {
      if (began != 0) self->short_waits = nanoseconds() - began < SHORT_WAIT_NS ? self->short_waits + !hurry : 0;
      Py_RETURN_NONE;
    }
    if (status < 0) {
      vd_raise_status(status);
      return NULL;
    }
    if (PyErr_CheckSignals() < 0) return NULL;
  }
}

static PyMethodDef waiter_methods[] = {
    {"wait_idle", (PyCFunction)(void (*)(void))waiter_wait, METH_FASTCALL, "wait_idle(queue, slice in nanoseconds)"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot waiter_slots[] = {
    COLLECTED_SLOTS(waiter),
    {Py_tp_new, (void*)waiter_new},
    {Py_tp_methods, waiter_methods},
    {0, NULL},
};

static PyType_Spec waiter_spec = {
    "vkdispatch._native._vdhot.Waiter", (int)sizeof(Waiter), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, waiter_slots,
};

/* Once, on the first queue, with the values that are recorded. */
static PyObject* submitter_submit(PyObject* object, PyObject* unused) {
  int32_t status;
  (void)unused;
  Py_BEGIN_ALLOW_THREADS status = submit_graph(((Waiter*)object)->handle, NULL, NULL);
  Py_END_ALLOW_THREADS if (status >= 0) Py_RETURN_NONE;
  vd_raise_status(status);
  return NULL;
}

static PyMethodDef submitter_methods[] = {
    {"submit", submitter_submit, METH_NOARGS, "submit(): run what is recorded"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot submitter_slots[] = {
    COLLECTED_SLOTS(waiter),
    {Py_tp_new, (void*)waiter_new},
    {Py_tp_methods, submitter_methods},
    {0, NULL},
};

static PyType_Spec submitter_spec = {
    "vkdispatch._native._vdhot.Submitter",   (int)sizeof(Waiter), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, submitter_slots,
};

/* ---- Evaluator: a graph that is submitted and waited for, without the interpreter's lock */

typedef struct {
  PyObject_HEAD PyObject* owner; /* keeps the graph, the description and the context alive */
  void *graph, *context;
  const void* desc; /* a vd_submit_desc, or none */
} Evaluator;

COLLECTED(evaluator, Evaluator, owner, 1)

static PyObject* evaluator_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  unsigned long long graph, desc, context;
  PyObject* owner;
  (void)kwargs;
  if (!PyArg_ParseTuple(args, "KKKO", &graph, &desc, &context, &owner)) return NULL;
  Evaluator* self = vd_new_object(type);
  if (!self) return NULL;
  self->graph = (void*)(uintptr_t)graph;
  self->desc = (const void*)(uintptr_t)desc;
  self->context = (void*)(uintptr_t)context;
  Py_INCREF(owner);
  self->owner = owner;
  return (PyObject*)self;
}

/* Waits so long at most, so that an interrupt from the keyboard arrives: work that is not done then has a ticket. */
static PyObject* evaluator_run(PyObject* object, PyObject* slice) {
  const unsigned long long time = PyLong_AsUnsignedLongLong(slice);
  if (time == ULLONG_MAX && PyErr_Occurred()) return NULL;
  Evaluator* self = (Evaluator*)object;
  uint64_t ticket = 0;
  int32_t status;
  Py_BEGIN_ALLOW_THREADS status = submit_graph(self->graph, self->desc, &ticket);
  if (status >= 0) status = wait_ticket(self->context, ticket, time);
  Py_END_ALLOW_THREADS if (status < 0) {
    vd_raise_status(status);
    return NULL;
  }
  return PyLong_FromUnsignedLongLong(status == 0 ? 0 : ticket);
}

static PyMethodDef evaluator_methods[] = {
    {"run", evaluator_run, METH_O, "run(nanoseconds): submit and wait; 0, or the ticket of what is not done by then"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot evaluator_slots[] = {
    COLLECTED_SLOTS(evaluator),
    {Py_tp_new, (void*)evaluator_new},
    {Py_tp_methods, evaluator_methods},
    {0, NULL},
};

static PyType_Spec evaluator_spec = {
    "vkdispatch._native._vdhot.Evaluator",   (int)sizeof(Evaluator), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, evaluator_slots,
};

/* ---- The module's part */

static PyObject* mark_thread(PyObject* module, PyObject* args) {
  unsigned int bit;
  int on;
  (void)module;
  if (!PyArg_ParseTuple(args, "Ip", &bit, &on)) return NULL;
  vd_thread_marks = on ? vd_thread_marks | bit : vd_thread_marks & ~bit;
  Py_RETURN_NONE;
}

static PyObject* thread_marks(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromUnsignedLong(vd_thread_marks);
}

/* ---- Tensors of DLPack */

/* Where the deleter is in a DLManagedTensorVersioned and in a DLManagedTensor of 64 bits. */
static const struct {
  const char* name;
  size_t deleter;
} dlpack_forms[] = {{"dltensor", 56}, {"dltensor_versioned", 16}};

/* A capsule that a consumer took has another name. */
static void destroy_capsule(PyObject* capsule) {
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  for (size_t i = 0; i < 2; i++) {
    if (!PyCapsule_IsValid(capsule, dlpack_forms[i].name)) continue;
    char* tensor = PyCapsule_GetPointer(capsule, dlpack_forms[i].name);
    void (*deleter)(void*) = *(void (**)(void*))(void*)(tensor + dlpack_forms[i].deleter);
    if (deleter) deleter(tensor);
  }
  PyErr_Restore(type, value, trace);
}

static PyObject* dlpack_capsule(PyObject* module, PyObject* args) {
  unsigned long long address;
  int versioned;
  (void)module;
  if (!PyArg_ParseTuple(args, "Kp", &address, &versioned)) return NULL;
  return PyCapsule_New((void*)(uintptr_t)address, dlpack_forms[versioned].name, destroy_capsule);
}

static PyObject* unlock_launches(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  vd_unlock_launches = 1;
  Py_RETURN_NONE;
}

static PyObject* start_launcher(PyObject* module, PyObject* args) {
  unsigned long long error, launch, wait, submit, ticket, references[4];
  PyObject* function;
  (void)module;
  if (!PyArg_ParseTuple(args, "OKKKKKKKKK", &function, &error, &launch, &wait, &submit, &ticket, references,
                        references + 1, references + 2, references + 3))
    return NULL;
  Py_INCREF(function);
  Py_XDECREF(raise_function);
  raise_function = function;
  last_error = (const char* (*)(void))(uintptr_t)error;
  vd_try_launch = (int32_t(*)(void*, void*, uint32_t, uint32_t, uint32_t, uint32_t, void**, uint32_t, const void*,
                              uint32_t))(uintptr_t)launch;
  wait_idle = (int32_t(*)(void*, uint32_t, uint64_t))(uintptr_t)wait;
  submit_graph = (int32_t(*)(void*, const void*, uint64_t*))(uintptr_t)submit;
  wait_ticket = (int32_t(*)(void*, uint64_t, uint64_t))(uintptr_t)ticket;
  vd_references.retain_plan = (Reference)(uintptr_t)references[0];
  vd_references.release_plan = (Reference)(uintptr_t)references[1];
  vd_references.retain_buffer = (Reference)(uintptr_t)references[2];
  vd_references.release_buffer = (Reference)(uintptr_t)references[3];
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"mark_thread", mark_thread, METH_VARARGS, "mark_thread(bit, on): what launches of this thread must look at"},
    {"thread_marks", thread_marks, METH_NOARGS, "thread_marks(): the bits of mark_thread() that are on"},
    {"dlpack_capsule", dlpack_capsule, METH_VARARGS, "dlpack_capsule(address, versioned): a capsule of a tensor"},
    {"unlock_launches", unlock_launches, METH_NOARGS,
     "unlock_launches(): let go of the interpreter's lock in launches"},
    {"start_launcher", start_launcher, METH_VARARGS, "start_launcher(raise_function, *addresses)"},
    {NULL, NULL, 0, NULL},
};

int vd_add_launcher(PyObject* module);

int vd_add_launcher(PyObject* module) {
  static const struct {
    PyType_Spec* spec;
    const char* name;
    PyTypeObject** place;
  } types[] = {
      {&buffer_spec, "BufferBase", &vd_buffer_type},
      {&vd_launch_spec, "Launch", &launch_type},
      {&kernel_spec, "KernelBase", NULL},
      {&waiter_spec, "Waiter", NULL},
      {&submitter_spec, "Submitter", NULL},
      {&evaluator_spec, "Evaluator", NULL},
  };
  name_call = PyUnicode_InternFromString("_call");
  if (!name_call || vd_launch_prepare() < 0) return -1;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    PyObject* type = PyType_FromSpec(types[i].spec);
    if (!type) return -1;
    if (types[i].place) {
      Py_INCREF(type);
      *types[i].place = (PyTypeObject*)type;
    }
    if (PyModule_AddObject(module, types[i].name, type) < 0) return -1;
  }
  if (vd_add_calls(module) < 0 || PyModule_AddIntConstant(module, "INTERFACE", VD_HOT_INTERFACE) < 0) return -1;
  return PyModule_AddFunctions(module, functions);
}
