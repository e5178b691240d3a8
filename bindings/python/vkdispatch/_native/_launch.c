/* All about launching one kernel that does not depend on the call, and the launch itself. */
#include "_launch.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "_statuses.h"

/* A launch with more of these is left to _call(). */
enum { kMostParameters = 32, kMostBuffers = 16, kMostValues = 32, kMostBytes = 256 };

static PyObject *name_record, *name_builder, *name_custom_graph, *name_graph, *name_exec_size, *name_workgroups;

int vd_launch_prepare(void) {
  static const struct {
    PyObject** place;
    const char* text;
  } names[] = {
      {&name_record, "_record"}, {&name_builder, "builder"},     {&name_custom_graph, "custom_graph"},
      {&name_graph, "graph"},    {&name_exec_size, "exec_size"}, {&name_workgroups, "workgroups"},
  };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!(*names[i].place = PyUnicode_InternFromString(names[i].text))) return -1;
  }
  return 0;
}

typedef struct {
  int parameter;
  char format; /* as of the module struct */
  uint32_t offset;
} Value;

typedef struct {
  PyObject_HEAD
      /* Python's objects, for the collector. */
      PyObject* owner; /* keeps the plan alive */
  PyObject* names;     /* of the parameters, interned */
  PyObject* defaults;  /* None where there is none */
  PyObject* wanted;    /* dtype of each buffer */
  PyObject* accepted;  /* set of the dtypes that are as good */
  PyObject* pack;      /* makes the values' bytes, where `values` cannot; or None */
  PyObject* size;      /* function of the parameters, or None */
  PyObject* holder;    /* what `size` takes them as, or None */
  PyObject* graphs;    /* has custom_graph */
  PyObject* tracing;   /* has builder */
  PyObject* fields;    /* of each value, the attribute of its parameter; or None */
  PyObject* remark;    /* told of a buffer that is not a plain one: (number, buffer, invocations); or None */
  void* plan;
  unsigned long long context; /* its number: buffers of another are left to _call() */
  int parameter_count, buffer_count, value_count, immediate;
  int buffers[kMostBuffers]; /* their parameters */
  /* Bytes that each invocation needs of a buffer, where its number is the index; else 0. */
  uint32_t indexed_sizes[kMostBuffers];
  Value values[kMostValues];
  uint32_t values_size;
  uint32_t threads[3]; /* where no call says otherwise; 0: each must */
  uint32_t local[3];   /* invocations of a workgroup */
  uint32_t most_groups[3], most_threads[3];
  int groups; /* whether `size` counts workgroups, and not invocations */
} Launch;
enum { kLaunchObjects = 12 };

COLLECTED(launch, Launch, owner, kLaunchObjects)

static int read_entries(Launch* self, PyObject* buffers, PyObject* values) {
  Py_ssize_t buffer_count = PyTuple_Size(buffers), value_count = PyTuple_Size(values);
  Py_ssize_t parameter_count = PyTuple_Size(self->names);
  if (parameter_count > kMostParameters || buffer_count > kMostBuffers || value_count > kMostValues ||
      self->values_size > kMostBytes || PyTuple_Size(self->defaults) != parameter_count ||
      PyTuple_Size(self->wanted) != buffer_count || PyTuple_Size(self->accepted) != buffer_count ||
      PyTuple_Size(self->fields) != value_count) {
    PyErr_SetString(PyExc_ValueError, "more arguments than a quick launch takes");
    return -1;
  }
  self->parameter_count = (int)parameter_count;
  self->buffer_count = (int)buffer_count;
  self->value_count = (int)value_count;
  for (int i = 0; i < self->buffer_count; i++) {
    if (!PyArg_ParseTuple(PyTuple_GetItem(buffers, i), "iI", &self->buffers[i], &self->indexed_sizes[i])) return -1;
    if (self->buffers[i] < 0 || self->buffers[i] >= parameter_count) return -1;
  }
  for (int i = 0; i < self->value_count; i++) {
    Value* value = &self->values[i];
    int format;
    if (!PyArg_ParseTuple(PyTuple_GetItem(values, i), "iCI", &value->parameter, &format, &value->offset)) return -1;
    value->format = (char)format;
    if (value->parameter < 0 || value->parameter >= parameter_count || value->offset >= self->values_size) {
      PyErr_SetString(PyExc_ValueError, "a value lies outside the block of values");
      return -1;
    }
  }
  return 0;
}

/* Launch(plan, owner, names, defaults, wanted, accepted, buffers, values, values_size, pack, size, holder, graphs,
 * tracing, fields, remark, threads, local, most_groups, most_threads, groups, immediate, context) */
