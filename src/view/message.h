// view/message.h - what a page may ask for. docs/view-protocol.md describes it for its readers.
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { MESSAGE_MOST = 4096 };  // bytes

typedef enum ask {
    ASK_PLAY,
    ASK_PAUSE,
    ASK_STEP,
    ASK_RESET,
    ASK_SPEED,
    ASK_SET,
    ASK_FOLLOW,
    ASK_MODEL,
    ASK_GHOST,
    ASK_GRAB,
    ASK_PULL,
    ASK_RELEASE,
    ASK_EXPORT,
    ASK_DRIVE,
    ASK_MODES,
    ASK_REWIND,
    ASK_REACH,
    ASK_SWITCH
} ask;

// Which keys were given, beside "do".
enum {
    GIVEN_INPUT = 1,
    GIVEN_VALUE = 2,
    GIVEN_NAME = 4,
    GIVEN_SCHEME = 8,
    GIVEN_STEP = 16,
    GIVEN_ROD = 32,
    GIVEN_S = 64,
    GIVEN_BODY = 128,
    GIVEN_FORCE = 256,
    GIVEN_MODE = 512,
    GIVEN_POSITION = 1024,
    GIVEN_CONTROLLER = 2048
};

typedef struct message {
    ask ask;
    unsigned given;
    int input, rod, body, controller;
    int mode;  // -1: null
    double value, step, s;
    double force[3], position[3];
    char name[64], scheme[64];  // name "": null
    unsigned long from;         // who asked; not part of the text
} message;

// False: the text is not a message, and `why` says what is wrong with it. Any bytes may be given;
// reads no more than `length` of them. Every number is finite.
bool message_parse(const char *text, size_t length, message *out, char *why, size_t size);
