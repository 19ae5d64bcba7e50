// The line of Python that calls, where the process runs Python.
//
// A binding such as mpi4py gives up the interpreter's lock before it calls MPI. The lock is taken
// back for a moment only if this is the interpreter's one thread: nobody else can hold it then, so
// that nothing waits and nothing can lock up. With more threads the line is not known.
#pragma once

#include <cstdint>
#include <string>

#include "finding.hpp"

namespace halocline {

/// A place in Python code: the code object and an instruction of it; null: none.
struct PythonPlace {
  void* code = nullptr;
  int instruction = 0;
};

class Python {
 public:
  /// Look for Python in this process.
  void find() {
    load(initialized_, "Py_IsInitialized");
    load(own_state_, "PyGILState_GetThisThreadState");
    load(holds_lock_, "PyGILState_Check");
    load(save_, "PyEval_SaveThread");
    load(restore_, "PyEval_RestoreThread");
    load(frame_, "PyEval_GetFrame");
    load(code_, "PyFrame_GetCode");
    load(back_, "PyFrame_GetBack");
    load(line_, "PyFrame_GetLineNumber");
    load(instruction_, "PyFrame_GetLasti");
    load(interpreter_, "PyThreadState_GetInterpreter");
    load(first_state_, "PyInterpreterState_ThreadHead");
    load(next_state_, "PyThreadState_Next");
    load(attribute_, "PyObject_GetAttrString");
    load(text_, "PyUnicode_AsUTF8");
    load(release_, "Py_DecRef");
    here_ = complete_;
  }

  void forget() { here_ = false; }

  /// Where the calling thread is; `describe` is called while Python may be asked, if the place is
  /// new: it gets "file:line in function".
  template <class IsNew, class Describe>
  PythonPlace place(IsNew is_new, Describe describe) const {
    if (!here_ || initialized_() == 0) return {};
    if (holds_lock_() != 0) return look(is_new, describe);
    void* const state = own_state_();
    if (state == nullptr || !alone(state)) return {};
    restore_(state);
    const PythonPlace found = look(is_new, describe);
    save_();
    return found;
  }

 private:
  template <class Function>
  void load(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
    complete_ = complete_ && function != nullptr;
  }

  bool alone(void* state) const {
    void* const first = first_state_(interpreter_(state));
    return first == state && next_state_(first) == nullptr;
  }

  template <class IsNew, class Describe>
  PythonPlace look(IsNew is_new, Describe describe) const {
    void* const frame = frame_();
    if (frame == nullptr) return {};
    void* const code = code_(frame);
    const PythonPlace place{code, instruction_(frame)};
    if (is_new(place)) {  // its code object is held, so that no other gets its address
      describe(place, line_of(frame, code));
    } else {
      release_(code);
    }
    return place;
  }

  /// The nearest line that is not of Python's own machinery of imports.
  std::string line_of(void* frame, void* code) const {
    std::string file = word(code, "co_filename");
    void* caller = file.rfind("<frozen", 0) == 0 ? back_(frame) : nullptr;
    if (caller == nullptr)
      return file + ":" + std::to_string(line_(frame)) + " in " + word(code, "co_name");
    void* const outer = code_(caller);
    const std::string found = line_of(caller, outer);
    release_(outer);
    release_(caller);
    return found;
  }

  std::string word(void* code, const char* name) const {
    void* const value = attribute_(code, name);
    if (value == nullptr) return "?";
    const char* const text = text_(value);
    std::string result = text != nullptr ? text : "?";
    release_(value);
    return result;
  }

  bool complete_ = true, here_ = false;
  int (*initialized_)() = nullptr;
  void* (*own_state_)() = nullptr;
  int (*holds_lock_)() = nullptr;
  void* (*save_)() = nullptr;
  void (*restore_)(void*) = nullptr;
  void* (*frame_)() = nullptr;
  void* (*code_)(void*) = nullptr;
  void* (*back_)(void*) = nullptr;
  int (*line_)(void*) = nullptr;
  int (*instruction_)(void*) = nullptr;
  void* (*interpreter_)(void*) = nullptr;
  void* (*first_state_)(void*) = nullptr;
  void* (*next_state_)(void*) = nullptr;
  void* (*attribute_)(void*, const char*) = nullptr;
  const char* (*text_)(void*) = nullptr;
  void (*release_)(void*) = nullptr;
};

}  // namespace halocline
