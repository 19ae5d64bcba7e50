#pragma once
#if defined(__SSE__)
#include <xmmintrin.h>
#endif

/// Numbers below the normal range (1.2e-38 in 32 bits). Some processors take a hundred times as
/// long for them, so kernels compute with 0 in their place
/// (docs/decisions/0045-no-subnormal-numbers.md).
namespace halocline {

/// How a thread computes: rounding, exceptions, and whether subnormal numbers are 0. Other
/// processors than x86 have none to choose here.
class Arithmetic {
 public:
  static Arithmetic of_this_thread() {
#if defined(__SSE__)
    return Arithmetic(_mm_getcsr());
#else
    return Arithmetic(0);
#endif
  }
  /// The same with 0 for subnormal operands and results.
  Arithmetic without_subnormals() const { return Arithmetic(word_ | 0x8040u); }
  void begin() const {
#if defined(__SSE__)
    _mm_setcsr(word_);
#endif
  }

 private:
  explicit Arithmetic(unsigned word) : word_(word) {}
  unsigned word_;
};

/// While it lives, its thread computes so, and then as before.
class Computing {
 public:
  explicit Computing(Arithmetic so) : before_(Arithmetic::of_this_thread()) { so.begin(); }
  ~Computing() { before_.begin(); }
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;

 private:
  Arithmetic before_;
};

}  // namespace halocline
