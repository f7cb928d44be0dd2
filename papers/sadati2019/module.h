// papers/sadati2019/module.h - the pneumatic module of the paper, under any model.
//
// A silicone tube with six chambers in pairs at 90, -30 and 210 degrees that hangs from its base,
// with a force sensor at its tip. World: z down, along the tube at rest. As a file it is
// module.yaml and, for everybody, examples/pneumatic-module.yaml. Fig. 3d, which should hold the
// parameters, has none: errata.md.
#pragma once

#include <stdbool.h>
#include <tendril/tendril.h>

#include "recording.h"

#define LENGTH 0.05    // m, of the tube
#define SENSOR 0.0145  // m, beyond its tip
#define REACH (LENGTH + SENSOR)

typedef struct damping_law {
    double bending, extension;  // of the rate of u, and of v: N m^2 s^p and N s^p
    double power;               // p
    double time;                // s: adds this times the stiffness
} damping_law;

typedef struct variant {
    const char *model;
    int n;                 // segments, order, or nodes
    bool as_printed;       // the discretisation of the paper
    bool published;        // moments of inertia and torsion as in the published comparison
    bool follows_stretch;  // sections follow the mean stretch
    bool by_height;        // taken as height of the tip by length, as published of ROM
    damping_law damping;
} variant;

// What the paper gives for this model and number of segments, and one linear law for all models.
damping_law published_damping(const char *model, int n);
damping_law linear_damping(void);

typedef struct module {
    variant how;
    td_robot *robot;
    td_system *system;
    td_state *state;
    double stretch;  // of the section that it was made with; 1 where the model follows by itself
} module;

// Straight, at rest. False: err says why; nothing to close.
bool module_open(module *m, const variant *how, td_error *err);
void module_close(module *m);
// Equilibrium under the pressures and the tip load of a sample.
bool module_settle(module *m, const sample *s, td_error *err);
// In motion: sections of the stretch there is now, where the model does not see to that itself and
// can be taken apart. Only by height.
bool module_restretch(module *m, td_error *err);
// A step to a sample dt later.
bool module_move(module *m, const sample *s, double dt, td_error *err);
void module_tip(const module *m, double p[3]);  // the end of the sensor
