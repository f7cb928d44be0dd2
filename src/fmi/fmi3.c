// The functions of FMI 3.0 co-simulation. Names, numbers and signatures are those of the standard.
#include <stddef.h>

#include "fmi/instance.h"

#define EXPORT __attribute__((visibility("default")))
// Declared, and then defined: all of them are called from outside alone.
#define FUNCTION(type, name, ...)                                                                  \
    EXPORT type name(__VA_ARGS__);                                                                 \
    EXPORT type name(__VA_ARGS__)

typedef void logger3(void *environment, int status, const char *category, const char *message);

static void tell(fmi_instance *f, fmi_status status, const char *message) {
    static const char *const words[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                        "logStatusError", "logStatusFatal"};
    logger3 *logger = (logger3 *)f->logger;
    if (logger) logger(f->environment, status, words[status], message);
}

// ---------------------------------------------------------------- made and freed
FUNCTION(const char *, fmi3GetVersion, void) {
    return "3.0";
}

FUNCTION(void *, fmi3InstantiateCoSimulation, const char *name, const char *token,
         const char *resources, bool visible, bool logging, bool event_mode, bool early_return,
         const uint32_t *intermediate, size_t n_intermediate, void *environment, logger3 *logger,
         void (*update)(void)) {
    (void)visible, (void)event_mode, (void)early_return, (void)intermediate, (void)update;
    fmi_instance *f =
        instance_create(name, token, resources, tell, (void (*)(void))logger, environment, logging);
    if (!f || n_intermediate == 0) return f;
    instance_say(f, FMI_ERROR, "there are no intermediate variables");
    instance_destroy(f);
    return NULL;
}

static void *other_kind(logger3 *logger, void *environment) {
    if (logger)
        logger(environment, FMI_ERROR, "logStatusError", "this FMU has co-simulation alone");
    return NULL;
}

FUNCTION(void *, fmi3InstantiateModelExchange, const char *name, const char *token,
         const char *resources, bool visible, bool logging, void *environment, logger3 *logger) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    return other_kind(logger, environment);
}

FUNCTION(void *, fmi3InstantiateScheduledExecution, const char *name, const char *token,
         const char *resources, bool visible, bool logging, void *environment, logger3 *logger,
         void (*update)(void *), void (*lock)(void), void (*unlock)(void)) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    (void)update, (void)lock, (void)unlock;
    return other_kind(logger, environment);
}

FUNCTION(void, fmi3FreeInstance, void *f) {
    instance_destroy(f);
}

FUNCTION(int, fmi3SetDebugLogging, fmi_instance *f, bool on, size_t n,
         const char *const *categories) {
    (void)n, (void)categories;
    f->logging = on;
    return FMI_OK;
}

// ---------------------------------------------------------------- the run
FUNCTION(int, fmi3EnterInitializationMode, fmi_instance *f, bool has_tolerance, double tolerance,
         double start, bool has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    return (int)instance_initialize(f, start);
}

FUNCTION(int, fmi3ExitInitializationMode, fmi_instance *f) {
    return (int)instance_begin(f);
}

FUNCTION(int, fmi3Terminate, fmi_instance *f) {
    return (int)instance_terminate(f);
}

FUNCTION(int, fmi3Reset, fmi_instance *f) {
    return (int)instance_reset(f);
}

FUNCTION(int, fmi3DoStep, fmi_instance *f, double t, double h, bool no_set_before,
         bool *event_needed, bool *terminate, bool *early, double *last) {
    (void)no_set_before;
    const fmi_status status = instance_step(f, t, h);
    if (event_needed) *event_needed = false;
    if (terminate) *terminate = false;
    if (early) *early = false;
    if (last) *last = instance_time(f);
    return (int)status;
}

// ---------------------------------------------------------------- variables
FUNCTION(int, fmi3GetFloat64, fmi_instance *f, const uint32_t *references, size_t n, double *values,
         size_t n_values) {
    if (n_values != n)
        return (int)instance_say(f, FMI_ERROR, "%zu values for %zu variables", n_values, n);
    return (int)instance_get(f, references, n, values);
}

