// check_fmu FOLDER TIP.CSV: a master of our own asks an FMU of examples/arm.yaml, and tells what is wrong. The run it is compared
// with is the program's own, from its table. check_fmu FOLDER: the derivatives of any FMU alone.
#include <math.h>

#include "../../examples/fmi/fmu.h"

enum { N_TIP = 7, MOST_ROWS = 2000 };

static int failures;

static void expect(bool holds, const char *what, double value) {
    if (holds) return;
    printf("wrong: %s (%g)\n", what, value);
    failures++;
}

// ---------------------------------------------------------------- the program's run
typedef struct table {
    int n;
    double t[MOST_ROWS], tip[MOST_ROWS][N_TIP];
} table;

static bool read_table(const char *path, table *run) {
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) return false;
    while (run->n < MOST_ROWS && fgets(line, sizeof line, file)) {
        char *at = line;
        run->t[run->n] = strtod(at, &at);
        for (int k = 0; k < N_TIP; k++) run->tip[run->n][k] = strtod(at + 1, &at);
        run->n++;
    }
    fclose(file);
    return run->n > 100;
}

// ---------------------------------------------------------------- instances
typedef struct names {
    uint32_t tip[N_TIP], pull, length, tension;
} names;

static bool find_names(const fmu *f, names *n) {
    static const char *const parts[N_TIP] = {"x", "y", "z", "q_w", "q_x", "q_y", "q_z"};
    bool found = true;
    for (int k = 0; k < N_TIP; k++) {
        char name[64];
        snprintf(name, sizeof name, "rod.arm.tip.%s", parts[k]);
        found = found && fmu_find(f, name) >= 0;
        n->tip[k] = (uint32_t)fmu_find(f, name);
    }
    n->pull = (uint32_t)fmu_find(f, "pull");
    n->length = (uint32_t)fmu_find(f, "rods.arm.length");
    n->tension = (uint32_t)fmu_find(f, "tendon.pull.tension");
    return found && fmu_find(f, "pull") > 0 && fmu_find(f, "rods.arm.length") > 0 &&
           fmu_find(f, "tendon.pull.tension") > 0;
}

static void begin(const fmu *f, fmu_instance *i) {
    expect(fmu_instantiate(f, "arm", i), "an instance is made", 0);
    expect(fmu_enter(i, 0.0) == 0, "initialization begins", 0);
    expect(fmu_exit(i) == 0, "and ends", 0);
}

static double ramp(double t) {  // of the file
    return t < 0.5 ? 10.0 * t : 5.0;
}

static void pull(fmu_instance *i, const names *n, double value) {
    expect(fmu_set(i, &n->pull, 1, &value) == 0, "an input is set", value);
}

// ---------------------------------------------------------------- the same run
static double largest_gap(fmu_instance *i, const names *n, const double *tip) {
    double y[N_TIP], gap = 0.0;
    expect(fmu_get(i, n->tip, N_TIP, y) == 0, "outputs are told", 0);
    for (int k = 0; k < N_TIP; k++) gap = fmax(gap, fabs(y[k] - tip[k]));
    return gap;
}

static void check_run(const fmu *f, const names *n, const table *run, bool by_master) {
    fmu_instance i;
    begin(f, &i);
    double gap = largest_gap(&i, n, run->tip[0]);
    for (int k = 1; k < run->n; k++) {
        const double t = run->t[k - 1], h = run->t[k] - t;
        if (by_master) pull(&i, n, ramp(run->t[k]));
        expect(fmu_step(&i, t, h) == 0, "a step is taken", t);
        gap = fmax(gap, largest_gap(&i, n, run->tip[k]));
    }
    expect(gap <= 1e-12,
           by_master ? "the run with inputs of the master is the program's"
                     : "the run by the file is the program's",
           gap);
    printf("%s: within %.1e of the program\n", by_master ? "inputs by the master" : "by the file",
           gap);
    fmu_free(&i);
}

// Communication steps of several steps of the file end where single ones do. Their times round otherwise, and what a
// step then leaves differs by the solver's tolerance, 1e-10 rad.
static void check_parts(const fmu *f, const names *n, const table *run) {
    fmu_instance i;
    begin(f, &i);
    double gap = 0.0;
    for (int k = 0; k + 5 < run->n; k += 5) {
        expect(fmu_step(&i, run->t[k], run->t[k + 5] - run->t[k]) == 0, "a longer step is taken",
               k);
        gap = fmax(gap, largest_gap(&i, n, run->tip[k + 5]));
    }
    expect(gap <= 1e-9, "five steps of the file are one of the master", gap);
    fmu_free(&i);
}

