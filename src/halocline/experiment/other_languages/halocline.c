/* Halocline in a program of C or Fortran: this starts Python and hands calls to
   halocline.experiment.calls_from_c, which fills the table below. */
#define PY_SSIZE_T_CLEAN
#include "halocline.h"

#include <Python.h>

/* Functions give a result of 0 or more, or -1 - the code that the program has to end with. */
static struct {
  int64_t (*join)(const char* member);
  int64_t (*cells)(int64_t count, const int64_t* numbers, const double* longitude,
                   const double* latitude);
  int64_t (*gives)(const char* name, const char* units);
  int64_t (*takes)(const char* name, const char* units);
  int64_t (*put)(const char* name, int64_t count, const double* values);
  int64_t (*take)(const char* name, int64_t count, double* values);
  int64_t (*field)(const char* name, int64_t axes, int64_t* bounds);
  int64_t (*kernel)(void (*loops)(void), int64_t in_fortran, const char* name, const char* reads,
                    const char* writes, const char* updates);
  int64_t (*run)(void (*loops)(void));
  int64_t (*sum)(const char* name, double* found);
  int64_t (*largest)(const char* name, double* found);
  int64_t (*step)(void);
  int64_t (*end)(void);
  int64_t (*fact)(const char* name);
  double (*seconds)(const char* name);
} calls;

static int64_t checked(int64_t found) {
  if (found < 0) exit((int)(-1 - found));
  return found;
}

static void joined(void) {
  if (calls.join) return;
  fprintf(stderr, "halocline: a call before halocline_join. Join the run first.\n");
  exit(1);
}

/* exit() comes here too: the run is told that this program has ended, and MPI ended if Python began
   it. */
static void leave(void) {
  PyGILState_Ensure();
  Py_FinalizeEx();
}

static void fail(PyStatus status) {
  if (PyStatus_Exception(status)) Py_ExitStatusException(status);
}

static void start_python(void) {
  PyConfig config;
  PyConfig_InitPythonConfig(&config);
  config.install_signal_handlers = 0;
  fail(PyConfig_SetBytesString(&config, &config.program_name, HALOCLINE_PYTHON));
  fail(Py_InitializeFromConfig(&config));
  PyConfig_Clear(&config);
  PyObject* module = PyImport_ImportModule("halocline.experiment.calls_from_c");
  PyObject* filled = NULL;
  if (module)
    filled =
        PyObject_CallMethod(module, "fill", "nn", (Py_ssize_t)&calls, (Py_ssize_t)sizeof calls);
  if (!filled) {
    PyErr_Print();
    exit(1);
  }
  Py_DECREF(filled);
  Py_DECREF(module);
  PyEval_SaveThread();
  atexit(leave);
}

void halocline_join(const char* member) {
  if (!calls.join) start_python();
  checked(calls.join(member));
}

static int64_t fact(const char* name) {
  joined();
  return checked(calls.fact(name));
}

int halocline_communicator(void) { return (int)fact("communicator"); }
int halocline_rank(void) { return (int)fact("rank"); }
int halocline_ranks(void) { return (int)fact("ranks"); }
int64_t halocline_rows(void) { return fact("rows"); }
int64_t halocline_columns(void) { return fact("columns"); }
int halocline_restarted(void) { return (int)fact("restarted"); }

double halocline_step_length(void) {
  joined();
  return calls.seconds("step_length");
}

double halocline_seconds(void) {
  joined();
  return calls.seconds("seconds");
}

void halocline_cells(int64_t count, const int64_t* numbers, const double* longitude,
                     const double* latitude) {
  joined();
  checked(calls.cells(count, numbers, longitude, latitude));
}

void halocline_gives(const char* name, const char* units) {
  joined();
  checked(calls.gives(name, units));
}

void halocline_takes(const char* name, const char* units) {
  joined();
  checked(calls.takes(name, units));
}

void halocline_put(const char* name, int64_t count, const double* values) {
  joined();
  checked(calls.put(name, count, values));
}

void halocline_take(const char* name, int64_t count, double* values) {
  joined();
  checked(calls.take(name, count, values));
}

double* halocline_bounds(const char* name, int axes, int64_t* bounds) {
  int64_t found[6];
  joined();
  checked(calls.field(name, axes, found));
  for (int at = 0; at < 5; at++) bounds[at] = found[at + 1];
  return (double*)(intptr_t)found[0];
}

halocline_array halocline_field(const char* name) {
  int64_t bounds[5];
  intptr_t first = (intptr_t)halocline_bounds(name, 3, bounds);
  halocline_array found;
  found.row = bounds[2];
  found.level = bounds[2] * bounds[3];
  found.at = (double*)(first - (bounds[0] + bounds[1] * found.row) * (intptr_t)sizeof(double));
  return found;
}

void halocline_kernel_in(int in_fortran, halocline_loops loops, const char* name, const char* reads,
                         const char* writes, const char* updates) {
  joined();
  checked(calls.kernel((void (*)(void))loops, in_fortran, name, reads ? reads : "",
                       writes ? writes : "", updates ? updates : ""));
}

void halocline_kernel(halocline_loops loops, const char* name, const char* reads,
                      const char* writes, const char* updates) {
  halocline_kernel_in(0, loops, name, reads, writes, updates);
}

void halocline_run(halocline_loops loops) {
  joined();
  checked(calls.run((void (*)(void))loops));
}

double halocline_sum(const char* name) {
  double found = 0.0;
  joined();
  checked(calls.sum(name, &found));
  return found;
}

double halocline_largest(const char* name) {
  double found = 0.0;
  joined();
  checked(calls.largest(name, &found));
  return found;
}

int halocline_step(void) {
  joined();
  return (int)checked(calls.step());
}

void halocline_end(void) {
  joined();
  checked(calls.end());
}
