#include "CLinux.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

// Larger than any record of a recording.
static char message[256 * 1024];

static int write_whole(int file, const char *bytes, ssize_t count) {
    while (count > 0) {
        ssize_t written = write(file, bytes, (size_t)count);
        if (written <= 0) return -1;
        bytes += written;
        count -= written;
    }
    return 0;
}

// Runs between fork(2) and _exit(2) of a process with threads: only what is safe in a signal handler.
static _Noreturn void write_messages(int socket, int file) {
    off_t end = 0;
    for (;;) {
        ssize_t count = recv(socket, message, sizeof message, 0);
        if (count <= 0) _exit(0);
        if (write_whole(file, message, count) < 0) {
            int reason = errno;
            // Fails where there is nothing to cut, such as a device.
            if (ftruncate(file, end) < 0) reason = reason ? reason : errno;
            send(socket, &reason, sizeof reason, MSG_NOSIGNAL);
            _exit(1);
        }
        end += count;
    }
}

// The descriptors of the parent, its connections among them, must not stay open because of us.
static void close_all_others(int first, int second) {
    int lower = first < second ? first : second, upper = first < second ? second : first;
    if (lower > 0) close_range(0, (unsigned)lower - 1, 0);
    if (upper > lower + 1) close_range((unsigned)lower + 1, (unsigned)upper - 1, 0);
    close_range((unsigned)upper + 1, ~0U, 0);
}

pid_t tl_start_file_writer(int file, int *socket) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0) return -1;
    int room = 1 << 20;
    setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
    // Blocked before the fork, so that Ctrl-C, which goes to the whole group, never finds the child unready.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pid_t child = fork();
    if (child == 0) {
        close_all_others(ends[1], file);
        write_messages(ends[1], file);
    }
    int reason = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        errno = reason;
        return -1;
    }
    *socket = ends[0];
    return child;
}

int tl_file_writer_failure(int socket) {
    int reason = 0;
    return recv(socket, &reason, sizeof reason, MSG_DONTWAIT) == (ssize_t)sizeof reason ? reason : 0;
}

static ssize_t send_message(void *cookie, const char *bytes, size_t count) {
    ssize_t sent = send((int)(intptr_t)cookie, bytes, count, MSG_NOSIGNAL);
    return sent < 0 ? 0 : sent;
}

static int close_socket(void *cookie) { return close((int)(intptr_t)cookie); }

FILE *tl_message_stream(int socket) {
    cookie_io_functions_t functions = {.write = send_message, .close = close_socket};
    return fopencookie((void *)(intptr_t)socket, "w", functions);
}
