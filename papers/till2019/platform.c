// Section 5.1, Figures 11 and 12: the continuum Stewart-Gough platform. Its legs are fed so that
// equilibrium takes the plate sideways, level, along a line. On the way that equilibrium loses its
// stability; a quasi-static computation does not notice, the dynamics leave it and sway.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "platform_picture.h"
#include "robots.h"
#include "section5_reference.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define ALPHA (-0.2)
#define SPEED 0.025  // m/s: slow against the swing of the plate
// Not finer: near 114.4 mm no lengths of the legs hold the plate level (a gap of a millimetre), and
// the motion has left the line by then.
#define PATH_STEP 4e-3
#define HOLD 4.0  // s, at the end of the line

enum { PATH_POINTS = 38, MOST_STEPS = 1400 };

// ---------------------------------------------------------------- the quasi-static branch
typedef struct path {
    picture shapes[PATH_POINTS];
    double legs[LEGS][PATH_POINTS][2];  // time (s), how far it is fed (m)
    double x[PATH_POINTS];              // of the plate, m
    double stability[PATH_POINTS];      // smallest eigenvalue
    int n;
    double bifurcation;  // m; NAN: not on the path
} path;

static bool open_platform(paper_report *r, const path *p, const td_options *o, simulation *s) {
    const double *points[LEGS] = {NULL};
    td_error err = {0};
    for (int i = 0; i < LEGS && p; i++) points[i] = p->legs[i][0];
    td_robot *robot = till_platform(p ? points : NULL, p ? p->n : 0, &err);
    if (simulation_of(s, robot, o, &err)) return true;
    report_failure(r, "%s", err.message);
    return false;
}

static void note_path_point(const simulation *s, path *p) {
    double smallest = NONE;
    if (td_get_stability(s->system, s->state, &smallest) < 0) smallest = NONE;
    p->stability[p->n] = smallest;
    for (int i = 0; i < LEGS; i++) {
        p->legs[i][p->n][0] = p->x[p->n] / SPEED;
        p->legs[i][p->n][1] = td_get_input(s->system, s->state, i);
    }
    take_picture(s, p->shapes[p->n]);
    double before = p->n > 0 ? p->stability[p->n - 1] : NONE;
    if (isnan(p->bifurcation) && before > 0.0 && smallest <= 0.0)
        p->bifurcation = p->x[p->n] - PATH_STEP * smallest / (smallest - before);
    p->n++;
}

// Level, at the height of rest, to the side: inverse statics holds it there, stable or not.
static bool follow(paper_report *r, simulation *s, path *p) {
    const int inputs[LEGS] = {0, 1, 2, 3, 4, 5};
    td_target target = {.body = 0, .pose = td_get_body(s->system, s->state, 0).pose};
    target.pose.q[0] = 1.0;
    target.pose.q[1] = target.pose.q[2] = target.pose.q[3] = target.pose.p[1] = 0.0;
    *p = (path){.bifurcation = NONE};
    while (p->n < PATH_POINTS) {
        p->x[p->n] = target.pose.p[0] = p->n * PATH_STEP;
        if (td_solve_inverse(s->system, s->state, &target, inputs, LEGS) < 0) {
            report_failure(r, "plate at x = %.3g m: %s", target.pose.p[0], td_message(s->state));
            return false;
        }
        note_path_point(s, p);
    }
    return true;
}

static bool find_path(paper_report *r, path *p) {
    td_options o = collocation_options(8, ALPHA);
    simulation s;
    report_progress(r, "the line of equilibria");
    if (!open_platform(r, NULL, &o, &s)) return false;
    td_pose plate = td_get_body(s.system, s.state, 0).pose;
    report_compare(r, &(comparison){.quantity = "height of the plate at rest - reference",
                                    .unit = "m",
                                    .printed = NONE,
                                    .ours = plate.p[2] - reference_plate_height,
                                    .note = "0.3438654 m, six legs of 0.35 m"});
    bool fine = follow(r, &s, p);
    simulation_close(&s);
    return fine;
}

