// libmicrohttpd, loaded when a server begins.
#include "CMicrohttpd.h"

#include <CLazy.h>
#include <stdarg.h>

static struct lazy_library microhttpd = {"libmicrohttpd.so.12", "libmicrohttpd12", NULL};

#define MHD_FUNCTION(result, name, parameters, arguments) LAZY_FUNCTION(microhttpd, result, name, parameters, arguments)

MHD_FUNCTION(
    struct MHD_Daemon *, MHD_start_daemon_va,
    (unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback policy, void *policy_context,
     MHD_AccessHandlerCallback handler, void *handler_context, va_list options),
    (flags, port, policy, policy_context, handler, handler_context, options))
MHD_FUNCTION(MHD_socket, MHD_quiesce_daemon, (struct MHD_Daemon * daemon), (daemon))
MHD_FUNCTION(void, MHD_stop_daemon, (struct MHD_Daemon * daemon), (daemon))

MHD_FUNCTION(void, MHD_suspend_connection, (struct MHD_Connection * connection), (connection))
MHD_FUNCTION(void, MHD_resume_connection, (struct MHD_Connection * connection), (connection))
MHD_FUNCTION(
    int, MHD_get_connection_values_n,
    (struct MHD_Connection * connection, enum MHD_ValueKind kind, MHD_KeyValueIteratorN iterator, void *context),
    (connection, kind, iterator, context))
MHD_FUNCTION(
    enum MHD_Result, MHD_queue_response,
    (struct MHD_Connection * connection, unsigned int status, struct MHD_Response *response),
    (connection, status, response))

MHD_FUNCTION(
    struct MHD_Response *, MHD_create_response_from_callback,
    (uint64_t size, size_t block, MHD_ContentReaderCallback reader, void *context, MHD_ContentReaderFreeCallback end),
    (size, block, reader, context, end))
MHD_FUNCTION(
    struct MHD_Response *, MHD_create_response_from_buffer,
    (size_t size, void *bytes, enum MHD_ResponseMemoryMode mode), (size, bytes, mode))
MHD_FUNCTION(
    struct MHD_Response *, MHD_create_response_from_buffer_with_free_callback_cls,
    (size_t size, void *bytes, MHD_ContentReaderFreeCallback end, void *context), (size, bytes, end, context))
MHD_FUNCTION(
    struct MHD_Response *, MHD_create_response_from_fd_at_offset64, (uint64_t size, int file, uint64_t offset),
    (size, file, offset))
MHD_FUNCTION(void, MHD_destroy_response, (struct MHD_Response * response), (response))
MHD_FUNCTION(
    enum MHD_Result, MHD_add_response_header,
    (struct MHD_Response * response, const char *name, const char *value), (response, name, value))

struct MHD_Daemon *MHD_start_daemon(
    unsigned int flags, uint16_t port, MHD_AcceptPolicyCallback policy, void *policy_context,
    MHD_AccessHandlerCallback handler, void *handler_context, ...) {
    va_list options;
    va_start(options, handler_context);
    struct MHD_Daemon *daemon =
        MHD_start_daemon_va(flags, port, policy, policy_context, handler, handler_context, options);
    va_end(options);
    return daemon;
}

// What these are asked for here takes no more arguments.
const union MHD_DaemonInfo *MHD_get_daemon_info(struct MHD_Daemon *daemon, enum MHD_DaemonInfoType what, ...) {
    static void *found;
    const union MHD_DaemonInfo *(*known)(struct MHD_Daemon *, enum MHD_DaemonInfoType, ...) =
        lazy_remembered(&microhttpd, &found, "MHD_get_daemon_info");
    return known(daemon, what);
}

const union MHD_ConnectionInfo *MHD_get_connection_info(
    struct MHD_Connection *connection, enum MHD_ConnectionInfoType what, ...) {
    static void *found;
    const union MHD_ConnectionInfo *(*known)(struct MHD_Connection *, enum MHD_ConnectionInfoType, ...) =
        lazy_remembered(&microhttpd, &found, "MHD_get_connection_info");
    return known(connection, what);
}
