// Section 3 and Figure 7: how far the tip of each model is from the measured one, at rest and in
// motion, without and with a load; as published and corrected.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/figure.h"
#include "errors.h"
#include "sadati2019.h"

const char *const way_names[WAYS] = {"published", "corrected"};

// ---------------------------------------------------------------- what is in print
// Whose n the text leaves open, of ROM, is the one that comes closest. `stored`: what the authors'
// own result files hold. 0: nothing.
static const struct {
    const char *model;
    int n;
    bool load, motion;
    double mm, percent, stored;
} in_print[] = {
    {"rom", 2, false, false, 6.0, 9.0, 5.769},   {"rom", 2, false, true, 3.5, 5.5, 3.585},
    {"rom", 1, true, false, 12.5, 19.0, 12.362}, {"rom", 2, true, true, 9.0, 14.0, 9.188},
    {"eba", 5, false, false, 5.2, 8.1, 0.0},     {"eba", 5, false, true, 3.0, 4.7, 3.023},
    {"eba", 1, false, false, 0.0, 0.0, 13.577},  {"eba", 5, true, true, 0.0, 0.0, 11.378},
    {"srl", 3, false, false, 0.0, 0.0, 6.205},   {"srl", 3, true, false, 0.0, 0.0, 13.595},
    {"ebr", 5, false, false, 0.0, 0.0, 5.224},   {"ebr", 5, false, true, 0.0, 0.0, 9.593},
    {"ebr", 5, true, false, 0.0, 0.0, 13.307},
};
enum { N_PRINTED = sizeof in_print / sizeof *in_print };

static int find_printed(const char *model, int n, bool load, bool motion) {
    for (int i = 0; i < N_PRINTED; i++)
        if (!strcmp(in_print[i].model, model) && in_print[i].n == n && in_print[i].load == load &&
            in_print[i].motion == motion)
            return i;
    return -1;
}

// ---------------------------------------------------------------- rows
typedef struct label {
    const recorded *what;
    const char *way, *model, *besides;  // besides: one thing that is changed, or ""
    int n;
    bool motion;
} label;

static void report_error_of(paper_report *r, const label *l, double mm, int printed) {
    char quantity[128], note[160];
    int used = snprintf(note, sizeof note, "%.2f %%", 100.0 * mm / (1e3 * REACH));
    if (printed >= 0 && in_print[printed].percent > 0.0)
        used +=
            snprintf(note + used, sizeof note - used, ", printed %g %%", in_print[printed].percent);
    if (printed >= 0 && in_print[printed].stored > 0.0)
        used += snprintf(note + used, sizeof note - used, "; their files: %g mm",
                         in_print[printed].stored);
    if (printed >= 0 && in_print[printed].mm > 0.0 && !strcmp(l->model, "rom"))
        snprintf(note + used, sizeof note - used, "; the order that comes closest");
    snprintf(quantity, sizeof quantity, "%s, %s: %s %d%s %s", l->what->name, l->way, l->model, l->n,
             l->besides, l->motion ? "moving" : "at rest");
    const bool has_number = printed >= 0 && in_print[printed].mm > 0.0;
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "mm",
                                    .printed = has_number ? in_print[printed].mm : (double)NAN,
                                    .ours = mm,
                                    .note = note});
}

// What the text quotes, what the authors keep, and the one size that represents a model.
static bool is_reported(const contender *who, int n, int way, int printed) {
    if (way == 0 && printed >= 0) return true;
    return n == who->paper_size || (way == 1 && n == 5);
}

static void report_cell(paper_report *r, const recorded *what, int way, const contender *who, int n,
                        const cell *c) {
    for (int motion = 0; motion < 2; motion++) {
        if (motion ? !c->moved : !c->there) continue;
        const int printed = way == 0 ? find_printed(who->model, n, what->load, motion) : -1;
        const label l = {what, way_names[way], who->model, "", n, motion};
        if (is_reported(who, n, way, printed))
            report_error_of(r, &l, motion ? c->motion.error : c->rest.error, printed);
    }
}

