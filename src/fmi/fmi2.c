// The functions of FMI 2.0 co-simulation. Names, numbers and signatures are those of the standard.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/instance.h"

#define EXPORT __attribute__((visibility("default")))

typedef void logger2(void *environment, const char *instance, int status, const char *category,
                     const char *message, ...);
typedef struct callbacks2 {
    logger2 *logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *object);
    void (*finished)(void *environment, int status);
    void *environment;
} callbacks2;

enum { CO_SIMULATION = 1, LAST_SUCCESSFUL_TIME = 2, TERMINATED = 3 };

static const char *category_of(fmi_status status) {
    static const char *const words[] = {"logAll", "logStatusWarning", "logStatusDiscard",
                                        "logStatusError", "logStatusFatal"};
    return words[status];
}

static void tell(fmi_instance *f, fmi_status status, const char *message) {
    logger2 *logger = (logger2 *)f->logger;
    if (logger) logger(f->environment, f->name, status, category_of(status), "%s", message);
}

// "file:///a%20b/resources" is a path with some letters written as numbers.
static char *path_of(const char *uri) {
    char *path = uri ? strdup(uri) : NULL;
    if (!path || strncmp(uri, "file:", 5) != 0) return path;
    const char *from = uri + 5;
    if (!strncmp(from, "//", 2)) from += 2, from += strcspn(from, "/");
    char *to = path;
    for (; *from; to++) {
        unsigned letter;
        if (from[0] == '%' && from[1] && from[2] && sscanf(from + 1, "%2x", &letter) == 1) {
            *to = (char)letter;
            from += 3;
        } else {
            *to = *from++;
        }
    }
    *to = '\0';
    return path;
}

// ---------------------------------------------------------------- made and freed
EXPORT const char *fmi2GetTypesPlatform(void);
EXPORT const char *fmi2GetTypesPlatform(void) {
    return "default";
}

EXPORT const char *fmi2GetVersion(void);
EXPORT const char *fmi2GetVersion(void) {
    return "2.0";
}

EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const callbacks2 *callbacks, int visible, int logging);
EXPORT void *fmi2Instantiate(const char *name, int type, const char *guid, const char *resources,
                             const callbacks2 *callbacks, int visible, int logging) {
    (void)visible;
    logger2 *logger = callbacks ? callbacks->logger : NULL;
    void *environment = callbacks ? callbacks->environment : NULL;
    if (type != CO_SIMULATION) {
        if (logger)
            logger(environment, name, FMI_ERROR, category_of(FMI_ERROR),
                   "this FMU has co-simulation alone");
        return NULL;
    }
    char *folder = path_of(resources);
    fmi_instance *f = instance_create(name, guid, folder, tell, (void (*)(void))logger, environment,
                                      logging != 0);
    free(folder);
    return f;
}

EXPORT void fmi2FreeInstance(void *f);
EXPORT void fmi2FreeInstance(void *f) {
    instance_destroy(f);
}

EXPORT int fmi2SetDebugLogging(fmi_instance *f, int on, size_t n, const char *const *categories);
EXPORT int fmi2SetDebugLogging(fmi_instance *f, int on, size_t n, const char *const *categories) {
    (void)n, (void)categories;
    f->logging = on != 0;
    return FMI_OK;
}

// ---------------------------------------------------------------- the run
EXPORT int fmi2SetupExperiment(fmi_instance *f, int has_tolerance, double tolerance, double start,
                               int has_stop, double stop);
EXPORT int fmi2SetupExperiment(fmi_instance *f, int has_tolerance, double tolerance, double start,
                               int has_stop, double stop) {
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    return (int)instance_set_up(f, start);
}

EXPORT int fmi2EnterInitializationMode(fmi_instance *f);
EXPORT int fmi2EnterInitializationMode(fmi_instance *f) {
    return (int)instance_initialize(f, f->start_time);
}

EXPORT int fmi2ExitInitializationMode(fmi_instance *f);
EXPORT int fmi2ExitInitializationMode(fmi_instance *f) {
    return (int)instance_begin(f);
}

EXPORT int fmi2Terminate(fmi_instance *f);
EXPORT int fmi2Terminate(fmi_instance *f) {
    return (int)instance_terminate(f);
}

EXPORT int fmi2Reset(fmi_instance *f);
EXPORT int fmi2Reset(fmi_instance *f) {
    return (int)instance_reset(f);
}

EXPORT int fmi2DoStep(fmi_instance *f, double t, double h, int no_set_before);
EXPORT int fmi2DoStep(fmi_instance *f, double t, double h, int no_set_before) {
    (void)no_set_before;
    return (int)instance_step(f, t, h);
}

EXPORT int fmi2CancelStep(fmi_instance *f);
EXPORT int fmi2CancelStep(fmi_instance *f) {
    return (int)instance_say(f, FMI_ERROR,
                             "a step is done when its call returns: there is none to "
                             "cancel");
}

EXPORT int fmi2GetRealStatus(fmi_instance *f, int kind, double *value);
EXPORT int fmi2GetRealStatus(fmi_instance *f, int kind, double *value) {
    if (kind != LAST_SUCCESSFUL_TIME) return FMI_DISCARD;
    *value = instance_time(f);
    return FMI_OK;
}

