// tendril view: a robot in the browser, live, or a recorded run.
#ifdef __linux__
#include <malloc.h>
#endif
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/session.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/token.h"
#include "cli/verbs.h"
#include "view/page.h"
#include "view/server.h"

enum { MAPPED_FROM = 64 << 10 };  // bytes of a block that goes back to the system when it is freed

extern char **environ;

typedef struct view {
    const args *args;
    const char *file;
    stage *stage;
    live *live;
    replay *replay;
    server *server;
    char token[TOKEN_SIZE], page[1024];
} view;

// ---------------------------------------------------------------- what to show
// A folder, or a file of HDF5; everything else is a robot file.
static bool is_result(const char *path) {
    static const unsigned char magic[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) return true;
    unsigned char head[sizeof magic] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = fread(head, 1, sizeof head, file);
    fclose(file);
    return n == sizeof magic && !memcmp(head, magic, sizeof magic);
}

static int open_replay(view *v) {
    static const char *const idle[] = {"set", "model", "paused"};
    for (int i = 0; i < 3; i++) {
        if (!args_has(v->args, idle[i])) continue;
        char where[32];
        snprintf(where, sizeof where, "--%s", idle[i]);
        return exit_error(EXIT_INPUT, where, "%s is a result: a recorded run cannot be changed",
                          v->file);
    }
    td_error err = {0};
    v->replay = replay_create(v->file, &err);
    if (v->replay) return EXIT_FINE;
    return exit_reported(EXIT_INPUT, v->file, &err);
}

static int open_live(view *v) {
    td_error err = {0};
    int n = args_count(v->args, "set");
    const char **sets = malloc(sizeof *sets * (size_t)(n + 1));
    char model[96];
    for (int i = 0; sets && i < n; i++) sets[i] = args_nth(v->args, "set", i);
    if (sets && args_has(v->args, "model")) {
        snprintf(model, sizeof model, "simulation.model=%s", args_value(v->args, "model"));
        sets[n++] = model;
    }
    if (sets) v->stage = stage_create(v->file, sets, n, &err);
    free(sets);
    if (v->stage) v->live = live_create(v->stage, !args_has(v->args, "paused"), &err);
    if (v->live) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_MEMORY ? EXIT_FAILED : EXIT_INPUT, v->file, &err);
}

// ---------------------------------------------------------------- where to show it
static int open_server(view *v) {
    td_error err = {0};
    const char *host = args_value(v->args, "host"), *page = args_value(v->args, "page");
    server_setup setup = {
        .host = host ? host : "127.0.0.1", .stage = v->stage, .live = v->live, .replay = v->replay};
    if (!args_integer(v->args, "port", 0, 65535, &setup.port)) return EXIT_INPUT;
    int code = choose_token(v->args, v->token);
    if (code != EXIT_FINE) return code;
    setup.token = v->token;
    if (page_find(page, v->page, sizeof v->page)) {
        setup.page = v->page;
    } else if (page) {
        return exit_error(EXIT_INPUT, "--page", "there is no index.html in '%s'", page);
    } else {
        print_note("view", "the page is not there: in a checkout make page builds it, --page DIR "
                           "says where another one is");
    }
    v->server = server_create(&setup, &err);
    if (v->server) v->stage = NULL, v->live = NULL;
    if (v->server) return EXIT_FINE;
    return exit_reported(err.status == TD_ERR_UNSUPPORTED ? EXIT_FAILED : EXIT_INPUT, NULL, &err);
}

static void open_browser(const view *v, const char *address) {
    if (args_has(v->args, "no-browser")) return;
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) return;
    char *command[] = {"xdg-open", (char *)(size_t)address, NULL};
    pid_t child;
    signal(SIGCHLD, SIG_IGN);
    if (posix_spawnp(&child, command[0], NULL, NULL, command, environ) != 0)
        print_note("view", "no browser was found; open the address in one");
}

static int serve(view *v) {
    char address[256];
    const char *host = args_value(v->args, "host");
    if (!host) host = "127.0.0.1";
    bool colons = strchr(host, ':') != NULL;
    snprintf(address, sizeof address, "http://%s%s%s:%d/?token=%s", colons ? "[" : "", host,
             colons ? "]" : "", server_port(v->server), v->token);
    catch_stop(true);
    signal(SIGPIPE, SIG_IGN);
    printf("%s\n", address);
    fflush(stdout);
    if (!server_is_loopback(host))
        print_note("view", "other machines can reach it: put the name of this one for %s", host);
    open_browser(v, address);
    if (server_run(v->server, stop_flag())) return EXIT_FINE;
    return exit_error(EXIT_FAILED, "view", "the server stopped");
}

// Models, modes and what reaches come and go for as long as the program runs. glibc would raise the size from which it
// maps blocks to that of the largest that was freed, and keep later ones in the heap of the solver's thread.
static void return_memory(void) {
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, MAPPED_FROM);
#endif
}

static int run_view(const args *a) {
    return_memory();
    view v = {.args = a, .file = a->files[0]};
    int code = is_result(v.file) ? open_replay(&v) : open_live(&v);
    if (code == EXIT_FINE) code = open_server(&v);
    if (code == EXIT_FINE) code = serve(&v);
    server_destroy(v.server);
    live_destroy(v.live);
    replay_destroy(v.replay);
    stage_destroy(v.stage);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"paused", NULL, "start paused", false},
    {"port", "N", "port of the server; default: any free port", false},
    {"host", "ADDRESS",
     "address to listen on; default: 127.0.0.1, which only this\n"
     "machine can reach",
     false},
    {"token", "TEXT", "secret in the address; default: random", false},
    {"page", "DIR",
     "folder of the built page; default: the one installed with\n"
     "the program",
     false},
    {"no-browser", NULL, "only print the address", false},
    {0},
};

const verb verb_view = {
    .name = "view",
    .summary = "show a robot in the browser, live or recorded",
    .arguments = "FILE|RESULT",
    .about = "Starts a server on this machine, prints its address and opens it in the browser.\n"
             "With a robot file it shows the robot in 3-D, moving in real time, with a slider for\n"
             "every input and load. Inputs follow the file until they are moved by hand. With a\n"
             "result folder it shows the recorded run. Ctrl-C ends it.",
    .options = options,
    .examples = "  tendril view arm.yaml\n"
                "  tendril view arm.yaml --model eba --paused\n"
                "  tendril view results/arm --no-browser --port 8080\n",
    .run = run_view,
};
