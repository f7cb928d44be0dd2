#include "io/option_names.h"

#include <string.h>

const char *theory_name(td_theory theory) {
    return theory == TD_KIRCHHOFF ? "kirchhoff" : "cosserat";
}

const char *space_name(td_space space) {
    switch (space) {
    case TD_SHOOTING: return "shooting";
    case TD_COLLOCATION: return "collocation";
    case TD_CHEBYSHEV: return "chebyshev";
    }
    return "unknown";
}

const char *integrator_name(td_integrator integrator) {
    return integrator == TD_EULER ? "euler" : "rk4";
}

const char *history_name(td_history history) {
    return history == TD_LINEAR ? "linear" : "cubic";
}

const char *scheme_name(td_scheme scheme) {
    switch (scheme) {
    case TD_BACKWARD_EULER: return "backward-euler";
    case TD_BDF2: return "bdf2";
    case TD_BDF_ALPHA: return "bdf-alpha";
    case TD_TRAPEZOIDAL: return "trapezoidal";
    case TD_BDF3: return "bdf3";
    case TD_SDIRK2: return "sdirk2";
    }
    return "unknown";
}

const char *startup_name(td_startup startup) {
    return startup == TD_REST_HISTORY ? "rest-history" : "half-steps";
}

const char *solver_name(td_solver solver) {
    switch (solver) {
    case TD_NEWTON: return "newton";
    case TD_DOGLEG: return "dogleg";
    case TD_LEVENBERG_MARQUARDT: return "levenberg-marquardt";
    }
    return "unknown";
}

const char *start_name(td_start start) {
    return start == TD_START_STRAIGHT ? "straight" : "static";
}

bool has_space_scheme(const td_options *options) {
    return strcmp(options->model, "cosserat") == 0;
}

const char *stepping_name(const td_options *options) {
    if (has_space_scheme(options)) return scheme_name(options->scheme);
    switch (options->integration.method) {
    case TD_STEPS_FIXED: return "sdirk2";
    case TD_STEPS_EXPLICIT: return "dormand-prince";
    case TD_STEPS_IMPLICIT: return "variable-bdf";
    }
    return "unknown";
}
