// Two units and a master between them, as Simulink has it: a plant, which is an FMU of an arm with one tendon, and a
// controller, which is a function here and may be an FMU as well. At every communication point the master reads the plant's
// outputs, asks the controller, sets the plant's inputs and lets it take a step.
//
//     tendril export arm.yaml --fmu arm.fmu --outputs tip.velocity
//     python3 -m zipfile -e arm.fmu arm
//     cc -O2 loop.c -o loop -ldl && ./loop arm > loop.csv
//
// The tip is to stand 60 mm from the axis. docs/fmi.md goes through this file.
#include "fmu.h"

enum { X, VELOCITY, N_OUTPUTS };

// ---------------------------------------------------------------- the controller
typedef struct controller {
    double proportional, integral, derivative;  // N/m, N/(m s), N s/m
    double most;  // N: a tendon does not push, and a motor has its limit
    double sum;   // m s
} controller;

static double control(controller *c, double error, double velocity, double h) {
    const double wanted =
        c->proportional * error + c->integral * (c->sum + error * h) - c->derivative * velocity;
    if (wanted < 0.0) return 0.0;
    if (wanted > c->most) return c->most;
    c->sum += error * h;  // not while it is at its limit
    return wanted;
}

// ---------------------------------------------------------------- the master
static bool find(const fmu *f, const char *name, uint32_t *reference) {
    const int64_t found = fmu_find(f, name);
    if (found < 0) fprintf(stderr, "the plant has no variable %s\n", name);
    *reference = (uint32_t)found;
    return found >= 0;
}

static int run(fmu_instance *plant, const uint32_t outputs[N_OUTPUTS], uint32_t pull) {
    controller c = {.proportional = 15.0, .integral = 150.0, .derivative = 0.4, .most = 10.0};
    const double wanted = 0.06, h = 2e-3;
    double y[N_OUTPUTS], u = 0.0;
    puts("time [s],wanted [m],x [m],pull [N]");
    for (int k = 0; k <= 1500; k++) {
        if (fmu_get(plant, outputs, N_OUTPUTS, y) > 1) return 1;
        u = control(&c, wanted - y[X], y[VELOCITY], h);
        printf("%.6g,%.6g,%.9g,%.9g\n", k * h, wanted, y[X], u);
        if (fmu_set(plant, &pull, 1, &u) > 1 || fmu_step(plant, k * h, h) > 1) return 1;
    }
    return 0;
}

int main(int argc, char **argv) {
    uint32_t outputs[N_OUTPUTS], pull;
    fmu f;
    fmu_instance plant = {0};
    if (argc != 2 || !fmu_open(&f, argv[1])) {
        fprintf(stderr, "usage: loop FOLDER-OF-THE-FMU\n");
        return 2;
    }
    int code = 1;
    const double start = 0.0;
    if (find(&f, "rod.arm.tip.x", &outputs[X]) && find(&f, "tip.velocity_x", &outputs[VELOCITY]) &&
        find(&f, "pull", &pull) && fmu_instantiate(&f, "plant", &plant) &&
        fmu_set(&plant, &pull, 1, &start) == 0 && fmu_enter(&plant, 0.0) == 0 &&
        fmu_exit(&plant) <= 1)
        code = run(&plant, outputs, pull);
    if (code) fprintf(stderr, "the plant: %s\n", plant.said);
    fmu_free(&plant);
    fmu_close(&f);
    return code;
}
