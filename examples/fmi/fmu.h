// fmu.h - loading an FMU for co-simulation, of FMI 2.0 or 3.0, and stepping it: as much of a master as a loop needs.
//
// The FMU is a folder: what its archive holds (python3 -m zipfile -e arm.fmu arm). Every call that can fail returns the
// status of FMI: 0 fine, 1 with a warning, 2 the step did not happen, 3 an error.
#pragma once

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void any_function(void);

typedef struct fmu {
    char folder[512], token[64], *description;
    int version;
    void *library;
} fmu;

typedef struct fmu_callbacks {
    any_function *logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *object);
    any_function *finished;
    void *environment;
} fmu_callbacks;

typedef struct fmu_instance {
    const fmu *of;
    void *c;
    fmu_callbacks callbacks;  // of FMI 2
    char said[1024];          // the last message of its logger
} fmu_instance;

// ---------------------------------------------------------------- what the description says
static inline char *fmu_read(const char *path) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = '\0';
    if (file) fclose(file);
    return text;
}

// The value of the first attribute of this name behind `from`.
static inline bool fmu_attribute(const char *from, const char *name, char *value, size_t size) {
    char key[64];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *at = strstr(from, key);
    if (!at) return false;
    at += strlen(key);
    snprintf(value, size, "%.*s", (int)strcspn(at, "\""), at);
    return true;
}

// The value reference of a variable; -1: there is none.
static inline int64_t fmu_find(const fmu *f, const char *name) {
    char key[256], value[32];
    snprintf(key, sizeof key, " name=\"%s\" valueReference=\"", name);
    const char *at = strstr(f->description, key);
    if (!at || !fmu_attribute(at, "valueReference", value, sizeof value)) return -1;
    return atol(value);
}

// ---------------------------------------------------------------- loading
static inline any_function *fmu_symbol(const fmu *f, const char *name) {
    char whole[64];
    any_function *found = NULL;
    snprintf(whole, sizeof whole, "fmi%d%s", f->version, name);
    void *address = dlsym(f->library, whole);
    memcpy(&found, &address, sizeof found);  // a pointer to a function, as POSIX has it
    return found;
}

static inline bool fmu_open(fmu *f, const char *folder) {
    char path[1024], identifier[128], version[16];
    *f = (fmu){0};
    snprintf(f->folder, sizeof f->folder, "%s", folder);
    snprintf(path, sizeof path, "%s/modelDescription.xml", folder);
    f->description = fmu_read(path);
    if (!f->description || !fmu_attribute(f->description, "fmiVersion", version, sizeof version) ||
        !fmu_attribute(f->description, "modelIdentifier", identifier, sizeof identifier))
        return false;
    f->version = atoi(version);
    fmu_attribute(f->description, f->version == 2 ? "guid" : "instantiationToken", f->token,
                  sizeof f->token);
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder,
             f->version == 2 ? "linux64" : "x86_64-linux", identifier);
    f->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!f->library) fprintf(stderr, "%s\n", dlerror());
    return f->library != NULL;
}

static inline void fmu_close(fmu *f) {
    if (f->library) dlclose(f->library);
    free(f->description);
}

// ---------------------------------------------------------------- instances
static inline void fmu_log3(void *environment, int status, const char *category,
                            const char *message) {
    fmu_instance *i = environment;
    (void)status, (void)category;
    snprintf(i->said, sizeof i->said, "%s", message);
}

static inline void fmu_log2(void *environment, const char *name, int status, const char *category,
                            const char *format, ...) {
    fmu_instance *i = environment;
    (void)name, (void)status, (void)category;
    va_list args;
    va_start(args, format);
    vsnprintf(i->said, sizeof i->said, format, args);
    va_end(args);
}

static inline bool fmu_instantiate(const fmu *f, const char *name, fmu_instance *i) {
    char resources[700];
    *i = (fmu_instance){.of = f};
    snprintf(resources, sizeof resources, "%s%s/resources%s", f->version == 2 ? "file://" : "",
             f->folder, f->version == 2 ? "" : "/");
    if (f->version == 2) {
        i->callbacks = (fmu_callbacks){(any_function *)fmu_log2, calloc, free, NULL, i};
        typedef void *make2(const char *, int, const char *, const char *, const fmu_callbacks *,
                            int, int);
        i->c = ((make2 *)fmu_symbol(f, "Instantiate"))(name, 1, f->token, resources, &i->callbacks,
                                                       0, 0);
    } else {
        typedef void *make3(const char *, const char *, const char *, bool, bool, bool, bool,
                            const uint32_t *, size_t, void *, any_function *, any_function *);
        i->c = ((make3 *)fmu_symbol(f, "InstantiateCoSimulation"))(name, f->token, resources, false,
                                                                   false, false, false, NULL, 0, i,
                                                                   (any_function *)fmu_log3, NULL);
    }
    return i->c != NULL;
}

static inline void fmu_free(fmu_instance *i) {
    if (i->c) ((void (*)(void *))fmu_symbol(i->of, "FreeInstance"))(i->c);
    i->c = NULL;
}

// ---------------------------------------------------------------- the run
static inline int fmu_plain(fmu_instance *i, const char *name) {
    return ((int (*)(void *))fmu_symbol(i->of, name))(i->c);
}

// Between these two inputs and parameters are set for the start.
static inline int fmu_enter(fmu_instance *i, double start) {
    typedef int enter3(void *, bool, double, double, bool, double);
    typedef int setup2(void *, int, double, double, int, double);
    if (i->of->version == 3)
        return ((enter3 *)fmu_symbol(i->of, "EnterInitializationMode"))(i->c, false, 0, start,
                                                                        false, 0);
    const int status = ((setup2 *)fmu_symbol(i->of, "SetupExperiment"))(i->c, 0, 0, start, 0, 0);
    return status ? status : fmu_plain(i, "EnterInitializationMode");
}

static inline int fmu_exit(fmu_instance *i) {
    return fmu_plain(i, "ExitInitializationMode");
}

static inline int fmu_get(fmu_instance *i, const uint32_t *references, size_t n, double *values) {
    typedef int get3(void *, const uint32_t *, size_t, double *, size_t);
    typedef int get2(void *, const uint32_t *, size_t, double *);
    if (i->of->version == 3)
        return ((get3 *)fmu_symbol(i->of, "GetFloat64"))(i->c, references, n, values, n);
    return ((get2 *)fmu_symbol(i->of, "GetReal"))(i->c, references, n, values);
}

static inline int fmu_set(fmu_instance *i, const uint32_t *references, size_t n,
                          const double *values) {
    typedef int set3(void *, const uint32_t *, size_t, const double *, size_t);
    typedef int set2(void *, const uint32_t *, size_t, const double *);
    if (i->of->version == 3)
        return ((set3 *)fmu_symbol(i->of, "SetFloat64"))(i->c, references, n, values, n);
    return ((set2 *)fmu_symbol(i->of, "SetReal"))(i->c, references, n, values);
}

static inline int fmu_step(fmu_instance *i, double t, double h) {
    typedef int step3(void *, double, double, bool, bool *, bool *, bool *, double *);
    typedef int step2(void *, double, double, int);
    bool event, end, early;
    double last;
    if (i->of->version == 3)
        return ((step3 *)fmu_symbol(i->of, "DoStep"))(i->c, t, h, true, &event, &end, &early,
                                                      &last);
    return ((step2 *)fmu_symbol(i->of, "DoStep"))(i->c, t, h, 1);
}
