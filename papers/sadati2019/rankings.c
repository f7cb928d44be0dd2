// What the abstract and section 3 say in words: which model is the better one, what mean stretch is
// good for, how far off ROM is. As published, and corrected.
#include <math.h>
#include <string.h>

#include "errors.h"
#include "sadati2019.h"

#define NONE ((double)NAN)
enum { NO_LOAD, LOAD };

static double percent(double mm) {
    return 100.0 * mm / (1e3 * REACH);
}

double study_error(const study *s, int which, int way, const char *model, int n, bool motion) {
    for (int i = 0; i < s->n; i++) {
        if (strcmp(s->list[i]->model, model) != 0) continue;
        for (int k = 0; k < contender_sizes(s->list[i]); k++) {
            const cell *c = &s->cells[which][way][i][k];
            if (s->list[i]->sizes[k] != n || !(motion ? c->moved : c->there)) continue;
            return motion ? c->motion.error : c->rest.error;
        }
    }
    return NONE;
}

// ---------------------------------------------------------------- mean stretch
// In points of the normalised error, as the text counts.
static void report_gain(paper_report *r, const study *s, int which, int way, int i, int motion) {
    const double mm = s->gains[which][way][i][motion];
    if (!isfinite(mm)) return;
    char quantity[96], note[96];
    snprintf(quantity, sizeof quantity, "%s, %s: stretch, %s %d %s", recorded_cases[which].name,
             way_names[way], s->list[i]->model, s->list[i]->paper_size,
             motion ? "moving" : "at rest");
    snprintf(note, sizeof note, "of the length: %+.2f mm%s", mm,
             mm < 0.0 ? "; it makes things worse" : "");
    report_compare(r, &(comparison){.quantity = quantity,
                                    .unit = "%",
                                    .printed = NONE,
                                    .printed_text = way == AS_PUBLISHED ? "up to 6" : NULL,
                                    .ours = percent(mm),
                                    .note = note});
}

static double largest_gain(const study *s, int way) {
    double largest = -HUGE_VAL;
    for (int k = 0; k < RECORDINGS * MOST * 2; k++) {
        const double mm = s->gains[k / (2 * MOST)][way][k / 2 % MOST][k % 2];
        if (isfinite(mm)) largest = fmax(largest, mm);
    }
    return isfinite(largest) ? percent(largest) : NONE;
}

void report_gains(paper_report *r, const study *s) {
    for (int k = 0; k < RECORDINGS * WAYS * MOST * 2; k++) {
        const int which = k / (WAYS * MOST * 2), way = k / (MOST * 2) % WAYS;
        if (k / 2 % MOST < s->n) report_gain(r, s, which, way, k / 2 % MOST, k % 2);
    }
    for (int way = 0; way < WAYS; way++) {
        char quantity[64];
        const double largest = largest_gain(s, way);
        snprintf(quantity, sizeof quantity, "largest gain by mean stretch, %s", way_names[way]);
        if (isfinite(largest))
            report_compare(r, &(comparison){.quantity = quantity,
                                            .unit = "%",
                                            .printed = 6.0,
                                            .ours = largest,
                                            .note = "printed: up to 6 %"});
    }
}

// Of the corrected eba, at rest under load and in motion, in words.
static void remark_on_stretch(paper_report *r, const study *s) {
    const double *gain = NULL;
    for (int i = 0; i < s->n; i++)
        if (!strcmp(s->list[i]->model, "eba")) gain = s->gains[LOAD][AS_CORRECTED][i];
    const double rest = study_error(s, LOAD, AS_CORRECTED, "eba", 5, false);
    const double moving = study_error(s, LOAD, AS_CORRECTED, "eba", 5, true);
    if (!gain || !isfinite(rest + moving + gain[0] + gain[1])) return;
    char text[400];
    snprintf(
        text, sizeof text,
        "Corrected, mean stretch helps without load. With a load it helps in motion, %.2f in place "
        "of %.2f mm, and hurts at rest, %.2f in place of %.2f mm (eba, 5 segments).",
        moving, moving + gain[1], rest, rest + gain[0]);
    report_remark(r, text);
}

// ---------------------------------------------------------------- ROM, 8 to 14 %
void report_range(paper_report *r, const study *s) {
    for (int way = 0; way < WAYS; way++) {
        double least = HUGE_VAL, most = -HUGE_VAL;
        for (int k = 0; k < RECORDINGS * 2; k++) {
            const double error = percent(study_error(s, k / 2, way, "rom", 2, k % 2));
            if (!isfinite(error)) return;
            least = fmin(least, error), most = fmax(most, error);
        }
        char quantity[64];
        snprintf(quantity, sizeof quantity, "rom 2, smallest of its errors, %s", way_names[way]);
        report_compare(r, &(comparison){.quantity = quantity,
                                        .unit = "%",
                                        .printed = 8.0,
                                        .ours = least,
                                        .note = "abstract: 8 to 14 %; section 3: 5.5 to 19 %"});
        snprintf(quantity, sizeof quantity, "rom 2, largest of its errors, %s", way_names[way]);
        report_compare(
            r, &(comparison){.quantity = quantity, .unit = "%", .printed = 14.0, .ours = most});
    }
}

// ---------------------------------------------------------------- rankings
typedef struct entry {
    const char *model;
    int n;
} entry;

