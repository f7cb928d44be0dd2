// fmi/instance.h - one robot in an FMU, whatever version of FMI it is asked by.
//
// Inputs that the master has set are its own from then on, and are reached in a straight line over each communication step;
// the others follow their signals in the robot file. A communication step is one or several equal steps, none longer than
// the file's. A step happens entirely or not at all.
#pragma once

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "fmi/variables.h"
#include "io/driven.h"

// What both versions of FMI call a status, with the same numbers.
typedef enum fmi_status {
    FMI_OK,
    FMI_WARNING,
    FMI_DISCARD,  // the step did not happen; a shorter one may
    FMI_ERROR,
    FMI_FATAL
} fmi_status;

typedef struct fmi_instance fmi_instance;
typedef void fmi_tell(fmi_instance *of, fmi_status status, const char *message);

typedef enum fmi_mode { FMI_INSTANTIATED, FMI_INITIALIZING, FMI_STEPPING, FMI_TERMINATED } fmi_mode;

struct fmi_instance {
    char *name;
    // whom to tell
    fmi_tell *tell;
    void *environment;
    void (*logger)(void);  // of the version: cast back where it is called
    bool logging;
    // the robot
    char *text, *choices;
    hash seed;  // of its token: states of another FMU have another checksum
    driven d;   // its robot is as the file has it, its system has the parameters
    fmi_variables variables;
    double *parameters;  // (n_parameters), and room for as many
    double longest;      // s, of a step: the file's
    bool stale;          // parameters or inputs were set since the start was computed
    bool rebuild;        // parameters were
    // the run
    fmi_mode mode;
    double start_time;
    // the last communication step, for its derivative
    uint8_t *before;     // snapshot where it began
    double began, size;  // s, as the master has it
    bool took;           // there was one since the start
    td_state *trial;
    td_linearisation *linear;
    double *jacobian;  // (n_outputs x n_inputs)
    bool known;        // it is that of the last step
};

// resources: the folder of that name. NULL: told why.
fmi_instance *instance_create(const char *name, const char *token, const char *resources,
                              fmi_tell *tell, void (*logger)(void), void *environment,
                              bool logging);
void instance_destroy(fmi_instance *f);

fmi_status instance_get(fmi_instance *f, const uint32_t *references, size_t n, double *values);
fmi_status instance_set(fmi_instance *f, const uint32_t *references, size_t n,
                        const double *values);
fmi_status instance_set_up(fmi_instance *f, double start_time);  // of FMI 2
fmi_status instance_initialize(fmi_instance *f, double start_time);
fmi_status instance_begin(fmi_instance *f);  // ends the initialization: equilibrium at the start
fmi_status instance_step(fmi_instance *f, double t, double h);
fmi_status instance_reset(fmi_instance *f);
fmi_status instance_terminate(fmi_instance *f);
double instance_time(const fmi_instance *f);

// Of outputs at the end of the last communication step by inputs that were set for it: transposed, the other way round.
fmi_status instance_slopes(fmi_instance *f, const uint32_t *unknowns, size_t n_unknowns,
                           const uint32_t *knowns, size_t n_knowns, const double *seed,
                           double *sensitivity, bool transposed);

// All that decides the future, as bytes that mean the same in any instance of the same FMU.
typedef struct fmi_saved {
    size_t n;
    uint8_t bytes[];
} fmi_saved;

fmi_status instance_get_state(fmi_instance *f, fmi_saved **state);  // *state NULL: it is made
fmi_status instance_set_state(fmi_instance *f, const fmi_saved *state);
fmi_status instance_free_state(fmi_saved **state);
fmi_status instance_state_size(fmi_instance *f, const fmi_saved *state, size_t *size);
fmi_status instance_write_state(fmi_instance *f, const fmi_saved *state, void *bytes, size_t size);
fmi_status instance_read_state(fmi_instance *f, const void *bytes, size_t size, fmi_saved **state);

// Tells, and returns the status.
fmi_status instance_say(fmi_instance *f, fmi_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// What a function that this kind of FMU does not have answers.
fmi_status instance_lacks(fmi_instance *f, const char *function);

// Used by instance*.c alone. The robot with the parameters as they are.
fmi_status instance_build(fmi_instance *f);
// How many steps a communication step is.
int instance_n_parts(const fmi_instance *f, double h);
// How long the k-th of n is, from where the state is.
double instance_part(const fmi_instance *f, const td_state *state, int k, int n);
