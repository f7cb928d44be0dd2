// view/bridge_message.h - what a client of tendril serve may ask for. docs/serve.md describes it for its writers.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { BRIDGE_MOST = 8192, BRIDGE_INPUTS = 64, BRIDGE_NAME = 96 };  // bytes of a packet, ...

typedef enum bridge_ask {
    BRIDGE_HELLO,
    BRIDGE_SET,
    BRIDGE_GET,
    BRIDGE_PLAY,
    BRIDGE_PAUSE,
    BRIDGE_STEP,
    BRIDGE_RESET,
    BRIDGE_BYE
} bridge_ask;

typedef struct bridge_input {
    char name[BRIDGE_NAME];
    double value;
    bool follows;  // null: it follows its signal again
} bridge_input;

typedef struct bridge_message {
    bridge_ask ask;
    char token[72];  // "": none
    double id;       // echoed in the answer
    bool has_id;
    int steps;  // of BRIDGE_STEP
    bridge_input inputs[BRIDGE_INPUTS];
    int n_inputs;
} bridge_message;

// False: these bytes are not a message, and `why` says what is wrong with them; the token is read nevertheless, where there is
// one. Any bytes may be given; reads no more than `length` of them. Every number is finite.
bool bridge_parse(const char *text, size_t length, bridge_message *m, char *why, size_t size);
