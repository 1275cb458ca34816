#include <microhttpd.h>
#include <string.h>

/* What is variadic in the library, which Swift cannot call, with plain arguments. */

static inline struct MHD_Daemon *tl_mhd_start(
    unsigned int flags, MHD_AcceptPolicyCallback policy, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, 0, policy, context, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}

/* The port that it listens at, also where it chose one itself; 0 where it is not known. */
static inline uint16_t tl_mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The socket that listens; -1 where it is not known. */
static inline int tl_mhd_listening(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_LISTEN_FD);
    return info ? info->listen_fd : -1;
}

/* -1 where it is not known. */
static inline int tl_mhd_descriptor(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/* NULL where it is not known. */
static inline const struct sockaddr *tl_mhd_peer(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    return info ? info->client_addr : NULL;
}

/* What was set when the connection began. */
static inline void *tl_mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

/* The library takes a query apart for itself, into the memory that the headers and the answer share: one of hundreds of parts
   leaves none, and the client gets no answer until the connection times out. This program does not ask the library for them, so it
   is to find none. The text lies in the connection's own buffer, and is called a constant for its readers. */
static inline void tl_mhd_hide_query(const char *target) {
    char *mark = strchr((char *)target, '?');
    if (mark) mark[1] = 0;
}

/* Bytes of the request line and the headers; 0 before they are there. */
static inline size_t tl_mhd_header_size(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* The status that was queued, by us or by the library itself; 0 where none was. */
static inline unsigned int tl_mhd_status(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info ? info->http_status : 0;
}
