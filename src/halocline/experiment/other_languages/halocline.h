/* The calls of a program in C that computes a member of a run of Halocline (docs/programs.md).

   All ranks of the program make all calls, but those that ask. A mistake ends the whole run with a
   message: no call comes back with an error. Values are double, one of each cell of this rank, in
   the order of `numbers`; of several levels all cells of the first level come first. */
#ifndef HALOCLINE_H
#define HALOCLINE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Join the run that started this program, as the one that computes `member`. MPI is begun here if
   the program has not done so, and then ends with `halocline_end`. */
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
