// The state of an FMU: got and set, and as bytes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmi/instance.h"

// Words of 8 bytes: a checksum of what follows, the mode, times and flags; parameters; inputs, what they were, whether they are
// held; two snapshots.
enum { N_HEAD = 7 };

static size_t bytes_of(const fmi_instance *f) {
    const size_t words =
        N_HEAD + (size_t)f->variables.n_parameters + 3 * (size_t)f->variables.n_inputs;
    return words * sizeof(double) + 2 * td_snapshot_bytes(f->d.system);
}

static double checksum_of(const fmi_instance *f, const uint8_t *bytes, size_t n) {
    const hash h = hash_bytes(f->seed, bytes + sizeof(double), n - sizeof(double));
    return (double)(h >> 11);  // exact in a double
}

static uint8_t *put(uint8_t *to, const void *from, size_t n) {
    memcpy(to, from, n);
    return to + n;
}

static const uint8_t *take(const uint8_t *from, void *to, size_t n) {
    memcpy(to, from, n);
    return from + n;
}

static void save(fmi_instance *f, uint8_t *bytes, size_t size) {
    const size_t snapshot = td_snapshot_bytes(f->d.system);
    const size_t n = (size_t)f->variables.n_inputs;
    const double head[N_HEAD] = {0.0, f->mode, f->start_time, f->began, f->size, f->took, f->stale};
    uint8_t *to = put(bytes, head, sizeof head);
    to = put(to, f->parameters, sizeof(double) * (size_t)f->variables.n_parameters);
    to = put(to, f->d.inputs, sizeof(double) * n);
    to = put(to, f->d.was, sizeof(double) * n);
    for (size_t i = 0; i < n; i++) {
        const double held = f->d.held[i];
        to = put(to, &held, sizeof held);
    }
    td_state_save(f->d.system, f->d.state, to, snapshot);
    if (f->took) memcpy(to + snapshot, f->before, snapshot);
    else memset(to + snapshot, 0, snapshot);
    const double checksum = checksum_of(f, bytes, size);
    memcpy(bytes, &checksum, sizeof checksum);
}

// Those that there were stay where a robot with these cannot be made.
static fmi_status restore_parameters(fmi_instance *f, const uint8_t *from) {
    const size_t n = (size_t)f->variables.n_parameters, bytes = n * sizeof(double);
    double *before = f->parameters + n;
    const bool same = !memcmp(f->parameters, from, bytes);
    if (same && !f->rebuild) return FMI_OK;
    memcpy(before, f->parameters, bytes);
    memcpy(f->parameters, from, bytes);
    const fmi_status status = instance_build(f);
    if (status != FMI_OK) memcpy(f->parameters, before, bytes);
    return status;
}

static fmi_status restore(fmi_instance *f, const uint8_t *bytes, size_t size) {
    const size_t n = (size_t)f->variables.n_inputs, inputs = n * sizeof(double);
    const size_t parameters = sizeof(double) * (size_t)f->variables.n_parameters;
    double head[N_HEAD] = {0};
    const uint8_t *from = bytes;
    if (size >= sizeof head + parameters + 3 * inputs) from = take(from, head, sizeof head);
    if (from == bytes || head[0] != checksum_of(f, bytes, size))
        return instance_say(f, FMI_ERROR, "the state is damaged, or of another FMU");
    if (restore_parameters(f, from) != FMI_OK) return FMI_ERROR;
    from += parameters;
    const size_t snapshot = td_snapshot_bytes(f->d.system);
    if (size != bytes_of(f) ||
        td_state_restore(f->d.system, f->d.state, from + 3 * inputs, snapshot) < 0)
        return instance_say(f, FMI_ERROR, "the state was not restored: %s", td_message(f->d.state));
    from = take(from, f->d.inputs, inputs);
    from = take(from, f->d.was, inputs);
    for (size_t i = 0; i < n; i++) {
        double held;
        from = take(from, &held, sizeof held);
        f->d.held[i] = held != 0.0;
    }
    f->mode = (fmi_mode)head[1];
    f->start_time = head[2], f->began = head[3], f->size = head[4];
    f->took = head[5] != 0.0, f->stale = head[6] != 0.0;
    f->known = false;
    memcpy(f->before, from + snapshot, snapshot);
    return FMI_OK;
}

// ---------------------------------------------------------------- as FMI asks for it
static fmi_status no_state(fmi_instance *f) {
    return instance_say(f, FMI_ERROR, "there is no state");
}

// Room for n bytes in the place of what was there, or as it was.
static bool reserve(fmi_instance *f, fmi_saved **state, size_t n) {
    fmi_saved *room = *state && (*state)->n == n ? *state : realloc(*state, sizeof *room + n);
    if (!room) return instance_say(f, FMI_ERROR, "out of memory") == FMI_OK;
    room->n = n;
    *state = room;
    return true;
}

// A state is one of the robot with its parameters.
fmi_status instance_get_state(fmi_instance *f, fmi_saved **state) {
    if (f->rebuild && instance_build(f) != FMI_OK) return FMI_ERROR;
    const size_t n = bytes_of(f);
    if (!reserve(f, state, n)) return FMI_ERROR;
    save(f, (*state)->bytes, n);
    return FMI_OK;
}

fmi_status instance_set_state(fmi_instance *f, const fmi_saved *state) {
    return state ? restore(f, state->bytes, state->n) : no_state(f);
}

fmi_status instance_free_state(fmi_saved **state) {
    if (!state) return FMI_OK;
    free(*state);
    *state = NULL;
    return FMI_OK;
}

fmi_status instance_state_size(fmi_instance *f, const fmi_saved *state, size_t *size) {
    if (!state) return no_state(f);
    *size = state->n;
    return FMI_OK;
}

fmi_status instance_write_state(fmi_instance *f, const fmi_saved *state, void *bytes, size_t size) {
    if (!state) return no_state(f);
    if (size < state->n)
        return instance_say(f, FMI_ERROR, "a state of %zu bytes does not fit into %zu", state->n,
                            size);
    memcpy(bytes, state->bytes, state->n);
    return FMI_OK;
}

fmi_status instance_read_state(fmi_instance *f, const void *bytes, size_t size, fmi_saved **state) {
    if (!reserve(f, state, size)) return FMI_ERROR;
    if (size) memcpy((*state)->bytes, bytes, size);
    return FMI_OK;
}
