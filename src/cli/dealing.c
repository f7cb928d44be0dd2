// cli/dealing.c - see dealing.h.
//
// Rank 0 deals out ranges of cases, to its own processes and to ranks that ask, and writes every record that comes back. A rank
// that has been silent for too long is given up: what it had is dealt again. Should it come back, its rows are the same to the
// bit, and are there already.
#include "cli/dealing.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/ranks.h"
#include "cli/stop.h"
#include "cli/terminal.h"

enum { SMALLEST_PART = 256, LARGEST_BLOCK = 64, AHEAD = 1, SHORT_WAIT = 2, LONG_WAIT = 100 };
#define HEARTBEAT 1.0   // s
#define SYNC_EVERY 2.0  // s
#define GOODBYE 2.0     // s, in which ranks that were asked to stop send what they have

enum { ASK = 1, RECORD, HEART, LEAVE, RANGE, END };  // tags

// So small that every process of a large machine has some of them, and large enough that dealing costs nothing.
static long long block_size(long long n_cases) {
    const long long size = n_cases / SMALLEST_PART;
    return size < 1 ? 1 : size > LARGEST_BLOCK ? LARGEST_BLOCK : size;
}

static bool is_mine(const dealing *d, long long i) {
    return i / block_size(d->table->n_cases) % d->parts == d->part - 1;
}

// How many cases of the part are not there yet.
static long long dealing_left(const dealing *d) {
    long long n = 0;
    for (long long i = 0; i < d->table->n_cases; i++)
        n += d->table->status[i] == SWEEP_UNKNOWN && is_mine(d, i);
    return n;
}

// ---------------------------------------------------------------- what is dealt
typedef struct hand {  // of a rank: ranges that it has
    case_range *ranges;
    int n, room;
    double heard;  // when
    bool gone;
} hand;

typedef struct dealer {
    dealing *d;
    crew *crew;
    long long cursor;
    hand back;    // to be dealt again
    hand *hands;  // (ranks)
    int size;
    long long left, all;
    double synced;
    progress bar;
} dealer;

static bool hold(hand *h, case_range range) {
    if (h->n == h->room) {
        case_range *grown = realloc(h->ranges, sizeof *grown * (size_t)(2 * h->room + 8));
        if (!grown) return false;
        h->ranges = grown, h->room = 2 * h->room + 8;
    }
    h->ranges[h->n++] = range;
    return true;
}

// The next cases that nobody has: what came back first, then on through the blocks of the part.
static bool next_range(dealer *x, case_range *out) {
    const dealing *d = x->d;
    const sweep_table *t = d->table;
    const long long block = block_size(t->n_cases);
    if (x->back.n > 0) return *out = x->back.ranges[--x->back.n], true;
    while (x->cursor < t->n_cases) {
        const long long i = x->cursor++;
        if (t->status[i] != SWEEP_UNKNOWN || !is_mine(d, i)) continue;
        *out = (case_range){i, i + 1};
        while (out->end % block != 0 && out->end < t->n_cases &&
               t->status[out->end] == SWEEP_UNKNOWN)
            out->end++;
        x->cursor = out->end;
        return true;
    }
    return false;
}

// ---------------------------------------------------------------- what comes back
static void take_record(void *context, const record_head *head, const void *bytes) {
    dealer *x = context;
    dealing *d = x->d;
    const long long before = d->table->n_done;
    if (!record_is_whole(head, bytes) || !sweep_table_put(d->table, head, bytes)) return;
    const long long fresh = d->table->n_done - before;
    x->left -= fresh;
    d->computed += fresh;
    if (fresh > 0 && d->err.status == TD_OK) journal_add(d->journal, head, bytes, &d->err);
    if (wall_clock() - x->synced > SYNC_EVERY) {
        journal_sync(d->journal);
        x->synced = wall_clock();
    }
    progress_update(&x->bar, 1.0 - (double)x->left / (double)x->all);
}

