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
    size_t stride;  // from record to record here
} device;

static const gpu_library *entry_of(void *handle, const char *path, char *why, size_t size) {
    gpu_entry *entry = NULL;
    *(void **)&entry = dlsym(handle, GPU_ENTRY);  // as POSIX has it
    const gpu_library *library = entry ? entry() : NULL;
    if (!library) snprintf(why, size, "%s has no %s", path, GPU_ENTRY);
    else if (library->version != GPU_VERSION || library->plan_bytes != sizeof(lane_plan))
        snprintf(why, size, "%s belongs to another version of this library", path);
    else return library;
    return NULL;
}

void device_detach(void *opened) {
    device *d = opened;
    if (!d) return;
    if (d->robots) d->library->detach(d->robots);
    if (d->handle) dlclose(d->handle);
    free(d);
}

void *device_attach(const void *made, const char *path, int n, size_t stride, char *why,
                    size_t size) {
    const cosserat_lanes *l = made;
    if (l->c->options.scheme == TD_SDIRK2) {
        snprintf(why, size, "time.scheme is sdirk2, which has two stages");
        return NULL;
    }
    device *d = calloc(1, sizeof *d);
    if (!d) return NULL;
    if (!path) path = GPU_LIBRARY;
    d->stride = stride;
    d->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!d->handle) snprintf(why, size, "%s", dlerror());
    else if ((d->library = entry_of(d->handle, path, why, size)) != NULL)
        d->robots = d->library->attach(&l->plan, n, why, size);
    if (d->robots) return d;
    device_detach(d);
    return NULL;
}

static const char *words(const device *d, int error) {
    return error ? d->library->explain(error) : NULL;
}

const char *device_put(void *opened, int first, int count, const double *records) {
    device *d = opened;
    return words(d, d->library->put(d->robots, first, count, records, d->stride));
}

const char *device_get(void *opened, int first, int count, double *records) {
    device *d = opened;
    return words(d, d->library->get(d->robots, first, count, records, d->stride));
}

const char *device_give(void *opened, const double *given) {
    device *d = opened;
    return words(d, d->library->give(d->robots, given));
}

const char *device_step(const void *made, void *opened, const double *one, double dt,
                        const unsigned char *on, int *missed, unsigned char *arrived) {
    device *d = opened;
    double formula[FORMULA_SIZE];
    lanes_formula(made, one, dt, formula);
    return words(d, d->library->step(d->robots, on, formula, missed, arrived));
}
