// cli/slack.c - see slack.h.
#include "cli/slack.h"

#include <stdio.h>

#include "robot/facts.h"

static slack_span *open_span(slack_log *log, int actuator) {
    for (int i = log->n_spans - 1; i >= 0; i--)
        if (log->spans[i].actuator == actuator && log->spans[i].open) return &log->spans[i];
    return NULL;
}

static void begin_span(slack_log *log, int actuator, double t) {
    if (log->n_spans == MOST_SLACK_SPANS) {
        log->n_lost++;
        return;
    }
    log->spans[log->n_spans++] =
        (slack_span){.actuator = actuator, .from = t, .to = t, .open = true};
}

void slack_note(slack_log *log, const session *s) {
    double t = td_get_time(s->system, s->state);
    for (int i = 0; i < td_n_actuators(s->system); i++) {
        if (actuator_facts_of(s->robot, i).by_effort) continue;  // these have what they are given
        bool slack = td_get_actuator(s->system, s->state, i).slack > 0.0;
        slack_span *span = open_span(log, i);
        if (span) {
            span->to = t;
            span->open = slack;
        } else if (slack) {
            begin_span(log, i, t);
        }
    }
}

void slack_print(const slack_log *log, const session *s) {
    for (int i = 0; i < log->n_spans; i++) {
        const slack_span *span = &log->spans[i];
        printf("  slack        %s '%s' was slack from %.4g s ",
               td_actuator_kind_of(s->system, span->actuator)->word,
               td_actuator_name(s->system, span->actuator), span->from);
        if (span->open) printf("to the end\n");
        else printf("to %.4g s\n", span->to);
    }
    if (log->n_lost) printf("  slack        %d times more\n", log->n_lost);
}

void slack_put(json *j, const slack_log *log, const session *s) {
    json_open_array(j, "slack");
    for (int i = 0; i < log->n_spans; i++) {
        json_begin_object(j);
        const int which = log->spans[i].actuator;
        json_put_string(j, td_actuator_kind_of(s->system, which)->word,
                        td_actuator_name(s->system, which));
        json_put_number(j, "from", log->spans[i].from);
        json_put_number(j, "to", log->spans[i].to);
        json_end_object(j);
    }
    json_end_array(j);
}
