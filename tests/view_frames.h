// tests/view_frames.h - frames of tendril view taken apart, by the words of docs/view-protocol.md.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct seen_frame {
    uint32_t magic, flags;
    double time;
    const uint8_t *floats;
    int n;
} seen_frame;

static inline uint32_t frame_u32(const uint8_t *at) {
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline double frame_f32(const seen_frame *f, int i) {
    uint32_t bits = frame_u32(f->floats + 4 * i);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static inline seen_frame frame_open(const uint8_t *bytes, size_t n) {
    seen_frame f = {frame_u32(bytes), frame_u32(bytes + 4), 0.0, bytes + 16, (int)((n - 16) / 4)};
    uint64_t bits = frame_u32(bytes + 8) | (uint64_t)frame_u32(bytes + 12) << 32;
    memcpy(&f.time, &bits, sizeof f.time);
    return f;
}
