#ifndef CKPT_VERSION_HPP
#define CKPT_VERSION_HPP

/// The only place that states the version of ckpt; every build system reads it from here.
#define CKPT_VERSION_MAJOR 0
#define CKPT_VERSION_MINOR 1
#define CKPT_VERSION_PATCH 0
#define CKPT_VERSION_STRING "0.1.0"

#endif  // CKPT_VERSION_HPP
