// papers/sadati2019/follow.h - a model driven by a recording, and how far its tip is from the one
// that was measured.
#pragma once

#include "cli/paper.h"
#include "module.h"

typedef struct outcome {
    double error;    // mm, mean distance of the tip
    double seconds;  // of processor time: for an equilibrium, or for a second of motion
} outcome;

// At the instants where the module was taken to be at rest. False: err says why.
bool follow_statics(const recording *r, const variant *how, outcome *out, td_error *err);
// In motion, from where the paper starts it. tips: of each sample from there on (follow_samples of
// them), or NULL.
bool follow_motion(const recording *r, const variant *how, outcome *out, double (*tips)[3],
                   td_error *err);
int follow_first(const recording *r);  // sample
int follow_samples(const recording *r);

double tip_apart(const double a[3], const double b[3]);

// Opens a recording of the folder that was given. False: there is no folder, or a failure was
// reported.
bool open_recording(paper_report *r, recording *out, const recorded *what, conditioning how);
void report_left_out(paper_report *r);
