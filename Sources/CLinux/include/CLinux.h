// What Swift cannot see: names that need _GNU_SOURCE, variadic functions, and macros. Nearly each function is
// one system call with plain arguments, returns what the call returns and leaves errno as it is.
#pragma once
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// eventfd(2), close-on-exec and non-blocking.
int tl_eventfd(void);

// epoll(7). What is waited for at a descriptor, and what has come: bytes or room, or its end, of which the set tells always.
enum { tl_epoll_bytes = 1, tl_epoll_room = 2, tl_epoll_end = 4 };
// Close-on-exec.
int tl_epoll(void);
int tl_epoll_add(int epoll, int fd, unsigned wanted);
int tl_epoll_change(int epoll, int fd, unsigned wanted);
// Waits without a limit of time, and fills both with at most `most`: how many there are, 0 when a signal came first.
int tl_epoll_wait(int epoll, int *fds, unsigned *what, int most);

// Blocks SIGINT and SIGTERM in this thread and all it starts, ignores SIGPIPE, and gives a descriptor that
// becomes readable when one of the two arrives.
int tl_termination_signals(void);
// Takes one signal from that descriptor: its number, 0 when there is none, -1 on error.
int tl_next_signal(int fd);

// adjtimex(2) that changes nothing: 1 when the clock is synchronised, 0 when not, -1 when that is not to be known.
int tl_clock_is_synchronised(void);

// accept4(2), close-on-exec and non-blocking.
int tl_accept(int fd);

// SO_PEERCRED: the user at the other end of a Unix socket when it connected, or -1.
int64_t tl_peer_user(int fd);

// statx(2): which mount a path lies in, 0 before Linux 5.8, and which device, by their numbers here. -1 on error.
int tl_mount_of(const char *path, uint64_t *mount, uint64_t *device);

// openat(2) is variadic.
int tl_openat(int directory, const char *name, int flags, unsigned mode);

// mkostemp(3) with O_CLOEXEC; fills the X's of the template.
int tl_temporary_file(char *path_template);

// Space without changing the size: FALLOC_FL_KEEP_SIZE.
int tl_preallocate(int fd, int64_t length);

// renameat2(2) with RENAME_NOREPLACE: EEXIST when the new name is taken.
int tl_rename_without_replacing(int from_directory, const char *from, int to_directory, const char *to);

// ioctl(2) with FICLONE: all of one file becomes the other's, sharing its blocks.
int tl_reflink(int to, int from);

// fsetxattr(2) and fgetxattr(2), whose header Swift does not see.
int tl_set_attribute(int fd, const char *name, const void *bytes, size_t count);
ssize_t tl_get_attribute(int fd, const char *name, void *bytes, size_t count);

// copy_file_range(2) at given offsets.
ssize_t tl_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count);

void tl_name_thread(const char *name);

// Socket options whose names Swift does not see.
int tl_bind_to_interface(int fd, const char *name);
int tl_set_multicast_hops(int fd, int hops);
// SO_REUSEADDR and SO_REUSEPORT.
int tl_share_port(int fd);
// IP_ADD_MEMBERSHIP on one interface, and no group that another socket has joined (IP_MULTICAST_ALL).
int tl_join_group(int fd, const uint8_t *group, int interface);
int tl_set_keepalive(int fd, int idle_seconds, int interval_seconds, int probes);

// socket(2) and bind(2) for netlink, whose address Swift does not see: close-on-exec, non-blocking, subscribed to the
// groups (a bit each).
int tl_netlink(int protocol, uint32_t groups);
// One datagram: its true length, even when only a part of it found room, and the port of who sent it (0: the kernel).
ssize_t tl_netlink_receive(int fd, void *bytes, size_t count, uint32_t *sender);

// ioctl(2) is variadic: columns of the terminal, 0 when it is none.
int tl_terminal_columns(int fd);
// Both of them; -1 when it is no terminal, or does not say.
int tl_terminal_size(int fd, int *columns, int *rows);

// A terminal that a program has for itself. One at a time in a process.
// From now on SIGWINCH, SIGTSTP and SIGCONT are told as bytes, each the signal's number, to the descriptor that this gives
// (-1 and errno on error); the caller reads it and must not close it. A signal that ends the process, a crash among them,
// first puts the terminal back, as long as it is shown, and then does what it did before.
// `restore` is what is written for that, at most 127 bytes.
int tl_screen_begin(int fd, const char *restore);
// What comes is seen key by key, without an echo; ^C and ^Z stay signals. -1 and errno on error.
int tl_screen_show(void);
// The terminal's settings are what they were before.
int tl_screen_hide(void);
// Stops the process as ^Z does without all this; returns when it goes on.
void tl_screen_stop(void);
// Signals are what they were before.
void tl_screen_end(void);
// Whether this process is the one that the terminal is for now, and not in its background.
int tl_screen_is_ours(int fd);

// A child process that writes what it is sent to the file, message by message, until the other end of the socket is
// gone. A process that is killed in the middle of a write(2) leaves half a write behind; a message is whole or was
// never sent, so a sender that is killed leaves none. The child ignores every signal that can be ignored. When
// a message cannot be written it takes back the part that was, sends the errno, and ends.
// Gives the child's pid and the socket, or -1.
pid_t tl_start_file_writer(int file, int *socket);
// The errno that the child sent; 0 when none has come.
int tl_file_writer_failure(int socket);
// A stream on the socket: each flush is one message. Closing it closes the socket.
FILE *tl_message_stream(int socket);

// From this size on malloc(3) maps a buffer of its own and free(3) unmaps it; what lies at the heap's end goes back, too.
void tl_give_back_above(int bytes);
// Below this size a buffer that is freed stays with the process for the next one, until tl_give_back.
void tl_keep_up_to(int bytes);
// malloc_trim(3): whole pages that are free go back to the system, from every arena.
void tl_give_back(void);

// posix_spawn(3) of a program in a process group of its own, in the folder "/", with the arguments and the environment
// given, signals as a program expects them, nothing on its standard input, the two descriptors as its output and its
// errors (-1 for nothing), and no other descriptor of ours. Gives its pid, or -1.
pid_t tl_spawn(const char *path, char *const arguments[], char *const environment[], int output, int errors);
// pidfd_open(2): readable once the process has ended. Close-on-exec.
int tl_pid_descriptor(pid_t pid);
// A pipe, close-on-exec, whose reading end does not block.
int tl_pipe(int *reading, int *writing);
// waitpid(2) of one that has ended: its exit code, or the negative number of the signal that ended it. 256 on error.
int tl_reap(pid_t pid);
