// model/cosserat/lanes/compile_device.c - the door to the library of the GPU, which is loaded where a batch asks
// for it.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/cosserat/lanes/gpu.h"
#include "model/cosserat/lanes/lanes.h"

typedef struct device {
    void *handle;
    const gpu_library *library;
    void *robots;
} device;

static const gpu_library *entry_of(void *handle, const char *path, bool single, char *why,
                                   size_t size) {
    gpu_entry *entry = NULL;
    *(void **)&entry = dlsym(handle, GPU_ENTRY);  // as POSIX has it
    const gpu_library *library = entry ? entry() : NULL;
    if (!library) snprintf(why, size, "%s has no %s", path, GPU_ENTRY);
    else if (library->version != GPU_VERSION || library->plan_bytes != sizeof(lane_plan))
        snprintf(why, size, "%s belongs to another version of this library", path);
    else if (library->real_bytes != (single ? 4 : 8))
        snprintf(why, size, "%s computes in %s precision", path, single ? "double" : "single");
    else return library;
    return NULL;
}

static void detach(void *opened) {
    device *d = opened;
    if (!d) return;
    if (d->robots) d->library->detach(d->robots);
    if (d->handle) dlclose(d->handle);
    free(d);
}

static void *attach(const void *made, const char *path, bool single, int n, char *why,
                    size_t size) {
    const cosserat_lanes *l = made;
    if (l->c->options.scheme == TD_SDIRK2) {
        snprintf(why, size, "time.scheme is sdirk2, which has two stages");
        return NULL;
    }
    if (l->plan.n_obstacles) {
        snprintf(why, size, "there are obstacles");
        return NULL;
    }
    device *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    if (!path) path = single ? GPU_LIBRARY_FLOAT : GPU_LIBRARY;
    d->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!d->handle) snprintf(why, size, "%s", dlerror());
    else if ((d->library = entry_of(d->handle, path, single, why, size)) != NULL)
        d->robots = d->library->attach(&l->plan, n, l->c->n_inputs, why, size);
    if (d->robots) return d;
    detach(d);
    return NULL;
}

static device_arrays_of arrays(void *opened) {
    const device *d = opened;
    const gpu_arrays found = d->library->arrays(d->robots);
    return (device_arrays_of){found.inputs, found.tips, d->library->type};
}

static void *take_memory(void *opened, size_t bytes) {
    return ((device *)opened)->library->take_memory(bytes);
}

static void free_memory(void *opened, void *memory) {
    ((device *)opened)->library->free_memory(memory);
}

// ---------------------------------------------------------------- calls of it
static const char *words(const device *d, int error) {
    return error ? d->library->explain(error) : NULL;
}

static const char *put(void *opened, int first, int count, const double *records, size_t stride) {
    device *d = opened;
    return words(d, d->library->put(d->robots, first, count, records, stride));
}

static const char *get(void *opened, int first, int count, double *records, size_t stride) {
    device *d = opened;
    return words(d, d->library->get(d->robots, first, count, records, stride));
}

static const char *put_own(void *opened, const double *own, size_t stride) {
    device *d = opened;
    return words(d, d->library->put_own(d->robots, own, stride));
}

static const char *give(void *opened, const double *given) {
    device *d = opened;
    return words(d, d->library->give(d->robots, given));
}

static bool takes_inputs(const void *made) {
    const lane_plan *p = &((const cosserat_lanes *)made)->plan;
    return p->n_driven == p->n_actuators;
}

static const char *take(void *opened, const double *inputs) {
    device *d = opened;
    return words(d, d->library->take(d->robots, inputs));
}

static const char *get_inputs(void *opened, bool next, double *inputs) {
    device *d = opened;
    return words(d, d->library->get_inputs(d->robots, next, inputs));
}

static const char *step(const void *made, void *opened, const double *one, double dt,
                        const unsigned char *on, int *missed, unsigned char *arrived) {
    device *d = opened;
    double formula[FORMULA_SIZE];
    lanes_formula(made, one, dt, formula);
    return words(d, d->library->step(d->robots, on, formula, missed, arrived));
}

static const char *find_tips(void *opened) {
    device *d = opened;
    return words(d, d->library->find_tips(d->robots));
}

const model_device cosserat_on_device = {.attach = attach,
                                         .detach = detach,
                                         .arrays = arrays,
                                         .take_memory = take_memory,
                                         .free_memory = free_memory,
                                         .put = put,
                                         .get = get,
                                         .put_own = put_own,
                                         .give = give,
                                         .takes_inputs = takes_inputs,
                                         .take = take,
                                         .get_inputs = get_inputs,
                                         .step = step,
                                         .find_tips = find_tips,
                                         .same_past = lanes_same_past,
                                         .stepped = lanes_stepped};
