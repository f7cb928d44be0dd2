// One .vtp file: headers first, then all numbers as base64, which keeps the whole well-formed XML.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "io/vtk.h"
#include "io/written.h"

// ---------------------------------------------------------------- base64
typedef struct encoder {
    FILE *out;
    unsigned char held[3];
    int n;
} encoder;

static void put_three(encoder *e) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned bits = (unsigned)e->held[0] << 16 | (unsigned)e->held[1] << 8 | e->held[2];
    for (int i = 0; i < 4; i++) fputc(i <= e->n ? digits[bits >> (18 - 6 * i) & 63] : '=', e->out);
    memset(e->held, 0, sizeof e->held);
    e->n = 0;
}

static void encode(encoder *e, const void *data, size_t bytes) {
    const unsigned char *c = data;
    for (size_t i = 0; i < bytes; i++) {
        e->held[e->n++] = c[i];
        if (e->n == 3) put_three(e);
    }
}

// ---------------------------------------------------------------- arrays
// Numbers lie as this machine has them; the header says which end comes first.
static const char *byte_order(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

static size_t array_bytes(const vtk_array *a) {
    return (size_t)a->n * (size_t)a->components * 4;
}

// Characters in the file: the number of bytes, eight itself, and the bytes.
static size_t encoded_length(const vtk_array *a) {
    return 4 * ((8 + array_bytes(a) + 2) / 3);
}

static void put_data(FILE *out, const vtk_array *a) {
    encoder e = {.out = out};
    uint64_t bytes = array_bytes(a);
    encode(&e, &bytes, sizeof bytes);
    encode(&e, a->real ? (const void *)a->real : (const void *)a->whole, array_bytes(a));
    if (e.n) put_three(&e);
}

static void put_header(FILE *out, const vtk_array *a, size_t *offset) {
    fprintf(out,
            "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
            "offset=\"%zu\"/>\n",
            a->real ? "Float32" : "Int32", a->name, a->components, *offset);
    *offset += encoded_length(a);
}

static void put_headers(FILE *out, const char *section, const vtk_arrays *a, size_t *offset) {
    fprintf(out, "<%s>\n", section);
    for (int i = 0; i < a->n; i++) put_header(out, &a->list[i], offset);
    fprintf(out, "</%s>\n", section);
}

// ---------------------------------------------------------------- the file
static void put_piece(FILE *out, const vtk_piece *p) {
    const char *cells = p->lines ? "Lines" : "Polys";
    long n_corners = p->n_cells ? p->ends[p->n_cells - 1] : 0;
    const vtk_arrays geometry[2] = {{.list = {{"points", 3, p->n_points, p->points, NULL}}, .n = 1},
                                    {.list = {{"connectivity", 1, n_corners, NULL, p->corners},
                                              {"offsets", 1, p->n_cells, NULL, p->ends}},
                                     .n = 2}};
    const vtk_arrays *all[4] = {&p->on_points, &p->on_cells, &geometry[0], &geometry[1]};
    const char *names[4] = {"PointData", "CellData", "Points", cells};
    size_t offset = 0;
    fprintf(
        out,
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
        "header_type=\"UInt64\">\n<PolyData>\n<Piece NumberOfPoints=\"%ld\" NumberOfVerts=\"0\" "
        "NumberOfLines=\"%ld\" NumberOfStrips=\"0\" NumberOfPolys=\"%ld\">\n",
        byte_order(), p->n_points, p->lines ? p->n_cells : 0, p->lines ? 0 : p->n_cells);
    for (int i = 0; i < 4; i++) put_headers(out, names[i], all[i], &offset);
    fputs("</Piece>\n</PolyData>\n<AppendedData encoding=\"base64\">\n_", out);
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < all[i]->n; k++) put_data(out, &all[i]->list[k]);
    fputs("\n</AppendedData>\n</VTKFile>\n", out);
}

td_status vtk_write_piece(const char *path, const vtk_piece *piece, td_error *err) {
    FILE *out = whole_open(path, err);
    if (!out) return TD_ERR_FILE;
    put_piece(out, piece);
    return written_close(out, path, err);
}
