// tendril/fit.h - numbers of a robot from measurements, and what the data know of each.
//
// Recordings say which inputs were given and what was measured, at rest or in motion. Numbers of the robot's file are
// sought, within bounds, for which the squares of what is measured less what is computed have the least sum:
//
//     minimise  sum ((measured - computed)/noise)^2
//
// by Levenberg and Marquardt's method. At rest slopes of poses are those of td_get_sensitivity, exact, where at the start they
// agree with differences; otherwise they are central differences of whole computations, 2 for each number, on as many
// threads as are given; derivatives of a motion by numbers of the robot (tendril/gradient.h) cost more. Only in builds with
// the file reader.
#pragma once

#include "tendril/tendril.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct td_fit_parameter {
    // Of the robot's file, "materials.rubber.youngs_modulus"; or of the recordings: "data.gain.INPUT" multiplies what was
    // given, "data.bias.OUTPUT" is added to what is computed, "data.marker.NAME.x" is an offset of a marker,
    // "data.delay" (s) is by how much the data of motions come late.
    const char *path;
    double low, high;  // SI
    // NAN: as the file and the marker say (1 of a gain, 0 of a bias and a delay); not there: the middle.
    double start;
} td_fit_parameter;

// What a camera sees beside a rod or a body: outputs "marker.NAME.x", y and z, m in the world.
typedef struct td_fit_marker {
    const char *name;
    const char *on;    // what it is fixed to: "tip", "rod.arm.50 %", "body.plate"
    double offset[3];  // m, in the axes of the section or the body
} td_fit_marker;

typedef struct td_recording {
    const char *name;  // for messages; may be NULL
    int n_rows;
    // (n_rows) s, 0 or later, growing: a motion that begins at time 0 as the file says (simulation.start, initial),
    // computed in steps of td_fit_options.step; between two steps what is computed is interpolated by cubics. NULL: each row is an
    // equilibrium, found from the one before.
    const double *times;
    // What was given: (n_rows x n_inputs); in motion it goes straight from row to row. Other inputs follow the file.
    const char *const *inputs;  // (n_inputs) names
    const double *given;
    int n_inputs;
    // What was measured: (n_rows x n_outputs) SI, NAN: nothing there; of outputs by names of one number each, "tip.x"
    // (td_find_output), "marker.m1.x". Noise (n_outputs): standard deviations, SI; NULL: 1 each, so that units must agree.
    const char *const *outputs;
    const double *measured, *noise;
    int n_outputs;
    bool held_out;  // not fitted: its errors tell how well others predict it
} td_recording;

typedef enum td_fit_loss {
    TD_FIT_SQUARES,
    TD_FIT_HUBER,   // of errors beyond `scale` the size counts, not its square
    TD_FIT_SOFT_L1  // the same with a smooth passage
} td_fit_loss;

typedef struct td_fit_options {  // start from td_default_fit_options()
    const td_fit_parameter *parameters;
    int n_parameters;
    const td_recording *recordings;
    int n_recordings;
    const td_fit_marker *markers;
    int n_markers;
    // Share of the rows of each recording that is not fitted: the end of a motion, rows evenly among equilibria.
    double held_out;
    double step;  // s, of motions; 0: as the robot's file says
    td_fit_loss loss;
    double scale;                  // in units of the noise
    int max_iterations;            // 100
    int threads;                   // that compute at once; the result is the same to the bit
    bool (*asked)(void *context);  // true ends it with TD_ERR_STOPPED; NULL: nobody is asked
    void *context;
} td_fit_options;
TD_API td_fit_options td_default_fit_options(void);  // nothing varied, no data, squares, one thread

typedef struct td_fit_value {
    const char *path;
    double start, value;
    double error;      // standard error; HUGE_VAL: the data do not know it
    double low, high;  // interval of 95 %, by Student's distribution
    bool at_bound;     // it is at one of its bounds and would go on; it then has no error
} td_fit_value;

typedef struct td_fit_misfit {  // root mean squares of measured less computed, SI
    const char *output, *unit;
    int n_fitted, n_held;
    double before, after;            // of what was fitted, with the first numbers and with the last
    double held_before, held_after;  // of what was held out
} td_fit_misfit;

typedef struct td_fit td_fit;

// Names and numbers of options and robot must outlive the result. NULL on failure: a path, an input or an output that is not
// there, a value out of bounds, nothing measured, or nothing that can be computed where it starts.
TD_API td_fit *td_fit_robot(const td_robot *robot, const td_options *options,
                            const td_fit_options *fit, td_error *err);
TD_API void td_fit_destroy(td_fit *fit);  // NULL is fine

// TD_OK; TD_LOOSE: what it found may not be the best there is, and td_fit_message says why.
TD_API td_status td_fit_status(const td_fit *fit);
TD_API const char *td_fit_message(const td_fit *fit);
TD_API int td_fit_iterations(const td_fit *fit);
TD_API int td_fit_computations(const td_fit *fit);  // of all recordings
TD_API bool td_fit_exact(const td_fit *fit);        // slopes were not differences of computations
TD_API int td_fit_n_measured(const td_fit *fit);    // numbers that were fitted
TD_API double td_fit_deviation(const td_fit *fit);  // of one of them, in units of the noise
// Of errors one after the other in a recording, -1 .. 1. Near 1 they are not noise but the model's: intervals are then
// too narrow.
TD_API double td_fit_autocorrelation(const td_fit *fit);

TD_API td_fit_value td_fit_get_value(const td_fit *fit, int parameter);
TD_API double td_fit_correlation(const td_fit *fit, int parameter, int other);
TD_API int td_fit_n_misfits(const td_fit *fit);  // outputs, by name, over all recordings
TD_API td_fit_misfit td_fit_get_misfit(const td_fit *fit, int output);
// Changes of all parameters together that leave no trace in the data, or one that noise hides: parts (n_parameters), the
// largest 1, as shares of values; of parameters whose bounds have 0 between them, of half their range.
TD_API int td_fit_n_unknown(const td_fit *fit);
TD_API void td_fit_get_unknown(const td_fit *fit, int which, double *parts);
TD_API const double *td_fit_computed(const td_fit *fit, int recording);  // (n_rows x n_outputs)
// The robot as the text of a file, with the values in it. td_free_text frees it. NULL on failure.
TD_API char *td_fit_write(const td_fit *fit, td_error *err);

#ifdef __cplusplus
}
#endif