// What a rank still has of its ranges.
static void note_rows(hand *h, const record_head *head) {
    for (int i = 0; i < h->n; i++) {
        case_range *r = &h->ranges[i];
        if (head->first != r->first) continue;
        r->first += head->n_rows;
        if (r->first >= r->end) *r = h->ranges[--h->n];
        return;
    }
}

static void take_back(dealer *x, hand *h) {
    h->gone = true;
    for (int i = 0; i < h->n; i++) hold(&x->back, h->ranges[i]);
    h->n = 0;
}

static void give_up(dealer *x, int rank) {
    x->d->lost_ranks++;
    take_back(x, &x->hands[rank]);
    print_note("mpirun", "rank %d is silent: what it had is dealt again", rank);
}

static void answer(dealer *x, int rank) {
    case_range range;
    hand *h = &x->hands[rank];
    if (x->left > 0 && next_range(x, &range) && hold(h, range))
        ranks_send(rank, RANGE, &range, sizeof range);
    else ranks_send(rank, RANGE, &(case_range){0, 0}, sizeof range);  // nothing now: ask again
}

static void read_letters(dealer *x) {
    int from, tag;
    void *bytes;
    size_t n;
    while (x->size > 1 && ranks_take(&from, &tag, &bytes, &n)) {
        hand *h = &x->hands[from];
        record_head head;
        h->heard = wall_clock();
        if (tag == RECORD && n >= sizeof head) {
            memcpy(&head, bytes, sizeof head);
            if (head.bytes == n - sizeof head) take_record(x, &head, (char *)bytes + sizeof head);
            note_rows(h, &head);
        }
        if (tag == LEAVE) take_back(x, h);
        if (tag == ASK) h->gone = false, answer(x, from);
        free(bytes);
    }
}

static void look_for_the_dead(dealer *x) {
    for (int i = 1; i < x->size; i++)
        if (!x->hands[i].gone && wall_clock() - x->hands[i].heard > x->d->patience) give_up(x, i);
}

// ---------------------------------------------------------------- the rank that deals
static void feed(dealer *x) {
    case_range range;
    while (crew_idle(x->crew) > 0 && next_range(x, &range)) crew_give(x->crew, range);
}

static bool any_rank_left(const dealer *x) {
    for (int i = 1; i < x->size; i++)
        if (!x->hands[i].gone) return true;
    return false;
}

// To all other ranks, with how many are lost: those who know do not wait for them.
static void say_goodbye(const dealing *d) {
    for (int i = 1; i < d->ranks; i++) ranks_send(i, END, &d->lost_ranks, sizeof d->lost_ranks);
}

// Signals came: everybody sends what there is.
static void wind_up(dealer *x) {
    const double until = wall_clock() + GOODBYE;
    x->d->stopped = true;
    say_goodbye(x->d);
    crew_stop(x->crew, take_record, x);
    while (any_rank_left(x) && wall_clock() < until) {
        crew_poll(x->crew, SHORT_WAIT, take_record, x);
        read_letters(x);
    }
}

static bool go_round(dealer *x) {
    while (x->left > 0 && x->d->err.status == TD_OK) {
        feed(x);
        if (!crew_poll(x->crew, x->size > 1 ? SHORT_WAIT : LONG_WAIT, take_record, x)) return false;
        read_letters(x);
        look_for_the_dead(x);
        if (!stop_asked()) continue;
        wind_up(x);
        return true;
    }
    say_goodbye(x->d);
    return true;
}