// ---------------------------------------------------------------- the motion
typedef struct motion {
    double p[MOST_STEPS][3], turn[MOST_STEPS];  // of the plate: m; from level and straight, rad
    picture shapes[MOST_STEPS];
    long n;
    long before,
        after;       // steps to show: just before it leaves the line, and when it has turned most
    double left;     // x where it has left the line by a millimetre, m; NAN: nowhere
    double settled;  // smallest eigenvalue of the equilibrium near the end; NAN: none
    double seconds;
} motion;

static double turn_of(const td_pose *at) {
    return 2.0 * acos(fmin(1.0, fabs(at->q[0])));
}

static void see_plate(const simulation *s, long k, void *to) {
    motion *m = to;
    td_pose at = td_get_body(s->system, s->state, 0).pose;
    memcpy(m->p[k], at.p, sizeof at.p);
    m->turn[k] = turn_of(&at);
    take_picture(s, m->shapes[k]);
    m->n = k;
}

static double end_of(const path *p) {
    return p->x[p->n - 1] / SPEED + HOLD;
}

static long step_of(double x) {
    return lround(x / SPEED / PLATFORM_STEP);
}

static double x_of_line(const path *p, long k) {
    return fmin((double)k * PLATFORM_STEP * SPEED, p->x[p->n - 1]);
}

static void find_departure(const path *p, motion *m) {
    long k = step_of(0.5 * p->x[p->n - 1]);
    double off = 0.0;
    for (; k <= m->n && off <= 1e-3; k++)
        off = hypot(hypot(m->p[k][0] - x_of_line(p, k), m->p[k][1]), m->p[k][2] - m->p[0][2]);
    m->left = off > 1e-3 ? x_of_line(p, k) : NONE;
    m->before = off > 1e-3 ? k - step_of(5e-3) : m->n / 2;
    m->after = m->before;
    for (long i = m->before; i <= m->n && i <= m->before + lround(1.0 / PLATFORM_STEP); i++)
        if (m->turn[i] > m->turn[m->after]) m->after = i;
}

static bool move(paper_report *r, const path *p, const td_options *o, motion *m) {
    const long n = lround(end_of(p) / PLATFORM_STEP);
    simulation s;
    report_progress(r, "the motion");
    if (!open_platform(r, p, o, &s)) return false;
    long done = simulation_run(&s, PLATFORM_STEP, n, see_plate, m, &m->seconds);
    if (done < n)
        report_failure(r, "the motion at %.3g s: %s", (double)done * PLATFORM_STEP,
                       td_message(s.state));
    if (td_solve_statics(s.system, s.state) < 0 ||
        td_get_stability(s.system, s.state, &m->settled) < 0)
        m->settled = NONE;
    simulation_close(&s);
    if (done == n) find_departure(p, m);
    return done == n;
}

// ---------------------------------------------------------------- in words
// Over the steps from..to - 1, deg.
static double largest_turn(const motion *m, long from, long to) {
    double largest = 0.0;
    for (long k = from; k < to && k <= m->n; k++) largest = fmax(largest, m->turn[k]);
    return largest * 57.29577951308232;
}

static void compare_line(paper_report *r, const path *p) {
    report_compare(r, &(comparison){.quantity = "the line is unstable from x",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * p->bifurcation,
                                    .note = "the paper shows it and prints no place"});
    report_compare(r, &(comparison){.quantity = "smallest eigenvalue, start of the line",
                                    .unit = "",
                                    .printed = NONE,
                                    .ours = p->stability[0]});
    report_compare(r, &(comparison){.quantity = "smallest eigenvalue, end of the line",
                                    .unit = "",
                                    .printed = NONE,
                                    .ours = p->stability[p->n - 1],
                                    .note = "negative: no robot could stay there"});
}

static void compare_motion(paper_report *r, const motion *m) {
    report_compare(r, &(comparison){.quantity = "the motion leaves the line at x",
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * m->left});
    report_compare(r, &(comparison){.quantity = "largest turn of the plate before",
                                    .unit = "deg",
                                    .printed = NONE,
                                    .ours = largest_turn(m, 0, m->before)});
    report_compare(r, &(comparison){.quantity = "largest turn of the plate afterwards",
                                    .unit = "deg",
                                    .printed = NONE,
                                    .ours = largest_turn(m, m->before, m->n + 1),
                                    .note = "on the quasi-static line it does not turn"});
    report_compare(r, &(comparison){.quantity = "smallest eigenvalue where the sway will end",
                                    .unit = "",
                                    .printed = NONE,
                                    .ours = m->settled,
                                    .note = "positive: the new equilibrium is stable"});
}

