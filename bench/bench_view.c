// `tendril view` with a page open: frames sent, steps computed, real time held, and what part of a
// core the whole program takes, solver and server together. The page is a client that reads every
// frame and draws nothing; bench_page.mjs does the same with the page open in a browser.
#include "bench.h"
#include "view_client.h"
#include "view_frames.h"

#define SECONDS 5.0

typedef struct tally {
    int frames;
    size_t bytes;
    double first, last;  // s, simulated
    double wall;
    double longest;  // s between two frames
} tally;

static tally watch(view_client *c) {
    tally t = {0};
    double start = 0.0, before = 0.0;
    while (view_wait_frame(c, 5.0)) {
        double now = view_clock(), time = frame_open(c->message, c->length).time;
        if (t.frames == 0) {
            start = now;
            t.first = time;
        } else if (now - before > t.longest) {
            t.longest = now - before;
        }
        before = now;
        t.last = time;
        t.wall = now - start;
        t.frames++;
        t.bytes += c->length;
        if (t.wall >= SECONDS) break;
    }
    return t;
}

// User and system time of a process so far, s.
static double seconds_of(pid_t pid) {
    char path[64], text[1024] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    bench_need(file != NULL, "no /proc to read the processor time of the program from");
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    unsigned long user = 0, system = 0;
    const char *rest = strrchr(text, ')');
    bench_need(rest != NULL, "/proc/PID/stat is not what it was");
    sscanf(rest + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static double step_of(const char *hello) {
    const char *at = strstr(hello, "\"step\": ");
    return at ? strtod(at + 8, NULL) : 0.0;
}

static void report(const char *name, const char *set, int pages) {
    char file[512];
    snprintf(file, sizeof file, EXAMPLES "/%s.yaml", name);
    const char *arguments[] = {file, "--set", set, NULL};
    view_server server = view_start(PROGRAM, arguments);
    bench_need(server.port > 0, "tendril view did not start");
    view_client c[8];
    for (int i = 0; i < pages; i++) c[i] = view_open(server.port, VIEW_TOKEN, NULL, NULL);
    bench_need(c[0].code == 101 && view_wait(&c[0], "hello", "", 10.0), "no hello");
    double step = step_of((const char *)c[0].message), used = seconds_of(server.pid);
    double started = view_clock();
    tally t = watch(&c[0]);
    used = (seconds_of(server.pid) - used) / (view_clock() - started);
    double simulated = t.last - t.first;
    printf("%s,%d,%g,%.1f,%.0f,%.3f,%.3f,%.1f,%.0f\n", name, pages, 1e3 * step,
           (t.frames - 1) / t.wall, simulated / step / t.wall, simulated / t.wall, used,
           1e3 * t.longest, (double)t.bytes / t.frames);
    for (int i = 0; i < pages; i++) view_close(&c[i]);
    bench_need(view_stop(&server) == 0, "tendril view did not end well");
}

int main(void) {
    printf("robot,pages,step_ms,frames_per_s,steps_per_s,real_time_ratio,cores,"
           "longest_gap_ms,bytes_per_frame\n");
    report("two-segment-arm", "simulation.time.step=10 ms", 1);
    report("two-segment-arm", "simulation.time.step=1 ms", 1);
    report("two-segment-arm", "simulation.time.step=10 ms", 8);
    report("stewart-gough", "simulation.time.step=8 ms", 1);
    return 0;
}
