// io/sweep_rows.c - records, and the rows that they bring: see sweep.h.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "io/sweep.h"

#define MAGIC 0x31524454u  // "TDR1"
#define MOST_ROWS 65536
#define MOST_BYTES (1u << 28)
#define LONGEST_MESSAGE 400

typedef struct row_head {
    int32_t status;
    uint32_t length;  // of the message, without its end
} row_head;

static size_t padded(size_t bytes) {
    return (bytes + 7) & ~(size_t)7;
}

// ---------------------------------------------------------------- records
void record_begin(row_record *r, long long first) {
    r->head = (record_head){.magic = MAGIC, .first = first};
}

static unsigned char *take(row_record *r, size_t bytes) {
    const size_t used = (size_t)r->head.bytes;
    if (used + bytes > r->room) {
        const size_t room = 2 * (used + bytes) + 4096;
        unsigned char *grown = realloc(r->bytes, room);
        if (!grown) return NULL;
        r->bytes = grown, r->room = room;
    }
    r->head.bytes += bytes;
    return memset(r->bytes + used, 0, bytes);
}

bool record_add(row_record *r, td_status status, const double *results, int n_results,
                const char *message) {
    const size_t most = strlen(message) < LONGEST_MESSAGE ? strlen(message) : LONGEST_MESSAGE;
    const row_head head = {status, status ? (uint32_t)most : 0};
    const size_t numbers = sizeof *results * (size_t)n_results;
    unsigned char *at = take(r, sizeof head + numbers + padded(head.length));
    if (!at) return false;
    memcpy(at, &head, sizeof head);
    if (status >= 0) memcpy(at + sizeof head, results, numbers);
    memcpy(at + sizeof head + numbers, message, head.length);
    r->head.n_rows++;
    return true;
}

static uint64_t hash_of(const record_head *head, const void *bytes) {
    hash h = hash_word(HASH_START, head->n_rows);
    h = hash_word(hash_word(h, (uint64_t)head->first), head->bytes);
    return hash_bytes(h, bytes, (size_t)head->bytes);
}

void record_seal(row_record *r) {
    r->head.hash = hash_of(&r->head, r->bytes);
}

bool record_head_is_sane(const record_head *head) {
    return head->magic == MAGIC && head->n_rows >= 1 && head->n_rows <= MOST_ROWS &&
           head->bytes <= MOST_BYTES && head->first >= 0;
}

bool record_is_whole(const record_head *head, const void *bytes) {
    return record_head_is_sane(head) && head->hash == hash_of(head, bytes);
}

// ---------------------------------------------------------------- the rows
bool sweep_table_create(sweep_table *t, const td_study *study) {
    *t = (sweep_table){.n_cases = td_study_n_cases(study), .n_results = td_study_n_results(study)};
    const size_t n = (size_t)t->n_cases;
    t->status = malloc(sizeof *t->status * n);
    t->results = malloc(sizeof *t->results * n * (size_t)t->n_results);
    t->messages = calloc(n, sizeof *t->messages);
    if (!t->status || !t->results || !t->messages) return sweep_table_free(t), false;
    for (size_t i = 0; i < n; i++) t->status[i] = SWEEP_UNKNOWN;
    for (size_t i = 0; i < n * (size_t)t->n_results; i++) t->results[i] = (double)NAN;
    return true;
}

void sweep_table_free(sweep_table *t) {
    for (long long i = 0; t->messages && i < t->n_cases; i++) free(t->messages[i]);
    free(t->messages);
    free(t->status);
    free(t->results);
    *t = (sweep_table){0};
}

static bool put_row(sweep_table *t, long long i, const row_head *head, const unsigned char *at) {
    const size_t numbers = sizeof *t->results * (size_t)t->n_results;
    if (t->status[i] != SWEEP_UNKNOWN) return true;
    if (head->length > 0) {
        t->messages[i] = calloc(head->length + 1, 1);
        if (!t->messages[i]) return false;
        memcpy(t->messages[i], at + numbers, head->length);
    }
    if (head->status >= 0) memcpy(t->results + (size_t)i * (size_t)t->n_results, at, numbers);
    t->status[i] = head->status;
    t->n_done++;
    return true;
}

bool sweep_table_put(sweep_table *t, const record_head *head, const void *bytes) {
    const unsigned char *at = bytes, *end = at + head->bytes;
    const size_t numbers = sizeof *t->results * (size_t)t->n_results;
    if (head->first + head->n_rows > t->n_cases) return false;
    for (uint32_t k = 0; k < head->n_rows; k++) {
        row_head row;
        if ((size_t)(end - at) < sizeof row + numbers) return false;
        memcpy(&row, at, sizeof row);
        at += sizeof row;
        if (row.length > LONGEST_MESSAGE || (size_t)(end - at) < numbers + padded(row.length))
            return false;
        if (!put_row(t, head->first + k, &row, at)) return false;
        at += numbers + padded(row.length);
    }
    return at == end;
}
