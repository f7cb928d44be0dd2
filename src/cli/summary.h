// cli/summary.h - what a run amounted to: gathered step by step, printed at its end.
#pragma once

#include "cli/session.h"
#include "cli/slack.h"

typedef struct summary {
    const char *ending;   // "finished", "stopped" or "failed"
    const char *message;  // of a failure; ""
    double from, to;      // simulated time, s
    double wall;          // s
    long steps, records;
    long iterations, evaluations, fallbacks, loose;  // totals; loose: steps above the tolerance
    int most_iterations, most_evaluations;           // in one step
    double residual;                                 // largest
    double resolution;                               // largest, rad; 0: not known
    double balance;                                  // of energy at the start, J
    double gravity;                                  // potential at the start, J
    double drift, scale;  // largest departure from balance, largest energy, J
    double gained;        // J, largest departure upwards
    slack_log slack;
} summary;

summary summary_begin(const session *s);
void summary_step(summary *sum, td_status status, const session *s);
void summary_energy(summary *sum, const td_energy *e);  // at every record

void summary_print(const summary *sum, const session *s, const char *result);
void summary_print_json(const summary *sum, const session *s, const char *result);