// ---------------------------------------------------------------- computing
static bool report_broken(paper_report *r, const recording *rec, const variant *how,
                          const td_error *err) {
    report_failure(r, "%s, %s, n = %d: %s", rec->what->name, how->model, how->n, err->message);
    return false;
}

// What the paper does not have is compared at rest.
static bool may_move(const paper_report *r, const contender *who, int n, int way) {
    if (!who->printed || (r->effort == PAPER_QUICK && strcmp(who->model, "eba") != 0)) return false;
    return way == 1 || who->calm == 0 || n <= who->calm;
}

static bool compute(paper_report *r, const recording *rec, int way, const contender *who, int n,
                    cell *c) {
    td_error err = {0};
    const variant how =
        way == 0 ? published_variant(who, n, rec->what->load) : corrected_variant(who, n, true);
    report_progress(r, "%s, %s %d", rec->what->name, how.model, how.n);
    c->there = follow_statics(rec, &how, &c->rest, &err);
    if (!c->there) return report_broken(r, rec, &how, &err);
    if (!may_move(r, who, n, way)) return true;
    c->moved = follow_motion(rec, &how, &c->motion, NULL, &err);
    return c->moved || report_broken(r, rec, &how, &err);
}

static bool sweep(paper_report *r, study *s, const recording *rec, int which, int way) {
    bool fine = true;
    for (int i = 0; i < s->n; i++) {
        const contender *who = s->list[i];
        if (way == 0 && !who->printed) continue;
        for (int k = 0; k < contender_sizes(who); k++) {
            cell *c = &s->cells[which][way][i][k];
            if (r->effort == PAPER_QUICK && who->sizes[k] != who->paper_size) continue;
            fine = compute(r, rec, way, who, who->sizes[k], c) && fine;
            report_cell(r, rec->what, way, who, who->sizes[k], c);
        }
    }
    return fine;
}

// ---------------------------------------------------------------- mean stretch
// The same without it, for the sizes of the paper: as published those that have it (with a load rom
// alone), corrected one for all, since they agree.
static void find_gains(paper_report *r, study *s, const recording *rec, int which, int way) {
    for (int i = 0; i < s->n; i++) {
        const contender *who = s->list[i];
        double *gains = s->gains[which][way][i];
        gains[0] = gains[1] = (double)NAN;
        variant how = way == AS_PUBLISHED ? published_variant(who, who->paper_size, rec->what->load)
                                          : corrected_variant(who, who->paper_size, true);
        if (!who->printed || !how.follows_stretch) continue;
        if (way == AS_CORRECTED && strcmp(who->model, "eba") != 0) continue;
        how.follows_stretch = how.by_height = false;
        for (int motion = 0; motion < 2; motion++) {
            const double with = study_error(s, which, way, who->model, who->paper_size, motion);
            td_error err = {0};
            outcome o;
            if (!isfinite(with)) continue;
            report_progress(r, "%s, %s %d without stretch", rec->what->name, how.model, how.n);
            if (motion ? follow_motion(rec, &how, &o, NULL, &err)
                       : follow_statics(rec, &how, &o, &err))
                gains[motion] = o.error - with;
            else report_broken(r, rec, &how, &err);
        }
    }
}

// ---------------------------------------------------------------- one thing changed
static void report_variant(paper_report *r, const recording *rec, const char *way,
                           const char *besides, const variant *how, bool rest, bool motion) {
    td_error err = {0};
    outcome o;
    label l = {rec->what, way, how->model, besides, how->n, false};
    report_progress(r, "%s, %s %d%s", rec->what->name, how->model, how->n, besides);
    if (rest && !follow_statics(rec, how, &o, &err)) report_broken(r, rec, how, &err);
    else if (rest) report_error_of(r, &l, o.error, -1);
    l.motion = true;
    if (motion && !follow_motion(rec, how, &o, NULL, &err)) report_broken(r, rec, how, &err);
    else if (motion) report_error_of(r, &l, o.error, -1);
}

