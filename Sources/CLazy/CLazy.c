#include "CLazy.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sysexits.h>

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

int lazy_load(struct lazy_library *library, char *problem, size_t size) {
    pthread_mutex_lock(&loading);
    void *handle = library->handle;
    if (!handle) {
        handle = dlopen(library->name, RTLD_NOW | RTLD_LOCAL);
        const char *reason = handle ? NULL : dlerror();
        if (!handle && problem) snprintf(problem, size, "%s", reason ? reason : "the loader does not say why");
        library->handle = handle;
    }
    pthread_mutex_unlock(&loading);
    return handle != NULL;
}

void *lazy_find(struct lazy_library *library, const char *name) {
    return lazy_load(library, NULL, 0) ? dlsym(library->handle, name) : NULL;
}

static _Noreturn void end(const struct lazy_library *library, const char *problem) {
    fprintf(
        stderr, "%s cannot be used: %s. Its package on Debian is %s: install it, or this program's package again.\n",
        library->name, problem, library->package);
    _Exit(EX_OSERR);
}

void *lazy_require(struct lazy_library *library, const char *name) {
    char problem[512];
    if (!lazy_load(library, problem, sizeof problem)) end(library, problem);
    void *function = lazy_find(library, name);
    if (!function) {
        snprintf(problem, sizeof problem, "it has no function %s", name);
        end(library, problem);
    }
    return function;
}
