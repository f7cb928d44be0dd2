// robot/sensor.h - what sensors can measure, by the last word of `measures`.
#pragma once

#include "robot/robot.h"

typedef enum sensor_what {
    SENSOR_OUTPUT,         // rows of a td_output
    SENSOR_GAUGE,          // strain of a line on the surface
    SENSOR_GYRO,           // angular velocity, axes of the section or body
    SENSOR_ACCELEROMETER,  // acceleration less gravity, the same axes
    SENSOR_SUPPLIED,       // what an actuator has taken in: an encoder on its motor
    SENSOR_DRIVE,          // a number of td_drive_state, of its motor or valve
    SENSOR_NUMBER,         // a number that the estimator finds
    SENSOR_OBSTACLE        // force of the robot on an obstacle
} sensor_what;

typedef struct sensor_word {
    const char *word;
    sensor_what what;
    const char *unit;  // SI; "1": none
    int first, n;      // components, of three where it is a vector
    const char *
        stand_in;  // a word of td_find_output that finds the same place; NULL: itself; of a drive that of a tendon
} sensor_word;

const sensor_word *sensor_word_of(const char *measures);  // by its last word; NULL: no such word
// What is read of the estimator, after "estimate."; NULL: it measures the robot.
const char *sensor_estimate_of(const char *measures);
