// tendril serve: a robot in real time, for other programs, by UDP packets of JSON.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/session.h"
#include "cli/stop.h"
#include "cli/terminal.h"
#include "cli/token.h"
#include "cli/verbs.h"
#include "view/bridge_socket.h"
#include "view/server.h"

typedef struct serving {
    session s;
    const args *args;
    bridge b;
    bridge_socket socket;
    char token[TOKEN_SIZE], outputs[4096];
} serving;

static int open_bridge(serving *v) {
    td_error err = {0};
    int rate = 50, lease = 10;
    if (!args_integer(v->args, "rate", 1, 1000, &rate) ||
        !args_integer(v->args, "lease", 1, 86400, &lease))
        return EXIT_INPUT;
    const driven d = {.robot = v->s.robot, .system = v->s.system, .state = v->s.state};
    if (!bridge_make(&v->b, d, v->token, v->s.scenario.step, rate, lease, v->outputs, &err))
        return exit_reported(EXIT_INPUT, NULL, &err);
    if (!bridge_begin(&v->b, 0.0)) return exit_error(EXIT_FAILED, v->s.file, "%s", v->b.failure);
    v->b.playing = !args_has(v->args, "paused");
    return EXIT_FINE;
}

static int serve(serving *v) {
    td_error err = {0};
    const char *given = args_value(v->args, "host"), *host = given ? given : "127.0.0.1";
    int port = 0;
    if (!args_integer(v->args, "port", 0, 65535, &port)) return EXIT_INPUT;
    if (!bridge_open(&v->socket, host, port, &err)) return exit_reported(EXIT_INPUT, NULL, &err);
    catch_stop(true);
    const bool colons = strchr(host, ':') != NULL;
    printf("udp://%s%s%s:%d token %s\n", colons ? "[" : "", host, colons ? "]" : "", v->socket.port,
           v->token);
    fflush(stdout);
    if (strncmp(host, "127.", 4) != 0 && strcmp(host, "::1") != 0)
        print_note("serve", "other machines can reach it, and read the token on the way");
    bridge_serve(&v->socket, &v->b, stop_flag());
    if (v->b.strangers)
        print_note("serve", "%lu packets had not the token, and got no answer", v->b.strangers);
    if (v->b.behind > 0.0)
        print_note("serve", "%g s were given up: the robot is slower than time there", v->b.behind);
    return EXIT_FINE;
}

static int run(const args *a) {
    static serving v;  // its texts are long
    v = (serving){.args = a, .socket.fd = -1};
    int code = choose_token(a, v.token);
    if (code == EXIT_FINE && !args_lines(a, "outputs", "output", v.outputs, sizeof v.outputs))
        code = EXIT_INPUT;
    if (code == EXIT_FINE) code = session_open(&v.s, a);
    if (code == EXIT_FINE) session_print_notes(&v.s);
    if (code == EXIT_FINE) code = open_bridge(&v);
    if (code == EXIT_FINE) code = serve(&v);
    bridge_close(&v.socket);
    bridge_free(&v.b);
    session_close(&v.s);
    return code;
}

static const option options[] = {
    SESSION_OPTIONS,
    {"port", "N", "port to listen on; default: any free port", false},
    {"host", "ADDRESS",
     "address to listen on; default: 127.0.0.1, which only this\n"
     "machine can reach",
     false},
    {"token", "TEXT", "secret that every packet must carry; default: random", false},
    {"rate", "HZ", "states sent to each client per second; default: 50", false},
    {"lease", "SECONDS", "forget a client that is silent for this long; default: 10", false},
    {"outputs", "NAMES",
     "outputs besides tips, bodies, actuators and sensors,\n"
     "separated by commas: tip.velocity, rod.arm.50 %.pose",
     true},
    {"paused", NULL, "start paused, until a client resumes or asks for steps", false},
    {0},
};

const verb verb_serve = {
    .name = "serve",
    .summary = "run a robot in real time for other programs, by UDP and JSON",
    .arguments = "FILE",
    .about =
        "Runs the robot in real time and prints the address. Programs that know the token\n"
        "send inputs and receive poses, tensions and readings at a fixed rate, as JSON in UDP\n"
        "packets (docs/serve.md). Inputs follow the file until they are set. Ctrl-C ends it.",
    .options = options,
    .examples = "  tendril serve arm.yaml\n"
                "  tendril serve arm.yaml --port 7400 --rate 200 --outputs tip.velocity\n"
                "  tendril serve arm.yaml --paused --token only-for-me\n",
    .run = run,
};
