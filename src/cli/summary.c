// cli/summary.c - see summary.h.
#include "cli/summary.h"

#include <math.h>
#include <stdio.h>

#include "cli/parts.h"
#include "io/json.h"
#include "io/options.h"

#define LOSSY 0.05  // drift of the energy that deserves a word

// kinetic + elastic + gravity + dissipated - work stays what it was, in exact arithmetic.
static double balance_of(const td_energy *e) {
    return e->kinetic + e->elastic + e->gravity + e->dissipated - e->work;
}

summary summary_begin(const session *s) {
    td_energy e = td_get_energy(s->system, s->state);
    summary sum = {.ending = "finished", .message = ""};
    sum.from = sum.to = td_get_time(s->system, s->state);
    sum.balance = balance_of(&e);
    sum.gravity = e.gravity;
    summary_energy(&sum, &e);
    slack_note(&sum.slack, s);
    return sum;
}

void summary_step(summary *sum, td_status status, const session *s) {
    const td_stats *stats = td_get_stats(s->state);
    sum->steps++;
    sum->iterations += stats->iterations;
    sum->evaluations += stats->evaluations;
    sum->fallbacks += stats->fallbacks;
    if (status == TD_LOOSE) sum->loose++;
    if (stats->iterations > sum->most_iterations) sum->most_iterations = stats->iterations;
    if (stats->evaluations > sum->most_evaluations) sum->most_evaluations = stats->evaluations;
    sum->resolution = fmax(sum->resolution, stats->resolution);
    sum->residual = fmax(sum->residual, stats->residual);
    slack_note(&sum->slack, s);
}

// The zero of gravity is arbitrary, so only its change counts as an energy seen.
void summary_energy(summary *sum, const td_energy *e) {
    const double seen[] = {e->kinetic, e->elastic, e->gravity - sum->gravity, e->dissipated,
                           e->work};
    for (int i = 0; i < 5; i++) sum->scale = fmax(sum->scale, fabs(seen[i]));
    sum->drift = fmax(sum->drift, fabs(balance_of(e) - sum->balance));
    sum->gained = fmax(sum->gained, balance_of(e) - sum->balance);
}

static double relative_drift(const summary *sum) {
    return sum->scale > 0 ? sum->drift / sum->scale : 0.0;
}

// What to make of it.
static const char *drift_word(const summary *sum, const session *s) {
    if (!(relative_drift(sum) > LOSSY)) return "";
    if (sum->gained > 0.5 * sum->drift) return " was gained: try a smaller step";
    if (td_n_obstacles(s->system) + td_n_contacts(s->system) > 0)
        return ": impacts are shorter than the steps, or the scheme damps fast motion";
    return ": the scheme damps fast motion, try a smaller step";
}

static double per_step(const summary *sum, long total) {
    return sum->steps ? (double)total / (double)sum->steps : 0.0;
}

static double real_time_ratio(const summary *sum) {
    return sum->wall > 0 ? (sum->to - sum->from) / sum->wall : 0.0;
}

static td_pose tip_of(const session *s, int rod) {
    return td_get_pose(s->system, s->state, rod, td_get_length(s->system, s->state, rod));
}

static void print_tips(const session *s) {
    for (int i = 0; i < td_n_rods(s->system); i++) {
        const td_pose tip = tip_of(s, i);
        printf("  tip          %s at (%.6g, %.6g, %.6g) m\n", td_rod_name(s->system, i), tip.p[0],
               tip.p[1], tip.p[2]);
    }
    for (int i = 0; i < td_n_bodies(s->system); i++) {
        td_pose at = td_get_body(s->system, s->state, i).pose;
        if (!body_is_free(s, i)) continue;
        printf("  body         %s at (%.6g, %.6g, %.6g) m\n", td_body_name(s->system, i), at.p[0],
               at.p[1], at.p[2]);
    }
}

void summary_print(const summary *sum, const session *s, const char *result) {
    printf("%s: %s; %.4g s simulated in %.3g s, %.3g x real time\n", s->file, sum->ending,
           sum->to - sum->from, sum->wall, real_time_ratio(sum));
    printf("  steps        %ld of %g s, %s, model %s\n", sum->steps, s->scenario.step,
           stepping_name(&s->options), s->options.model);
    printf("  iterations   %.2f per step, at most %d\n", per_step(sum, sum->iterations),
           sum->most_iterations);
    printf("  evaluations  %.2f per step, at most %d\n", per_step(sum, sum->evaluations),
           sum->most_evaluations);
    printf("  fallbacks    %ld\n", sum->fallbacks);
    printf("  residual     at most %.2g (tolerance %g)", sum->residual, s->options.tolerance);
    if (sum->loose) printf("; %ld steps were loose", sum->loose);
    putchar('\n');
    if (sum->resolution > 0.0)
        printf("  resolution   directions are off by %.2g rad at most%s%s\n", sum->resolution,
               sum->resolution > TD_COARSE ? ": a finer model is needed, with more " : "",
               sum->resolution <= TD_COARSE ? ""
               : td_reads_option(&s->options, "simulation.space.nodes")
                   ? "nodes"
                   : "segments or a higher order");
    printf("  energy       drift %.2g %% of %.3g J, the largest energy seen%s\n",
           100 * relative_drift(sum), sum->scale, drift_word(sum, s));
    slack_print(&sum->slack, s);
    print_tips(s);
    if (result) printf("  result       %s, %ld records\n", result, sum->records);
}

static void put_tip(json *j, const void *of, int i) {
    const session *s = of;
    const td_pose tip = tip_of(s, i);
    json_put_string(j, "rod", td_rod_name(s->system, i));
    json_put_numbers(j, "p", tip.p, 3);
    json_put_numbers(j, "q", tip.q, 4);
}

static void put_effort(json *j, const char *key, double mean, int most) {
    json_open_object(j, key);
    json_put_number(j, "mean", mean);
    json_put_integer(j, "max", most);
    json_end_object(j);
}

void summary_print_json(const summary *sum, const session *s, const char *result) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", s->file);
    json_put_string(&j, "ending", sum->ending);
    json_put_string(&j, "message", sum->message);
    session_put_notes(s, &j);
    json_put_string(&j, "model", s->options.model);
    json_put_string(&j, "scheme", stepping_name(&s->options));
    json_put_number(&j, "start_time", sum->from);
    json_put_number(&j, "end_time", sum->to);
    json_put_number(&j, "wall_time", sum->wall);
    json_put_number(&j, "real_time_ratio", real_time_ratio(sum));
    json_put_integer(&j, "steps", sum->steps);
    put_effort(&j, "iterations", per_step(sum, sum->iterations), sum->most_iterations);
    put_effort(&j, "evaluations", per_step(sum, sum->evaluations), sum->most_evaluations);
    json_put_integer(&j, "fallbacks", sum->fallbacks);
    json_put_integer(&j, "loose_steps", sum->loose);
    json_put_number(&j, "residual", sum->residual);
    json_put_number(&j, "resolution", sum->resolution);
    json_put_number(&j, "energy_drift", relative_drift(sum));
    json_put_number(&j, "largest_energy", sum->scale);
    json_put_list(&j, "tips", td_n_rods(s->system), put_tip, s);
    parts_put(&j, s);
    if (td_n_actuators(s->system)) slack_put(&j, &sum->slack, s);
    json_put_string(&j, "result", result);
    json_put_integer(&j, "records", sum->records);
    json_end_object(&j);
}
