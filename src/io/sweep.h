// io/sweep.h - the results of a study: rows as they come, a journal that outlives whoever writes it, and one table at the end.
//
// A record is some rows that follow one another, as bytes with a checksum: what workers send, what travels between machines and
// what the journal is made of are the same bytes. The journal only grows; one that was cut off in the middle of a record loses
// that record. The table in HDF5 is written when all rows are there, from their numbers alone, so that its bytes do not depend
// on who computed what, when, or how often it was interrupted.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tendril/study.h"

#define SWEEP_FILE "sweep.h5"
#define SWEEP_UNKNOWN INT32_MIN  // status of a row that is not there yet

// ---------------------------------------------------------------- records
typedef struct record_head {
    uint32_t magic, n_rows;
    int64_t first;   // case
    uint64_t bytes;  // that follow
    uint64_t hash;   // of them and of what stands above
} record_head;

typedef struct row_record {  // being made
    record_head head;
    unsigned char *bytes;
    size_t room;
} row_record;

void record_begin(row_record *r, long long first);
// A row: of a status below 0 the results do not count, of 0 the message. False: out of memory.
bool record_add(row_record *r, td_status status, const double *results, int n_results,
                const char *message);
void record_seal(row_record *r);
bool record_is_whole(const record_head *head, const void *bytes);
bool record_head_is_sane(const record_head *head);

// ---------------------------------------------------------------- the rows
typedef struct sweep_table {
    long long n_cases, n_done;
    int n_results;
    int32_t *status;  // (n_cases) SWEEP_UNKNOWN: not there
    double *results;  // (n_cases x n_results) NaN where a case failed
    char **messages;  // (n_cases) NULL: none
} sweep_table;

bool sweep_table_create(sweep_table *t, const td_study *study);  // false: out of memory
void sweep_table_free(sweep_table *t);
// The rows of a record that are not there yet. False: it does not fit this table, or memory.
bool sweep_table_put(sweep_table *t, const record_head *head, const void *bytes);

// All of these bytes through a file or a pipe, whatever interrupts; false: they are not to be had.
bool read_fully(int file, void *to, size_t bytes);
bool write_fully(int file, const void *from, size_t bytes);

// ---------------------------------------------------------------- the journal
typedef struct journal {
    int file;  // -1: not open
    char path[640];
} journal;

// All rows that journals of this study have in the folder. TD_ERR_VALUE: one is of another study.
td_status journals_read(const char *folder, const td_study *study, sweep_table *t, td_error *err);
// Opens FOLDER/NAME.journal to go on with it: what was cut off at its end is dropped. TD_ERR_FILE: somebody else is writing it.
td_status journal_open(journal *j, const char *folder, const char *name, const td_study *study,
                       td_error *err);
td_status journal_add(journal *j, const record_head *head, const void *bytes, td_error *err);
void journal_sync(journal *j);  // to the disk
void journal_close(journal *j);
void journals_remove(const char *folder);

// ---------------------------------------------------------------- the table
// Beside the old one, which it then replaces.
td_status sweep_write(const char *path, const td_study *study, const sweep_table *t, td_error *err);
// TD_ERR_VALUE: it is of another study. Rows into a table of this study.
td_status sweep_read(const char *path, const td_study *study, sweep_table *t, td_error *err);
td_status sweep_write_csv(const char *path, const td_study *study, const sweep_table *t,
                          td_error *err);
