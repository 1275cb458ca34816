#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "CLinux.h"

int tl_terminal_size(int fd, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

int tl_screen_is_ours(int fd) { return tcgetpgrp(fd) == getpgrp(); }

// What is told, and what ends the process; the rest of what could is caught nowhere.
static const int told[] = {SIGWINCH, SIGTSTP, SIGCONT};
static const int fatal[] = {SIGHUP, SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS};
enum { TOLD = sizeof told / sizeof told[0], FATAL = sizeof fatal / sizeof fatal[0] };

static int terminal = -1;
static int channel[2] = {-1, -1};
static struct termios normal;
static char restoring[128];
static size_t restoring_length;
static atomic_int is_shown;
static struct sigaction told_before[TOLD], fatal_before[FATAL], input_before;

static void tell(int number) {
    int error = errno;
    char byte = (char)number;
    // When it is full there is enough to be told.
    if (write(channel[1], &byte, 1) < 0) errno = error;
    errno = error;
}

// tcsetattr, write, sigaction and raise are safe here: signal-safety(7).
static void put_back(int number) {
    if (atomic_exchange(&is_shown, 0)) {
        tcsetattr(terminal, TCSANOW, &normal);
        // Whether it is read any more is the reader's business: this end is not held up by it.
        if (write(terminal, restoring, restoring_length) < 0) errno = 0;
    }
    for (int index = 0; index < FATAL; index++) {
        if (fatal[index] == number) sigaction(number, &fatal_before[index], NULL);
    }
    // Blocked until this returns; then it does what it does without us.
    raise(number);
}

static void set(int number, void (*handler)(int), struct sigaction *before) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(number, NULL, before);
    // What is ignored, as nohup(1) has it, stays so.
    if (before->sa_handler == SIG_IGN && handler != SIG_IGN && number != SIGWINCH && number != SIGCONT) return;
    sigaction(number, &action, NULL);
}

int tl_screen_begin(int fd, const char *restore) {
    if (channel[0] < 0 && pipe2(channel, O_CLOEXEC | O_NONBLOCK) != 0) return -1;
    if (tcgetattr(fd, &normal) != 0) return -1;
    terminal = fd;
    restoring_length = strnlen(restore, sizeof restoring - 1);
    memcpy(restoring, restore, restoring_length);
    for (int index = 0; index < TOLD; index++) set(told[index], tell, &told_before[index]);
    for (int index = 0; index < FATAL; index++) set(fatal[index], put_back, &fatal_before[index]);
    // In the background reading is an error then, and does not stop the process.
    set(SIGTTIN, SIG_IGN, &input_before);
    return channel[0];
}

int tl_screen_show(void) {
    struct termios keys = normal;
    cfmakeraw(&keys);
    keys.c_lflag |= ISIG;
    atomic_store(&is_shown, 1);
    if (tcsetattr(terminal, TCSANOW, &keys) == 0) return 0;
    atomic_store(&is_shown, 0);
    return -1;
}

int tl_screen_hide(void) {
    return atomic_exchange(&is_shown, 0) ? tcsetattr(terminal, TCSANOW, &normal) : 0;
}

void tl_screen_stop(void) {
    struct sigaction usual, ours;
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    sigemptyset(&usual.sa_mask);
    sigaction(SIGTSTP, &usual, &ours);
    // For the process, whichever of its threads this is. The kernel leaves one alone that no shell could wake.
    kill(getpid(), SIGTSTP);
    sigaction(SIGTSTP, &ours, NULL);
}

void tl_screen_end(void) {
    for (int index = 0; index < TOLD; index++) sigaction(told[index], &told_before[index], NULL);
    for (int index = 0; index < FATAL; index++) sigaction(fatal[index], &fatal_before[index], NULL);
    sigaction(SIGTTIN, &input_before, NULL);
}
