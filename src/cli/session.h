// cli/session.h - a robot file loaded and compiled, as most verbs need it.
#pragma once

#include "cli/args.h"
#include "io/json.h"
#include "tendril/tendril.h"

typedef struct session {
    const char *file;
    td_robot *robot;
    td_options options;
    td_scenario scenario;
    td_system *system;
    td_state *state;
    td_error err;  // why loading or compiling failed
} session;

// Each returns an exit code, after printing what went wrong. session_close may follow any of them.
int session_load_with(session *s, const args *a, const char *const *more, int n_more);  // more sets
int session_compile(session *s);                    // system and state
int session_open(session *s, const args *a);        // both
void session_print_notes(const session *s);         // what the model approximates, on stderr
void session_put_notes(const session *s, json *j);  // ... as "notes"
// On stdout: an object that begins with the file, and what came of it.
json session_begin_json(const session *s, td_status status, const char *message);
// Refuses a name that is none of these n; false.
bool session_has_no(const char *where, const char *what, const char *name, const session *s, int n,
                    const char *(*name_of)(const td_system *, int));
void session_close(session *s);

// The options that go with it.
#define SESSION_OPTIONS                                                                            \
    {"set", "PATH=VALUE",                                                                          \
     "override a value of the file, e.g. rods.arm.length=0.3;\nmay be given several times", true}, \
    {                                                                                              \
        "model", "NAME", "compute with this model (see tendril models)", false                     \
    }
