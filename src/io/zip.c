// io/zip.c - see zip.h. The layout is that of PKWARE's APPNOTE, without what large archives need.
#include "io/zip.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "io/written.h"

enum { MOST = 64, LOCAL = 30, CENTRAL = 46, END = 22, DATE = 0x21 };  // 1 January 1980

typedef struct entry {
    char name[160];
    uint32_t crc, packed, size, offset;
} entry;

struct zip {
    FILE *out;
    char path[1024];
    td_error err;
    entry entries[MOST];
    int n;
};

static void fail(zip *z, const char *where, const char *what) {
    if (!z->err.status) error_set(&z->err, TD_ERR_FILE, where, "%s", what);
}

zip *zip_create(const char *path, td_error *err) {
    zip *z = calloc(1, sizeof *z);
    if (!z) {
        error_set(err, TD_ERR_MEMORY, path, "out of memory");
        return NULL;
    }
    snprintf(z->path, sizeof z->path, "%s", path);
    z->out = whole_open(path, err);
    if (z->out) return z;
    free(z);
    return NULL;
}

// ---------------------------------------------------------------- little-endian
static uint8_t *put16(uint8_t *to, unsigned value) {
    to[0] = (uint8_t)value, to[1] = (uint8_t)(value >> 8);
    return to + 2;
}

static uint8_t *put32(uint8_t *to, uint32_t value) {
    return put16(put16(to, value & 0xffff), value >> 16);
}

// What local and central headers share: version, flags, method, date, check, sizes, length of the name.
static uint8_t *put_entry(uint8_t *to, const entry *e) {
    to = put16(to, 20), to = put16(to, 0), to = put16(to, Z_DEFLATED);
    to = put16(to, 0), to = put16(to, DATE);
    to = put32(to, e->crc), to = put32(to, e->packed), to = put32(to, e->size);
    to = put16(to, (unsigned)strlen(e->name));
    return put16(to, 0);
}

// What does not fit is told when the archive is closed.
static void write_bytes(zip *z, const void *bytes, size_t n) {
    fwrite(bytes, 1, n, z->out);
}

// ---------------------------------------------------------------- files
static uint8_t *deflated(const void *bytes, size_t n, size_t *packed) {
    z_stream s = {0};
    if (deflateInit2(&s, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) return NULL;
    const size_t room = deflateBound(&s, (uLong)n);
    uint8_t *out = malloc(room ? room : 1);
    s.next_in = (Bytef *)(size_t)bytes, s.avail_in = (uInt)n;
    s.next_out = out, s.avail_out = (uInt)room;
    const bool done = out && deflate(&s, Z_FINISH) == Z_STREAM_END;
    *packed = s.total_out;
    deflateEnd(&s);
    if (done) return out;
    free(out);
    return NULL;
}

void zip_add(zip *z, const char *name, const void *bytes, size_t n) {
    if (z->err.status) return;
    const long offset = ftell(z->out);
    if (z->n == MOST || n > 0x40000000 || offset < 0 || offset > 0x70000000) {
        fail(z, name, "too much for one archive");
        return;
    }
    entry *e = &z->entries[z->n++];
    size_t packed;
    uint8_t *out = deflated(bytes, n, &packed), head[LOCAL];
    if (!out) {
        fail(z, name, "out of memory");
        return;
    }
    *e = (entry){.crc = (uint32_t)crc32(0, bytes, (uInt)n),
                 .packed = (uint32_t)packed,
                 .size = (uint32_t)n,
                 .offset = (uint32_t)offset};
    snprintf(e->name, sizeof e->name, "%s", name);
    put_entry(put32(head, 0x04034b50), e);
    write_bytes(z, head, sizeof head);
    write_bytes(z, e->name, strlen(e->name));
    write_bytes(z, out, packed);
    free(out);
}

void zip_add_text(zip *z, const char *name, const char *text) {
    zip_add(z, name, text, strlen(text));
}

void zip_add_file(zip *z, const char *name, const char *path) {
    FILE *file = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && fseek(file, 0, SEEK_SET) == 0) bytes = malloc((size_t)size + 1);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size)
        zip_add(z, name, bytes, (size_t)size);
    else fail(z, path, "cannot be read");
    free(bytes);
    if (file) fclose(file);
}

// ---------------------------------------------------------------- the end
static void write_directory(zip *z) {
    const long begin = ftell(z->out);
    for (int i = 0; i < z->n; i++) {
        uint8_t head[CENTRAL] = {0};
        put_entry(put16(put32(head, 0x02014b50), 3 << 8 | 20), &z->entries[i]);
        put32(head + 38, (uint32_t)0100644 << 16);  // an ordinary file, read by all
        put32(head + 42, z->entries[i].offset);
        write_bytes(z, head, sizeof head);
        write_bytes(z, z->entries[i].name, strlen(z->entries[i].name));
    }
    uint8_t tail[END] = {0};
    put32(tail, 0x06054b50);
    put16(put16(tail + 8, (unsigned)z->n), (unsigned)z->n);
    put32(put32(tail + 12, (uint32_t)(ftell(z->out) - begin)), (uint32_t)begin);
    write_bytes(z, tail, sizeof tail);
}

td_status zip_close(zip *z, td_error *err) {
    if (!z->err.status) write_directory(z);
    td_status status = z->err.status;
    if (status == TD_OK) status = whole_close(z->out, z->path, err);
    else {
        whole_drop(z->out, z->path);
        if (err) *err = z->err;
    }
    free(z);
    return status;
}
