// model/chains.h - what models share whose rods are chains on fixed bases, each with coordinates of
// its own: steps in time of all of them, fixed or chosen by SUNDIALS.
#pragma once

#include "model/motion.h"
#include "integrate/sundials.h"
#include "math/se3.h"
#include "model/base.h"
#include "model/model.h"

// ---------------------------------------------------------------- time
typedef struct moving_chain {
    motion motion;
    double *q, *rates;  // (motion.n each)
    const motion_work *work;
    const char *name;
} moving_chain;

typedef struct moving_chains {  // of one state, while it steps
    int n, n_q;                 // chains; coordinates of all
    void *context;
    moving_chain (*one)(void *context, int i);  // the chain that forces are asked of from now on
    const char *needs;                          // what a chain without mass lacks, in words
    int evaluations;
} moving_chains;

typedef struct chain_integrator {  // in the memory of a state
    sun_integrator outside;
    moving_chains *running;  // in the step that runs
} chain_integrator;

bool chains_attach(chain_integrator *i, const td_integration_options *o, int n_q);
bool chains_use_tangents(chain_integrator *i);  // of chains that have one: see motion.h
void chains_detach(chain_integrator *i);
// Moves all chains over dt; energies: J, lost and given meanwhile. Fills the statistics.
td_status chains_step(moving_chains *c, chain_integrator *i, const td_integration_options *o,
                      const model_call *call, double dt, bool fresh, kept_energy *kept,
                      double energies[N_POWERS]);
// Why an integrator did not arrive, in call->message.
td_status refuse_chosen_step(const sun_integrator *i, const integrator_report *report, double dt,
                             const model_call *call);
// What drives store is work that has not arrived.
void chains_note_energy(kept_energy *kept, const double energies[N_POWERS], double stored);
