// What a comparison came to: a table for people, CSV and JSON for programs.
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/terminal.h"
#include "io/json.h"
#include "io/result.h"
#include "io/written.h"

// ---------------------------------------------------------------- the terminal
static int label_width(const trials *all) {
    int width = 14;
    for (int i = 0; i < all->n; i++) {
        int n = (int)strlen(all->list[i].label);
        width = n > width ? n : width;
    }
    return width;
}

static void print_head(const trials *all, int width) {
    printf("%s: %s%s", all->file, all->name, all->name[0] ? ", " : "");
    if (all->statics) {
        puts("equilibrium");
    } else {
        printf("%.4g s in steps of %g s\n", all->time[all->n_records - 1], all->step);
    }
    printf("  %-*s  %-21s  %-21s", width, "", "tip error [mm]", "shape error [mm]");
    if (all->statics) {
        printf("  %9s\n", "cost");
    } else {
        printf("  %9s %10s  %s\n", "cost", "real time", "energy drift");
    }
    printf("  %-*s  %10s %10s  %10s %10s", width, "", all->statics ? "" : "mean",
           all->statics ? "" : "max", all->statics ? "" : "mean", all->statics ? "" : "max");
    printf("  %9s", all->statics ? "[us]" : "[ms/s]");
    puts(all->statics ? "" : "      ratio  [%]");
}

static void print_errors(const trials *all, const trial *t) {
    if (t == &all->list[all->reference]) {
        printf("  %-21s  %-21s", "reference", "");
    } else if (all->statics) {
        printf("  %10.4g %10s  %10.4g %10s", 1e3 * t->tip_max, "", 1e3 * t->shape_max, "");
    } else {
        printf("  %10.4g %10.4g  %10.4g %10.4g", 1e3 * t->tip_mean, 1e3 * t->tip_max,
               1e3 * t->shape_mean, 1e3 * t->shape_max);
    }
}

static void print_trial(const trials *all, const trial *t, int width) {
    printf("  %-*s", width, t->label);
    if (!t->possible || !t->n_records) {
        printf("  %s: %s\n", t->possible ? "failed" : "cannot", t->message);
        return;
    }
    print_errors(all, t);
    if (!t->finished) {
        printf("  failed: %s\n", t->message);
    } else if (all->statics) {
        printf("  %9.3g\n", 1e6 * t->cost);
    } else {
        printf("  %9.3g %10.3g  %.2g\n", 1e3 * t->cost, t->cost > 0 ? 1 / t->cost : 0.0,
               100 * t->drift);
    }
}

void trials_print(const trials *all) {
    int width = label_width(all);
    print_head(all, width);
    for (int i = 0; i < all->n; i++) print_trial(all, &all->list[i], width);
    for (int i = 0; i < all->n; i++) {
        if (all->list[i].note[0]) printf("  note: %s: %s\n", all->list[i].label, all->list[i].note);
    }
    printf("  1 %% of the %slength is %.4g mm\n", all->n_rods > 1 ? "longest rod's " : "rod's ",
           10.0 * all->length);
}

// ---------------------------------------------------------------- JSON
static void put_trial(json *j, const void *of, int i) {
    const trials *all = of;
    const trial *t = &all->list[i];
    json_put_string(j, "label", t->label);
    json_put_string(j, "model", t->model);
    json_put_string(j, "status", !t->possible ? "cannot" : t->finished ? "finished" : "failed");
    json_put_string(j, "message", t->message[0] ? t->message : t->note);
    json_put_bool(j, "reference", t == &all->list[all->reference]);
    if (t->n_errors) {
        json_put_number(j, "tip_error_mean", t->tip_mean);
        json_put_number(j, "tip_error_max", t->tip_max);
        json_put_number(j, "shape_error_mean", t->shape_mean);
        json_put_number(j, "shape_error_max", t->shape_max);
    }
    if (t->finished) {
        json_put_number(j, all->statics ? "seconds" : "seconds_per_second", t->cost);
        json_put_number(j, "iterations", t->iterations);
    }
    if (t->finished && !all->statics) {
        json_put_integer(j, "steps", t->steps);
        json_put_number(j, "energy_drift", t->drift);
    }
}

