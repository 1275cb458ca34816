// Files of the target Gallery that are compiled into the program, by C's #embed: as literals in Swift, which SwiftPM's
// .embedInCode makes of them, their 700 KB take the compiler four minutes.
#pragma once
#include <stddef.h>

struct gallery_file {
    const char *name;
    const unsigned char *bytes;
    size_t size;
};

// The file that has this name, or NULL.
const struct gallery_file *gallery_file(const char *name);
