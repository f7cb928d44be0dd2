// Section 7 names torsion as the next step. Here it is a coordinate of each subsegment: a robot
// pulled out of its plane, with and without it, against a Cosserat rod.
#include <math.h>

#include "cli/figure.h"
#include "continuum.h"
#include "rone2014.h"
#include "spectrum.h"

#define DEGREES 57.29577951308232

// Bent to one side by its rods, and loaded across that.
static const continuum bent = {.tension = {[R12] = 20.0, [R21] = 20.0}, .side_load = 1.0};

typedef struct column {
    double errors[2][N_NUMBERS];  // m, of the tip: without and with torsion
    double twist[N_NUMBERS];      // rad
    tip limit;
    int n;
} column;

static bool find(paper_report *r, column *c) {
    td_error err = {0};
    c->n = r->effort == PAPER_QUICK ? N_NUMBERS - 2 : N_NUMBERS - 1;
    bool fine = solve_rod(&bent, &c->limit, &err);
    for (int i = 0; i < c->n && fine; i++)
        for (int torsion = 0; torsion < 2 && fine; torsion++) {
            tip found = {0};
            td_options o = disc_options(disc_numbers[i]);
            o.virtual_power.torsion = torsion;
            report_progress(r, "%d discs", disc_numbers[i]);
            fine = solve_continuum(&bent, &o, &found, &err);
            c->errors[torsion][i] = tip_distance(&found, &c->limit);
            if (torsion) c->twist[i] = found.twist;
        }
    if (!fine) report_failure(r, "%s", err.message);
    return fine;
}

static void say(paper_report *r, const char *name, const char *unit, double ours,
                const char *note) {
    report_compare(
        r, &(comparison){
               .quantity = name, .unit = unit, .printed = (double)NAN, .ours = ours, .note = note});
}

static void compare(paper_report *r, const column *c) {
    say(r, "twist of the Cosserat rod, base to tip", "deg", DEGREES * c->limit.twist, NULL);
    for (int i = 0; i < c->n; i++) {
        char name[64];
        snprintf(name, sizeof name, "%d discs: twist", disc_numbers[i]);
        say(r, name, "deg", DEGREES * c->twist[i], NULL);
        snprintf(name, sizeof name, "%d discs: tip off by", disc_numbers[i]);
        say(r, name, "mm", 1e3 * c->errors[1][i], NULL);
        snprintf(name, sizeof name, "%d discs: tip off by, without torsion", disc_numbers[i]);
        say(r, name, "mm", 1e3 * c->errors[0][i], NULL);
    }
    say(r, "order with torsion", "", order_of(c->errors[1], c->n), NULL);
}

// Of the straight robot of Table 1, Hz: turned at its tip by a fraction of a degree, and let go.
static double twisting_mode(paper_report *r, bool rods_held) {
    enum { SAMPLES = 512 };
    const double dt = 5e-4;
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION};
    td_options o = rone_options();
    o.virtual_power.torsion = true;
    o.virtual_power.rods_held = rods_held;
    td_error err = {0};
    double twist[SAMPLES];
    arm a;
    bool fine = arm_open_moving(&a, &d, &o, &err) && arm_untwist(&a, 1e-3, &err);
    for (int k = 0; k < SAMPLES && fine; k++) {
        twist[k] = arm_twist(&a);
        fine = arm_move(&a, dt, &err);
    }
    if (!fine) report_failure(r, "the twisting mode: %s", err.message);
    arm_close(&a);
    return fine ? peak_between(twist, SAMPLES, dt, 60.0, 170.0) : (double)NAN;
}

static void compare_modes(paper_report *r) {
    say(r, "first twisting mode, rods free in holes", "Hz", twisting_mode(r, false),
        "independently: 76.472 Hz");
    say(r, "first twisting mode, discs hold the rods", "Hz", twisting_mode(r, true),
        "independently: 137.351 Hz");
}

static void draw(paper_report *r, const column *c) {
    gnuplot g;
    if (!report_figure(r, &g, "torsion.png", 1100, 850)) return;
    fputs("$errors << EOD\n", g.script);
    for (int i = 0; i < c->n; i++)
        fprintf(g.script, "%d %.6g %.6g\n", disc_numbers[i], 1e3 * c->errors[0][i],
                1e3 * c->errors[1][i]);
    fprintf(g.script,
            "EOD\nset logscale xy\nset xrange [3.5:%g]\nset xtics (4, 8, 16, 32, 64)\n"
            "set format y '10^{%%T}'\nset xlabel 'discs'\n"
            "set ylabel 'distance of the tip from that of the Cosserat rod (mm)'\n"
            "set key bottom left\n"
            "plot $errors using 1:2 with linespoints pt 7 ps 1.3 lw 1.6 lc rgb '%s' title "
            "'two curvatures', $errors using 1:3 with linespoints pt 7 ps 1.3 lw 1.6 lc rgb '%s' "
            "title 'two curvatures and a twist'\n",
            1.15 * disc_numbers[c->n - 1], curve_colour(1), curve_colour(0));
    report_figure_end(r, &g, "torsion.png");
}

void rone2014_torsion(paper_report *r) {
    column c;
    if (!find(r, &c)) return;
    compare(r, &c);
    compare_modes(r);
    draw(r, &c);
    report_remark(r, "There is nothing printed. Without torsion more discs do not help: what is "
                     "missing is a coordinate.");
}
