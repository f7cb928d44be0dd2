// Pages that are open: what they send, what they are sent, which of them drives.
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "view/server_inner.h"
#include "view/text.h"

// ---------------------------------------------------------------- coming and going
void page_open(server *s, struct lws *wsi, peer *p) {
    *p = (peer){.wsi = wsi, .id = ++s->last_id, .credit = RATE, .credit_at = wall_clock()};
    if (s->live) p->text = live_text_now(s->live);
    peer **end = &s->peers;
    while (*end) end = &(*end)->next;
    *end = p;
    s->n_peers++;
    if (!s->driver) s->driver = p->id;
    // What the kernel keeps for a page that is slow is old when it arrives.
    int bytes = 64 << 10;
    setsockopt(lws_get_socket_fd(wsi), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
    wake_pages(s);
}

// What a hand held that is no longer there is let go.
static void change_driver(server *s, unsigned long id) {
    if (s->driver == id) return;
    message m = {.ask = ASK_RELEASE};
    if (s->live) live_send(s->live, &m);
    s->driver = id;
}

void page_close(server *s, peer *p) {
    peer **at = &s->peers;
    while (*at && *at != p) at = &(*at)->next;
    if (!*at) return;
    *at = p->next;
    s->n_peers--;
    free(p->answer);
    if (s->driver == p->id) change_driver(s, s->peers ? s->peers->id : 0);
    wake_pages(s);
}

// ---------------------------------------------------------------- what pages send
static void answer(peer *p, const char *words) {
    free(p->answer);
    p->answer = text_message("error", words);
    lws_callback_on_writable(p->wsi);
}

static bool may_send(peer *p) {
    double now = wall_clock();
    p->credit += RATE * (now - p->credit_at);
    if (p->credit > RATE) p->credit = RATE;
    p->credit_at = now;
    if (p->credit < 1.0) return false;
    p->credit -= 1.0;
    return true;
}

static void obey(server *s, peer *p, const message *m) {
    if (m->ask == ASK_DRIVE) {
        change_driver(s, p->id);
        wake_pages(s);
    } else if (!s->live) {
        answer(p, "this is a replay: there is nothing to drive");
    } else if (p->id != s->driver && m->ask != ASK_EXPORT) {
        answer(p, "another page drives; \"drive\" takes over");
    } else if (!live_send(s->live, m)) {
        answer(p, "too many messages wait for the solver; this one was dropped");
    }
}

static void read_message(server *s, peer *p, bool binary) {
    message m;
    char why[200];
    if (!may_send(p)) {
        answer(p, "more than 240 messages in a second; this one was dropped");
    } else if (binary) {
        answer(p, "a message is text, not binary");
    } else if (!message_parse(p->received, p->n_received, &m, why, sizeof why)) {
        answer(p, why);
    } else {
        m.from = p->id;
        obey(s, p, &m);
    }
}

int page_receive(server *s, peer *p, const char *bytes, size_t n) {
    if (p->n_received + n > sizeof p->received) {
        unsigned char why[] = "a message is longer than 4096 bytes";
        lws_close_reason(p->wsi, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, why, sizeof why - 1);
        return -1;
    }
    memcpy(p->received + p->n_received, bytes, n);
    p->n_received += n;
    if (!lws_is_final_fragment(p->wsi) || lws_remaining_packet_payload(p->wsi)) return 0;
    read_message(s, p, lws_frame_is_binary(p->wsi));
    p->n_received = 0;
    return 0;
}

// ---------------------------------------------------------------- what pages are sent
static int send_text(peer *p, char *text) {
    size_t n = text ? strlen(text) : 0;
    unsigned char *room = n ? malloc(LWS_PRE + n) : NULL;
    int sent = 0;
    if (room) {
        memcpy(room + LWS_PRE, text, n);
        sent = lws_write(p->wsi, room + LWS_PRE, n, LWS_WRITE_TEXT);
    }
    free(room);
    free(text);
    return sent < (int)n ? -1 : 0;
}

static audience audience_of(const server *s, const peer *p) {
    return (audience){p->id == s->driver, s->n_peers, s->opened};
}

static bool hello_is_old(const server *s, const peer *p) {
    audience a = audience_of(s, p);
    unsigned long version = s->live ? s->facts.version + 1 : 1;
    return p->told != version || p->told_driving != a.driving || p->told_watchers != a.watchers;
}

static int send_hello(server *s, peer *p) {
    audience a = audience_of(s, p);
    p->told = s->live ? s->facts.version + 1 : 1;
    p->told_driving = a.driving;
    p->told_watchers = a.watchers;
    return send_text(p, s->live ? hello_live(s->live, &s->facts, a) : hello_replay(s->replay, a));
}

// One thing at a time, what matters most first. False: there is nothing to send.
static bool send_next(server *s, peer *p, int *result) {
    if (hello_is_old(s, p)) return *result = send_hello(s, p), true;
    if (p->answer) {
        char *text = p->answer;
        p->answer = NULL;
        return *result = send_text(p, text), true;
    }
    if (!s->live) return false;
    char *text = live_text(s->live, &p->text, p->id);
    if (text) return *result = send_text(p, text), true;
    if (p->status_due) {
        p->status_due = false;
        return *result = send_text(p, status_live(s->live, &s->facts, audience_of(s, p), s->cpu)),
               true;
    }
    size_t n = live_frame(s->live, &p->frame, s->buffer + LWS_PRE);
    if (n == 0) return false;
    *result = lws_write(p->wsi, s->buffer + LWS_PRE, n, LWS_WRITE_BINARY) < (int)n ? -1 : 0;
    return true;
}

int page_write(server *s, peer *p) {
    int result = 0;
    if (s->live) live_get_facts(s->live, &s->facts);
    if (send_next(s, p, &result) && result == 0) lws_callback_on_writable(p->wsi);
    return result;
}