static PyObject* launch_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  unsigned long long plan;
  PyObject *owner, *names, *defaults, *wanted, *accepted, *buffers, *values, *pack, *size, *holder, *graphs, *tracing;
  PyObject *fields, *remark;
  Launch* self = vd_new_object(type);
  (void)kwargs;
  if (!self) return NULL;
  uint32_t *threads = self->threads, *local = self->local, *groups = self->most_groups, *most = self->most_threads;
  if (!PyArg_ParseTuple(args, "KOO!O!O!O!O!O!IOOOOOO!O(III)(III)(III)(III)ppK", &plan, &owner, &PyTuple_Type, &names,
                        &PyTuple_Type, &defaults, &PyTuple_Type, &wanted, &PyTuple_Type, &accepted, &PyTuple_Type,
                        &buffers, &PyTuple_Type, &values, &self->values_size, &pack, &size, &holder, &graphs, &tracing,
                        &PyTuple_Type, &fields, &remark, &threads[0], &threads[1], &threads[2], &local[0], &local[1],
                        &local[2], &groups[0], &groups[1], &groups[2], &most[0], &most[1], &most[2], &self->groups,
                        &self->immediate, &self->context)) {
    Py_DECREF(self);
    return NULL;
  }
  PyObject* given[kLaunchObjects] = {owner, names,  defaults, wanted,  accepted, pack,
                                     size,  holder, graphs,   tracing, fields,   remark};
  for (int i = 0; i < kLaunchObjects; i++) {
    Py_INCREF(given[i]);
    (&self->owner)[i] = given[i];
  }
  self->plan = (void*)(uintptr_t)plan;
  if (read_entries(self, buffers, values) < 0) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a buffer is no parameter");
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject*)self;
}

static PyObject* launch_drop(PyObject* object, PyObject* unused) {
  Launch* self = (Launch*)object;
  PyObject* owner = self->owner;
  (void)unused;
  self->plan = NULL;
  self->owner = NULL;
  Py_XDECREF(owner); /* else a launch that is kept for later would keep the device */
  Py_RETURN_NONE;
}

