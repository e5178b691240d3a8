/* Calls from the library into Python, on threads of its own. Part of _vdhot; _calls.py has the names where that is not built.
 *
 * Nothing may come into Python when the interpreter ends, and a thread on its way out of Python is still inside: so its
 * end waits for those that are, and from then on calls are left out. */
#include "_launch.h"

#include <stdatomic.h>
#if defined(_WIN32)
#include <windows.h>
#else
#include <sched.h>
#endif

enum { kRelease, kTicket, kKinds };
static PyObject* functions[kKinds];
static atomic_int threads_inside;
static atomic_bool over;

/* `message` is NULL for a kind of call that has none. */
static void call(PyObject* function, void* user, int32_t status, const char* message) {
  const unsigned long long number = (unsigned long long)(uintptr_t)user;
  atomic_fetch_add(&threads_inside, 1);
  if (!atomic_load(&over)) {
    const PyGILState_STATE state = PyGILState_Ensure();
    PyObject* result = message == NULL ? PyObject_CallFunction(function, "K", number)
                                       : PyObject_CallFunction(function, "Kiy", number, (int)status, message);
    if (!result) PyErr_WriteUnraisable(function);
    Py_XDECREF(result);
    PyGILState_Release(state);
  }
  atomic_fetch_sub(&threads_inside, 1);
}

/* A vd_free_fn. */
static void release(void* user) { call(functions[kRelease], user, 0, NULL); }

/* A vd_ticket_fn. */
static void notify(int32_t status, const char* message, void* user) { call(functions[kTicket], user, status, message); }

static PyObject* start_calls(PyObject* module, PyObject* args) {
  int kind;
  PyObject* function;
  (void)module;
  if (!PyArg_ParseTuple(args, "iO", &kind, &function)) return NULL;
  if (kind < 0 || kind >= kKinds) {
    PyErr_SetString(PyExc_ValueError, "there is no such kind of call");
    return NULL;
  }
  Py_INCREF(function);
  Py_XDECREF(functions[kind]);
  functions[kind] = function;
  return PyLong_FromVoidPtr(kind == kRelease ? (void*)(uintptr_t)release : (void*)(uintptr_t)notify);
}

static PyObject* end_calls(PyObject* module, PyObject* leave_out) {
  (void)module;
  const int ends = PyObject_IsTrue(leave_out);
  if (ends < 0) return NULL;
  if (ends) atomic_store(&over, 1);
  Py_BEGIN_ALLOW_THREADS while (atomic_load(&threads_inside) != 0) {
#if defined(_WIN32)
    SwitchToThread();
#else
    sched_yield();
#endif
  }
  Py_END_ALLOW_THREADS Py_RETURN_NONE;
}

static PyObject* forget_calls(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  atomic_store(&threads_inside, 0);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"start_calls", start_calls, METH_VARARGS,
     "start_calls(kind, function): the address of what calls function(user, and of a ticket status and message)"},
    {"end_calls", end_calls, METH_O, "end_calls(leave_out): wait for threads inside; leave later calls out"},
    {"forget_calls", forget_calls, METH_NOARGS, "forget_calls(): in a child, which has none of the parent's threads"},
    {NULL, NULL, 0, NULL},
};

int vd_add_calls(PyObject* module) { return PyModule_AddFunctions(module, methods); }
