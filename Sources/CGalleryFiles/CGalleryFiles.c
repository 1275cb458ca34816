#include "Lists.h"
#include <string.h>

static const struct gallery_file *among(const struct gallery_file *list, const char *name) {
    for (; list->name; list++)
        if (strcmp(list->name, name) == 0) return list;
    return NULL;
}

const struct gallery_file *gallery_file(const char *name) {
    const struct gallery_file *lists[] = {gallery_scripts, gallery_styles, gallery_texts};
    for (size_t at = 0; at < sizeof lists / sizeof *lists; at++) {
        const struct gallery_file *found = among(lists[at], name);
        if (found) return found;
    }
    return NULL;
}
