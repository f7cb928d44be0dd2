// cli/compare.h - one robot and one scenario under several models.
#pragma once

#include "cli/session.h"

// One model, perhaps with options of its own, and what came of it.
typedef struct trial {
    char label[128];  // as the command line has it: "eba/lumped.segments=20"
    char model[32];
    bool possible;  // false: the model cannot represent the robot, `message` says why
    bool finished;  // false: it stopped early, `message` says why
    char message[768];
    char note[768];  // with an equilibrium that deserves a word
    int n_records;   // that it reached
    long steps;
    double *points;     // (records, points of all rods, 3), m
    double cost;        // s of processor time: per simulated second, or of one equilibrium
    double iterations;  // per step
    double drift;       // of the energy, relative to the largest seen
    // Against the reference, over the records that both reached.
    double *tip_error;    // (records) m, the largest of all rods
    double *shape_error;  // (records) m, root mean square over all points
    int n_errors;
    double tip_mean, tip_max, shape_mean, shape_max;
} trial;

typedef struct trials {
    const char *file;
    const args *args;
    char name[128];  // of the robot
    bool statics;
    double at;  // statics: time of the inputs
    trial *list;
    int n, reference;
    double step, end;
    int every;            // steps from record to record
    int n_records;        // of a whole run
    double *time;         // (records)
    int n_rods, per_rod;  // points along each rod
    double length;        // of the longest rod, m
    const char *folder;
} trials;

// Computes trial i. Returns an exit code: what the model cannot do or does not reach is no error.
// tell returns false to end it, and the code is then EXIT_FAILED.
int trial_run(trials *all, int i, bool (*tell)(void *context, double share), void *context);
// Errors of every trial against the reference.
void trials_judge(trials *all);

void trials_print(const trials *all);
void trials_put_json(const trials *all);
// compare.csv, errors.csv and shapes.csv in the folder; false after a message.
bool trials_write_tables(const trials *all);
// Shapes side by side, error over time, error against cost; false after a message.
bool trials_draw(const trials *all, const char *path);
