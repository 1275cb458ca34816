// Each list ends with a file that has no name.
#pragma once
#include "CGalleryFiles.h"

// The compiler knows #embed in every version of C, and says which version it comes from.
#pragma clang diagnostic ignored "-Wc23-extensions"

extern const struct gallery_file gallery_scripts[];
extern const struct gallery_file gallery_styles[];
extern const struct gallery_file gallery_texts[];