static int be_dealer(dealing *d, crew *c, int size) {
    dealer x = {.d = d, .crew = c, .size = size, .left = dealing_left(d)};
    x.all = x.left > 0 ? x.left : 1;
    x.hands = calloc((size_t)size, sizeof *x.hands);
    if (!x.hands) return exit_error(EXIT_FAILED, "tendril", "out of memory");
    const double begin = x.synced = wall_clock();
    for (int i = 0; i < size; i++) x.hands[i].heard = begin;
    x.bar = progress_begin_share(d->quiet);
    const bool ok = go_round(&x);
    progress_end(&x.bar);
    journal_sync(d->journal);
    d->seconds = wall_clock() - begin;
    for (int i = 0; i < size; i++) free(x.hands[i].ranges);
    free(x.hands);
    free(x.back.ranges);
    if (d->err.status != TD_OK) return exit_reported(EXIT_FAILED, NULL, &d->err);
    return ok ? EXIT_FINE : EXIT_FAILED;
}

// ---------------------------------------------------------------- the other ranks
typedef struct helper {
    crew *crew;
    hand waiting;  // ranges that came ahead
    int asked;     // questions without an answer
    double asked_last, beat;
    bool dry;  // the last answer was: nothing
} helper;

static void send_on(void *context, const record_head *head, const void *bytes) {
    (void)context;
    const size_t n = sizeof *head + (size_t)head->bytes;
    char *letter = malloc(n);
    if (!letter) return;
    memcpy(letter, head, sizeof *head);
    memcpy(letter + sizeof *head, bytes, (size_t)head->bytes);
    ranks_send(0, RECORD, letter, n);
    free(letter);
}

// False: it is over.
static bool read_answers(helper *h, dealing *d) {
    int from, tag;
    void *bytes;
    size_t n;
    bool goes_on = true;
    while (ranks_take(&from, &tag, &bytes, &n)) {
        case_range range = {0, 0};
        if (tag == END) goes_on = false;
        if (tag == END && n == sizeof d->lost_ranks) memcpy(&d->lost_ranks, bytes, n);
        if (tag == RANGE && n == sizeof range) {
            memcpy(&range, bytes, sizeof range);
            h->asked--;
            h->dry = range.first == range.end;
            if (!h->dry) hold(&h->waiting, range);
        }
        free(bytes);
    }
    return goes_on;
}

static void ask(helper *h) {
    const double now = wall_clock();
    const int wanted = crew_idle(h->crew) + AHEAD - h->waiting.n;
    if (now - h->beat > HEARTBEAT) ranks_send(0, HEART, NULL, 0), h->beat = now;
    if (h->dry && now - h->asked_last < 0.05) return;
    if (h->asked >= wanted) return;
    ranks_send(0, ASK, NULL, 0);
    h->asked++;
    h->asked_last = now;
}

static int be_helper(dealing *d, crew *c) {
    helper h = {.crew = c};
    bool goes_on = true;
    while (goes_on && !stop_asked()) {
        while (crew_idle(c) > 0 && h.waiting.n > 0) crew_give(c, h.waiting.ranges[--h.waiting.n]);
        goes_on = crew_poll(c, SHORT_WAIT, send_on, NULL) && read_answers(&h, d);
        ask(&h);
    }
    if (stop_asked()) crew_stop(c, send_on, NULL);
    ranks_send(0, LEAVE, NULL, 0);
    free(h.waiting.ranges);
    return EXIT_FINE;
}

// ---------------------------------------------------------------- all of them
int deal(dealing *d, int (*before)(void *context), void *context) {
    int rank = 0, code = EXIT_FINE;
    const bool several = ranks_are_several();
    d->ranks = 1;
    crew *c = crew_create(d->study, d->workers);  // before MPI knows of anything
    if (!c) return EXIT_FAILED;
    if (several && !ranks_begin(&rank, &d->ranks)) code = EXIT_INPUT;
    catch_stop(true);
    if (code == EXIT_FINE && rank > 0) {
        code = be_helper(d, c);
    } else if (code == EXIT_FINE) {
        code = before(context);
        if (code == EXIT_FINE) code = be_dealer(d, c, d->ranks);
        else say_goodbye(d);
    }
    crew_destroy(c);
    d->rank = rank;
    return code;
}

int deal_end(const dealing *d, int code) {
    if (d->ranks > 1) ranks_end(d->lost_ranks > 0, d->patience, code);
    return code;
}
