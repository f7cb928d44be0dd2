// papers/orekhov2020/study.c - see study.h.
#include "study.h"

#include <math.h>
#include <stdio.h>

#include "cli/terminal.h"
#include "math/pi.h"

void study_wrench(int i, int k, double wrench[6]) {
    for (int a = 0; a < 6; a++) {
        int digit = i % 3 - 1;
        i /= 3;
        wrench[a] = digit * (a < 3 ? 1.0 : 0.5) * k / (N_STEPS - 1);
    }
}

// ---------------------------------------------------------------- truth
static bool solve_case(loaded_rod *rod, int i, int k, case_truth *out, td_error *err) {
    double wrench[6];
    study_wrench(i, k, wrench);
    td_status status = rod_load(rod, wrench);
    if (status < 0) {
        *err = (td_error){.status = status};
        snprintf(err->message, sizeof err->message, "wrench %d, step %d: %.200s", i, k,
                 td_message(rod->state));
        return false;
    }
    td_sample base = td_get_sample(rod->system, rod->state, 0, 0.0);
    out->tip = rod_tip(rod);
    for (int a = 0; a < 3; a++) out->u0[a] = base.strain[a];
    return true;
}

bool study_truth(case_truth *cases, const method *m, td_error *err) {
    loaded_rod rod;
    if (!rod_open(&rod, m, err)) return false;
    bool fine = true;
    for (int i = 0; fine && i < N_WRENCHES; i++) {
        rod_straighten(&rod);
        for (int k = 0; fine && k < N_STEPS; k++)
            fine = solve_case(&rod, i, k, &cases[N_STEPS * i + k], err);
    }
    rod_close(&rod);
    return fine;
}

// ---------------------------------------------------------------- a method
static void add_error(study_result *out, const td_pose *tip, const td_pose *truth) {
    double position = 100.0 * distance(tip, truth) / ROD_LENGTH;
    double rotation = DEGREES * angle(tip, truth);
    out->solved++;
    out->position[0] += position, out->rotation[0] += rotation;
    out->position[1] = fmax(out->position[1], position);
    out->rotation[1] = fmax(out->rotation[1], rotation);
}

static void note_failure(study_result *out, int i, int k, const loaded_rod *rod) {
    if (out->message[0]) return;
    snprintf(out->message, sizeof out->message, "wrench %d, step %d: %.120s", i, k,
             td_message(rod->state));
}

// Every stride-th wrench, from the first on.
static study_result run_once(loaded_rod *rod, const case_truth *truth, int stride) {
    study_result out = {0};
    double start = processor_time();
    for (int i = 0; i < N_WRENCHES; i += stride) {
        out.asked += N_STEPS;
        rod_straighten(rod);
        for (int k = 0; k < N_STEPS; k++) {
            double wrench[6];
            study_wrench(i, k, wrench);
            if (rod_load(rod, wrench) < 0) {
                note_failure(&out, i, k, rod);
                break;
            }
            td_pose tip = rod_tip(rod);
            add_error(&out, &tip, &truth[N_STEPS * i + k].tip);
            if (k > 0) out.iterations += td_get_stats(rod->state)->iterations;
        }
    }
    out.rate = out.asked / (processor_time() - start);
    out.position[0] /= out.solved, out.rotation[0] /= out.solved;
    out.iterations /= out.solved - out.asked / N_STEPS;  // but for the unloaded rods
    return out;
}

bool study_run(study_result *out, const method *m, const case_truth *truth, int repeats,
               td_error *err) {
    loaded_rod rod;
    if (!rod_open(&rod, m, err)) return false;
    double best = 0.0;
    for (int i = 0; i < repeats; i++) {
        *out = run_once(&rod, truth, 1);
        best = fmax(best, out->rate);
    }
    out->rate = best;
    rod_close(&rod);
    return true;
}

bool study_sample(study_result *out, const method *m, const case_truth *truth, int stride,
                  td_error *err) {
    loaded_rod rod;
    if (!rod_open(&rod, m, err)) return false;
    *out = run_once(&rod, truth, stride);
    rod_close(&rod);
    return true;
}

bool study_distance(double *out, const method *m, const case_truth *truth, int stride,
                    td_error *err) {
    loaded_rod rod;
    *out = 0.0;
    if (!rod_open(&rod, m, err)) return false;
    bool fine = true;
    for (int i = 0; fine && i < N_WRENCHES; i += stride) {
        rod_straighten(&rod);
        for (int k = 0; fine && k < N_STEPS; k++) {
            case_truth c;
            fine = solve_case(&rod, i, k, &c, err);
            if (fine) *out = fmax(*out, distance(&c.tip, &truth[N_STEPS * i + k].tip));
        }
    }
    rod_close(&rod);
    return fine;
}

// ---------------------------------------------------------------- without load steps
static void count_direct(at_once *out, loaded_rod *rod, const td_pose *stepwise) {
    const td_stats *stats = td_get_stats(rod->state);
    td_pose tip = rod_tip(rod);
    if (stats->load_steps > 0) return;
    out->direct++;
    out->same += distance(&tip, stepwise) <= 1e-6 * ROD_LENGTH;
    out->iterations += stats->iterations;
    if (stats->iterations > out->most_iterations) out->most_iterations = stats->iterations;
}

bool study_at_once(at_once *out, const method *m, td_error *err) {
    loaded_rod stepwise, rod;
    *out = (at_once){0};
    if (!rod_open(&stepwise, m, err)) return false;
    bool fine = rod_open(&rod, m, err);
    for (int i = 0; fine && i < N_WRENCHES; i++) {
        case_truth end;
        double wrench[6];
        study_wrench(i, N_STEPS - 1, wrench);
        rod_straighten(&stepwise);
        for (int k = 0; fine && k < N_STEPS; k++) fine = solve_case(&stepwise, i, k, &end, err);
        rod_straighten(&rod);
        if (fine && rod_load(&rod, wrench) >= 0) count_direct(out, &rod, &end.tip);
    }
    out->iterations /= out->direct > 0 ? out->direct : 1;
    rod_close(&stepwise);
    rod_close(&rod);
    return fine;
}
