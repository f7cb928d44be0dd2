// A sweep of the two-segment arm by one process and by two: cases per second and how much faster two are, with the least of rounds
// that alternate. On a busy machine the clock tells of others; then the processor time of all processes tells what two would
// gain on two free cores: 2 t1/t2. bench_sweep [CASES]
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"

enum { USUAL_CASES = 100000, ROUNDS = 2 };

static void write_study(const char *path, int cases) {
    FILE *f = fopen(path, "w");
    if (!f) exit(1);
    fprintf(f,
            "study: 1\nrobot: " EXAMPLES "/two-segment-arm.yaml\nparameters:\n"
            "  a1: {input: a1, range: [0, 9 N]}\n  a2: {input: a2, range: [0, 9 N]}\n"
            "  b2: {input: b2, range: [0, 4 N]}\n  b3: {input: b3, range: [0, 4 N]}\n"
            "samples: {count: %d}\n"
            "results: {x: rod.backbone.tip.x, y: rod.backbone.tip.y, z: rod.backbone.tip.z}\n",
            cases);
    fclose(f);
}

// Of all programs that were waited for.
static double processor_seconds(void) {
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// Seconds that the program says it took, and those of processors.
static double sweep(int processes, double *processor) {
    char command[640], line[256];
    double seconds = -1.0;
    const double before = processor_seconds();
    snprintf(command, sizeof command,
             PROGRAM " sweep study.yaml --out table --anew --json --threads %d", processes);
    unlink("table/sweep.h5");
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *at = strstr(line, "\"seconds\": ");
        if (at) seconds = atof(at + 11);
    }
    if (!pipe || pclose(pipe) != 0 || seconds <= 0.0) {
        fprintf(stderr, "the sweep failed\n");
        exit(1);
    }
    *processor = fmin(*processor, processor_seconds() - before);
    return seconds;
}

int main(int argc, char **argv) {
    const char *room = getenv("TMPDIR");
    char folder[512];
    snprintf(folder, sizeof folder, "%s/bench_sweep_XXXXXX", room ? room : P_tmpdir);
    const int cases = argc > 1 ? atoi(argv[1]) : USUAL_CASES;
    double least[2] = {HUGE_VAL, HUGE_VAL}, processor[2] = {HUGE_VAL, HUGE_VAL};
    if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
    write_study("study.yaml", cases);
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < 2; k++) least[k] = fmin(least[k], sweep(k + 1, &processor[k]));
    printf(
        "processes,cases,seconds,cases_per_second,speed-up,processor_seconds,speed-up_by_these\n");
    for (int k = 0; k < 2; k++)
        printf("%d,%d,%.2f,%.0f,%.2f,%.2f,%.2f\n", k + 1, cases, least[k], cases / least[k],
               least[0] / least[k], processor[k], (k + 1) * processor[0] / processor[k]);
    if (system("rm -rf table study.yaml") != 0 || chdir("/") != 0) return 1;
    return rmdir(folder);
}
