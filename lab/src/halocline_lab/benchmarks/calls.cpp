#include "benchmarks/calls.hpp"

#include "bind.hpp"

using namespace halocline;

template <std::size_t Count>
static void define_add_up(nb::module_& module, std::string_view name) {
  define(module, add_up_contract<Count>(name), &AddUp<std::make_index_sequence<Count - 1>>::run,
         "times");
}

HALOCLINE_BIND(calls) {
  define_add_up<1>(module, "add_up_1");
  define_add_up<5>(module, "add_up_5");
  define_add_up<21>(module, "add_up_21");
}
