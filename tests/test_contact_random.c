// Random rods and bodies among random obstacles, wherever they happen to be: in each model an answer, or words that say why
// there is none; never a NaN, and a step that fails leaves the state as it was. `test_contact_random 5000 17` runs so many
// robots, from the 17th on (make contact), and tells which took long.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "contact_rods.h"

enum { FEW = 20, STEPS = 12 };
#define LONG 20.0  // s of processor for an equilibrium and its steps: told, in long runs

static long wanted = FEW, first = 1;

// ---------------------------------------------------------------- random numbers
typedef unsigned long long seed;

static double uniform(seed *z) {
    *z ^= *z << 13, *z ^= *z >> 7, *z ^= *z << 17;
    return (double)(*z >> 11) / 9007199254740992.0;
}

static double size(seed *z, double least, double most) {
    return least * pow(most / least, uniform(z));
}

static int one_of(seed *z, int n) {
    return (int)(n * uniform(z));
}

// ---------------------------------------------------------------- a robot
typedef struct page {
    char text[8192];
    int n;
} page;

#define ADD(p, ...)                                                                                \
    ((p)->n += snprintf((p)->text + (p)->n, sizeof(p)->text - (size_t)(p)->n, __VA_ARGS__))

// Anywhere about a rod of length L, also within it and beyond; the first is moved up by an input.
static void add_place(page *p, seed *z, double L, bool moves) {
    ADD(p, "position: [%g, %g, ", L * (uniform(z) - 0.5), L * (uniform(z) - 0.5));
    if (moves) ADD(p, "shift]");
    else ADD(p, "%g]", L * (1.4 * uniform(z) - 0.2));
    ADD(p, ", direction: [%g, %g, %g]", uniform(z) - 0.5, uniform(z) - 0.5, uniform(z) - 0.49);
}

static void add_obstacle(page *p, seed *z, double L, int i) {
    const double r = size(z, 1e-3, 1.0) * L;
    ADD(p, "  - {name: o%d, ", i);
    switch (one_of(z, 8)) {
    case 0: ADD(p, "plane: {}, "); break;
    case 1: ADD(p, "sphere: {radius: %g}, inside: %s, ", r, one_of(z, 3) ? "false" : "true"); break;
    case 2: ADD(p, "cylinder: {radius: %g}, ", r); break;
    case 3: ADD(p, "capsule: {radius: %g, length: %g}, ", r, size(z, 0.01, 1.0) * L); break;
    case 4: ADD(p, "box: [%g, %g, %g], ", r, size(z, 1e-3, 1.0) * L, L); break;
    case 5: ADD(p, "torus: {radius: %g, thickness: %g}, ", r, 0.4 * r * uniform(z)); break;
    case 6:
        ADD(p, "tube: {points: [[0, 0, %g], [%g, 0, %g], [%g, %g, %g]], radius: %g}, ", -0.1 * L,
            0.2 * r, 0.5 * L, 0.3 * L * uniform(z), 0.2 * L * uniform(z), L, r);
        break;
    default:
        ADD(p,
            "heightfield: {heights: [[0, %g, 0, %g], [%g, 0, %g, 0], [0, 0, %g, 0]], size: "
            "[%g, %g]}, ",
            0.1 * r, 0.2 * r, 0.1 * r, 0.05 * r, 0.3 * r, L, L);
    }
    add_place(p, z, L, i == 0);
    if (one_of(z, 2)) ADD(p, ", friction: %g", 1.5 * uniform(z));
    if (one_of(z, 4) == 0) ADD(p, ", stiffness: %g", size(z, 1.0, 1e12));
    else if (one_of(z, 6) == 0) ADD(p, ", hard: %g", size(z, 1e-6, 1e-3) * L);
    else if (one_of(z, 4) == 0) ADD(p, ", restitution: %g", 0.1 + 0.9 * uniform(z));
    ADD(p, "}\n");
}

static const char *const models[] = {
    "cosserat", "eba", "ebr", "srl", "rom", "virtual_power", "constant_curvature"};

static page make_page(seed *z) {
    page p = {.n = 0};
    const char *const model = models[one_of(z, 7)];
    const double L = size(z, 0.01, 10.0), r = size(z, 3e-4, 0.03) * L;
    const double E = size(z, 1e5, 1e11);
    const int rods = 1 + (one_of(z, 4) == 0);
    ADD(&p, "tendril: 1\ngravity: [%g, 0, -9.81]\nrods:\n", one_of(z, 2) ? 0.0 : 3.0);
    for (int i = 0; i < rods; i++)
        ADD(&p,
            "  - {name: r%d, length: %g, section: {radius: %g}, damping: {time: 10 ms},\n"
            "     material: {youngs_modulus: %g, poisson_ratio: 0.3, density: %g},\n"
            "     base: {position: [%g, 0, 0], direction: [%g, %g, %g]}}\n",
            i, L, r, E, size(z, 500.0, 8000.0), 3.0 * i * r, uniform(z) - 0.5, uniform(z) - 0.5,
            0.3 + uniform(z));
    if (one_of(z, 4) == 0)
        ADD(&p, "bodies: [{name: b, mass: %g, shape: {%s}, on: r0, at: tip}]\n",
            size(z, 1e-3, 1.0) * 1000.0 * r * r * L,
            one_of(z, 2) ? "sphere: {radius: 0.01}" : "box: [0.02, 0.01, 0.03]");
    if (one_of(z, 4) == 0)
        ADD(&p, "contacts: [{between: [r0%s], self: true, friction: 0.2}]\n",
            rods > 1 ? ", r1" : "");
    ADD(&p, "loads: [{rod: r0, at: tip, force: [push, 0, 0]}]\ninputs: {push: 0, shift: %g}\n",
        L * (1.4 * uniform(z) - 0.2));
    ADD(&p, "obstacles:\n");
    const int n = 1 + one_of(z, 4);
    for (int i = 0; i < n; i++) add_obstacle(&p, z, L, i);
    ADD(&p, "simulation: {model: %s, space: {elements: 6, nodes: 4}, lumped: {segments: 10}}\n",
        model);
    return p;
}

