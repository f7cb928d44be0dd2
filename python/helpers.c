// Loops that Python would make over calls of the library, compiled into tendril._core: one call
// and one release of the interpreter's lock for all of them. No physics.
#include <math.h>
#include <time.h>

// Ctrl-C and other signals, which Python only notes while C computes: long calls ask for them, and
// every so often Python is asked. Only its main thread answers.
static inline bool signal_waits(void *last) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double t = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (t - *(double *)last < 0.1) return false;
    *(double *)last = t;
    PyGILState_STATE held = PyGILState_Ensure();
    bool raised = PyErr_CheckSignals() < 0;
    if (raised) PyErr_Clear();  // the call ends, and Python raises again
    PyGILState_Release(held);
    return raised;
}

// last: of the state alone, for as long as it lives.
static void heed_signals(td_state *state, double *last) {
    td_set_stop(state, signal_waits, last);
}

static void sample_many(const td_system *system, const td_state *state, int rod, const double *s,
                        int n, td_sample *out) {
    for (int i = 0; i < n; i++) out[i] = td_get_sample(system, state, rod, s[i]);
}

static void path_of_actuator(const td_system *system, const td_state *state, int actuator, int n,
                             double *out) {
    for (int i = 0; i < n; i++)
        td_get_actuator_point(system, state, actuator, n > 1 ? (double)i / (n - 1) : 0.0,
                              out + 3 * i);
}

static void get_inputs(const td_system *system, const td_state *state, double *out) {
    for (int i = 0; i < td_n_inputs(system); i++) out[i] = td_get_input(system, state, i);
}

// All of them or none: td_set_input refuses what is not finite, and says so.
static td_status set_inputs(const td_system *system, td_state *state, const double *values) {
    for (int i = 0; i < td_n_inputs(system); i++)
        if (!isfinite(values[i])) return td_set_input(system, state, i, values[i]);
    for (int i = 0; i < td_n_inputs(system); i++) td_set_input(system, state, i, values[i]);
    return TD_OK;
}

typedef td_status (*stepper)(const td_system *, td_state *, double);

// Up to n calls with dt, until one fails; counts those that did not. The most serious caveat is
// kept.
static inline td_status repeat(stepper call, const td_system *system, td_state *state, double dt,
                               int n, int *done) {
    td_status worst = TD_OK;
    for (*done = 0; *done < n; ++*done) {
        td_status status = call(system, state, dt);
        if (status < 0) return status;
        if (status > worst) worst = status;
    }
    return worst;
}

static td_status step_many(const td_system *system, td_state *state, double dt, int n, int *done) {
    return repeat(td_step, system, state, dt, n, done);
}

static td_status advance_many(const td_system *system, td_state *state, double dt, int n,
                              int *done) {
    return repeat(td_advance, system, state, dt, n, done);
}

// ---------------------------------------------------------------- many states
static void batch_step(const td_system *const *systems, td_state *const *states, int n, double dt,
                       int steps, int *statuses) {
    int done;
    for (int i = 0; i < n; i++) statuses[i] = step_many(systems[i], states[i], dt, steps, &done);
}

static void batch_advance(const td_system *const *systems, td_state *const *states, int n,
                          double dt, int steps, int *statuses) {
    int done;
    for (int i = 0; i < n; i++) statuses[i] = advance_many(systems[i], states[i], dt, steps, &done);
}

static void batch_statics(const td_system *const *systems, td_state *const *states, int n,
                          int *statuses) {
    for (int i = 0; i < n; i++) statuses[i] = td_solve_statics(systems[i], states[i]);
}
