// io/result.h - results on disk: `result.h5`, written while a run goes on and read back whole.
//
// A record is one row of numbers: time, then for each rod its shape, then actuators and
// bodies, inputs, energies and solver effort. The layout says which part of the row goes to which
// data set. docs/program.md describes the file for its readers.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "robot/growth.h"
#include "tendril/tendril.h"

enum { RESULT_FORMAT = 1 };

// ---------------------------------------------------------------- layout of a record
typedef struct result_series {
    char path[256];  // "/rods/arm/position"
    char name[128];  // for people: "position", the input's own name
    char unit[64];
    const char *about;
    int n_dims, dims[2];  // after time: (), (components), (points, components)
    bool whole;           // stored as an integer
    int offset, width;    // in the row
} result_series;

typedef struct result_rod_layout {
    char name[128];
    char group[192];    // "/rods/arm"
    double length;      // m, without what is fed
    fed_stretch grows;  // what feeding makes longer
    int n_points;       // point_along: each is the same material, however much is fed
} result_rod_layout;

typedef struct result_group {  // of an actuator or body, or all of a kind
    char path[192];            // "/tendons/east"
    char name[128];            // "" for a group of groups
} result_group;

// Point i of n along a rod; the last one is its end to the bit.
static inline double point_at(double length, int i, int n) {
    return i == n - 1 ? length : length * i / (n - 1);
}

// What of a rod gets longer as it is fed: see point_along.
static inline fed_stretch fed_stretch_in(const td_system *system, int rod) {
    double ends[2];
    td_rod_growing(system, rod, ends);
    return (fed_stretch){ends[0], ends[1]};
}

typedef struct result_layout {
    result_rod_layout *rods;
    int n_rods;
    result_group *groups;  // each after the one that it is in
    int n_groups;
    result_series *series;
    int n_series;
    int width;  // numbers in a row
} result_layout;

td_status layout_create(result_layout *layout, const td_system *system, const td_scenario *scenario,
                        td_error *err);
void layout_destroy(result_layout *layout);

// ---------------------------------------------------------------- recording
// Turns states into rows. Solver effort is summed over the steps since the last row.
typedef struct recorder {
    const td_system *system;
    result_layout layout;
    unsigned fields;
    double *row;
    long iterations, evaluations, fallbacks;
    double residual;  // largest
} recorder;

td_status recorder_create(recorder *r, const td_system *system, const td_scenario *scenario,
                          td_error *err);
void recorder_destroy(recorder *r);
void recorder_note_step(recorder *r, const td_stats *stats);
const double *recorder_take(recorder *r, const td_state *state);

// ---------------------------------------------------------------- writing
typedef struct result_writer result_writer;

typedef struct result_info {
    const char *program;  // "tendril run"
    const td_robot *robot;
    const td_system *system;
    const td_scenario *scenario;
} result_info;

// What a file is called until it takes its place: "result.h5" BESIDE. A program that is killed may
// leave it behind half written, so that only its name says whose it is.
#define BESIDE ".tendril-new"

// Writes beside `path` first: an older file there stays until the new one holds records.
// `expected_rows` only sizes the chunks.
result_writer *result_create(const char *path, const result_layout *layout, long expected_rows,
                             td_error *err);
td_status result_describe(result_writer *w, const result_info *info, td_error *err);
// Buffered; reaches the disk after a megabyte or a second, whichever comes first.
td_status result_add(result_writer *w, const double *row, td_error *err);
td_status result_flush(result_writer *w, td_error *err);  // what is buffered, now
td_status result_put_state(result_writer *w, const td_system *system, const td_state *state,
                           td_error *err);
// What is on the disk, whatever happens next.
typedef struct result_kept {
    long records;
    double time;  // s, of the last
} result_kept;
result_kept result_kept_of(const result_writer *w);
// Writes what is buffered and how the run ended ("finished", "stopped", a message), then frees w.
// Where anything had no room the file says so instead. Without a record there is no file.
td_status result_close(result_writer *w, const char *ending, td_error *err);