// ---------------------------------------------------------------- states
static void steps(fmu_instance *i, const names *n, int from, int to, double h, double *trace) {
    for (int k = from; k < to; k++) {
        pull(i, n, 2.0 + sin(0.1 * k));
        expect(fmu_step(i, k * h, h) == 0, "a step is taken", k * h);
        if (trace) fmu_get(i, n->tip, N_TIP, trace + (k - from) * N_TIP);
    }
}

typedef int state_call(void *c, void **state);
typedef int size_call(void *c, void *state, size_t *size);
typedef int write_call(void *c, void *state, uint8_t *bytes, size_t size);
typedef int read_call(void *c, const uint8_t *bytes, size_t size, void **state);

static state_call *state_function(const fmu *f, const char *verb) {
    char name[32];
    snprintf(name, sizeof name, "%sFMU%s", verb, f->version == 2 ? "state" : "State");
    return (state_call *)fmu_symbol(f, name);
}

static int set_state(fmu_instance *i, void *state) {
    return ((int (*)(void *, void *))state_function(i->of, "Set"))(i->c, state);
}

static void check_state(const fmu *f, const names *n) {
    enum { BEFORE = 60, AFTER = 40 };
    const bool two = f->version == 2;
    const double h = 2e-3;
    double first[AFTER * N_TIP], again[AFTER * N_TIP];
    void *state = NULL, *read = NULL;
    size_t size = 0;
    fmu_instance i, other;
    begin(f, &i);
    begin(f, &other);
    steps(&i, n, 0, BEFORE, h, NULL);
    expect(state_function(f, "Get")(i.c, &state) == 0 && state, "a state is got", 0);
    steps(&i, n, BEFORE, BEFORE + AFTER, h, first);
    expect(set_state(&i, state) == 0, "and set", 0);
    steps(&i, n, BEFORE, BEFORE + AFTER, h, again);
    expect(!memcmp(first, again, sizeof first), "what follows is the same to the bit", 0);

    size_call *size_of =
        (size_call *)fmu_symbol(f, two ? "SerializedFMUstateSize" : "SerializedFMUStateSize");
    write_call *write =
        (write_call *)fmu_symbol(f, two ? "SerializeFMUstate" : "SerializeFMUState");
    read_call *reads =
        (read_call *)fmu_symbol(f, two ? "DeSerializeFMUstate" : "DeserializeFMUState");
    expect(size_of(i.c, state, &size) == 0 && size > 100, "its size is told", (double)size);
    uint8_t *bytes = malloc(size);
    expect(write(i.c, state, bytes, size) == 0, "it is written", 0);
    expect(reads(other.c, bytes, size, &read) == 0, "and read by another instance", 0);
    expect(set_state(&other, read) == 0, "which goes on from there", 0);
    steps(&other, n, BEFORE, BEFORE + AFTER, h, again);
    expect(!memcmp(first, again, sizeof first), "the same to the bit", 0);

    // a damaged one is refused in words, wherever it is, and nothing changes
    for (size_t at = 0; at < size; at += at < 400 ? 1 : size / 100) {
        bytes[at] ^= 0x04;
        expect(reads(other.c, bytes, size, &read) == 0, "bytes are bytes", 0);
        other.said[0] = '\0';
        expect(set_state(&other, read) == 3 && other.said[0], "damage is seen", (double)at);
        bytes[at] ^= 0x04;
    }
    expect(reads(other.c, bytes, size - 8, &read) == 0 && set_state(&other, read) == 3,
           "so is a lack", 0);
    double y[N_TIP];
    fmu_get(&other, n->tip, N_TIP, y);
    expect(!memcmp(y, again + (AFTER - 1) * N_TIP, sizeof y), "the instance stays", 0);
    expect(set_state(&other, NULL) == 3 && size_of(other.c, NULL, &size) == 3, "nor is there none",
           0);

    free(bytes);
    state_function(f, "Free")(i.c, &state);
    state_function(f, "Free")(other.c, &read);
    expect(!state && !read, "states are freed", 0);
    fmu_free(&i);
    fmu_free(&other);
}

