// libcurl's setters and getters are variadic, which Swift cannot call: one plain function for each type of value.
#pragma once
#include <curl/curl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// `curl_url_get`, whose first argument is a constant's address in some versions' header and not in others'.
CURLUcode tl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags);

static inline CURLcode tl_set_number(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tl_set_large(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode tl_set_bytes(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

// Every callback of a transfer gets the same context.
static inline void tl_set_callbacks(
    CURL *easy, void *context, curl_read_callback read, curl_seek_callback seek, curl_write_callback header,
    curl_write_callback write, curl_prereq_callback connected, curl_sockopt_callback opened,
    curl_sshkeycallback known) {
    curl_easy_setopt(easy, CURLOPT_PRIVATE, context);
    curl_easy_setopt(easy, CURLOPT_READDATA, context);
    curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, header);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, write);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, connected);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, opened);
    curl_easy_setopt(easy, CURLOPT_SSH_KEYDATA, context);
    curl_easy_setopt(easy, CURLOPT_SSH_KEYFUNCTION, known);
}

static inline long tl_get_number(CURL *easy, CURLINFO info) {
    long value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline curl_off_t tl_get_large(CURL *easy, CURLINFO info) {
    curl_off_t value = 0;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline const char *tl_get_text(CURL *easy, CURLINFO info) {
    const char *value = NULL;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline void *tl_get_pointer(CURL *easy, CURLINFO info) {
    void *value = NULL;
    curl_easy_getinfo(easy, info, &value);
    return value;
}
static inline curl_socket_t tl_get_socket(CURL *easy) {
    curl_socket_t value = CURL_SOCKET_BAD;
    curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, &value);
    return value;
}

static inline void tl_multi_number(CURLM *multi, CURLMoption option, long value) {
    curl_multi_setopt(multi, option, value);
}
static inline void tl_share(CURLSH *share, curl_lock_data what) {
    curl_share_setopt(share, CURLSHOPT_SHARE, what);
}

// The transfer that a message is about and how it ended; false for any other message.
static inline int tl_is_done(const CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return 0;
    *result = message->data.result;
    return 1;
}

// Asks for a congestion control; where the kernel does not have it, nothing changes.
static inline void tl_ask_for_congestion_control(curl_socket_t socket, const char *name) {
    setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, (socklen_t)strlen(name));
}

// What the kernel has taken and the other side has not acknowledged yet; -1 where that cannot be known.
static inline int tl_unacknowledged(curl_socket_t socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : -1;
}