// ---------------------------------------------------------------- states
// A file that holds one state and nothing else; read back by state_load, which takes result files
// and result folders too. An older file stays until the new one is whole.
td_status state_write(const char *path, const td_system *system, const td_state *state,
                      td_error *err);
td_status state_load(const char *path, const td_system *system, td_state *state, td_error *err);

// ---------------------------------------------------------------- runs that go on later
// What a run leaves in its folder every so often, beside its records: a state, and where in the run
// it was. A run that was killed goes on from there as if nothing had happened.
typedef struct run_mark {
    long step;                                // steps taken
    long records;                             // on the disk
    uint64_t digest;                          // of these records
    long iterations, evaluations, fallbacks;  // since the last of them
    double residual;
} run_mark;

#define KEPT_FILE "result.kept"

void recorder_resume(recorder *r, const run_mark *mark);
run_mark run_mark_of(const result_writer *w, const recorder *r, long step);
// Takes the place of an older one only when it is whole.
td_status kept_write(const char *folder, const run_mark *mark, const td_robot *robot,
                     const td_system *system, const td_state *state, td_error *err);
// TD_OK and the state restored; refused where robot or options are not the same.
td_status kept_read(const char *folder, run_mark *mark, const td_robot *robot,
                    const td_system *system, td_state *state, td_error *err);
// The first records of the result at `path`, before any others; refused where they are not those
// that the mark follows.
td_status result_continue(result_writer *w, const char *path, const run_mark *mark, td_error *err);
// Is there a finished result of this very robot file?
bool result_is_finished(const char *path, const td_robot *robot);

// ---------------------------------------------------------------- reading
typedef struct result_rod {
    char name[128];
    char base_body[128], tip_body[128];  // what its ends are joined to; "": the world, or nothing
    bool free;                           // nothing holds its base, by the robot file
    double length;                       // m, without what is fed
    fed_stretch grows;                   // what feeding makes longer
    int n_points;
    double *s;        // (n_points) when nothing is fed
    double envelope;  // m, radius of what guides tendons and touches; 0: none
    double *radius;   // (n_points) m, of the section; NULL when not known
    double *sides;  // (n_points x 2) m, width and height of a rectangle; NULL: round, or not known
    double *length_now;   // (n_times) m; NULL when not recorded
    double *position;     // (n_times x n_points x 3); this and below NULL when not recorded
    double *orientation;  // (n_times x n_points x 4)
    double *strain, *wrench, *velocity;    // (n_times x n_points x 6)
    double *gap, *pressure;                // (n_times x n_points) m, N/m
    double *contact;                       // (n_times x n_points x 3) N/m
    double *base_reaction, *tip_reaction;  // (n_times x 6) moment, force; tip NULL where it is free
} result_rod;

typedef struct result_input {
    char name[128], unit[64];
    double *value;  // (n_times)
} result_input;

// The numbers of a td_actuator_state, in its order.
enum { VALUE_EFFORT, VALUE_END_EFFORT, VALUE_MEASURE, VALUE_SUPPLIED, VALUE_SLACK, N_VALUES };
static inline int value_number(const td_actuator_quantity *q) {
    return (int)(q->offset / sizeof(double));
}

typedef struct result_actuator {
    const td_actuator_kind *kind;
    char name[128];
    char rod[128];             // that it is in; "": not known
    double from, to;           // m, arc length
    double offset[2], radius;  // m, local x and y, of a room in its rod; 0: not known
    double *values[N_VALUES];  // (n_times) each; NULL where its kind has none
    double *path;              // (n_times x n_points x 3) m; NULL when not recorded
    int n_points;
} result_actuator;

