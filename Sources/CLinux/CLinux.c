#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <malloc.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <unistd.h>

int tl_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int tl_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

static int epoll_control(int epoll, int operation, int fd, unsigned wanted) {
    struct epoll_event event = {.events = EPOLLRDHUP, .data.fd = fd};
    if (wanted & tl_epoll_bytes) event.events |= EPOLLIN;
    if (wanted & tl_epoll_room) event.events |= EPOLLOUT;
    return epoll_ctl(epoll, operation, fd, &event);
}

int tl_epoll_add(int epoll, int fd, unsigned wanted) { return epoll_control(epoll, EPOLL_CTL_ADD, fd, wanted); }

int tl_epoll_change(int epoll, int fd, unsigned wanted) { return epoll_control(epoll, EPOLL_CTL_MOD, fd, wanted); }

int tl_epoll_wait(int epoll, int *fds, unsigned *what, int most) {
    enum { batch = 256 };
    struct epoll_event events[batch];
    int count = epoll_wait(epoll, events, most < batch ? most : batch, -1);
    if (count < 0) return errno == EINTR ? 0 : -1;
    for (int i = 0; i < count; i++) {
        fds[i] = events[i].data.fd;
        what[i] = 0;
        if (events[i].events & EPOLLIN) what[i] |= tl_epoll_bytes;
        if (events[i].events & EPOLLOUT) what[i] |= tl_epoll_room;
        if (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) what[i] |= tl_epoll_end;
    }
    return count;
}

int tl_mount_of(const char *path, uint64_t *mount, uint64_t *device) {
    struct statx facts;
    if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &facts) < 0) return -1;
    *mount = facts.stx_mask & STATX_MNT_ID ? facts.stx_mnt_id : 0;
    *device = (uint64_t)facts.stx_dev_major << 32 | facts.stx_dev_minor;
    return 0;
}

int tl_clock_is_synchronised(void) {
    struct timex facts = {.modes = 0};
    if (adjtimex(&facts) < 0) return -1;
    return (facts.status & STA_UNSYNC) == 0;
}

int tl_termination_signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    int error = pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (error != 0) {
        errno = error;
        return -1;
    }
    signal(SIGPIPE, SIG_IGN);
    return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int tl_next_signal(int fd) {
    struct signalfd_siginfo info;
    ssize_t count = read(fd, &info, sizeof info);
    if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
    if (count < 0 && errno != EAGAIN) return -1;
    return 0;
}

int tl_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int64_t tl_peer_user(int fd) {
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int64_t)peer.uid : -1;
}

int tl_openat(int directory, const char *name, int flags, unsigned mode) {
    return openat(directory, name, flags, mode);
}

int tl_temporary_file(char *path_template) { return mkostemp(path_template, O_CLOEXEC); }

int tl_preallocate(int fd, int64_t length) { return fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, length); }

int tl_rename_without_replacing(int from_directory, const char *from, int to_directory, const char *to) {
    return renameat2(from_directory, from, to_directory, to, RENAME_NOREPLACE);
}

int tl_reflink(int to, int from) { return ioctl(to, FICLONE, from); }

int tl_set_attribute(int fd, const char *name, const void *bytes, size_t count) {
    return fsetxattr(fd, name, bytes, count, 0);
}

ssize_t tl_get_attribute(int fd, const char *name, void *bytes, size_t count) {
    return fgetxattr(fd, name, bytes, count);
}

ssize_t tl_copy_range(int from, int64_t from_offset, int to, int64_t to_offset, size_t count) {
    off_t in = from_offset, out = to_offset;
    return copy_file_range(from, &in, to, &out, count, 0);
}

void tl_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int tl_bind_to_interface(int fd, const char *name) {
    return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, name, (socklen_t)strlen(name));
}

int tl_set_multicast_hops(int fd, int hops) {
    return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &hops, sizeof hops);
}

int tl_share_port(int fd) {
    int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) < 0) return -1;
    return setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
}

int tl_join_group(int fd, const uint8_t *group, int interface) {
    int all = 0;
    if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &all, sizeof all) < 0) return -1;
    struct ip_mreqn request = {.imr_ifindex = interface};
    memcpy(&request.imr_multiaddr, group, sizeof request.imr_multiaddr);
    return setsockopt(fd, IPPROTO_IP, IP_ADD_MEMBERSHIP, &request, sizeof request);
}

int tl_set_keepalive(int fd, int idle_seconds, int interval_seconds, int probes) {
    int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) < 0) return -1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_seconds, sizeof idle_seconds) < 0) return -1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval_seconds, sizeof interval_seconds) < 0) return -1;
    return setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
}

int tl_netlink(int protocol, uint32_t groups) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
    if (fd < 0) return -1;
    struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = groups};
    if (bind(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

ssize_t tl_netlink_receive(int fd, void *bytes, size_t count, uint32_t *sender) {
    struct sockaddr_nl address = {0};
    socklen_t size = sizeof address;
    ssize_t length = recvfrom(fd, bytes, count, MSG_TRUNC, (struct sockaddr *)&address, &size);
    *sender = address.nl_pid;
    return length;
}

int tl_terminal_columns(int fd) {
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

void tl_give_back_above(int bytes) {
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, 4 * bytes);
}

void tl_keep_up_to(int bytes) {
    mallopt(M_MMAP_THRESHOLD, bytes);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
}

void tl_give_back(void) { malloc_trim(0); }