// ---------------------------------------------------------------- what is asked of it
#define give_up(...) (fprintf(stderr, __VA_ARGS__), fail())

typedef struct count {
    long refused, rested, stepped, failed;
    double longest;
} count;

static double processor(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

static void check_numbers(const scene *s, const page *p) {
    for (int rod = 0; rod < td_n_rods(s->system); rod++)
        for (int i = 0; i <= 4; i++) {
            const double at = 0.25 * i * td_get_length(s->system, s->state, rod);
            const td_sample x = td_get_sample(s->system, s->state, rod, at);
            bool fine = isfinite(x.pressure) && !isnan(x.gap);
            for (int k = 0; k < 3; k++) fine = fine && isfinite(x.pose.p[k] + x.contact[k]);
            if (!fine) give_up("not a number:\n%s", p->text);
        }
    const td_energy e = td_get_energy(s->system, s->state);
    if (!isfinite(e.kinetic + e.elastic + e.gravity)) give_up("no energy:\n%s", p->text);
}

static void check_words(const scene *s, td_status status, const page *p) {
    if (strlen(td_message(s->state)) < 20)
        give_up("%s without words:\n%s", td_status_name(status), p->text);
}

static void move(scene *s, seed *z, const page *p, count *n) {
    const size_t bytes = td_snapshot_bytes(s->system);
    unsigned char *before = malloc(bytes), *after = malloc(bytes);
    const double dt = size(z, 1e-5, 1e-2);
    for (int k = 0; k < STEPS; k++) {
        scene_set(s, "push", 0.1 * uniform(z));
        assert_int_equal(td_state_save(s->system, s->state, before, bytes), TD_OK);
        const td_status status = td_step(s->system, s->state, dt);
        check_numbers(s, p);
        n->stepped++;
        if (status >= 0) continue;
        n->failed++;
        check_words(s, status, p);
        assert_int_equal(td_state_save(s->system, s->state, after, bytes), TD_OK);
        assert_memory_equal(before, after, bytes);
        break;
    }
    free(before);
    free(after);
}

static void try_one(long k, count *n) {
    seed z = 88172645463325252ull + (seed)k * 6364136223846793005ull;
    for (int i = 0; i < 10; i++) uniform(&z);
    const page p = make_page(&z);
    td_error err = {0};
    const double began = processor();
    td_robot *robot = td_robot_parse(p.text, strlen(p.text), "random.yaml", NULL, 0, &err);
    if (!robot) give_up("%ld: %s: %s\n%s", k, err.where, err.message, p.text);
    const td_options options = td_robot_options(robot);
    scene s = {.system = td_system_create(robot, &options, &err)};
    td_robot_destroy(robot);
    if (!s.system) {
        n->refused++;
        if (err.status != TD_ERR_UNSUPPORTED || strlen(err.message) < 20)
            give_up("%ld: %s: %s\n%s", k, err.where, err.message, p.text);
        return;
    }
    s.state = td_state_create(s.system);
    td_state_reset(s.system, s.state);
    const td_status status = td_solve_statics(s.system, s.state);
    check_numbers(&s, &p);
    if (status < 0) check_words(&s, status, &p);
    n->rested += status >= 0;
    move(&s, &z, &p, n);
    scene_end(&s);
    const double took = processor() - began;
    n->longest = fmax(n->longest, took);
    if (wanted != FEW && took > LONG) print_message("robot %ld took %.0f s\n%s", k, took, p.text);
}

static void random_robots_among_obstacles_have_answers_or_words(void **unused) {
    (void)unused;
    count n = {.longest = 0.0};
    for (long k = first; k < first + wanted; k++) try_one(k, &n);
    print_message("%ld robots, %ld refused; %ld found rest; %ld steps, of which %ld failed; the "
                  "longest took %.1f s\n",
                  wanted, n.refused, n.rested, n.stepped, n.failed, n.longest);
    assert_true(2 * n.refused < wanted);  // most are something to try
    assert_true(3 * n.rested > wanted - n.refused && 2 * n.failed < wanted - n.refused);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_robots_among_obstacles_have_answers_or_words),
    };
    if (check_briefly()) wanted = 8;
    if (argc > 1) wanted = atol(argv[1]);
    if (argc > 2) first = atol(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