static PyMethodDef launch_methods[] = {
    {"drop", launch_drop, METH_NOARGS, "drop(): the plan is gone; from now on calls are left to _call()"},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot launch_slots[] = {
    COLLECTED_SLOTS(launch),
    {Py_tp_methods, launch_methods},
    {Py_tp_new, (void*)launch_new},
    {0, NULL},
};

PyType_Spec vd_launch_spec = {
    "vkdispatch._native._vdhot.Launch", (int)sizeof(Launch), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, launch_slots,
};

/* The steps of a launch give 1 if done, 0 if it is left to _call(), perhaps with an exception set. */

static int take_arguments(const Launch* self, PyObject* args, PyObject* kwargs, PyObject** given, PyObject** graph,
                          PyObject** exec_size, PyObject** workgroups) {
  const int count = self->parameter_count;
  const Py_ssize_t by_position = PyTuple_Size(args);
  if (by_position > count) return 0;
  for (int i = 0; i < count; i++) given[i] = i < by_position ? PyTuple_GetItem(args, i) : NULL;
  if (kwargs) {
    Py_ssize_t at = 0;
    PyObject *key, *value;
    while (PyDict_Next(kwargs, &at, &key, &value)) {
      if (key == name_exec_size) {
        *exec_size = value == Py_None ? NULL : value;
      } else if (key == name_graph) {
        *graph = value == Py_None ? NULL : value;
      } else if (key == name_workgroups) {
        *workgroups = value == Py_None ? NULL : value;
      } else {
        int i = (int)by_position;
        while (i < count && PyTuple_GetItem(self->names, i) != key) i++;
        if (i == count) return 0;
        given[i] = value;
      }
    }
  }
  for (int i = (int)by_position; i < count; i++) {
    if (given[i]) continue;
    given[i] = PyTuple_GetItem(self->defaults, i);
    if (given[i] == Py_None) return 0;
  }
  return 1;
}

/* The graph to record into; NULL runs the launch now. */
static int find_target(const Launch* self, PyObject* graph, void** target) {
  PyObject* own = NULL;
  if (vd_thread_marks & kStream) return 0;
  if (vd_thread_marks & kTracing) {
    PyObject* builder = PyObject_GetAttr(self->tracing, name_builder);
    Py_XDECREF(builder);
    if (builder != Py_None) return 0;
  }
  if (!graph && (vd_thread_marks & kGraph)) {
    own = PyObject_GetAttr(self->graphs, name_custom_graph);
    if (!own) return 0;
    if (own != Py_None) graph = own;
  }
  *target = NULL;
  int result = self->immediate;
  if (graph) {
    PyObject* record = PyObject_GetAttr(graph, name_record);
    result = record && PyLong_CheckExact(record);
    if (result) {
      *target = PyLong_AsVoidPtr(record);
      result = *target || !PyErr_Occurred();
    }
    Py_XDECREF(record);
  }
  Py_XDECREF(own);
  return result;
}

static int as_count(PyObject* object, uint32_t most, uint32_t* out) {
  if (!PyLong_CheckExact(object)) return 0;
  const long long value = PyLong_AsLongLong(object);
  if (value <= 0 || value > (long long)most) return 0;
  *out = (uint32_t)value;
  return 1;
}

/* A count, or a tuple of up to three, of workgroups or invocations. */
static int read_counts(const Launch* self, PyObject* value, int groups, uint32_t* threads) {
  const uint32_t* most = groups ? self->most_groups : self->most_threads;
  const Py_ssize_t axes = PyTuple_Check(value) ? PyTuple_Size(value) : 1;
  if (axes < 1 || axes > 3) return 0;
  for (int i = 0; i < 3; i++) {
    uint32_t count = 1;
    if (i < axes && !as_count(PyTuple_Check(value) ? PyTuple_GetItem(value, i) : value, most[i], &count)) return 0;
    threads[i] = count * (groups ? self->local[i] : 1);
  }
  return 1;
}

static int find_threads(const Launch* self, PyObject** given, PyObject* exec_size, PyObject* workgroups,
                        uint32_t* threads) {
  if (exec_size && workgroups) return 0;
  if (exec_size) return read_counts(self, exec_size, 0, threads);
  if (workgroups) return read_counts(self, workgroups, 1, threads);
  if (self->size == Py_None) {
    memcpy(threads, self->threads, sizeof self->threads);
    return threads[0] != 0 || self->most_threads[0] == 0; /* the plan knows its own */
  }
  PyObject* arguments = PyTuple_New(self->parameter_count);
  if (!arguments) return 0;
  for (int i = 0; i < self->parameter_count; i++) {
    Py_INCREF(given[i]);
    PyTuple_SetItem(arguments, i, given[i]);
  }
  PyObject* value = NULL;
  if (self->holder == Py_None) {
    value = PyObject_Call(self->size, arguments, NULL);
  } else {
    PyObject* held = PyObject_Call(self->holder, arguments, NULL);
    if (held) value = PyObject_CallFunctionObjArgs(self->size, held, NULL);
    Py_XDECREF(held);
  }
  Py_DECREF(arguments);
  if (!value) return 0;
  const int result = read_counts(self, value, self->groups, threads);
  Py_DECREF(value);
  return result;
}

#define PUT(type, number)            \
  do {                               \
    const type put = (type)(number); \
    memcpy(out, &put, sizeof put);   \
  } while (0)
#define PUT_INTEGER(type, least, most)               \
  do {                                               \
    if (value < (least) || value > (most)) return 0; \
    PUT(type, value);                                \
  } while (0)

static int put_number(char format, PyObject* object, unsigned char* out) {
  if (format == 'f' || format == 'd') {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) return 0;
    if (format == 'd') {
      PUT(double, value);
      return 1;
    }
    if (isinf((float)value) && !isinf(value)) return 0;
    PUT(float, value);
    return 1;
  }
  if (!PyLong_Check(object)) {
    PyObject* index = PyIndex_Check(object) ? PyNumber_Index(object) : NULL;
    const int result = index && put_number(format, index, out);
    Py_XDECREF(index);
    return result;
  }
  if (format == 'Q') {
    const unsigned long long value = PyLong_AsUnsignedLongLong(object);
    if (value == ULLONG_MAX && PyErr_Occurred()) return 0;
    PUT(uint64_t, value);
    return 1;
  }
  const long long value = PyLong_AsLongLong(object);
  if (value == -1 && PyErr_Occurred()) return 0;
  switch (format) {
    case 'h':
      PUT_INTEGER(int16_t, INT16_MIN, INT16_MAX);
      return 1;
    case 'H':
      PUT_INTEGER(uint16_t, 0, UINT16_MAX);
      return 1;
    case 'i':
      PUT_INTEGER(int32_t, INT32_MIN, INT32_MAX);
      return 1;
    case 'I':
      PUT_INTEGER(uint32_t, 0, UINT32_MAX);
      return 1;
    case 'q':
      PUT(int64_t, value);
      return 1;
    default:
      return 0;
  }
}

/* A value, as a new reference: an argument or an attribute of one. */
static PyObject* value_of(const Launch* self, PyObject** given, int i) {
  PyObject *value = given[self->values[i].parameter], *field = PyTuple_GetItem(self->fields, i);
  if (field != Py_None) return PyObject_GetAttr(value, field);
  Py_INCREF(value);
  return value;
}

