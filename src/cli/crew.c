// cli/crew.c - see crew.h.
#define _DEFAULT_SOURCE  // MAP_ANONYMOUS
#include "cli/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include "cli/gnuplot.h"
#include "cli/terminal.h"

enum { MOST_WORKERS = 256, MOST_DEADLY = 256, MOST_DEATHS = 3, READ_AT_ONCE = 65536 };
#define SEND_EVERY 0.5    // s
#define SOONEST_DEATH 20  // deaths in a row, without a record between them: it is not the cases

// What all see.
typedef struct shared {
    atomic_int stop;
    atomic_llong at[MOST_WORKERS];  // the case that each is at
    atomic_int n_deadly;
    atomic_llong deadly[MOST_DEADLY];
} shared;

typedef struct worker {
    pid_t pid;     // 0: none
    int to, from;  // pipes
    case_range range;
    unsigned char *bytes;  // received, not yet a whole record
    size_t used, room;
} worker;

struct crew {
    const td_study *study;
    shared *shared;
    worker workers[MOST_WORKERS];
    int n;
    long long suspect;  // the case at which the last of them ended, and how often
    int deaths, in_a_row;
};

// ---------------------------------------------------------------- in the child
typedef struct child {
    const td_study *study;
    shared *shared;
    td_study_worker *w;
    int slot, from, to;
    row_record r;
    double *parameters, *results;
    double last;  // when a record was sent
} child;

static bool stop_is_asked(void *context) {
    const shared *s = context;
    return atomic_load_explicit(&s->stop, memory_order_relaxed) != 0;
}

static void send_record(child *c, long long next) {
    if (c->r.head.n_rows > 0) {
        record_seal(&c->r);
        if (!write_fully(c->to, &c->r.head, sizeof c->r.head) ||
            !write_fully(c->to, c->r.bytes, (size_t)c->r.head.bytes))
            _exit(1);  // nobody listens any more
    }
    record_begin(&c->r, next);
    c->last = wall_clock();
}

static bool is_deadly(const shared *s, long long i) {
    const int n = atomic_load(&s->n_deadly);
    for (int k = 0; k < n; k++)
        if (atomic_load(&s->deadly[k]) == i) return true;
    return false;
}

static bool compute_case(child *c, long long i) {
    const int n = td_study_n_results(c->study);
    const char *message = "computing it ended the process, three times";
    td_status status = TD_ERR_STOPPED;
    if (!is_deadly(c->shared, i)) {
        td_study_get_case(c->study, i, c->parameters);
        status = td_study_compute(c->w, c->parameters, c->results);
        message = td_study_message(c->w);
        if (status == TD_ERR_STOPPED) return false;
    }
    if (!record_add(&c->r, status, c->results, n, message)) _exit(1);
    return true;
}

static void compute_range(child *c, case_range range) {
    record_begin(&c->r, range.first);
    c->last = wall_clock();
    for (long long i = range.first; i < range.end; i++) {
        atomic_store(&c->shared->at[c->slot], i);
        const bool done = !stop_is_asked(c->shared) && compute_case(c, i);
        if (!done) {
            send_record(c, i);
            _exit(0);
        }
        if (wall_clock() - c->last > SEND_EVERY) send_record(c, i + 1);
    }
    send_record(c, range.end);
}