// A state has its parameters with it: set before the start, and into an instance that has others.
static void check_state_of_other_length(const fmu *f, const names *n) {
    const double length = 0.25;
    double first[20 * N_TIP], again[20 * N_TIP];
    void *fresh = NULL, *later = NULL;
    fmu_instance i, other;
    fmu_instantiate(f, "short", &i);
    begin(f, &other);
    expect(fmu_set(&i, &n->length, 1, &length) == 0, "a parameter is set", 0);
    expect(state_function(f, "Get")(i.c, &fresh) == 0, "a state before the start", 0);
    fmu_enter(&i, 0.0);
    fmu_exit(&i);
    steps(&i, n, 0, 10, 2e-3, NULL);
    expect(state_function(f, "Get")(i.c, &later) == 0, "one later", 0);
    steps(&i, n, 10, 30, 2e-3, first);
    expect(set_state(&other, later) == 0, "another length comes with it", 0);
    steps(&other, n, 10, 30, 2e-3, again);
    expect(!memcmp(first, again, sizeof first), "the same to the bit", 0);
    expect(set_state(&i, fresh) == 0, i.said, 0);
    expect(fmu_enter(&i, 0.0) == 0 && fmu_exit(&i) == 0, "back before the start", 0);
    steps(&i, n, 0, 30, 2e-3, NULL);
    fmu_get(&i, n->tip, N_TIP, again);
    expect(!memcmp(first + 19 * N_TIP, again, sizeof *again * N_TIP), "and on from there", 0);
    state_function(f, "Free")(i.c, &fresh);
    state_function(f, "Free")(other.c, &later);
    fmu_free(&i);
    fmu_free(&other);
}

// ---------------------------------------------------------------- derivatives
static int slopes(fmu_instance *i, const uint32_t *unknowns, size_t n, uint32_t known, double *d) {
    typedef int slopes3(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                        size_t, double *, size_t);
    typedef int slopes2(void *, const uint32_t *, size_t, const uint32_t *, size_t, const double *,
                        double *);
    const double one = 1.0;
    if (i->of->version == 3)
        return ((slopes3 *)fmu_symbol(i->of, "GetDirectionalDerivative"))(i->c, unknowns, n, &known,
                                                                          1, &one, 1, d, n);
    return ((slopes2 *)fmu_symbol(i->of, "GetDirectionalDerivative"))(i->c, unknowns, n, &known, 1,
                                                                      &one, d);
}

static void check_slopes(const fmu *f, const names *n, double h) {
    uint32_t unknowns[N_TIP + 1];
    double d[N_TIP + 1], up[N_TIP + 1], down[N_TIP + 1], worst = 0.0;
    const double t = 60 * 2e-3, at = 2.5, e = 1e-4;
    void *state = NULL;
    fmu_instance i;
    begin(f, &i);
    memcpy(unknowns, n->tip, sizeof n->tip);
    unknowns[N_TIP] = n->tension;
    expect(slopes(&i, unknowns, N_TIP, n->pull, d) == 3 && i.said[0], "no step, no derivative", 0);
    steps(&i, n, 0, 60, 2e-3, NULL);
    state_function(f, "Get")(i.c, &state);
    double *ends[] = {up, down};
    for (int side = 0; side < 2; side++) {
        pull(&i, n, side ? at - e : at + e);
        fmu_step(&i, t, h);
        fmu_get(&i, unknowns, N_TIP + 1, ends[side]);
        set_state(&i, state);
    }
    pull(&i, n, at);
    fmu_step(&i, t, h);
    expect(slopes(&i, unknowns, N_TIP + 1, n->pull, d) == 0, "a step has a derivative", 0);
    for (int k = 0; k <= N_TIP; k++)
        worst = fmax(worst, fabs(d[k] - (up[k] - down[k]) / (2 * e)) / fmax(fabs(d[k]), 1e-4));
    expect(worst < 1e-5, "derivatives are those of differences", worst);
    expect(fabs(d[0]) > 1e-6 && fabs(d[5]) > 1e-6, "and not nothing", d[0]);
    expect(fabs(d[N_TIP] - 1.0) < 1e-9, "a tension is its input", d[N_TIP]);
    printf("derivatives of a step of %g ms: within %.1e of differences\n", 1e3 * h, worst);
    if (f->version == 3) {
        typedef int adjoint(void *, const uint32_t *, size_t, const uint32_t *, size_t,
                            const double *, size_t, double *, size_t);
        double seed[N_TIP + 1], sum = 0.0, back = 0.0;
        for (int k = 0; k <= N_TIP; k++) seed[k] = 0.3 * k - 1.0, sum += seed[k] * d[k];
        const int status = ((adjoint *)fmu_symbol(f, "GetAdjointDerivative"))(
            i.c, unknowns, N_TIP + 1, &n->pull, 1, seed, N_TIP + 1, &back, 1);
        expect(status == 0 && fabs(back - sum) <= 1e-14 * fabs(sum) + 1e-16,
               "the adjoint is the transposed", back - sum);
    }
    state_function(f, "Free")(i.c, &state);
    fmu_free(&i);
}

// Any robot: all outputs by all inputs that are forces, in a motion in space, with several steps in one of the master.
enum { MOST = 64 };

