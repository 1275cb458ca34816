#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

// The same answer for each step: 0, or an error number.
static int describe(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int output, int errors) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int error = posix_spawnattr_setsigmask(attributes, &none);
    if (error == 0) error = posix_spawnattr_setsigdefault(attributes, &all);
    if (error == 0) error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setflags(
            attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (error == 0) error = posix_spawn_file_actions_addchdir_np(actions, "/");
    if (error == 0) error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (error == 0)
        error = output < 0 ? posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0)
                           : posix_spawn_file_actions_adddup2(actions, output, 1);
    if (error == 0)
        error = errors < 0 ? posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0)
                           : posix_spawn_file_actions_adddup2(actions, errors, 2);
    // All of ours are close-on-exec; those of libraries may not be.
    if (error == 0) error = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return error;
}

pid_t tl_spawn(const char *path, char *const arguments[], char *const environment[], int output, int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0) {
        errno = error;
        return -1;
    }
    error = posix_spawnattr_init(&attributes);
    pid_t pid = -1;
    if (error == 0) {
        error = describe(&actions, &attributes, output, errors);
        if (error == 0) error = posix_spawn(&pid, path, &actions, &attributes, arguments, environment);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    if (error == 0) return pid;
    errno = error;
    return -1;
}

int tl_pid_descriptor(pid_t pid) { return pidfd_open(pid, 0); }

int tl_pipe(int *reading, int *writing) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) return -1;
    if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
        int error = errno;
        close(ends[0]);
        close(ends[1]);
        errno = error;
        return -1;
    }
    *reading = ends[0];
    *writing = ends[1];
    return 0;
}

int tl_reap(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return 256;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