EXPORT int fmi2GetBooleanStatus(fmi_instance *f, int kind, int *value);
EXPORT int fmi2GetBooleanStatus(fmi_instance *f, int kind, int *value) {
    if (kind != TERMINATED) return FMI_DISCARD;
    *value = f->mode == FMI_TERMINATED;
    return FMI_OK;
}

// ---------------------------------------------------------------- variables
EXPORT int fmi2GetReal(fmi_instance *f, const uint32_t *references, size_t n, double *values);
EXPORT int fmi2GetReal(fmi_instance *f, const uint32_t *references, size_t n, double *values) {
    return (int)instance_get(f, references, n, values);
}

EXPORT int fmi2SetReal(fmi_instance *f, const uint32_t *references, size_t n, const double *values);
EXPORT int fmi2SetReal(fmi_instance *f, const uint32_t *references, size_t n,
                       const double *values) {
    return (int)instance_set(f, references, n, values);
}

EXPORT int fmi2GetDirectionalDerivative(fmi_instance *f, const uint32_t *unknowns,
                                        size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                                        const double *seed, double *sensitivity);
EXPORT int fmi2GetDirectionalDerivative(fmi_instance *f, const uint32_t *unknowns,
                                        size_t n_unknowns, const uint32_t *knowns, size_t n_knowns,
                                        const double *seed, double *sensitivity) {
    return (int)instance_slopes(f, unknowns, n_unknowns, knowns, n_knowns, seed, sensitivity,
                                false);
}

// ---------------------------------------------------------------- states
EXPORT int fmi2GetFMUstate(fmi_instance *f, fmi_saved **state);
EXPORT int fmi2GetFMUstate(fmi_instance *f, fmi_saved **state) {
    return (int)instance_get_state(f, state);
}

EXPORT int fmi2SetFMUstate(fmi_instance *f, const fmi_saved *state);
EXPORT int fmi2SetFMUstate(fmi_instance *f, const fmi_saved *state) {
    return (int)instance_set_state(f, state);
}

EXPORT int fmi2FreeFMUstate(fmi_instance *f, fmi_saved **state);
EXPORT int fmi2FreeFMUstate(fmi_instance *f, fmi_saved **state) {
    (void)f;
    return (int)instance_free_state(state);
}

EXPORT int fmi2SerializedFMUstateSize(fmi_instance *f, const fmi_saved *state, size_t *size);
EXPORT int fmi2SerializedFMUstateSize(fmi_instance *f, const fmi_saved *state, size_t *size) {
    return (int)instance_state_size(f, state, size);
}

EXPORT int fmi2SerializeFMUstate(fmi_instance *f, const fmi_saved *state, char *bytes, size_t size);
EXPORT int fmi2SerializeFMUstate(fmi_instance *f, const fmi_saved *state, char *bytes,
                                 size_t size) {
    return (int)instance_write_state(f, state, bytes, size);
}

EXPORT int fmi2DeSerializeFMUstate(fmi_instance *f, const char *bytes, size_t size,
                                   fmi_saved **state);
EXPORT int fmi2DeSerializeFMUstate(fmi_instance *f, const char *bytes, size_t size,
                                   fmi_saved **state) {
    return (int)instance_read_state(f, bytes, size, state);
}

// ---------------------------------------------------------------- what a robot does not have
// Numbers that are not real, slopes by time, and what model exchange needs.
#define LACKS(name, ...)                                                                           \
    EXPORT int name(fmi_instance *f, __VA_ARGS__);                                                 \
    EXPORT int name(fmi_instance *f, __VA_ARGS__)
#define NONE_OF(type, value)                                                                       \
    LACKS(fmi2Get##type, const uint32_t *references, size_t n, value *values) {                    \
        (void)references, (void)values;                                                            \
        return n ? (int)instance_lacks(f, "fmi2Get" #type) : FMI_OK;                               \
    }                                                                                              \
    LACKS(fmi2Set##type, const uint32_t *references, size_t n, const value *values) {              \
        (void)references, (void)values;                                                            \
        return n ? (int)instance_lacks(f, "fmi2Set" #type) : FMI_OK;                               \
    }
NONE_OF(Integer, int)
NONE_OF(Boolean, int)
typedef const char *text2;
NONE_OF(String, text2)

LACKS(fmi2SetRealInputDerivatives, const uint32_t *references, size_t n, const int *orders,
      const double *values) {
    (void)references, (void)orders, (void)values;
    return n ? (int)instance_lacks(f, "fmi2SetRealInputDerivatives") : FMI_OK;
}

LACKS(fmi2GetRealOutputDerivatives, const uint32_t *references, size_t n, const int *orders,
      double *values) {
    (void)references, (void)orders, (void)values;
    return n ? (int)instance_lacks(f, "fmi2GetRealOutputDerivatives") : FMI_OK;
}

#define NO_STATUS(name, type)                                                                      \
    LACKS(name, int kind, type *value) {                                                           \
        (void)f, (void)kind, (void)value;                                                          \
        return FMI_DISCARD;                                                                        \
    }
NO_STATUS(fmi2GetStatus, int)
NO_STATUS(fmi2GetIntegerStatus, int)
NO_STATUS(fmi2GetStringStatus, text2)