FUNCTION(int, fmi3SetFloat64, fmi_instance *f, const uint32_t *references, size_t n,
         const double *values, size_t n_values) {
    if (n_values != n)
        return (int)instance_say(f, FMI_ERROR, "%zu values for %zu variables", n_values, n);
    return (int)instance_set(f, references, n, values);
}

FUNCTION(int, fmi3GetDirectionalDerivative, fmi_instance *f, const uint32_t *unknowns,
         size_t n_unknowns, const uint32_t *knowns, size_t n_knowns, const double *seed,
         size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    if (n_seed != n_knowns || n_sensitivity != n_unknowns)
        return (int)instance_say(f, FMI_ERROR,
                                 "%zu seeds and %zu sensitivities for %zu knowns and "
                                 "%zu unknowns",
                                 n_seed, n_sensitivity, n_knowns, n_unknowns);
    return (int)instance_slopes(f, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity,
                                false);
}

FUNCTION(int, fmi3GetAdjointDerivative, fmi_instance *f, const uint32_t *unknowns,
         size_t n_unknowns, const uint32_t *knowns, size_t n_knowns, const double *seed,
         size_t n_seed, double *sensitivity, size_t n_sensitivity) {
    if (n_seed != n_unknowns || n_sensitivity != n_knowns)
        return (int)instance_say(f, FMI_ERROR,
                                 "%zu seeds and %zu sensitivities for %zu unknowns "
                                 "and %zu knowns",
                                 n_seed, n_sensitivity, n_unknowns, n_knowns);
    return (int)instance_slopes(f, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity, true);
}

// ---------------------------------------------------------------- states
FUNCTION(int, fmi3GetFMUState, fmi_instance *f, fmi_saved **state) {
    return (int)instance_get_state(f, state);
}

FUNCTION(int, fmi3SetFMUState, fmi_instance *f, const fmi_saved *state) {
    return (int)instance_set_state(f, state);
}

FUNCTION(int, fmi3FreeFMUState, fmi_instance *f, fmi_saved **state) {
    (void)f;
    return (int)instance_free_state(state);
}

FUNCTION(int, fmi3SerializedFMUStateSize, fmi_instance *f, const fmi_saved *state, size_t *size) {
    return (int)instance_state_size(f, state, size);
}

FUNCTION(int, fmi3SerializeFMUState, fmi_instance *f, const fmi_saved *state, uint8_t *bytes,
         size_t size) {
    return (int)instance_write_state(f, state, bytes, size);
}

FUNCTION(int, fmi3DeserializeFMUState, fmi_instance *f, const uint8_t *bytes, size_t size,
         fmi_saved **state) {
    return (int)instance_read_state(f, bytes, size, state);
}

