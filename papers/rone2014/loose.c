// Figure 17 and the three percentages of section 6.6: how far the model is from the prototype.
//
// What was measured is not published. The paper names a cause, though: the holes in the base leave
// the rods play, so that they are bent less before the first disc than the model thinks. Here some
// of the rods do not resist bending there: does that move the curvatures as the measured ones were
// moved, and the discs as far?
#include <math.h>

#include "cli/figure.h"
#include "robot.h"
#include "rone2014.h"

#define LOOSE 2  // rods of six; with three, 30 N in rod 1-1 have no equilibrium of this kind

typedef struct bent {
    double beta[DISCS];  // 1/m
    double p[DISCS][3];  // m
} bent;

typedef struct percentage {
    const char *name;
    int disc;  // where the text finds the largest error
    double tension[RODS];
    double printed;  // %, of the distance from the base
} percentage;

static const percentage printed[] = {
    {"fig. 16, 1-1: 30 N", 8, {[R11] = 30.0}, 4.89},
    {"fig. 18, 2-2: 10 N", 8, {[R22] = 10.0}, 5.53},
    {"fig. 19, 1-1: 25 N, 2-2: 5 N", 7, {[R11] = 25.0, [R22] = 5.0}, 8.02},
};
enum { N_PRINTED = sizeof printed / sizeof printed[0], SHOWN = 4 };

// Core and rods in each subsegment. Bent together they are the printed model but for 0.1 %.
static const double all_held[DISCS] = {7.0, 7.0, 7.0, 7.0, 4.0, 4.0, 4.0, 4.0};
static const double some_loose[DISCS] = {7.0 - LOOSE, 7.0, 7.0, 7.0, 4.0, 4.0, 4.0, 4.0};

static bool find(const double tension[RODS], const double *wires, bent *out, td_error *err) {
    const design d = {.inertias = FROM_TABLE, .friction = FRICTION, .wires = wires};
    const td_options o = rone_options();
    arm a;
    bool fine = arm_open(&a, &d, &o, err) && arm_settle(&a, tension, err);
    for (int i = 0; i < DISCS && fine; i++) {
        out->beta[i] = arm_curvature(&a, i);
        arm_disc(&a, i, out->p[i]);
    }
    arm_close(&a);
    return fine;
}

// ---------------------------------------------------------------- Figure 17
static void compare_beta(paper_report *r, const bent *model, const bent *held, const bent *loose) {
    // By the text, against the model.
    static const char *const measured[SHOWN] = {"more", "less", "similar", "similar"};
    for (int i = 0; i < SHOWN; i++) {
        char name[64], note[96];
        snprintf(name, sizeof name, "1-1: 30 N, beta %d", i + 1);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "1/m",
                                        .printed = (double)NAN,
                                        .ours = model->beta[i],
                                        .note = "the figure cannot be read off"});
        const double change = 100.0 * (loose->beta[i] / held->beta[i] - 1.0);
        snprintf(name, sizeof name, "1-1: 30 N, beta %d, %d rods loose", i + 1, LOOSE);
        snprintf(note, sizeof note, "%+.1f %%; measured: %s", change, measured[i]);
        report_compare(r, &(comparison){.quantity = name,
                                        .unit = "1/m",
                                        .printed = (double)NAN,
                                        .ours = loose->beta[i],
                                        .note = note});
    }
}

static void draw(paper_report *r, const bent *model, const bent *loose) {
    gnuplot g;
    if (!report_figure(r, &g, "figure17.png", 1000, 750)) return;
    fputs("$beta << EOD\n", g.script);
    for (int i = 0; i < SHOWN; i++)
        fprintf(g.script, "%d %.6g %.6g\n", i + 1, model->beta[i], loose->beta[i]);
    fprintf(g.script,
            "EOD\nset title 'Figure 17: rod 1-1, 30 N'\nset xrange [0.5:4.5]\nset xtics 1\n"
            "set yrange [0:6.5]\nset xlabel 'subsegment'\nset ylabel 'beta (1/m)'\n"
            "set key top right\nset boxwidth 0.35\nset style fill solid 0.75 noborder\n"
            "plot $beta using ($1 - 0.19):2 with boxes lc rgb '%s' title 'rods held at the base: "
            "the model', "
            "$beta using ($1 + 0.19):3 with boxes lc rgb '%s' title '%d of 6 loose'\n",
            curve_colour(0), curve_colour(1), LOOSE);
    report_figure_end(r, &g, "figure17.png");
}

// ---------------------------------------------------------------- the three percentages
static double moved(const percentage *c, const bent *held, const bent *loose) {
    const double *p = held->p[c->disc - 1], *q = loose->p[c->disc - 1];
    return 100.0 * hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]) /
           hypot(hypot(q[0], q[1]), q[2]);
}

static void compare_percentage(paper_report *r, const percentage *c, const bent *held,
                               const bent *loose) {
    char name[80];
    snprintf(name, sizeof name, "%s: disc %d", c->name, c->disc);
    report_compare(r, &(comparison){.quantity = name,
                                    .unit = "%",
                                    .printed = c->printed,
                                    .ours = moved(c, held, loose),
                                    .note = "printed: off the measured shape, which is not "
                                            "published; ours: moved by the loose rods"});
}

void rone2014_loose(paper_report *r) {
    bent model, held[N_PRINTED], loose[N_PRINTED];
    td_error err = {0};
    if (!find(printed[0].tension, NULL, &model, &err)) {
        report_failure(r, "%s: %s", printed[0].name, err.message);
        return;
    }
    for (int i = 0; i < N_PRINTED; i++) {
        const percentage *c = &printed[i];
        if (find(c->tension, all_held, &held[i], &err) &&
            find(c->tension, some_loose, &loose[i], &err))
            continue;
        report_failure(r, "%s: %s", c->name, err.message);
        return;
    }
    compare_beta(r, &model, &held[0], &loose[0]);
    for (int i = 0; i < N_PRINTED; i++) compare_percentage(r, &printed[i], &held[i], &loose[i]);
    draw(r, &model, &loose[0]);
    report_remark(r, "Play of the rods in the base bends the first subsegment more and the second "
                     "less, as was measured: that much of the explanation holds (the third is bent "
                     "less here, too). But play of this size moves the end of the robot by less "
                     "than 1 %: the printed percentages need another cause besides. (Reading an "
                     "angle off a photograph is good to 1.637 % of a curvature, by the text.)");
}
