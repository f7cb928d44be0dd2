// cli/parts.c - see parts.h.
#include "cli/parts.h"

#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "robot/facts.h"

bool body_is_free(const session *s, int body) {
    return !body_facts_of(s->robot, body).rod;
}

// Is it the first of its kind?
static bool begins_kind(const td_system *system, int i) {
    return i == 0 || td_actuator_kind_of(system, i) != td_actuator_kind_of(system, i - 1);
}

// ---------------------------------------------------------------- words
// "  east         2 N, length 0.24 m, displacement 0.001 m, slack"
static void print_actuator(const session *s, int i) {
    const td_actuator_kind *kind = td_actuator_kind_of(s->system, i);
    const td_actuator_state a = td_get_actuator(s->system, s->state, i);
    const char *unit = kind->recorded[0].unit;
    printf("  %-12s %.6g%s%s", td_actuator_name(s->system, i), a.effort, unit[0] ? " " : "", unit);
    for (int k = 1; k < kind->n_recorded; k++) {
        const td_actuator_quantity *q = &kind->recorded[k];
        const double value = td_actuator_value(&a, q);
        const bool end = q->offset == offsetof(td_actuator_state, end_effort);
        const bool none = q->offset == offsetof(td_actuator_state, supplied) && !kind->thin;
        if ((end && value == a.effort) || (none && value == 0.0)) continue;
        if (end) printf(" at its start, %.6g %s where it is fixed", value, q->unit);
        else if (!q->whole) printf(", %s %.6g %s", q->name, value, q->unit);
        else if (value > 0.0) printf(", %s", q->name);
    }
    putchar('\n');
}

static void print_body(const session *s, int i) {
    td_body_state b = td_get_body(s->system, s->state, i);
    printf("  %-12s at (%.6f, %.6f, %.6f) m", td_body_name(s->system, i), b.pose.p[0], b.pose.p[1],
           b.pose.p[2]);
    for (int k = 0; k < 4; k++) b.pose.q[k] = fabs(b.pose.q[k]) < 5e-6 ? 0.0 : b.pose.q[k];
    printf(", quaternion (%.5f, %.5f, %.5f, %.5f)\n", b.pose.q[0], b.pose.q[1], b.pose.q[2],
           b.pose.q[3]);
}

static bool is_zero(const double x[3]) {
    return x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0;
}

// "  table        pressed by a force (0, 0, -1) N and a moment (0, 0.1, 0) N m about its origin"
static void print_obstacle(const session *s, int i) {
    const td_reaction w = td_get_obstacle_wrench(s->system, s->state, i);
    if (is_zero(w.force) && is_zero(w.moment)) {
        printf("  %-12s not touched\n", td_obstacle_name(s->system, i));
        return;
    }
    printf("  %-12s pressed by a force (%.6g, %.6g, %.6g) N and a moment (%.6g, %.6g, %.6g) N m "
           "about its origin\n",
           td_obstacle_name(s->system, i), w.force[0], w.force[1], w.force[2], w.moment[0],
           w.moment[1], w.moment[2]);
}

// N, the sum of what presses at all places where parts touch by a contact; *n: so many.
static double pressed_by(const session *s, int contact, int *n) {
    double sum = 0.0;
    *n = td_get_contacts(s->system, s->state, NULL, 0);
    td_contact_point *points = calloc((size_t)*n + 1, sizeof *points);
    const int all = points ? td_get_contacts(s->system, s->state, points, *n) : 0;
    *n = 0;
    for (int i = 0; i < all; i++) {
        const td_contact_point *p = &points[i];
        if (p->contact != contact) continue;
        (*n)++;
        for (int k = 0; k < 3; k++) sum += 0.5 * p->force[k] * p->normal[k];
    }
    *n /= 2;  // each is told from both sides
    free(points);
    return sum;
}

// "  cross        0.007 N at 2 places"
static void print_contact(const session *s, int i) {
    int n;
    const double force = pressed_by(s, i, &n);
    if (n == 0) printf("  %-12s nothing touches\n", td_contact_name(s->system, i));
    else
        printf("  %-12s presses with %.6g N at %d place%s\n", td_contact_name(s->system, i), force,
               n, n > 1 ? "s" : "");
}

