/* Shallow water in a channel that joins its ends, with an island: parallel by declarations, in C.

   halocline compile gcc -O2 -ffp-contract=off declared.c -o declared && halocline run . -n 2 */
#include <halocline.h>
#include <stdio.h>

static const double dx = 1.0e4;        /* [m] */
static const double gravity = 9.81;    /* [m s-2] */
static const double coriolis = 1.0e-4; /* [s-1] */
static const double bump = 1.0;        /* [m] */
static double dt;                      /* [s] */
static int64_t columns, rows;          /* of the whole grid */
static int64_t row;                    /* from a value to the one north of it */
static double *depth, *height;         /* at centres [m] */
static double *u, *flux_x;             /* at western faces [m s-1], [m2 s-1] */
static double *v, *flux_y;             /* at southern faces */

#define EACH_CELL               \
  for (int j = j0; j < j1; j++) \
    for (int64_t c = i0 + j * row, end = i1 + j * row; c < end; c++)

/* A bump on water at rest. */
static void start(int i0, int i1, int j0, int j1) {
  EACH_CELL {
    double x = (double)(c - j * row + 1) - 0.3 * (double)columns;
    double y = (double)(j + 1) - 0.4 * (double)rows;
    double far = 1.0 + (x * x + y * y) / 16.0;
    height[c] = depth[c] > 0.0 ? bump / (far * far) : 0.0;
  }
}

/* Volume flux through western and southern faces. */
static void flow_x(int i0, int i1, int j0, int j1) {
  EACH_CELL flux_x[c] = 0.5 * u[c] * (depth[c - 1] + height[c - 1] + depth[c] + height[c]);
}

static void flow_y(int i0, int i1, int j0, int j1) {
  EACH_CELL flux_y[c] = 0.5 * v[c] * (depth[c - row] + height[c - row] + depth[c] + height[c]);
}

/* What flows in lifts the surface. */
static void fill(int i0, int i1, int j0, int j1) {
  EACH_CELL height[c] =
      height[c] + dt * ((flux_x[c] - flux_x[c + 1]) / dx + (flux_y[c] - flux_y[c + row]) / dx);
}

static int is_land(double one, double other) { return !(one > 0.0 && other > 0.0); }

/* Velocities, by the slope of the surface and the turning of the earth; 0 at land. */
static void push_x(int i0, int i1, int j0, int j1) {
  EACH_CELL {
    double across = v[c - 1] + v[c] + v[c - 1 + row] + v[c + row];
    double slope = gravity * (height[c] - height[c - 1]) / dx;
    u[c] = is_land(depth[c - 1], depth[c]) ? 0.0 : u[c] + dt * (coriolis * 0.25 * across - slope);
  }
}

static void push_y(int i0, int i1, int j0, int j1) {
  EACH_CELL {
    double across = u[c - row] + u[c + 1 - row] + u[c] + u[c + 1];
    double slope = gravity * (height[c] - height[c - row]) / dx;
    v[c] = is_land(depth[c - row], depth[c]) ? 0.0 : v[c] - dt * (coriolis * 0.25 * across + slope);
  }
}

int main(void) {
  halocline_join(NULL);
  columns = halocline_columns();
  rows = halocline_rows();
  dt = halocline_step_length();
  row = halocline_field("height").row;
  depth = halocline_field("depth").at;
  height = halocline_field("height").at;
  u = halocline_field("u").at;
  flux_x = halocline_field("flux_x").at;
  v = halocline_field("v").at;
  flux_y = halocline_field("flux_y").at;

  /* loops, their name, what they read, write and update */
  halocline_kernel(start, "start", "depth", "height", NULL);
  halocline_kernel(flow_x, "flow_x", "depth(west=1), height(west=1), u", "flux_x", NULL);
  halocline_kernel(flow_y, "flow_y", "depth(south=1), height(south=1), v", "flux_y", NULL);
  halocline_kernel(fill, "fill", "flux_x(east=1), flux_y(north=1)", NULL, "height");
  halocline_kernel(push_x, "push_x", "depth(west=1), height(west=1), v(west=1, north=1)", NULL,
                   "u");
  halocline_kernel(push_y, "push_y", "depth(south=1), height(south=1), u(south=1, east=1)", NULL,
                   "v");

  if (!halocline_restarted()) halocline_run(start);
  while (halocline_step()) {
    halocline_run(flow_x);
    halocline_run(flow_y);
    halocline_run(fill);
    halocline_run(push_x);
    halocline_run(push_y);
  }
  double volume = halocline_sum("height") * dx * dx;
  if (halocline_rank() == 0) printf("volume above rest [m3] %.16e\n", volume);
  halocline_end();
  return 0;
}
