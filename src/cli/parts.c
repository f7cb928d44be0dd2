#include "cli/parts.h"

#include <stdio.h>

#include "robot/facts.h"

bool body_is_free(const session *s, int body) {
    return !body_facts_of(s->robot, body).rod;
}

// ---------------------------------------------------------------- words
static void print_tendon(const session *s, int i) {
    td_tendon_state t = td_get_tendon(s->system, s->state, i);
    printf("  %-12s %.6g N", td_tendon_name(s->system, i), t.tension);
    if (t.end_tension != t.tension)
        printf(" at its start, %.6g N where it is fixed", t.end_tension);
    printf(", length %.6g m, displacement %.6g m%s\n", t.length, t.displacement,
           t.slack ? ", slack" : "");
}

static void print_chamber(const session *s, int i) {
    td_chamber_state c = td_get_chamber(s->system, s->state, i);
    printf("  %-12s %.6g Pa, volume %.6g m^3", td_chamber_name(s->system, i), c.pressure, c.volume);
    if (c.amount > 0.0) printf(", %.6g mol", c.amount);
    putchar('\n');
}

static void print_body(const session *s, int i) {
    td_body_state b = td_get_body(s->system, s->state, i);
    printf("  %-12s at (%.6f, %.6f, %.6f) m", td_body_name(s->system, i), b.pose.p[0], b.pose.p[1],
           b.pose.p[2]);
    printf(", quaternion (%.5f, %.5f, %.5f, %.5f)\n", b.pose.q[0], b.pose.q[1], b.pose.q[2],
           b.pose.q[3]);
}

void parts_print(const session *s) {
    if (td_n_tendons(s->system)) printf("\ntendons\n");
    for (int i = 0; i < td_n_tendons(s->system); i++) print_tendon(s, i);
    if (td_n_chambers(s->system)) printf("\nchambers\n");
    for (int i = 0; i < td_n_chambers(s->system); i++) print_chamber(s, i);
    bool named = false;
    for (int i = 0; i < td_n_bodies(s->system); i++) {  // riding ones are where their rod is
        if (!body_is_free(s, i)) continue;
        if (!named) printf("\nfree bodies\n");
        named = true;
        print_body(s, i);
    }
}

// ---------------------------------------------------------------- JSON
static void put_tendon(json *j, const session *s, int i) {
    td_tendon_state t = td_get_tendon(s->system, s->state, i);
    json_put_string(j, "name", td_tendon_name(s->system, i));
    json_put_number(j, "tension", t.tension);
    json_put_number(j, "end_tension", t.end_tension);
    json_put_number(j, "length", t.length);
    json_put_number(j, "displacement", t.displacement);
    json_put_bool(j, "slack", t.slack);
}

static void put_chamber(json *j, const session *s, int i) {
    td_chamber_state c = td_get_chamber(s->system, s->state, i);
    json_put_string(j, "name", td_chamber_name(s->system, i));
    json_put_number(j, "pressure", c.pressure);
    json_put_number(j, "volume", c.volume);
    json_put_number(j, "amount", c.amount);
}

static void put_body(json *j, const session *s, int i) {
    td_body_state b = td_get_body(s->system, s->state, i);
    json_put_string(j, "name", td_body_name(s->system, i));
    json_put_bool(j, "free", body_is_free(s, i));
    json_put_bool(j, "attached", b.attached);
    json_put_numbers(j, "p", b.pose.p, 3);
    json_put_numbers(j, "q", b.pose.q, 4);
    json_put_numbers(j, "velocity", b.velocity, 6);
}

static void put_list(json *j, const session *s, const char *key, int n,
                     void (*put)(json *j, const session *s, int i)) {
    if (n == 0) return;
    json_key(j, key);
    json_begin_array(j);
    for (int i = 0; i < n; i++) {
        json_begin_object(j);
        put(j, s, i);
        json_end_object(j);
    }
    json_end_array(j);
}

void parts_put(json *j, const session *s) {
    put_list(j, s, "tendons", td_n_tendons(s->system), put_tendon);
    put_list(j, s, "chambers", td_n_chambers(s->system), put_chamber);
    put_list(j, s, "bodies", td_n_bodies(s->system), put_body);
}

// ---------------------------------------------------------------- stability
verdict verdict_of(const session *s) {
    verdict v = {0};
    v.judged = td_get_stability(s->system, s->state, &v.smallest) >= 0;
    if (!v.judged) snprintf(v.why_not, sizeof v.why_not, "%s", td_message(s->state));
    return v;
}

static const char *verdict_word(const verdict *v) {
    return !v->judged          ? "none"
           : v->smallest > 0.0 ? "stable"
           : v->smallest < 0.0 ? "unstable"
                               : "neutral";
}

void verdict_print(const verdict *v) {
    if (!v->judged) printf("stability: not judged: %s\n", v->why_not);
    else printf("stability: %s, smallest eigenvalue %.4g\n", verdict_word(v), v->smallest);
}

void verdict_put(json *j, const verdict *v) {
    json_key(j, "stability");
    json_begin_object(j);
    json_put_string(j, "verdict", verdict_word(v));
    if (v->judged) json_put_number(j, "smallest_eigenvalue", v->smallest);
    if (!v->judged) json_put_string(j, "message", v->why_not);
    json_end_object(j);
}