void parts_print(const session *s) {
    for (int i = 0; i < td_n_actuators(s->system); i++) {
        if (begins_kind(s->system, i)) printf("\n%s\n", td_actuator_kind_of(s->system, i)->plural);
        print_actuator(s, i);
    }
    bool named = false;
    for (int i = 0; i < td_n_bodies(s->system); i++) {  // riding ones are where their rod is
        if (!body_is_free(s, i)) continue;
        if (!named) printf("\nfree bodies\n");
        named = true;
        print_body(s, i);
    }
    for (int i = 0; i < td_n_obstacles(s->system); i++) {
        if (i == 0) printf("\nobstacles\n");
        print_obstacle(s, i);
    }
    for (int i = 0; i < td_n_contacts(s->system); i++) {
        if (i == 0) printf("\ncontacts\n");
        print_contact(s, i);
    }
}

// ---------------------------------------------------------------- JSON
static void put_actuator(json *j, const session *s, int i) {
    const td_actuator_kind *kind = td_actuator_kind_of(s->system, i);
    const td_actuator_state a = td_get_actuator(s->system, s->state, i);
    json_begin_object(j);
    json_put_string(j, "name", td_actuator_name(s->system, i));
    for (int k = 0; k < kind->n_recorded; k++) {
        const td_actuator_quantity *q = &kind->recorded[k];
        if (q->whole) json_put_bool(j, q->name, td_actuator_value(&a, q) > 0.0);
        else json_put_number(j, q->name, td_actuator_value(&a, q));
    }
    json_end_object(j);
}

// An array for each kind: "tendons", ...
static void put_actuators(json *j, const session *s) {
    const int n = td_n_actuators(s->system);
    for (int i = 0; i < n; i++) {
        if (begins_kind(s->system, i))
            json_open_array(j, td_actuator_kind_of(s->system, i)->plural);
        put_actuator(j, s, i);
        if (i + 1 == n || begins_kind(s->system, i + 1)) json_end_array(j);
    }
}

static void put_body(json *j, const void *of, int i) {
    const session *s = of;
    td_body_state b = td_get_body(s->system, s->state, i);
    json_put_string(j, "name", td_body_name(s->system, i));
    json_put_bool(j, "free", body_is_free(s, i));
    json_put_bool(j, "attached", b.attached);
    json_put_numbers(j, "p", b.pose.p, 3);
    json_put_numbers(j, "q", b.pose.q, 4);
    json_put_numbers(j, "velocity", b.velocity, 6);
}

static void put_obstacle(json *j, const void *of, int i) {
    const session *s = of;
    const td_reaction w = td_get_obstacle_wrench(s->system, s->state, i);
    const td_pose at = td_get_obstacle_pose(s->system, s->state, i);
    json_put_string(j, "name", td_obstacle_name(s->system, i));
    json_put_numbers(j, "p", at.p, 3);
    json_put_numbers(j, "q", at.q, 4);
    json_put_numbers(j, "moment", w.moment, 3);
    json_put_numbers(j, "force", w.force, 3);
}

static void put_contact(json *j, const void *of, int i) {
    const session *s = of;
    int n;
    const double force = pressed_by(s, i, &n);
    json_put_string(j, "name", td_contact_name(s->system, i));
    json_put_number(j, "places", n);
    json_put_number(j, "force", force);
}

void parts_put(json *j, const session *s) {
    const int obstacles = td_n_obstacles(s->system), bodies = td_n_bodies(s->system);
    const int contacts = td_n_contacts(s->system);
    put_actuators(j, s);
    if (obstacles) json_put_list(j, "obstacles", obstacles, put_obstacle, s);
    if (contacts) json_put_list(j, "contacts", contacts, put_contact, s);
    if (bodies) json_put_list(j, "bodies", bodies, put_body, s);
}

// ---------------------------------------------------------------- stability
verdict verdict_of(const session *s) {
    verdict v = {0};
    v.judged = td_get_stability(s->system, s->state, &v.smallest) >= 0;
    snprintf(v.words, sizeof v.words, "%s", td_message(s->state));
    return v;
}

static const char *verdict_word(const verdict *v) {
    return !v->judged          ? "none"
           : v->smallest > 0.0 ? v->words[0] ? "no divergence" : "stable"
           : v->smallest < 0.0 ? "unstable"
                               : "neutral";
}

void verdict_print(const verdict *v) {
    if (!v->judged) {
        printf("stability: not judged: %s\n", v->words);
        return;
    }
    printf("stability: %s, smallest eigenvalue %.4g\n", verdict_word(v), v->smallest);
    if (v->words[0]) printf("           %s; tendril modes tells of both\n", v->words);
}

void verdict_put(json *j, const verdict *v) {
    json_open_object(j, "stability");
    json_put_string(j, "verdict", verdict_word(v));
    if (v->judged) json_put_number(j, "smallest_eigenvalue", v->smallest);
    if (v->words[0]) json_put_string(j, "message", v->words);
    json_end_object(j);
}
