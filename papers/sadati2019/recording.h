// papers/sadati2019/recording.h - the recordings of the module, from the raw files, conditioned in
// two ways.
//
// NoLoad_raw.csv and Load1_raw.csv hold absolute pressures, poses of a coil at the base and of one
// at the tip, and the force and torque of a sensor at the tip, 20 times a second. They are not part
// of this repository; errata.md says where they come from.
#pragma once

#include <stdbool.h>
#include <tendril/status.h>

enum { PAIRS = 3 };  // of chambers; each pair has one pressure

typedef enum conditioning {
    PUBLISHED,  // as the paper's comparison had it, defects included
    CORRECTED,  // smoothed without defects
    RAW,        // corrected, and not smoothed
} conditioning;

typedef struct sample {
    double time;             // s
    double pressure[PAIRS];  // Pa above that of the first sample
    double tip[3];     // m, the end of the sensor at the tip, from the base; (0, 0, 0.0645) at rest
    double turn[4];    // of the tip since the first sample, unit quaternion
    double force[3];   // N, on the tip, world
    double moment[3];  // N m
} sample;

typedef struct recorded {  // what the paper did with a recording
    const char *file, *name;
    bool load;
    double from;             // s, dynamics start here, straight and at rest
    const double *instants;  // s, where it was taken to be at rest
    int n_instants;
} recorded;
enum { RECORDINGS = 2 };
extern const recorded recorded_cases[RECORDINGS];

typedef struct recording {
    const recorded *what;
    sample *samples;
    int n;
} recording;

#define SAMPLING 0.05  // s

// False: err says why; nothing to free. A recording that ends before the last instant is refused.
bool recording_load(recording *r, const char *folder, const recorded *what, conditioning how,
                    td_error *err);
void recording_free(recording *r);
// The sample that belongs to an instant: row floor(t/0.05), counted from 1.
const sample *sample_at(const recording *r, double time);
// Linear between the samples.
sample sample_between(const recording *r, double time);
