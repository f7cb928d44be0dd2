// Appendix B: the listing's rod, let go straight under ten times its weight. The paper prints the
// program but not its output; an independent program's is stored beside this file.
#include <math.h>

#include "cli/figure.h"
#include "appendix_b_reference.h"
#include "rods.h"
#include "till2019.h"

#define NONE ((double)NAN)
#define STEP 5e-3

enum { SAMPLES = APPENDIX_B_SAMPLES };

typedef struct path {
    double x[SAMPLES], z[SAMPLES];
} path;

static bool fall(paper_report *r, td_integrator integrator, td_history history, int nodes,
                 path *out) {
    const cantilever rod = till_appendix_b();
    method m = {.theory = TD_COSSERAT,
                .integrator = integrator,
                .history = history,
                .scheme = TD_BDF2,
                .nodes = nodes,
                .startup = TD_REST_HISTORY};
    td_error err = {0};
    simulation s;
    report_progress(r, "%d nodes", nodes);
    if (!simulation_open(&s, &rod, &m, FROM_STRAIGHT, &err)) {
        report_failure(r, "%s", err.message);
        return false;
    }
    bool fine = true;
    for (int i = 0; i < SAMPLES && fine; i++) {
        if (i > 0) fine = td_advance(s.system, s.state, STEP) >= 0;
        td_pose tip = simulation_tip(&s);
        out->x[i] = tip.p[0];
        out->z[i] = tip.p[2];
    }
    if (!fine) report_failure(r, "%d nodes: %s", nodes, td_message(s.state));
    simulation_close(&s);
    return fine;
}

static double largest_distance(const path *p, const double *x, const double *z) {
    double largest = 0.0;
    for (int i = 0; i < SAMPLES; i++)
        largest = fmax(largest, hypot(p->x[i] - x[i], p->z[i] - z[i]));
    return largest;
}

static void compare_reference(paper_report *r, const char *quantity, const path *p, const double *x,
                              const double *z) {
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "m",
                                    .printed = NONE,
                                    .ours = largest_distance(p, x, z)});
}

static void compare_converged(paper_report *r, const char *quantity, const path *p,
                              const path *converged) {
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "mm",
                                    .printed = NONE,
                                    .ours = 1e3 * largest_distance(p, converged->x, converged->z)});
}

static void write_table(paper_report *r, const path *linear, const path *cubic, const path *euler) {
    FILE *out = report_table(r, "appendix-b.csv");
    if (!out) return;
    fputs("time [s],x [m],z [m],reference x [m],reference z [m],x with cubic history [m],"
          "z with cubic history [m],x with Euler [m],z with Euler [m]\n",
          out);
    for (int i = 0; i < SAMPLES; i++)
        fprintf(out, "%.9g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g,%.15g\n", i * STEP,
                linear->x[i], linear->z[i], appendix_b_linear_x[i], appendix_b_linear_z[i],
                cubic->x[i], cubic->z[i], euler->x[i], euler->z[i]);
    report_close(r, out, "appendix-b.csv");
}

static void draw(paper_report *r, const path *linear, const path *cubic, const path *euler,
                 const path *converged) {
    gnuplot g;
    if (!report_figure(r, &g, "appendix-b.png", 1400, 1000)) return;
    fputs("$data << EOD\n", g.script);
    for (int i = 0; i < SAMPLES; i++)
        fprintf(g.script, "%.6g %.9g %.9g %.9g %.9g %.9g\n", 1e3 * i * STEP, 1e3 * linear->x[i],
                1e3 * appendix_b_linear_x[i], 1e3 * cubic->x[i], 1e3 * euler->x[i],
                1e3 * converged->x[i]);
    fputs("EOD\nset multiplot\nset lmargin at screen 0.1\nset rmargin at screen 0.97\n"
          "set tmargin at screen 0.93\nset bmargin at screen 0.47\nset format x ''\n"
          "set xrange [0:250]\nset ylabel 'height of the tip (mm)' offset 0.5\n"
          "set key at graph 1, graph 1.01 right bottom horizontal\n",
          g.script);
    fprintf(g.script,
            "plot $data using 1:2 with lines lw 1.4 lc rgb '%s' title 'this program', \\\n"
            "$data using 1:3 with points pt 6 ps 1.4 lc rgb '%s' title 'independent program'\n",
            curve_colour(0), curve_colour(1));
    fputs("set tmargin at screen 0.39\nset bmargin at screen 0.12\nset format x '%g'\n"
          "set xlabel 'time (ms)'\nset ylabel 'error of 40 nodes (mm)' offset 0.5\n"
          "set logscale y\nset format y '10^{%T}'\nset yrange [1e-6:10]\nset ytics 100\n",
          g.script);
    fprintf(
        g.script,
        "plot $data using 1:(abs($5 - $6)) with lines lw 1.2 lc rgb '%s' title 'Euler', \\\n"
        "$data using 1:(abs($2 - $6)) with lines lw 1.2 lc rgb '%s' title 'RK4, linear history', "
        "\\\n$data using 1:(abs($4 - $6)) with lines lw 1.2 lc rgb '%s' title "
        "'RK4, cubic history'\n",
        curve_colour(3), curve_colour(0), curve_colour(2));
    report_figure_end(r, &g, "appendix-b.png");
}

void till2019_appendix_b(paper_report *r) {
    path linear, cubic, euler, finer, converged;
    bool fine = fall(r, TD_RK4, TD_LINEAR, 40, &linear) && fall(r, TD_RK4, TD_CUBIC, 40, &cubic) &&
                fall(r, TD_EULER, TD_LINEAR, 40, &euler) &&
                fall(r, TD_RK4, TD_LINEAR, 79, &finer) &&
                fall(r, TD_RK4, TD_CUBIC, 157, &converged);
    if (!fine) return;
    compare_reference(r, "tip against reference, RK4 as listed", &linear, appendix_b_linear_x,
                      appendix_b_linear_z);
    compare_reference(r, "tip against reference, cubic history", &cubic, appendix_b_cubic_x,
                      appendix_b_cubic_z);
    compare_reference(r, "tip against reference, Euler", &euler, appendix_b_euler_x,
                      appendix_b_euler_z);
    compare_converged(r, "error in space, RK4 as listed, 40 nodes", &linear, &converged);
    compare_converged(r, "error in space, RK4 as listed, 79 nodes", &finer, &converged);
    compare_converged(r, "error in space, RK4, cubic history, 40 nodes", &cubic, &converged);
    compare_converged(r, "error in space, Euler, 40 nodes", &euler, &converged);
    write_table(r, &linear, &cubic, &euler);
    draw(r, &linear, &cubic, &euler, &converged);
}