// The last of it: measured tips a sample later than pressures.
static void change_published(paper_report *r, recording *rec) {
    static const contender eba = {.model = "eba"}, ebr = {.model = "ebr"};
    const bool load = rec->what->load;
    variant v = corrected_variant(&eba, 5, !load);
    v.damping = published_damping("eba", 5);
    report_variant(r, rec, "published", " corrected", &v, true, true);
    v = published_variant(&ebr, 5, load);
    v.damping = published_damping("eba", 5);
    if (r->effort != PAPER_QUICK)
        report_variant(r, rec, "published", " eba-damped", &v, false, true);
    v = published_variant(&eba, 5, load);
    for (int i = rec->n - 1; i > 0; i--)
        memcpy(rec->samples[i].tip, rec->samples[i - 1].tip, sizeof rec->samples[i].tip);
    report_variant(r, rec, "published", " one late", &v, false, true);
}

static void change_corrected(paper_report *r, const recording *rec) {
    static const contender eba = {.model = "eba"}, rod = {.model = "cosserat"};
    variant v = published_variant(&eba, 5, rec->what->load);
    report_variant(r, rec, "corrected", " as printed", &v, true, true);
    v = corrected_variant(&eba, 5, true);
    v.damping = published_damping("eba", 5);
    report_variant(r, rec, "corrected", " quadratic", &v, false, true);
    v = corrected_variant(&eba, 5, false);
    report_variant(r, rec, "corrected", " fixed", &v, true, true);
    v = corrected_variant(&rod, 8, false);
    report_variant(r, rec, "corrected", " fixed", &v, true, true);
}

// ---------------------------------------------------------------- table and pictures
static void write_table(paper_report *r, const study *s) {
    FILE *out = report_table(r, "errors.csv");
    if (!out) return;
    fputs("recording,way,model,n,states,at rest [mm],at rest [%],moving [mm],moving [%],for 1 s "
          "[s]\n",
          out);
    for (int k = 0; k < RECORDINGS * WAYS * MOST * MOST_SIZES; k++) {
        const int size = k % MOST_SIZES, i = k / MOST_SIZES % MOST;
        const int way = k / MOST_SIZES / MOST % WAYS, which = k / MOST_SIZES / MOST / WAYS;
        const cell *c = &s->cells[which][way][i][size];
        if (!c->there) continue;
        const int n = s->list[i]->sizes[size];
        fprintf(out, "%s,%s,%s,%d,%d,%.5g,%.4g,", recorded_cases[which].name, way_names[way],
                s->list[i]->model, n, contender_states(s->list[i], n, way == 0), c->rest.error,
                0.1 * c->rest.error / REACH);
        if (c->moved)
            fprintf(out, "%.5g,%.4g,%.4g\n", c->motion.error, 0.1 * c->motion.error / REACH,
                    c->motion.seconds);
        else fputs(",,\n", out);
    }
    report_close(r, out, "errors.csv");
}

static void put_curve_data(FILE *script, const study *s, int which, int way, int i) {
    fprintf(script, "$c%d_%d << EOD\n", which, i);
    for (int k = 0; k < contender_sizes(s->list[i]); k++) {
        const cell *c = &s->cells[which][way][i][k];
        if (!c->there) continue;
        fprintf(script, "%d %.5g ", contender_states(s->list[i], s->list[i]->sizes[k], way == 0),
                c->rest.error);
        if (c->moved) fprintf(script, "%.5g\n", c->motion.error);
        else fputs("NaN\n", script);
    }
    fputs("EOD\n", script);
}

// Numbers in print, where the paper has them.
static bool put_printed(FILE *script, const study *s, int which, int motion) {
    bool any = false;
    fprintf(script, "$p%d%d << EOD\n", which, motion);
    for (int i = 0; i < N_PRINTED; i++) {
        if (in_print[i].load != recorded_cases[which].load || in_print[i].motion != motion)
            continue;
        for (int k = 0; k < s->n && in_print[i].mm > 0.0; k++) {
            if (strcmp(s->list[k]->model, in_print[i].model) != 0) continue;
            fprintf(script, "%d %g\n", contender_states(s->list[k], in_print[i].n, true),
                    in_print[i].mm);
            any = true;
        }
    }
    fputs("EOD\n", script);
    return any;
}