typedef struct result_body {
    char name[128];
    bool free;
    char held_by[128];               // another body; "": none
    double radius, height;           // m, of a disc; 0: not known
    double *position, *orientation;  // (n_times x 3) m, (n_times x 4)
    double *velocity;                // (n_times x 6)
    double *attached;                // (n_times) 0 or 1
    double *reaction;                // (n_times x 6) moment, force; NULL when not recorded
    double *hold_reaction;           // the same; NULL too where nothing holds it but rods
} result_body;

typedef struct result_obstacle {
    char name[128];
    double *position, *orientation;  // (n_times x 3) m, (n_times x 4)
    double *wrench;                  // (n_times x 6) of the robot on it: moment, force
    const td_obstacle_def *shape;    // in `description`; NULL: not known
} result_obstacle;

enum { ENERGY_KINETIC, ENERGY_ELASTIC, ENERGY_GRAVITY, ENERGY_DISSIPATED, ENERGY_WORK, N_ENERGY };
extern const char *const energy_names[N_ENERGY];

typedef struct result {
    char path[512];   // of the file
    char label[128];  // the folder's name
    char robot[128];  // the robot's name
    char model[32], version[32], ending[512];
    int n_times;
    double *time;  // s
    int n_rods;
    result_rod *rods;
    int n_actuators;  // by kind
    result_actuator *actuators;
    int n_bodies;
    result_body *bodies;
    int n_obstacles;
    result_obstacle *obstacles;
    int n_inputs;
    result_input *inputs;
    int n_sensors;
    result_input *sensors;     // channel by channel: "camera.x"
    double *energy[N_ENERGY];  // (n_times) each; NULL when not recorded
    double *iterations, *evaluations, *residual;
    char *robot_file;       // text
    td_robot *description;  // from it; NULL: it cannot be read
} result;

// `path` is a result folder or a file. NULL on failure.
result *result_read(const char *path, td_error *err);
void result_destroy(result *r);
// Its sides where all sections of this rod of the robot are rectangles. False: no memory.
bool result_rod_find_sides(result_rod *rod, const td_robot *robot, int index);
// Arc length of point i of a rod at a record.
double rod_point(const result_rod *rod, int record, int i);

// Everything that is one number per record, by name: "time", "tip.x", "rod.arm.length",
// "rod.arm.base_reaction.force_z",
// "tendon.east.tension", "body.platform.z", "obstacle.table.force_z", "input.push", "sensor.camera.x", "energy.kinetic", "solver.residual".
typedef struct result_scalar {
    char name[192];
    char unit[64];
    const double *values;  // the first; the others follow at `stride`
    int stride;
} result_scalar;

result_scalar *scalars_of(const result *r, int *n);  // malloc; NULL: out of memory
static inline double scalar_at(const result_scalar *s, int record) {
    return s->values[(long)record * s->stride];
}

// Are both names of one file, through links of any kind?
bool same_file(const char *a, const char *b);
// A folder and all above it.
td_status make_folders(const char *folder, td_error *err);
// "results/arm/tip.csv" -> "results/arm"
void folder_holding(const char *path, char *folder, size_t size);

// ---------------------------------------------------------------- folders and tables
// A folder for a new result: made, or empty, or with an older result of this program. Nothing in
// it is touched. A folder that holds anything else is refused.
td_status result_folder(const char *folder, td_error *err);
bool is_own_file(const char *path);  // HDF5 of this program, by its content
// Does a program hold it open for writing? Waits a second for one that is just ending.
bool is_being_written(const char *path);
// "<path>/result.h5" for a folder, the path itself otherwise.
void result_file_path(const char *path, char *file, size_t size);

// tip.csv, shape.csv, one for each kind of actuator (tendons.csv, ...), bodies.csv, obstacles.csv,
// reactions.csv, energy.csv, inputs.csv, sensors.csv in `folder`, as far as they were recorded.
td_status csv_export(const result *r, const char *folder, td_error *err);
void csv_text(FILE *out, const char *text);  // a cell in quotes (RFC 4180)
