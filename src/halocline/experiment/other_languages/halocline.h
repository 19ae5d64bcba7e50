/* The calls of a program in C that computes a member of a run of Halocline (docs/programs.md).

   All ranks of the program make all calls, but those that ask. A mistake ends the whole run with a
   message: no call comes back with an error. Values are double, one of each cell of this rank, in
   the order of `numbers`; of several levels all cells of the first level come first. */
#ifndef HALOCLINE_H
#define HALOCLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Join the run that started this program, as the one that computes `member`; NULL where it computes
   all of the run. MPI is begun here if the program has not done so, and then ends with
   `halocline_end`. */
void halocline_join(const char* member);

/* The communicator of the ranks of this program, as Fortran has it: MPI_Comm_f2c makes it C's. */
int halocline_communicator(void);
int halocline_rank(void);
int halocline_ranks(void);

/* The grid of the case: rows (from the south) and columns, and the length of a step [s]. */
int64_t halocline_rows(void);
int64_t halocline_columns(void);
double halocline_step_length(void);

/* Whether the run goes on from a restart: kept fields then have values from `halocline_cells` on.
 */
int halocline_restarted(void);

/* Which cells this rank has: `numbers` count them row by row from 0. Their centres are compared
   with those of the case's grid [degree]; NULL for both: they are not. */
void halocline_cells(int64_t count, const int64_t* numbers, const double* longitude,
                     const double* latitude);

/* In what units the program has fields that it gives and takes, by short name or CF name. */
void halocline_gives(const char* name, const char* units);
void halocline_takes(const char* name, const char* units);

/* Values of fields that it gives or keeps, `count` in all: before the first step (unless restarted)
   and in every step. Before the first step also of those that it takes. */
void halocline_put(const char* name, int64_t count, const double* values);

/* Values of fields that it takes or keeps. */
void halocline_take(const char* name, int64_t count, double* values);

/* A program that declares its loops (docs/declared-programs.md) has no calls from
   `halocline_cells` to `halocline_take`, but these. Columns i and rows j are those of the whole
   grid, from 0.

   The memory of a field of the case: at[i + j * row], or at[i + j * row + k * level]. */
typedef struct {
  double* at;
  int64_t row, level;
} halocline_array;
halocline_array halocline_field(const char* name);

/* Loops over columns i0 <= i < i1 and rows j0 <= j < j1, and what they touch: fields that they
   read, with how far, as in "height(west=1, north=2), u"; that they write, whatever was there; and
   that they update. NULL: none. */
typedef void (*halocline_loops)(int i0, int i1, int j0, int j1);
void halocline_kernel(halocline_loops loops, const char* name, const char* reads,
                      const char* writes, const char* updates);

/* Run declared loops on all cells of this rank; halos are filled before where they need it. */
void halocline_run(halocline_loops loops);

/* Sum (the same bits on any ranks) and largest value of a field at its wet points, on all ranks. */
double halocline_sum(const char* name);
double halocline_largest(const char* name);

/* What Fortran calls: the first value in memory of a field that it sees with 2 or 3 axes, and its
   column and row (from 0, negative in a halo), columns, rows and levels there; loops that take
   addresses, count from 1 and include the last. */
double* halocline_bounds(const char* name, int axes, int64_t* bounds);
void halocline_kernel_in(int in_fortran, halocline_loops loops, const char* name, const char* reads,
                         const char* writes, const char* updates);

/* End a step and wait for the next to begin; 0 where the run has ended. */
int halocline_step(void);

/* Time from the start of the run to the beginning of this step [s]. */
double halocline_seconds(void);

/* Say that the program has nothing more to do: after `halocline_step` has given 0. */
void halocline_end(void);

#ifdef __cplusplus
}
#endif

#endif
