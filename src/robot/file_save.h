// robot/file_save.h - a robot back to a file: the tables of keys that read it (file_read.h) write it, too.
#pragma once

#include "robot/file_read.h"

typedef struct saver {
    tree *t;
    const td_robot *robot;
    bool failed;   // out of memory
    bool looking;  // whether there is anything to say: required keys alone are nothing
} saver;

// Each adds a child to a mapping (`under`) or a list (NULL).
node *save_node(saver *s, node *to, const char *under, node_kind kind);
void save_text(saver *s, node *to, const char *under, const char *text);
void save_value(saver *s, node *to, const char *under, double value);
void save_values(saver *s, node *to, const char *under, const double *values, int n);

// All keys of a mapping whose value at `from` is not the `usual` one, and those that are required. Values that the table
// keeps for later, lists and what has a writer of its own are left to the caller.
void save_mapping(saver *s, node *to, const mapping *m, const void *from, const void *usual);
void save_key(saver *s, node *to, const key *k, const void *from, const void *usual);

// What an actuator of each kind has of its own: save_tendon, save_chamber, beside its reader.
#define SAVE(word, plural, flag, help) void save_##word(saver *s, node *to, const void *def);
ACTUATOR_KINDS(SAVE)
#undef SAVE
void save_field(saver *s, node *to, const td_field_def *def);
void save_fluid(saver *s, node *root);
void save_obstacle(saver *s, node *to, const td_obstacle_def *def);
void save_contact(saver *s, node *to, const td_contact_def *def);
void save_sensor(saver *s, node *to, const td_sensor_def *def);
void save_controller(saver *s, node *to, const td_controller_def *def);
void save_input_limits(saver *s, node *root);
void save_estimator(saver *s, node *to, const td_estimator_def *def);
