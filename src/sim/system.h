// sim/system.h - what a td_system and a td_state are.
#pragma once

#include "model/model.h"

struct td_system {
    const td_model *model;
    void *compiled;         // the model's
    td_options options;
    char **rod_names;
    double *rod_lengths;
    int n_rods;
    robot_input *inputs;    // names, units and signals, copied from the robot
    int n_inputs;
    bool *moves_base;       // (n_inputs) the input drives the pose of a base
    td_start start;         // how the file wants it to begin
    size_t keep_bytes;      // of the block that decides the future
    size_t total_bytes;     // of a whole state
    double fingerprint;     // tells snapshots of different systems apart
};

// The first entries of the kept block, all doubles so that the block is one array of numbers.
typedef struct kept_clock {
    double fingerprint;
    double time;   // s
    double fresh;  // 1: the next step must not use the history
} kept_clock;

struct td_state {
    void *allocation;      // what td_state_create got; NULL in the caller's memory
    double *keep;          // (keep_bytes) starts with the clock
    double *backup;        // (keep_bytes) as it was when the running call began
    double *outer_backup;  // (keep_bytes) the same for td_advance, which makes several calls
    kept_clock *clock;     // in keep
    double *inputs;        // in keep (n_inputs)
    double *inputs_before; // in keep (n_inputs) at the end of the last step
    double *rates;         // in keep (n_inputs)
    double *rate_given;    // in keep (n_inputs) 1: set by the user for the next step
    void *memory;          // the model's
    td_stats stats;
    char message[MODEL_MESSAGE_SIZE];
};

// Lays a state out over a block (NULL: only count) and returns the bytes it takes.
size_t state_layout(const td_system *system, void *block, td_state **out, size_t *keep_bytes);

// What every computing call begins with: a backup, clean statistics, no message.
model_call state_begin(const td_system *system, td_state *state);

// Replaces options->accuracy by the nodes that reach it.
td_status choose_nodes(const td_robot *robot, td_options *options, td_error *err);