static void draw_panel(FILE *script, const study *s, int which, int way, int motion) {
    int curves = 0;
    const bool printed = way == 0 && put_printed(script, s, which, motion);
    // Columns of the key are as wide as its longest word.
    fprintf(script, "set key width %d\nset title '%s, %s'\nplot ",
            printed || (way == 1 && !motion) ? -2 : 1, recorded_cases[which].name,
            motion ? "moving" : "at rest");
    for (int i = 0; i < s->n; i++) {
        const cell *first = s->cells[which][way][i];
        bool any = false;
        for (int k = 0; k < MOST_SIZES; k++)
            any = any || (motion ? first[k].moved : first[k].there);
        if (!any) continue;
        fprintf(script,
                "%s$c%d_%d using 1:%d with linespoints lw %g pt 7 ps 1.1 lc rgb '%s' title '%s'",
                curves++ ? ", " : "", which, i, motion + 2, i == 0 ? 3.0 : 1.5, curve_colour(i),
                s->list[i]->model);
    }
    if (printed)
        fprintf(script, ", $p%d%d with points pt 3 ps 2 lw 1.5 lc rgb 'black' title 'printed'",
                which, motion);
    fputs("\n", script);
}

static void draw(paper_report *r, const study *s, const bool have[RECORDINGS], int way,
                 const char *file) {
    gnuplot g;
    if (!report_figure(r, &g, file, 1700, have[0] && have[1] ? 1200 : 640)) return;
    for (int which = 0; which < RECORDINGS; which++)
        for (int i = 0; i < s->n && have[which]; i++) put_curve_data(g.script, s, which, way, i);
    fprintf(g.script,
            "set multiplot layout %d,2\nset logscale x\nset xrange [5:140]\nset yrange [0:*]\n"
            "set xtics (6, 12, 18, 30, 60, 120)\nset xlabel 'coordinates'\n"
            "set ylabel 'mean distance from the measured tip (mm)'\nset key bottom center "
            "horizontal samplen 1\n",
            have[0] + have[1]);
    for (int which = 0; which < RECORDINGS; which++)
        for (int motion = 0; motion < 2 && have[which]; motion++)
            draw_panel(g.script, s, which, way, motion);
    fputs("unset multiplot\n", g.script);
    report_figure_end(r, &g, file);
}

// ---------------------------------------------------------------- all of it
static void compare_recording(paper_report *r, study *s, int which, bool *have) {
    for (int way = 0; way < WAYS; way++) {
        recording rec;
        *have = open_recording(r, &rec, &recorded_cases[which], way == 0 ? PUBLISHED : CORRECTED);
        if (!*have) return;
        sweep(r, s, &rec, which, way);
        find_gains(r, s, &rec, which, way);
        if (way == 0) change_published(r, &rec);
        else change_corrected(r, &rec);
        recording_free(&rec);
    }
}

void sadati2019_errors(paper_report *r) {
    bool have[RECORDINGS] = {false};
    report_left_out(r);
    study *s = r->data ? calloc(1, sizeof *s) : NULL;
    if (!s) {
        if (r->data) report_failure(r, "out of memory");
        return;
    }
    s->n = contenders(s->list);
    for (int i = 0; i < RECORDINGS; i++) compare_recording(r, s, i, &have[i]);
    if (have[0] || have[1]) write_table(r, s);
    if ((have[0] || have[1]) && r->effort != PAPER_QUICK) {
        draw(r, s, have, 0, "errors-published.png");
        draw(r, s, have, 1, "errors-corrected.png");
    }
    report_remark(
        r, "Published: their conditioning of the recordings, discretisation, inertias and damping. "
           "Corrected: conditioning, discretisation and inertias corrected, sections that follow "
           "the mean stretch, and linear damping of 10 ms. Changed in one point: 'as "
           "printed' and 'corrected' the model; 'eba-damped' the damping of eba in place of the "
           "linear one of ebr; 'one late' the measured tip read one sample late; "
           "'quadratic' the paper's damping; 'fixed' sections that do not follow the "
           "stretch.");
    if (have[0] || have[1]) report_rankings(r, s);
    free(s);
}
