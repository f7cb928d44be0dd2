// papers/sadati2019/follow.c - see follow.h.
#include "follow.h"

#include <math.h>
#include <string.h>

#include "cli/terminal.h"

#define STEP 0.01    // s; half of it changes the errors by less than 1 um
enum { STEPS = 5 };  // from sample to sample

double tip_apart(const double a[3], const double b[3]) {
    return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

bool follow_statics(const recording *r, const variant *how, outcome *out, td_error *err) {
    const int n = r->what->n_instants;
    double sum = 0.0, start = processor_time(), p[3];
    module m;
    if (!module_open(&m, how, err)) return false;
    for (int i = 0; i < n; i++) {
        const sample *s = sample_at(r, r->what->instants[i]);
        if (!module_settle(&m, s, err)) {
            module_close(&m);
            return false;
        }
        module_tip(&m, p);
        sum += tip_apart(p, s->tip);
    }
    *out = (outcome){1e3 * sum / n, (processor_time() - start) / n};
    module_close(&m);
    return true;
}

int follow_first(const recording *r) {
    return (int)(sample_at(r, r->what->from) - r->samples);
}

int follow_samples(const recording *r) {
    return r->n - follow_first(r);
}

static bool move_to(module *m, const recording *r, int i, td_error *err) {
    bool fine = true;
    for (int k = 1; k <= STEPS && fine; k++) {
        const sample s = sample_between(r, (i - 1) * SAMPLING + k * STEP);
        fine = module_move(m, &s, STEP, err);
    }
    return fine;
}

bool follow_motion(const recording *r, const variant *how, outcome *out, double (*tips)[3],
                   td_error *err) {
    const int first = follow_first(r), n = follow_samples(r);
    double sum = 0.0, p[3];
    module m;
    if (!module_open(&m, how, err)) return false;
    bool fine = true;
    const double start = processor_time();
    for (int i = 0; i < n && fine; i++) {
        if (i > 0) fine = move_to(&m, r, first + i, err) && module_restretch(&m, err);
        module_tip(&m, p);
        sum += tip_apart(p, r->samples[first + i].tip);
        if (tips) memcpy(tips[i], p, sizeof p);
    }
    *out = (outcome){1e3 * sum / n, (processor_time() - start) / ((n - 1) * SAMPLING)};
    module_close(&m);
    return fine;
}

// ---------------------------------------------------------------- recordings of a run
bool open_recording(paper_report *r, recording *out, const recorded *what, conditioning how) {
    td_error err = {0};
    if (!r->data) return false;
    if (recording_load(out, r->data, what, how, &err)) return true;
    report_failure(r, "%s: %s; papers/sadati2019/errata.md tells where the recordings are",
                   err.where, err.message);
    return false;
}

void report_left_out(paper_report *r) {
    if (r->data) return;
    report_remark(
        r, "Left out: this needs the recordings NoLoad_raw.csv and Load1_raw.csv, which are not "
           "part of this program. papers/sadati2019/errata.md tells where they come from; "
           "then: tendril paper sadati2019 --data DIR");
}