// "better is less far off than every one of worse". Twice in one table: at rest or in motion.
typedef struct ranking {
    const char *text;
    int which;
    int motion;  // 0: at rest, 1: moving
    entry better, worse[3];
    double factor;  // by which it must be better; below 1: may be this much worse
} ranking;

static const ranking rankings[] = {
    {"few states: rom is best", NO_LOAD, 0, {"rom", 1}, {{"eba", 1}, {"ebr", 1}, {"srl", 1}}, 1.0},
    {"few states: rom is best", LOAD, 0, {"rom", 1}, {{"eba", 1}, {"ebr", 1}, {"srl", 1}}, 1.0},
    {"eba passes rom", NO_LOAD, 0, {"eba", 5}, {{"rom", 2}}, 1.0},
    {"eba passes rom", NO_LOAD, 1, {"eba", 5}, {{"rom", 2}}, 1.0},
    {"rom is worse with order", LOAD, 0, {"rom", 1}, {{"rom", 2}}, 1.0},
    {"rom is best", LOAD, 0, {"rom", 2}, {{"eba", 5}, {"ebr", 5}, {"srl", 3}}, 1.0},
    {"rom is best", LOAD, 1, {"rom", 2}, {{"eba", 5}, {"ebr", 5}, {"srl", 3}}, 1.0},
    {"eba better than ebr", LOAD, 0, {"eba", 5}, {{"ebr", 5}}, 1.0},
    {"ebr is far worse", NO_LOAD, 1, {"eba", 5}, {{"ebr", 5}}, 1.5},
    {"ebr is far worse", LOAD, 1, {"eba", 5}, {{"ebr", 5}}, 1.5},
};
enum { N_RANKINGS = sizeof rankings / sizeof rankings[0] };

// False: not all of it was computed.
static bool judge(const study *s, const ranking *k, int way, bool *holds, char *note, size_t size) {
    const double best = study_error(s, k->which, way, k->better.model, k->better.n, k->motion);
    int used = snprintf(note, size, "%s %d: %.2f mm", k->better.model, k->better.n, best);
    *holds = true;
    for (int i = 0; i < 3 && k->worse[i].model; i++) {
        const entry *e = &k->worse[i];
        const double other = study_error(s, k->which, way, e->model, e->n, k->motion);
        if (!isfinite(best + other)) return false;
        *holds = *holds && k->factor * best < other;
        if (used > 0 && (size_t)used < size)
            used += snprintf(note + used, size - used, ", %s %d: %.2f", e->model, e->n, other);
    }
    return true;
}

// "EBA and EBR show similar performance for static analysis ... without external load"; "SRL shows
// closer results to EBA". Similar: to a tenth.
static void report_similar(paper_report *r, const study *s, int way, const char *model, int n,
                           bool motion) {
    const double eba = study_error(s, NO_LOAD, way, "eba", n, motion);
    const double other = study_error(s, NO_LOAD, way, model, n, motion);
    char quantity[96], note[96];
    if (!isfinite(eba + other)) return;
    snprintf(quantity, sizeof quantity, "no load, %s: eba, %s alike %s", way_names[way], model,
             motion ? "moving" : "at rest");
    snprintf(note, sizeof note, "eba %d: %.2f mm, %s %d: %.2f", n, eba, model, n, other);
    report_claim(r, quantity, fabs(other / eba - 1.0) < 0.1, note);
}

// "Our dynamic simulation results are more accurate than the static ones."
static void report_motion_better(paper_report *r, const study *s, int way) {
    int better = 0, compared = 0;
    for (int which = 0; which < RECORDINGS; which++)
        for (int i = 0; i < s->n; i++)
            for (int k = 0; k < MOST_SIZES; k++) {
                const cell *c = &s->cells[which][way][i][k];
                if (!c->there || !c->moved) continue;
                better += c->motion.error < c->rest.error;
                compared++;
            }
    char quantity[96], note[48];
    if (compared == 0) return;
    snprintf(quantity, sizeof quantity, "%s: motion nearer than rest", way_names[way]);
    snprintf(note, sizeof note, "%d of %d", better, compared);
    report_claim(r, quantity, better == compared, note);
}

void report_rankings(paper_report *r, const study *s) {
    report_heading(r,
                   &(paper_item){{"section 3", "abstract"}, "what the text says of the models", 0});
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < N_RANKINGS; i++) {
            const ranking *k = &rankings[i];
            char quantity[96], note[160];
            bool holds;
            if (!judge(s, k, way, &holds, note, sizeof note)) continue;
            snprintf(quantity, sizeof quantity, "%s, %s: %s%s", recorded_cases[k->which].name,
                     way_names[way], k->text, k->motion ? ", moving" : "");
            report_claim(r, quantity, holds, note);
        }
        for (int motion = 0; motion < 2; motion++) report_similar(r, s, way, "srl", 3, motion);
        report_similar(r, s, way, "ebr", 5, false);
        report_motion_better(r, s, way);
    }
    report_range(r, s);
    report_gains(r, s);
    remark_on_stretch(r, s);
    report_remark(r,
                  "As published the rankings mostly hold, but what they rank are defects: once "
                  "recordings, damping and sections are the same for all, eba, ebr and rom agree "
                  "to 0.1 mm from five segments or order two on. The text does not say which "
                  "order of rom its numbers belong to: the rows of rom above use the order that "
                  "comes closest to each.");
}