static void compare_speed(paper_report *r, const char *name, const path *p, const motion *m) {
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "x",
                                    .printed = NONE,
                                    .printed_text = "7-8",
                                    .ours = end_of(p) / m->seconds,
                                    .note = "printed: three threads; ours: one"});
}

// ---------------------------------------------------------------- tables and pictures
// Also what examples/stewart-gough.yaml reads.
static void write_legs(paper_report *r, const path *p) {
    FILE *out = report_table(r, "figure11.csv");
    if (!out) return;
    fputs("time,leg1,leg2,leg3,leg4,leg5,leg6,x,smallest eigenvalue\n", out);
    for (int k = 0; k < p->n; k++) {
        fprintf(out, "%.9g", p->legs[0][k][0]);
        for (int i = 0; i < LEGS; i++) fprintf(out, ",%.9g", p->legs[i][k][1]);
        fprintf(out, ",%.9g,%.6g\n", p->x[k], p->stability[k]);
    }
    report_close(r, out, "figure11.csv");
}

static void write_motion(paper_report *r, const motion *m) {
    FILE *out = report_table(r, "figure12.csv");
    if (!out) return;
    fputs("time [s],plate x [m],plate y [m],plate z [m],turn [rad]\n", out);
    for (long k = 0; k <= m->n; k++)
        fprintf(out, "%.9g,%.9g,%.9g,%.9g,%.9g\n", (double)k * PLATFORM_STEP, m->p[k][0],
                m->p[k][1], m->p[k][2], m->turn[k]);
    report_close(r, out, "figure12.csv");
}

static void draw_robots(paper_report *r, const path *p, const motion *m) {
    gnuplot g;
    if (!report_figure(r, &g, "figure11.png", 1600, 900)) return;
    const long steps[2] = {m->before, m->after};
    fputs("set multiplot\nset xrange [-100:250]\nset yrange [-200:200]\nset zrange [0:400]\n"
          "set xyplane at 0\nset view 72, 20, 1.25\nset view equal xyz\nset key at screen "
          "0.98, 0.95\nset xtics 100\nset ytics 100\nset ztics 100\nset border 31 lw 0.4\n"
          "set xlabel 'x (mm)'\nset ylabel 'y (mm)'\nset zlabel 'z (mm)' rotate\n",
          g.script);
    for (int i = 0; i < 2; i++) {
        const long point = lround(x_of_line(p, steps[i]) / PATH_STEP);
        put_picture(g.script, "line", p->shapes[point < p->n ? point : p->n - 1]);
        put_picture(g.script, "robot", m->shapes[steps[i]]);
        fprintf(g.script,
                "set origin %g, 0\nset size 0.49, 1\nset title '%s: %.2f s' offset 0, -3\n"
                "splot $robot_base using 1:2:3 with lines lw 1 lc rgb '#999999' notitle, \\\n"
                "for [k=0:5] $line_legs index k using 1:2:3 with lines lw 1.5 lc rgb '#bbbbbb' "
                "notitle, \\\n$line_plate using 1:2:3 with lines lw 1.5 lc rgb '#bbbbbb' %s, \\\n"
                "for [k=0:5] $robot_legs index k using 1:2:3 with lines lw 2.5 lc rgb '%s' "
                "notitle, \\\n$robot_plate using 1:2:3 with lines lw 5 lc rgb '%s' notitle\n",
                0.5 * i + 0.01, i == 0 ? "before" : "after", (double)steps[i] * PLATFORM_STEP,
                i == 0 ? "notitle" : "title 'the equilibrium on the line'", curve_colour(0),
                curve_colour(6));
    }
    report_figure_end(r, &g, "figure11.png");
}

