// What rods are made of, changed in a robot that is made already.
#pragma once

#include "robot/actuators.h"
#include "robot/robot.h"

#define EACH_PIECE(robot, p)                                                                       \
    for (int rod_ = 0; rod_ < (robot)->n_rods; rod_++)                                             \
        for (td_piece_def *p = (robot)->rods[rod_].pieces,                                         \
                          *end_ = p + (robot)->rods[rod_].n_pieces;                                \
             p < end_; p++)

static inline td_robot *of_rubber(td_robot *robot) {
    EACH_PIECE(robot, p) p->law = TD_NEO_HOOKEAN;
    return robot;
}

static inline td_robot *damped_by_power(td_robot *robot, double power) {
    EACH_PIECE(robot, p) p->damping_power = power;
    return robot;
}

// Sections and chambers follow the mean stretch of their rod.
static inline td_robot *following_stretch(td_robot *robot, double braid_angle) {
    for (int i = 0; i < robot->n_rods; i++) robot->rods[i].mean_stretch = true;
    for (int i = 0; i < robot_n_actuators(robot, KIND_chamber); i++)
        robot_chamber(robot, i)->braid_angle = braid_angle;
    return robot;
}