void trials_put_json(const trials *all) {
    json j = json_start(stdout);
    json_begin_object(&j);
    json_put_string(&j, "file", all->file);
    json_put_string(&j, "robot", all->name);
    json_put_string(&j, "kind", all->statics ? "equilibrium" : "motion");
    json_put_string(&j, "reference", all->list[all->reference].label);
    json_put_number(&j, "length", all->length);
    json_put_number(&j, "step", all->step);
    json_put_number(&j, "end", all->time[all->n_records - 1]);
    json_put_integer(&j, "records", all->n_records);
    json_put_string(&j, "folder", all->folder);
    json_put_list(&j, "models", all->n, put_trial, all);
    json_end_object(&j);
}

// ---------------------------------------------------------------- CSV
static FILE *open_table(const trials *all, const char *name, char *path, size_t size) {
    snprintf(path, size, "%s/%s", all->folder, name);
    td_error err = {0};
    FILE *out = whole_open(path, &err);
    if (!out) print_error(path, "%s", err.message);
    return out;
}

static bool close_table(FILE *out, const char *path) {
    td_error err = {0};
    return written_close(out, path, &err) == TD_OK || print_error(path, "%s", err.message);
}

static void put_numbers(FILE *out, const double *values, int n) {
    for (int i = 0; i < n; i++) {
        char text[40];
        format_exact(text, sizeof text, values[i]);
        fprintf(out, ",%s", text);
    }
}

static bool write_summary(const trials *all) {
    char path[640];
    FILE *out = open_table(all, "compare.csv", path, sizeof path);
    if (!out) return false;
    fprintf(out,
            "model,status,tip error mean [m],tip error max [m],shape error mean [m],"
            "shape error max [m],cost [%s],energy drift [1],message\n",
            all->statics ? "s" : "s/s");
    for (int i = 0; i < all->n; i++) {
        const trial *t = &all->list[i];
        csv_text(out, t->label);
        fputs(!t->possible ? ",cannot" : t->finished ? ",finished" : ",failed", out);
        const double numbers[] = {t->tip_mean,  t->tip_max, t->shape_mean,
                                  t->shape_max, t->cost,    t->drift};
        if (t->n_errors) {
            put_numbers(out, numbers, 6);
        } else {
            fputs(",,,,,,", out);
        }
        fputc(',', out);
        csv_text(out, t->message);
        fputc('\n', out);
    }
    return close_table(out, path);
}

static bool write_errors(const trials *all) {
    char path[640];
    FILE *out = open_table(all, "errors.csv", path, sizeof path);
    if (!out) return false;
    fputs("model,time [s],tip error [m],shape error [m]\n", out);
    for (int i = 0; i < all->n; i++) {
        const trial *t = &all->list[i];
        for (int k = 0; k < t->n_errors; k++) {
            csv_text(out, t->label);
            put_numbers(out, (double[]){all->time[k], t->tip_error[k], t->shape_error[k]}, 3);
            fputc('\n', out);
        }
    }
    return close_table(out, path);
}

static bool write_shapes(const trials *all) {
    char path[640];
    FILE *out = open_table(all, "shapes.csv", path, sizeof path);
    if (!out) return false;
    fputs("model,time [s],rod,share of length,x [m],y [m],z [m]\n", out);
    for (int i = 0; i < all->n; i++) {
        const trial *t = &all->list[i];
        const double *p = t->points;
        for (int k = 0; k < t->n_records; k++) {
            for (int j = 0; j < all->n_rods * all->per_rod; j++, p += 3) {
                int at = j % all->per_rod;
                double share = all->per_rod > 1 ? (double)at / (all->per_rod - 1) : 1.0;
                csv_text(out, t->label);
                put_numbers(out, &all->time[k], 1);
                fprintf(out, ",%d", j / all->per_rod + 1);
                put_numbers(out, (double[]){share, p[0], p[1], p[2]}, 4);
                fputc('\n', out);
            }
        }
    }
    return close_table(out, path);
}

bool trials_write_tables(const trials *all) {
    return write_summary(all) && write_errors(all) && write_shapes(all);
}
