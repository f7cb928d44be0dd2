// cli/slack.h - when actuators whose effort is not given were slack during a run.
#pragma once

#include "cli/session.h"
#include "io/json.h"

typedef struct slack_span {
    int actuator;
    double from, to;  // s
    bool open;        // still slack at the end of the run
} slack_span;

enum { MOST_SLACK_SPANS = 256 };

typedef struct slack_log {
    slack_span spans[MOST_SLACK_SPANS];
    int n_spans;
    int n_lost;  // spans that found no room
} slack_log;

// After the start and after every step.
void slack_note(slack_log *log, const session *s);
void slack_print(const slack_log *log, const session *s);         // a line for each span
void slack_put(json *j, const slack_log *log, const session *s);  // "slack": array