/* `packed` is set where the bytes are those of a Python object. */
static int find_values(const Launch* self, PyObject** given, unsigned char* block, PyObject** packed) {
  if (self->pack == Py_None) {
    memset(block, 0, self->values_size);
    for (int i = 0; i < self->value_count; i++) {
      PyObject* value = value_of(self, given, i);
      const int done = value && put_number(self->values[i].format, value, block + self->values[i].offset);
      Py_XDECREF(value);
      if (!done) return 0;
    }
    return 1;
  }
  PyObject* arguments = PyTuple_New(self->value_count);
  if (!arguments) return 0;
  for (int i = 0; i < self->value_count; i++) {
    PyObject* value = value_of(self, given, i);
    if (!value) {
      Py_DECREF(arguments);
      return 0;
    }
    PyTuple_SetItem(arguments, i, value);
  }
  *packed = PyObject_Call(self->pack, arguments, NULL);
  Py_DECREF(arguments);
  return *packed && PyBytes_Check(*packed) && PyBytes_Size(*packed) == (Py_ssize_t)self->values_size;
}

/* Whether the buffers are ones to launch with. Of one of another dtype, and of one that is shorter than the launch,
 * `remark` is told, which says so or raises an error. */
static int check_buffers(const Launch* self, PyObject** given, uint32_t invocations) {
  for (int i = 0; i < self->buffer_count; i++) {
    PyObject* object = given[self->buffers[i]];
    if (!PyObject_TypeCheck(object, vd_buffer_type)) return 0;
    const Buffer* buffer = (const Buffer*)object;
    if (!buffer->handle || !buffer->dtype || buffer->context != self->context) return 0;
    if ((buffer->dtype == PyTuple_GetItem(self->wanted, i) ||
         PySet_Contains(PyTuple_GetItem(self->accepted, i), buffer->dtype) == 1) &&
        buffer->size >= (uint64_t)invocations * self->indexed_sizes[i])
      continue;
    PyObject* said =
        self->remark == Py_None ? NULL : PyObject_CallFunction(self->remark, "iOI", i, object, invocations);
    if (!said) return 0;
    Py_DECREF(said);
  }
  return 1;
}

static int find_buffers(const Launch* self, PyObject** given, void** handles) {
  for (int i = 0; i < self->buffer_count; i++) {
    handles[i] = ((const Buffer*)given[self->buffers[i]])->handle;
    if (!handles[i]) return 0; /* destroyed by what ran meanwhile */
  }
  return 1;
}

/* Launches without the interpreter's lock. Other threads may destroy the plan and the buffers meanwhile. */
static int32_t launch_unlocked(void* plan, const uint32_t* threads, void** handles, uint32_t count, const void* values,
                               uint32_t values_size) {
  int32_t status;
  vd_references.retain_plan(plan);
  for (uint32_t i = 0; i < count; i++) vd_references.retain_buffer(handles[i]);
  Py_BEGIN_ALLOW_THREADS;
  status = vd_try_launch(plan, NULL, 0, threads[0], threads[1], threads[2], handles, count, values, values_size);
  for (uint32_t i = 0; i < count; i++) vd_references.release_buffer(handles[i]);
  vd_references.release_plan(plan);
  Py_END_ALLOW_THREADS;
  return status;
}

int vd_launch_run(PyObject* launch, PyObject* args, PyObject* kwargs) {
  const Launch* self = (const Launch*)launch;
  PyObject *given[kMostParameters], *graph = NULL, *exec_size = NULL, *workgroups = NULL, *packed = NULL;
  void *target, *handles[kMostBuffers];
  uint32_t threads[3];
  unsigned char block[kMostBytes + sizeof(uint64_t)];
  int32_t status = 0;
  /* What may run Python code comes before the handles of the graph and the buffers are taken, which it might destroy. */
  int result = self->plan && take_arguments(self, args, kwargs, given, &graph, &exec_size, &workgroups) &&
               find_target(self, graph, &target) && find_threads(self, given, exec_size, workgroups, threads) &&
               find_values(self, given, block, &packed) && check_buffers(self, given, threads[0]) &&
               find_target(self, graph, &target) && find_buffers(self, given, handles) && self->plan;
  if (result) {
    const void* values = packed ? (const void*)PyBytes_AsString(packed) : block;
    const uint32_t count = (uint32_t)self->buffer_count;
    status = vd_unlock_launches && !target
                 ? launch_unlocked(self->plan, threads, handles, count, values, self->values_size)
                 : vd_try_launch(self->plan, target, 0, threads[0], threads[1], threads[2], handles, count, values,
                                 self->values_size);
    /* The slower way waits where the queue is full, and says why where the launch is refused. */
    const int refused = status == VD_ERR_INVALID || status == VD_ERR_STATE || (status < 0 && target);
    if (status == VD_ERR_WOULD_BLOCK || refused)
      status = result = 0;
    else
      result = status < 0 ? -1 : 1;
  }
  Py_XDECREF(packed);
  if (status < 0) {
    vd_raise_status(status);
  } else if (!result && PyErr_Occurred()) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return -1; /* an interrupt */
    PyErr_Clear();
  }
  return result;
}