static size_t variables_of(const fmu *f, const char *causality, const char *unit, uint32_t *list) {
    size_t n = 0;
    char value[160];
    for (const char *at = strstr(f->description, " valueReference=\""); at && n < MOST;
         at = strstr(at + 1, " valueReference=\"")) {
        char own[512];
        snprintf(own, sizeof own, "%.*s", (int)strcspn(at, "\n"), at);
        if (!fmu_attribute(own, "causality", value, sizeof value) || strcmp(value, causality) != 0)
            continue;
        if (unit && (!fmu_attribute(own, "unit", value, sizeof value) || strcmp(value, unit) != 0))
            continue;
        fmu_attribute(own, "valueReference", value, sizeof value);
        list[n++] = (uint32_t)atol(value);
    }
    return n;
}

static void move(fmu_instance *i, const uint32_t *inputs, size_t n, int from, int to, double h) {
    for (int k = from; k < to; k++) {
        double u[MOST];
        for (size_t j = 0; j < n; j++) u[j] = 1.0 + sin(0.3 * k + (double)j);
        expect(fmu_set(i, inputs, n, u) == 0 && fmu_step(i, k * h, h) <= 1, "a step", k);
    }
}

static void check_all_slopes(const fmu *f) {
    uint32_t inputs[MOST], outputs[MOST];
    const size_t n = variables_of(f, "input", "N", inputs);
    const size_t m = variables_of(f, "output", NULL, outputs);
    const double h = 7e-3, e = 1e-4;
    double d[MOST], ends[2][MOST], worst = 0.0, most = 0.0, turned = 0.0;
    void *state = NULL;
    fmu_instance i;
    begin(f, &i);
    expect(n > 1 && m > 6, "a robot that moves in space", (double)n);
    move(&i, inputs, n, 0, 20, h);
    state_function(f, "Get")(i.c, &state);
    for (size_t j = 0; j < n; j++) {
        for (int side = 0; side < 2; side++) {
            set_state(&i, state);
            for (size_t k = 0; k < n; k++) {
                const double u = 1.5 + (k == j ? (side ? -e : e) : 0.0);
                fmu_set(&i, &inputs[k], 1, &u);
            }
            expect(fmu_step(&i, 20 * h, h) <= 1, "a step to each side", (double)j);
            fmu_get(&i, outputs, m, ends[side]);
        }
        set_state(&i, state);
        const double u = 1.5;
        for (size_t k = 0; k < n; k++) fmu_set(&i, &inputs[k], 1, &u);
        fmu_step(&i, 20 * h, h);
        i.said[0] = '\0';
        expect(slopes(&i, outputs, m, inputs[j], d) == 0, i.said, (double)j);
        for (size_t k = 0; k < m; k++) {
            worst = fmax(worst, fabs(d[k] - (ends[0][k] - ends[1][k]) / (2 * e)));
            most = fmax(most, fabs(d[k]));
            if (k >= 3 && k < 7) turned += fabs(d[k]) > 1e-5;
        }
    }
    expect(worst < 1e-5 * most, "derivatives are those of differences", worst / most);
    expect(turned >= 6, "turns about several axes", turned);
    printf("%zu outputs by %zu inputs: within %.1e of differences, of %.1e\n", m, n, worst, most);
    state_function(f, "Free")(i.c, &state);
    fmu_free(&i);
}

// ---------------------------------------------------------------- several, parameters, mistakes
static void check_several(const fmu *f, const names *n) {
    double alone[50 * N_TIP], one[N_TIP];
    fmu_instance a;
    begin(f, &a);
    steps(&a, n, 0, 50, 2e-3, alone);
    expect(fmu_plain(&a, "Reset") == 0 && fmu_enter(&a, 0) == 0 && fmu_exit(&a) == 0, "reset", 0);
    fmu_instance b;
    begin(f, &b);
    for (int k = 0; k < 50; k++) {
        steps(&a, n, k, k + 1, 2e-3, one);
        expect(!memcmp(one, alone + k * N_TIP, sizeof one), "one of two, after a reset", k);
        if (k % 2) continue;
        steps(&b, n, k / 2, k / 2 + 1, 2e-3, one);
        expect(!memcmp(one, alone + k / 2 * N_TIP, sizeof one), "the other one", k);
    }
    fmu_free(&a);
    fmu_free(&b);
}

