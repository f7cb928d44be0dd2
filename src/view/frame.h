// view/frame.h - one state of a robot as bytes for the page. docs/view-protocol.md has the order.
#pragma once

#include <stdint.h>

#include "io/mode_shape.h"
#include "view/scene.h"

#define FRAME_MAGIC 0x31464454u  // "TDF1"
enum {
    FRAME_PLAYING = 2,
    FRAME_GRABBED = 4,
    FRAME_ESTIMATE = 8,
    FRAME_GHOST = 16,
    FRAME_HEAD = 16
};
enum { MOST_GHOSTS = 4 };  // of number k tells FRAME_GHOST << k

typedef struct frame_facts {
    unsigned flags;
    double time;
    double iterations, ratio;
    double held[3], force[3];  // the point that is grabbed and what pulls it
    const mode_shape
        *swing;    // a mode in which it is shown, with the points of the scene; NULL: none
    double by[2];  // as in mode_shape_pose
    const td_state *estimate;  // the robot as it is believed to be, of the same system; NULL: none
    const double *spread;      // (rod_points x 6) how sure that is, covariances of positions, m^2
    struct {                   // the robot under other models; state NULL: none
        const td_system *system;
        const td_state *state;
    } ghosts[MOST_GHOSTS];
} frame_facts;

enum { SPREAD_FLOATS = 6 };  // xx, xy, xz, yy, yz, zz

size_t frame_bytes(const scene *s);
size_t frame_most_bytes(const scene *s);  // with all ghosts and an estimate

// Writing: head first, then floats in their order.
typedef struct frame_writer {
    uint8_t *at;
} frame_writer;

frame_writer frame_begin(uint8_t *buffer, unsigned flags, double time);
void frame_put(frame_writer *w, double value);

// A whole frame of a state. Returns its length.
size_t frame_of_state(uint8_t *buffer, const scene *s, const td_system *system,
                      const td_state *state, const frame_facts *facts);
