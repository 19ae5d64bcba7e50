#pragma once
#include "bind.hpp"
#include "runtime/ranks/flags.hpp"

namespace halocline {

/// Wait without the interpreter's lock, but let signals be handled now and then.
template <class Ready>
void wait_patiently(Ready&& ready) {
  while (true) {
    {
      nb::gil_scoped_release free;
      if (wait_until(ready)) return;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

}  // namespace halocline
