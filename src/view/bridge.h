// view/bridge.h - a robot that runs in real time and is asked by packets: what tendril serve does, without its socket.
//
// The caller tells the time, s of any clock that does not jump, hands over what came and sends what bridge gives. Memory is that
// of the robot and of a table of clients, whatever comes.
#pragma once

#include <signal.h>
#include <stdint.h>

#include "fmi/variables.h"
#include "io/driven.h"
#include "view/bridge_message.h"

enum { BRIDGE_CLIENTS = 32, BRIDGE_ADDRESS = 128, BRIDGE_TEXT = 65000 };

typedef struct bridge_client {
    uint8_t address[BRIDGE_ADDRESS];  // as the socket has it
    uint32_t size;                    // of it; 0: nobody
    double until;                     // when it is forgotten, unless it asks again
} bridge_client;

typedef struct bridge {
    driven d;
    fmi_variables variables;
    const char *name, *token;
    double step, rate, lease;  // s, frames a second, s
    bool playing;
    double anchor, anchor_time;  // the clock and the robot's time from where it is to run
    double behind;               // s given up, since the start
    unsigned long frame;         // number of the last one
    double next_frame;           // when it is due
    bridge_client clients[BRIDGE_CLIENTS];
    unsigned long strangers;  // packets without the token
    uint8_t *saved;           // a state: what fails does not happen
    char failure[640];        // why time stands; "": it does not
    char *text;               // (BRIDGE_TEXT) what is to be sent
    size_t length;
    double *values;                     // of outputs
    const volatile sig_atomic_t *stop;  // not 0: the program is to end; NULL: it goes on
} bridge;

// The robot, system and state of `d` are the caller's. False: err says why; bridge_free may follow.
bool bridge_make(bridge *b, driven d, const char *token, double step, double rate, double lease,
                 const char *outputs, td_error *err);
void bridge_free(bridge *b);
bool bridge_begin(bridge *b, double now);  // false: failure says why

// A packet came. true: text, length is to be sent back. Whoever has no token gets no answer.
bool bridge_receive(bridge *b, double now, const void *address, uint32_t size, const char *packet,
                    size_t n);
// Time passes. What is late by more than a moment is given up. False: a step failed, and text is to be sent to all clients.
bool bridge_advance(bridge *b, double now);
// Is the next frame due? Then it is the text, for all clients.
bool bridge_frame(bridge *b, double now);
double bridge_wait(const bridge *b, double now);  // s until something is to be done
// The last text, for all clients.
bool bridge_goodbye(bridge *b);