static void be_worker(child *c) {
    case_range range;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // a case of minutes must not go on for nobody
#endif
    signal(SIGINT, SIG_IGN);  // whoever deals is asked, and asks
    signal(SIGTERM, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    c->w = td_study_worker_create(c->study);
    c->parameters = calloc((size_t)td_study_n_parameters(c->study) + 1, sizeof *c->parameters);
    c->results = calloc((size_t)td_study_n_results(c->study) + 1, sizeof *c->results);
    if (!c->w || !c->parameters || !c->results) _exit(1);
    td_study_set_stop(c->w, stop_is_asked, c->shared);
    while (read_fully(c->from, &range, sizeof range)) compute_range(c, range);
    _exit(0);
}

// ---------------------------------------------------------------- starting and ending
static void forget(worker *w) {
    if (w->to >= 0) close(w->to);
    if (w->from >= 0) close(w->from);
    w->to = w->from = -1;
    w->pid = 0;
    w->used = 0;
}

static bool start(crew *c, int slot) {
    worker *w = &c->workers[slot];
    int down[2], up[2];
    if (!open_pipe(down)) return false;
    if (!open_pipe(up)) return close(down[0]), close(down[1]), false;
    fflush(NULL);
    w->pid = fork();
    if (w->pid == 0) {
        for (int i = 0; i < c->n; i++)
            forget(&c->workers[i]);  // another's pipe must end with its owner
        close(down[1]);
        close(up[0]);
        be_worker(&(child){
            .study = c->study, .shared = c->shared, .slot = slot, .from = down[0], .to = up[1]});
    }
    close(down[0]);
    close(up[1]);
    w->to = down[1], w->from = up[0], w->used = 0;
    if (w->pid > 0) return true;
    return forget(w), false;
}

crew *crew_create(const td_study *study, int n) {
    crew *c = calloc(1, sizeof *c);
    if (!c) return print_error("tendril", "out of memory"), NULL;
    c->study = study;
    c->n = n < MOST_WORKERS ? n : MOST_WORKERS;
    c->suspect = -1;
    for (int i = 0; i < c->n; i++) c->workers[i] = (worker){.to = -1, .from = -1};
    c->shared =
        mmap(NULL, sizeof *c->shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool ok = c->shared != MAP_FAILED;
    if (!ok) c->shared = NULL;
    signal(SIGPIPE, SIG_IGN);  // one that died is noticed when it is read
    for (int i = 0; i < c->n && ok; i++) ok = start(c, i);
    if (ok) return c;
    print_error("tendril", "cannot start a process: %s", strerror(errno));
    crew_destroy(c);
    return NULL;
}

static int bury(worker *w) {
    int status = 0;
    while (w->pid > 0 && waitpid(w->pid, &status, 0) < 0 && errno == EINTR) continue;
    forget(w);
    return status;
}

void crew_destroy(crew *c) {
    if (!c) return;
    for (int i = 0; i < c->n; i++) {
        if (c->workers[i].pid > 0) kill(c->workers[i].pid, SIGKILL);
        bury(&c->workers[i]);
        free(c->workers[i].bytes);
    }
    if (c->shared) munmap(c->shared, sizeof *c->shared);
    free(c);
}

static bool is_idle(const worker *w) {
    return w->range.first == w->range.end;
}

int crew_idle(const crew *c) {
    int n = 0;
    for (int i = 0; i < c->n; i++) n += is_idle(&c->workers[i]);
    return n;
}

// ---------------------------------------------------------------- deaths
static void note_death(crew *c, int slot) {
    const long long at = atomic_load(&c->shared->at[slot]);
    c->deaths = at == c->suspect ? c->deaths + 1 : 1;
    c->suspect = at;
    const int n = atomic_load(&c->shared->n_deadly);
    if (c->deaths < MOST_DEATHS || n == MOST_DEADLY) return;
    atomic_store(&c->shared->deadly[n], at);
    atomic_store(&c->shared->n_deadly, n + 1);
    c->deaths = 0;
}

// Another one takes over where the last record ended.
static bool replace(crew *c, int slot) {
    worker *w = &c->workers[slot];
    const bool busy = !is_idle(w);
    bury(w);
    if (busy) note_death(c, slot);
    if (++c->in_a_row > SOONEST_DEATH * c->n)
        return print_error("tendril", "processes that compute end as soon as they begin");
    if (!start(c, slot))
        return print_error("tendril", "cannot start a process: %s", strerror(errno));
    if (busy) write_fully(w->to, &w->range, sizeof w->range);
    return true;
}

bool crew_give(crew *c, case_range range) {
    for (int i = 0; i < c->n; i++) {
        worker *w = &c->workers[i];
        if (!is_idle(w)) continue;
        w->range = range;
        write_fully(w->to, &range, sizeof range);  // one that is gone is replaced when it is read
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- records
static void hand_over(crew *c, worker *w, crew_sink *sink, void *context) {
    record_head head;
    size_t at = 0;
    while (w->used - at >= sizeof head) {
        memcpy(&head, w->bytes + at, sizeof head);
        if (w->used - at - sizeof head < head.bytes) break;
        sink(context, &head, w->bytes + at + sizeof head);
        w->range.first = head.first + head.n_rows;
        at += sizeof head + (size_t)head.bytes;
        c->in_a_row = 0;
    }
    memmove(w->bytes, w->bytes + at, w->used - at);
    w->used -= at;
}

// False: its end of the pipe is closed.
static bool receive(crew *c, worker *w, crew_sink *sink, void *context) {
    if (w->room - w->used < READ_AT_ONCE) {
        unsigned char *grown = realloc(w->bytes, w->used + 2 * READ_AT_ONCE);
        if (!grown) return true;  // later
        w->bytes = grown, w->room = w->used + 2 * READ_AT_ONCE;
    }
    const ssize_t n = read(w->from, w->bytes + w->used, READ_AT_ONCE);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    w->used += (size_t)n;
    hand_over(c, w, sink, context);
    return n > 0;
}

static int wait_for_any(const crew *c, int milliseconds, struct pollfd *list) {
    for (int i = 0; i < c->n; i++)
        list[i] = (struct pollfd){.fd = c->workers[i].from, .events = POLLIN};
    return poll(list, (nfds_t)c->n, milliseconds);
}

bool crew_poll(crew *c, int milliseconds, crew_sink *sink, void *context) {
    struct pollfd list[MOST_WORKERS];
    if (wait_for_any(c, milliseconds, list) <= 0) return true;
    for (int i = 0; i < c->n; i++)
        if (list[i].revents && !receive(c, &c->workers[i], sink, context) && !replace(c, i))
            return false;
    return true;
}

void crew_stop(crew *c, crew_sink *sink, void *context) {
    struct pollfd list[MOST_WORKERS];
    atomic_store(&c->shared->stop, 1);
    for (int i = 0; i < c->n; i++) {
        close(c->workers[i].to);  // those that wait for a range
        c->workers[i].to = -1;
    }
    for (int left = c->n; left > 0;) {
        if (wait_for_any(c, 10000, list) <= 0 && errno != EINTR)
            return;  // hangs: ended by crew_destroy
        left = 0;
        for (int i = 0; i < c->n; i++) {
            if (list[i].fd >= 0 && list[i].revents && !receive(c, &c->workers[i], sink, context))
                bury(&c->workers[i]);
            left += c->workers[i].from >= 0;
        }
    }
}