// ---------------------------------------------------------------- what a robot does not have
// Other kinds of numbers, clocks, events, configurations, continuous states.
#define LACKS(name, ...)                                                                           \
    FUNCTION(int, name, fmi_instance *f, __VA_ARGS__) {                                            \
        return (int)instance_lacks(f, #name);                                                      \
    }
#define LACKS_PLAIN(name)                                                                          \
    FUNCTION(int, name, fmi_instance *f) {                                                         \
        return (int)instance_lacks(f, #name);                                                      \
    }
#define NONE_OF(type, value)                                                                       \
    FUNCTION(int, fmi3Get##type, fmi_instance *f, const uint32_t *r, size_t n, value *values,      \
             size_t n_values) {                                                                    \
        (void)r, (void)values, (void)n_values;                                                     \
        return n ? (int)instance_lacks(f, "fmi3Get" #type) : FMI_OK;                               \
    }                                                                                              \
    FUNCTION(int, fmi3Set##type, fmi_instance *f, const uint32_t *r, size_t n,                     \
             const value *values, size_t n_values) {                                               \
        (void)r, (void)values, (void)n_values;                                                     \
        return n ? (int)instance_lacks(f, "fmi3Set" #type) : FMI_OK;                               \
    }
typedef const char *text3;
typedef const uint8_t *binary3;
NONE_OF(Float32, float)
NONE_OF(Int8, int8_t)
NONE_OF(UInt8, uint8_t)
NONE_OF(Int16, int16_t)
NONE_OF(UInt16, uint16_t)
NONE_OF(Int32, int32_t)
NONE_OF(UInt32, uint32_t)
NONE_OF(Int64, int64_t)
NONE_OF(UInt64, uint64_t)
NONE_OF(Boolean, bool)
NONE_OF(String, text3)

#pragma GCC diagnostic ignored "-Wunused-parameter"
LACKS(fmi3GetBinary, const uint32_t *r, size_t n, size_t *sizes, binary3 *values, size_t n_values)
LACKS(fmi3SetBinary, const uint32_t *r, size_t n, const size_t *sizes, const binary3 *values,
      size_t n_values)
LACKS(fmi3GetClock, const uint32_t *r, size_t n, bool *values)
LACKS(fmi3SetClock, const uint32_t *r, size_t n, const bool *values)
LACKS(fmi3GetNumberOfVariableDependencies, uint32_t r, size_t *n)
LACKS(fmi3GetVariableDependencies, uint32_t r, size_t *elements, uint32_t *independents,
      size_t *of_independents, int *kinds, size_t n)
LACKS_PLAIN(fmi3EnterConfigurationMode)
LACKS_PLAIN(fmi3ExitConfigurationMode)
LACKS_PLAIN(fmi3EnterEventMode)
LACKS_PLAIN(fmi3EnterStepMode)
LACKS_PLAIN(fmi3EvaluateDiscreteStates)
LACKS_PLAIN(fmi3EnterContinuousTimeMode)
LACKS(fmi3UpdateDiscreteStates, bool *more, bool *end, bool *nominals, bool *values, bool *defined,
      double *next)
LACKS(fmi3GetIntervalDecimal, const uint32_t *r, size_t n, double *intervals, int *qualifiers)
LACKS(fmi3GetIntervalFraction, const uint32_t *r, size_t n, uint64_t *counters,
      uint64_t *resolutions, int *qualifiers)
LACKS(fmi3GetShiftDecimal, const uint32_t *r, size_t n, double *shifts)
LACKS(fmi3GetShiftFraction, const uint32_t *r, size_t n, uint64_t *counters, uint64_t *resolutions)
LACKS(fmi3SetIntervalDecimal, const uint32_t *r, size_t n, const double *intervals)
LACKS(fmi3SetIntervalFraction, const uint32_t *r, size_t n, const uint64_t *counters,
      const uint64_t *resolutions)
LACKS(fmi3SetShiftDecimal, const uint32_t *r, size_t n, const double *shifts)
LACKS(fmi3SetShiftFraction, const uint32_t *r, size_t n, const uint64_t *counters,
      const uint64_t *resolutions)
LACKS(fmi3CompletedIntegratorStep, bool no_set_before, bool *event_mode, bool *end)
LACKS(fmi3SetTime, double t)
LACKS(fmi3SetContinuousStates, const double *x, size_t n)
LACKS(fmi3GetContinuousStateDerivatives, double *x, size_t n)
LACKS(fmi3GetEventIndicators, double *z, size_t n)
LACKS(fmi3GetContinuousStates, double *x, size_t n)
LACKS(fmi3GetNominalsOfContinuousStates, double *x, size_t n)
LACKS(fmi3GetNumberOfEventIndicators, size_t *n)
LACKS(fmi3GetNumberOfContinuousStates, size_t *n)
LACKS(fmi3GetOutputDerivatives, const uint32_t *r, size_t n, const int32_t *orders, double *values,
      size_t n_values)
LACKS(fmi3ActivateModelPartition, uint32_t clock, double t)
