// Libraries that are loaded when they are first needed. Linked, libcurl, libmicrohttpd, libpcap, libsystemd, libheif
// and the forty libraries behind them would be read and relocated at the start of every program: memory and time that
// a command like `status` pays for nothing.
#pragma once
#include <stddef.h>

struct lazy_library {
    // By the name of its binary interface, for which the header here was written.
    const char *name;
    // What it is called where packages are installed.
    const char *package;
    void *handle;
};

// Whether it is there, loaded now if it was not. Where it is not: why, in the loader's words. From any thread.
int lazy_load(struct lazy_library *library, char *problem, size_t size);

// A function of a library that was loaded, or NULL.
void *lazy_find(struct lazy_library *library, const char *name);

// The same of a library without which the program cannot go on: where either is not there the program says so and ends,
// as it would at its start if the library were linked.
void *lazy_require(struct lazy_library *library, const char *name);

// The same, remembered where `found` points.
static inline void *lazy_remembered(struct lazy_library *library, void **found, const char *name) {
    void *known = __atomic_load_n(found, __ATOMIC_ACQUIRE);
    if (!known) {
        known = lazy_require(library, name);
        __atomic_store_n(found, known, __ATOMIC_RELEASE);
    }
    return known;
}

// Defines a function of a library under its own name, as one that looks for it when it is first called. `result`,
// `parameters` and `arguments` are the header's.
#define LAZY_FUNCTION(library, result, function, parameters, arguments) \
    result function parameters { \
        static void *found; \
        return ((__typeof__(&function))lazy_remembered(&library, &found, #function)) arguments; \
    }