static void check_parameter(const fmu *f, const names *n) {
    const double length = 0.25;
    double y[N_TIP];
    fmu_instance i;
    fmu_instantiate(f, "short", &i);
    expect(fmu_set(&i, &n->length, 1, &length) == 0, "a parameter is set", 0);
    fmu_enter(&i, 0.0);
    expect(fmu_get(&i, n->tip, N_TIP, y) == 0, i.said, 0);
    expect(fabs(y[2] - length) < 1e-6 && fabs(y[0]) < 1e-12, "a shorter arm stands there", y[2]);
    expect(fmu_exit(&i) == 0, "and begins", 0);
    i.said[0] = '\0';
    expect(fmu_set(&i, &n->length, 1, &length) == 3 && strstr(i.said, "rods.arm.length"),
           "later it is fixed", 0);
    fmu_free(&i);
    // Inputs that are set before the start are those of its equilibrium.
    fmu_instantiate(f, "bent", &i);
    pull(&i, n, 1.0);
    fmu_enter(&i, 0.0);
    fmu_exit(&i);
    fmu_get(&i, n->tip, N_TIP, y);
    const double x = y[0];
    for (int k = 0; k < 20; k++) expect(fmu_step(&i, 0.01 * k, 0.01) == 0, "a step", k);
    fmu_get(&i, n->tip, N_TIP, y);
    expect(x > 0.03 && fabs(y[0] - x) < 1e-9, "a bent arm stays in equilibrium", y[0] - x);
    fmu_free(&i);
}

static void check_mistakes(const fmu *f, const names *n) {
    fmu wrong = *f;
    fmu_instance i;
    double y[N_TIP], after[N_TIP];
    snprintf(wrong.token, sizeof wrong.token, "{0}");
    expect(!fmu_instantiate(&wrong, "no", &i) && strstr(i.said, "token"), "a wrong token", 0);
    wrong = *f;
    snprintf(wrong.folder, sizeof wrong.folder, "/nowhere");
    expect(!fmu_instantiate(&wrong, "no", &i) && strstr(i.said, "/nowhere"), "no resources", 0);
    begin(f, &i);
    steps(&i, n, 0, 10, 2e-3, NULL);
    fmu_get(&i, n->tip, N_TIP, y);
    const double bad = nan(""), much = 1e12;
    const uint32_t beyond = 100000;
    expect(fmu_set(&i, &n->pull, 1, &bad) == 3 && strstr(i.said, "pull"), "a value that is none",
           0);
    expect(fmu_set(&i, &beyond, 1, &much) == 3, "a variable that is not there", 0);
    expect(fmu_set(&i, &n->tip[0], 1, &much) == 3, "an output is not set", 0);
    expect(fmu_step(&i, 0.5, 2e-3) == 3 && strstr(i.said, "0.02"), "a step from elsewhere", 0);
    expect(fmu_step(&i, 0.02, 0.0) == 3, "a step of nothing", 0);
    expect(fmu_enter(&i, 1.0) == 3, "a start while it runs", 0);
    fmu_set(&i, &n->pull, 1, &much);
    i.said[0] = '\0';
    expect(fmu_step(&i, 0.02, 2e-3) == 2 && i.said[0], "a step that fails is discarded", 0);
    printf("it said: %s\n", i.said);
    fmu_get(&i, n->tip, N_TIP, after);
    expect(!memcmp(y, after, sizeof y), "and did not happen", 0);
    steps(&i, n, 10, 20, 2e-3, NULL);
    expect(fmu_plain(&i, "Terminate") == 0 && fmu_step(&i, 0.04, 2e-3) == 3, "no step after it", 0);
    fmu_free(&i);
    ((void (*)(void *))fmu_symbol(f, "FreeInstance"))(NULL);
}

static int check_slopes_alone(const char *folder) {
    fmu f;
    if (!fmu_open(&f, folder)) return 2;
    check_all_slopes(&f);
    fmu_close(&f);
    return failures != 0;
}

int main(int argc, char **argv) {
    static table run;
    fmu f;
    names n;
    if (argc == 2) return check_slopes_alone(argv[1]);
    if (argc != 3 || !fmu_open(&f, argv[1]) || !find_names(&f, &n) || !read_table(argv[2], &run)) {
        fprintf(stderr, "usage: check_fmu FOLDER [TIP.CSV]\n");
        return 2;
    }
    printf("FMI %d\n", f.version);
    check_run(&f, &n, &run, false);
    check_run(&f, &n, &run, true);
    check_parts(&f, &n, &run);
    check_state(&f, &n);
    check_state_of_other_length(&f, &n);
    check_slopes(&f, &n, 2e-3);
    check_slopes(&f, &n, 7e-3);
    check_several(&f, &n);
    check_parameter(&f, &n);
    check_mistakes(&f, &n);
    fmu_close(&f);
    printf("%d wrong\n", failures);
    return failures != 0;
}
