// Figure 4: the measured tip over time, with ebr of four segments as published, and with eba of
// five, corrected.
#include <math.h>
#include <stdlib.h>

#include "cli/figure.h"
#include "follow.h"
#include "lineup.h"
#include "sadati2019.h"

enum { WAYS = 2 };
static const char *const ways[WAYS] = {"as published", "corrected"};
static const contender printed_model = {.model = "ebr"}, corrected_model = {.model = "eba"};

typedef struct trace {
    recording measured;
    double (*tips)[3];
    outcome outcome;
} trace;

static bool follow(paper_report *r, trace *t, const recorded *what, int way) {
    td_error err = {0};
    *t = (trace){0};
    if (!open_recording(r, &t->measured, what, way == 0 ? PUBLISHED : CORRECTED)) return false;
    const variant how = way == 0 ? published_variant(&printed_model, 4, what->load)
                                 : corrected_variant(&corrected_model, 5, true);
    report_progress(r, "%s, %s", what->name, ways[way]);
    t->tips = calloc(follow_samples(&t->measured), sizeof *t->tips);
    if (t->tips && follow_motion(&t->measured, &how, &t->outcome, t->tips, &err)) return true;
    report_failure(r, "%s, %s: %s", what->name, ways[way], t->tips ? err.message : "out of memory");
    return false;
}

static void discard(trace *t) {
    recording_free(&t->measured);
    free(t->tips);
}

static void compare(paper_report *r, const trace *t, int way) {
    char quantity[96];
    snprintf(quantity, sizeof quantity, "%s, %s: mean distance", t->measured.what->name, ways[way]);
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "mm",
                                    .printed = (double)NAN,
                                    .ours = t->outcome.error,
                                    .note = way == 0 ? "ebr, n = 4, linear damping"
                                                     : "eba, n = 5, mean stretch"});
}

static void write_table(paper_report *r, const trace *t, const char *file) {
    FILE *out = report_table(r, file);
    if (!out) return;
    fputs("time [s],p0 [Pa],p1 [Pa],p2 [Pa],measured x [m],y [m],z [m],model x [m],y [m],z [m]\n",
          out);
    const int first = follow_first(&t->measured), n = follow_samples(&t->measured);
    for (int i = 0; i < n; i++) {
        const sample *s = &t->measured.samples[first + i];
        fprintf(out, "%.9g", s->time);
        for (int k = 0; k < 3; k++) fprintf(out, ",%.6g", s->pressure[k]);
        for (int k = 0; k < 3; k++) fprintf(out, ",%.6g", s->tip[k]);
        for (int k = 0; k < 3; k++) fprintf(out, ",%.6g", t->tips[i][k]);
        fputc('\n', out);
    }
    report_close(r, out, file);
}

static void put_data(FILE *script, const trace *t, int index) {
    const int first = follow_first(&t->measured), n = follow_samples(&t->measured);
    fprintf(script, "$trace%d << EOD\n", index);
    for (int i = 0; i < n; i++) {
        const sample *s = &t->measured.samples[first + i];
        fprintf(script, "%.6g", s->time);
        for (int k = 0; k < 3; k++)
            fprintf(script, " %.5g %.5g", 1e3 * s->tip[k], 1e3 * t->tips[i][k]);
        fputc('\n', script);
    }
    fputs("EOD\n", script);
}

static void draw(paper_report *r, const trace *all, int n) {
    static const char *const axes[] = {"x", "y", "z"};
    gnuplot g;
    if (!report_figure(r, &g, "traces.png", 1900, n > WAYS ? 1250 : 680)) return;
    for (int i = 0; i < n; i++) put_data(g.script, &all[i], i);
    fprintf(g.script,
            "set multiplot layout %d,2\nset xlabel 'time (s)'\nset ylabel 'tip (mm)'\n"
            "set yrange [-50:105]\nset xrange [5:55]\n"
            "set key top center horizontal samplen 1.5\n",
            n / WAYS);
    for (int i = 0; i < n; i++) {
        fprintf(g.script, "set title '%s, %s: %.1f mm'\nplot ", all[i].measured.what->name,
                ways[i % WAYS], all[i].outcome.error);
        for (int k = 0; k < 3; k++)
            fprintf(g.script,
                    "%s$trace%d using 1:%d with lines lw 2.6 lc rgb '#bbbbbb' %s, "
                    "$trace%d using 1:%d with lines lw 1.2 lc rgb '%s' title 'model %s'",
                    k ? ", " : "", i, 2 * k + 2, k ? "notitle" : "title 'measured'", i, 2 * k + 3,
                    curve_colour(k), axes[k]);
        fputs("\n", g.script);
    }
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, "traces.png");
}

void sadati2019_traces(paper_report *r) {
    static const char *const files[RECORDINGS][WAYS] = {
        {"no-load-published.csv", "no-load-corrected.csv"},
        {"load-published.csv", "load-corrected.csv"}};
    trace all[RECORDINGS * WAYS];
    int n = 0;
    bool fine = true;
    report_left_out(r);
    for (int i = 0; i < RECORDINGS && r->data && fine; i++)
        for (int way = 0; way < WAYS && fine; way++) {
            fine = follow(r, &all[n], &recorded_cases[i], way);
            if (fine) {
                compare(r, &all[n], way);
                write_table(r, &all[n], files[i][way]);
            }
            n++;
        }
    if (fine && n > 0) draw(r, all, n);
    for (int i = 0; i < n; i++) discard(&all[i]);
}
