// math/random.c - see random.h.
#include "math/random.h"

#include <math.h>

#include "math/pi.h"

#define ROUNDS 10

static random_block philox_round(random_block c, uint32_t key0, uint32_t key1) {
    const uint64_t a = (uint64_t)0xD2511F53u * c.x[0], b = (uint64_t)0xCD9E8D57u * c.x[2];
    return (random_block){{(uint32_t)(b >> 32) ^ c.x[1] ^ key0, (uint32_t)b,
                           (uint32_t)(a >> 32) ^ c.x[3] ^ key1, (uint32_t)a}};
}

random_block philox(random_block c, uint32_t key0, uint32_t key1) {
    for (int i = 0; i < ROUNDS; i++) {
        c = philox_round(c, key0, key1);
        key0 += 0x9E3779B9u, key1 += 0xBB67AE85u;  // Weyl: golden ratio, sqrt(3) - 1
    }
    return c;
}

// In (0, 1), of 53 bits.
static double uniform(uint32_t high, uint32_t low) {
    const uint64_t bits = ((uint64_t)high << 32 | low) >> 11;
    return ((double)bits + 0.5) * 0x1p-53;
}

// Box and Muller
void random_normals(uint64_t seed, uint64_t stream, uint64_t index, double out[2]) {
    const random_block counter = {
        {(uint32_t)index, (uint32_t)(index >> 32), (uint32_t)stream, (uint32_t)(stream >> 32)}};
    const random_block r = philox(counter, (uint32_t)seed, (uint32_t)(seed >> 32));
    const double size = sqrt(-2.0 * log(uniform(r.x[0], r.x[1])));
    const double angle = 2.0 * PI * uniform(r.x[2], r.x[3]);
    out[0] = size * cos(angle);
    out[1] = size * sin(angle);
}
