// view/stage.h - a robot file made ready to be played with: every load that is a plain number gets
// an input, and points of its rods get forces that a hand may pull with.
#pragma once

#include "tendril/tendril.h"

typedef struct grip {
    int rod;      // -1: a free body
    int body;     // that body; of a rod, the body that its tip is joined to, or -1
    double at;    // m, arc length
    bool at_end;  // of the rod
    bool loads;   // false: it is the load of the body that acts
    int input;    // the first of three: force along x, y, z of the world
} grip;

// Grips cost a model something, or are more than it can represent.
typedef enum grips_kept { GRIPS_ALL, GRIPS_ENDS, GRIPS_NONE, N_GRIPS_KEPT } grips_kept;

typedef struct stage {
    char *path;
    char *source;     // of the file as it was read
    char *text;       // the same with inputs for plain numbers
    td_robot *robot;  // with all inputs, without the loads of grips
    int n_inputs;     // those that people see; the ones of grips follow
    grip *grips;
    int n_grips, n_grip_inputs;
    td_options options;
    td_scenario scenario;
} stage;

// Reads the file. `sets` are overrides as for td_robot_load. NULL on failure.
stage *stage_create(const char *path, const char *const *sets, int n_sets, td_error *err);
// The same of a text that stands for the file at `path`.
stage *stage_parse(const char *path, const char *text, td_error *err);
void stage_destroy(stage *s);

// The robot under these options, with as many grips as the model takes. NULL on failure.
td_system *stage_compile(const stage *s, const td_options *options, grips_kept *kept,
                         td_error *err);
bool grip_acts(const grip *g, grips_kept kept);

// The text of a file with these inputs (n_inputs) as constants, under these options. malloc; NULL
// on failure.
char *stage_export(const stage *s, const double *inputs, const td_options *options, double step,
                   td_error *err);
