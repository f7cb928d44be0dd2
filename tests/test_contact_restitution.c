// What hits an obstacle of restitution e leaves it with e times its velocity: a ball in free flight, an elastic bar and a
// rod that swings against a wall, whatever mass, velocity and step as long as steps resolve the impact; longer ones
// lose more, and none gives more.
#include "contact_rods.h"

// k = 2e4 N/m: an impact takes pi sqrt(m/k) = 7 ms and less.
#define DROPPED                                                                                    \
    FALLING_BALL                                                                                   \
    "obstacles: [{name: floor, plane: {}, stiffness: 1e5, restitution: 0.5}]\n"                    \
    "simulation: {lumped: {segments: 2}}\n"

// What it left with at the surface, by what came back of a ball that weighs 10 m and went in by d: as
// v1^2 = e^2 (v0^2 + 2 g d) - 2 g d has it, e. And checks that energy never grows.
static double rebound(const char *const *sets, int n, double dt, double surface) {
    scene s = scene_of(DROPPED, sets, n);
    double up = 0.0, last = 1e3, deepest = 0.0;
    const double g = 10.0, v0 = 2.0 * g * (0.2 - surface);
    for (int k = 0; k * dt < 0.2 && up == 0.0; k++) {
        scene_step(&s, dt);
        const td_body_state b = td_get_body(s.system, s.state, 0);
        const td_energy e = td_get_energy(s.system, s.state);
        const double held = e.kinetic + e.elastic + e.gravity, z = b.pose.p[2];
        if (k > 0) CHECK_BETWEEN(held, -1.0, last + 1e-6);
        deepest = fmax(deepest, surface - z);
        if (z > surface && b.velocity[5] > 0.0)
            up = b.velocity[5] * b.velocity[5] + 2.0 * g * (z - surface);
        last = held;
    }
    scene_end(&s);
    return sqrt((up + 2.0 * g * deepest) / (v0 + 2.0 * g * deepest));
}

static void a_ball_leaves_with_its_share_of_velocity(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=eba", "simulation.model=cosserat"};
    static const char *const given[] = {"obstacles.floor.restitution=0.9",
                                        "obstacles.floor.restitution=0.5",
                                        "obstacles.floor.restitution=0.3"};
    static const double e[] = {0.9, 0.5, 0.3};
    for (int i = check_briefly(); i < 6; i += check_briefly() ? 3 : 1) {
        const char *const sets[] = {models[i / 3], given[i % 3]};
        const double coarse = rebound(sets, 2, 2e-4, 0.1), fine = rebound(sets, 2, 5e-5, 0.1);
        CHECK_NEAR(coarse, e[i % 3], 0.03);
        CHECK_NEAR(fine, e[i % 3], 0.01);
        const double few = rebound(sets, 2, 1e-3, 0.1), one = rebound(sets, 2, 1e-2, 0.1);
        CHECK_BETWEEN(few, e[i % 3] - 0.15, e[i % 3] + 0.01);
        CHECK_BETWEEN(one, 0.0, 1.0);  // 10 ms do not resolve it
    }
}

static void mass_and_velocity_do_not_matter(void **unused) {
    (void)unused;
    const char *const sets[][3] = {
        {"simulation.model=eba", "bodies.b.mass=1", "obstacles.floor.position=[0, 0, 0]"},
        {"simulation.model=eba", "bodies.b.mass=0.1", "obstacles.floor.position=[0, 0, 0.08]"}};
    for (int i = 0; i < 2; i++) {
        const double e = rebound(sets[i], 3, 5e-5, i ? 0.18 : 0.1);
        CHECK_NEAR(e, 0.5, 0.01);
    }
}

// A wire that would sag by 15 mm falls on a floor 4 mm below it.
#define BOUNCING                                                                                   \
    "tendril: 1\n"                                                                                 \
    "rods:\n"                                                                                      \
    "  - {name: wire, length: 0.2, section: {radius: 1 mm}, base: {direction: [1, 0, 0]},\n"       \
    "     material: {youngs_modulus: 0.5 GPa, poisson_ratio: 0.3, density: 1000}}\n"               \
    "obstacles: [{name: floor, plane: {}, position: [0, 0, -5 mm], stiffness: 1 kPa}]\n"           \
    "simulation: {start: straight, lumped: {segments: 16}, rom: {order: 8}}\n"

// What a wire holds after falling on a floor, by what it had.
static double left(const char *model, const char *e) {
    const char *const sets[] = {model, e};
    scene s = scene_of(BOUNCING, sets, 2);
    const td_energy start = td_get_energy(s.system, s.state);
    double last = 1e3, most = 0.0;
    for (int k = 0; k < 400; k++) {
        scene_step(&s, 5e-4);
        const td_energy now = td_get_energy(s.system, s.state);
        const double held = now.kinetic + now.elastic + now.gravity - start.gravity;
        most = fmax(most, now.kinetic);
        CHECK_BETWEEN(held, -1.0, fmin(last, 0.0) + 2e-5 * most + 1e-12);
        last = fmin(last, fmax(held, -1.0));
    }
    scene_end(&s);
    return last;
}

static void rods_lose_more_where_less_comes_back(void **unused) {
    (void)unused;
    static const char *const models[] = {"simulation.model=cosserat", "simulation.model=eba",
                                         "simulation.model=ebr", "simulation.model=rom"};
    for (int i = 0; i < 4; i++) {
        const double all = left(models[i], "obstacles.floor.restitution=1"),
                     half = left(models[i], "obstacles.floor.restitution=0.5");
        CHECK_BETWEEN(half, -1.0, all - 1e-6);
    }
}

static void what_cannot_be_is_refused(void **unused) {
    (void)unused;
    static const char *const wrong[] = {"obstacles.floor.restitution=1.5",
                                        "obstacles.floor.restitution=0.05",
                                        "obstacles.floor.restitution=0"};
    for (int i = 0; i < 3; i++) {
        td_error err = {0};
        assert_null(td_robot_parse(DROPPED, strlen(DROPPED), "a.yaml", &wrong[i], 1, &err));
        assert_non_null(strstr(err.message, i == 2 ? "must be positive" : "between 0.1 and 1"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_leaves_with_its_share_of_velocity),
        cmocka_unit_test(mass_and_velocity_do_not_matter),
        cmocka_unit_test(rods_lose_more_where_less_comes_back),
        cmocka_unit_test(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