static void put_motion(FILE *script, const path *p, const motion *m) {
    fputs("$line << EOD\n", script);
    for (int k = 0; k < p->n; k++)
        if (isfinite(p->stability[k]))
            fprintf(script, "%.6g %.6g %.6g\n", p->x[k] / SPEED, 1e3 * p->x[k], p->stability[k]);
    fputs("EOD\n$motion << EOD\n", script);
    for (long k = 0; k <= m->n; k++)
        fprintf(script, "%.6g %.6g %.6g %.6g %.6g\n", (double)k * PLATFORM_STEP, 1e3 * m->p[k][0],
                1e3 * m->p[k][1], 1e3 * m->p[k][2], 57.29577951308232 * m->turn[k]);
    fputs("EOD\n", script);
}

static void draw_motion(paper_report *r, const path *p, const motion *m) {
    gnuplot g;
    if (!report_figure(r, &g, "figure12.png", 1600, 1100)) return;
    put_motion(g.script, p, m);
    fprintf(g.script,
            "set multiplot\nset lmargin at screen 0.07\nset rmargin at screen 0.46\n"
            "set tmargin at screen 0.92\nset bmargin at screen 0.09\nset xrange [60:160]\n"
            "set xlabel 'x (mm)'\nset ylabel 'z (mm)' offset 1\nset key left top\n"
            "set title 'path of the plate'\nset offsets 0, 0, graph 0.1, graph 0.05\n"
            "plot $line using 2:(%.6g) with lines lw 4 lc rgb '#bbbbbb' title 'equilibria', \\\n"
            "$motion using 2:4 with lines lw 1.3 lc rgb '%s' title 'motion'\n",
            1e3 * m->p[0][2], curve_colour(0));
    fprintf(g.script,
            "unset title\nset offsets 0, 0, graph 0.05, graph 0.05\n"
            "set lmargin at screen 0.55\nset rmargin at screen 0.97\n"
            "set xrange [0:%g]\nset format x ''\nunset xlabel\nunset key\n"
            "set arrow 1 from %g, graph 0 to %g, graph 1 nohead dt 2 lc rgb '#888888'\n",
            end_of(p), p->bifurcation / SPEED, p->bifurcation / SPEED);
    static const char *const rows[3][3] = {
        {"stability", "$line using 1:3", "0.68"},
        {"turn (deg)", "$motion using 1:5", "0.385"},
        {"plate (mm)", "$motion using 1:2", "0.09"},
    };
    for (int i = 0; i < 3; i++) {
        double bottom = strtod(rows[i][2], NULL);
        fprintf(g.script,
                "set bmargin at screen %g\nset tmargin at screen %g\nset ylabel '%s'\n%s"
                "plot %s with lines lw 1.6 lc rgb '%s' title 'x'%s%s%s\n",
                bottom, bottom + 0.24, rows[i][0],
                i == 2 ? "set format x '%g'\nset xlabel 'time (s)'\n"
                         "set key at graph 1, graph 1.01 right bottom horizontal\n"
                       : "",
                rows[i][1],
                curve_colour(i == 0   ? 6
                             : i == 1 ? 1
                                      : 0),
                i == 0 ? ", 0 with lines lw 0.6 lc rgb '#888888'" : "",
                i == 2 ? ", $motion using 1:3 with lines lw 1.6 lc rgb '#13906b' title 'y'" : "",
                "");
    }
    report_figure_end(r, &g, "figure12.png");
}

// ---------------------------------------------------------------- the item
static void compare_dynamics(paper_report *r, const path *p, motion *m) {
    td_options ours = collocation_options(8, ALPHA);
    if (r->effort != PAPER_QUICK) {
        td_options euler = shooting_options(TD_EULER, TD_LINEAR, 200, ALPHA);
        if (move(r, p, &euler, m)) compare_speed(r, "real-time ratio, Euler, 200 points", p, m);
    }
    if (!move(r, p, &ours, m)) return;
    compare_speed(r, "real-time ratio, collocation, 8 nodes", p, m);
    compare_motion(r, m);
    write_motion(r, m);
    draw_robots(r, p, m);
    draw_motion(r, p, m);
}

void till2019_platform(paper_report *r) {
    path *p = calloc(1, sizeof *p);
    motion *m = calloc(1, sizeof *m);
    if (!p || !m) {
        report_failure(r, "out of memory");
    } else if (find_path(r, p)) {
        compare_line(r, p);
        write_legs(r, p);
        compare_dynamics(r, p, m);
    }
    free(p);
    free(m);
}
