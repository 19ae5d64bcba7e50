/* Names for parts of a program, and its steps, in the records of "halocline lab record".
 *
 *   #include <mpi.h>
 *   #include "halocline_regions.h"
 *
 *   for (int step = 0; step < steps; ++step) {
 *     halocline_step();
 *     halocline_begin("advection");
 *     ...
 *     halocline_end();
 *   }
 *   halocline_steps_end();
 *
 * All are calls of MPI_Pcontrol: nothing has to be linked, and without a recorder they do nothing.
 * Regions nest; each thread has its own. Steps are marked by one thread of each rank, on all ranks.
 */
#ifndef HALOCLINE_REGIONS_H
#define HALOCLINE_REGIONS_H

/* Levels of MPI_Pcontrol: HALOCLINE_MARK + what * HALOCLINE_NUMBERS + number. */
#define HALOCLINE_MARK 0x48000000
#define HALOCLINE_NUMBERS 0x100000
#define HALOCLINE_LETTER 0       /* one more byte of a name */
#define HALOCLINE_NAMED 1        /* these bytes are the name of this number */
#define HALOCLINE_BEGIN_NUMBER 2 /* the region of this number begins */
#define HALOCLINE_BEGIN_NAME 3   /* the region of the name that follows begins */
#define HALOCLINE_END 4
#define HALOCLINE_STEP 5
#define HALOCLINE_STEPS_END 6
#define HALOCLINE_MARKS (7 * HALOCLINE_NUMBERS)

static inline void halocline_begin(const char* name) {
  MPI_Pcontrol(HALOCLINE_MARK + HALOCLINE_BEGIN_NAME * HALOCLINE_NUMBERS, name);
}
static inline void halocline_end(void) {
  MPI_Pcontrol(HALOCLINE_MARK + HALOCLINE_END * HALOCLINE_NUMBERS);
}
/* The next step begins; the one before ends. */
static inline void halocline_step(void) {
  MPI_Pcontrol(HALOCLINE_MARK + HALOCLINE_STEP * HALOCLINE_NUMBERS);
}
/* The last step ends. */
static inline void halocline_steps_end(void) {
  MPI_Pcontrol(HALOCLINE_MARK + HALOCLINE_STEPS_END * HALOCLINE_NUMBERS);
}

#endif
