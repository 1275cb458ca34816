#include "CHEIF.h"

#include <CLazy.h>
#include <pthread.h>
#include <stdio.h>

static struct lazy_library heif = {"libheif.so.1", "libheif1", NULL};
static pthread_once_t loading = PTHREAD_ONCE_INIT;
static struct cheif_library library;
static int is_loaded;
static char problem[256];

static void load(void) {
    if (!lazy_load(&heif, problem, sizeof problem)) return;
#define CHEIF_FIND(name) \
    if (!(library.name = (__typeof__(&name))lazy_find(&heif, #name))) { \
        snprintf(problem, sizeof problem, "it has no function %s", #name); \
        return; \
    }
    CHEIF_FUNCTIONS(CHEIF_FIND)
#undef CHEIF_FIND
    is_loaded = 1;
}

const struct cheif_library *cheif_library(void) {
    pthread_once(&loading, load);
    return is_loaded ? &library : NULL;
}

const char *cheif_problem(void) { return problem; }
