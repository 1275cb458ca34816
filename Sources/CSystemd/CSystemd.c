// libsystemd, loaded when the system's bus is first asked for the network or the time.
#include "CSystemd.h"

#include <CLazy.h>

static struct lazy_library systemd = {"libsystemd.so.0", "libsystemd0", NULL};

#define BUS_FUNCTION(result, name, parameters, arguments) LAZY_FUNCTION(systemd, result, name, parameters, arguments)

BUS_FUNCTION(sd_bus *, sd_bus_close_unref, (sd_bus *bus), (bus))
BUS_FUNCTION(int, sd_bus_get_events, (sd_bus *bus), (bus))
BUS_FUNCTION(int, sd_bus_get_fd, (sd_bus *bus), (bus))
BUS_FUNCTION(int, sd_bus_new, (sd_bus **bus), (bus))
BUS_FUNCTION(int, sd_bus_process, (sd_bus *bus, sd_bus_message **message), (bus, message))
BUS_FUNCTION(int, sd_bus_send, (sd_bus *bus, sd_bus_message *message, uint64_t *cookie), (bus, message, cookie))
BUS_FUNCTION(int, sd_bus_set_address, (sd_bus *bus, const char *address), (bus, address))
BUS_FUNCTION(int, sd_bus_set_bus_client, (sd_bus *bus, int isClient), (bus, isClient))
BUS_FUNCTION(int, sd_bus_start, (sd_bus *bus), (bus))
BUS_FUNCTION(sd_bus *, sd_bus_unref, (sd_bus *bus), (bus))

BUS_FUNCTION(
    int, sd_bus_message_new_method_call,
    (sd_bus *bus, sd_bus_message **message, const char *destination,
     const char *path, const char *interface, const char *member),
    (bus, message, destination, path, interface, member))
BUS_FUNCTION(sd_bus_message *, sd_bus_message_unref, (sd_bus_message *message), (message))
BUS_FUNCTION(int, sd_bus_message_set_auto_start, (sd_bus_message *message, int starts), (message, starts))
BUS_FUNCTION(
    int, sd_bus_message_append_basic,
    (sd_bus_message *message, char type, const void *value),
    (message, type, value))
BUS_FUNCTION(
    int, sd_bus_message_open_container,
    (sd_bus_message *message, char type, const char *contents),
    (message, type, contents))
BUS_FUNCTION(int, sd_bus_message_close_container, (sd_bus_message *message), (message))

BUS_FUNCTION(const sd_bus_error *, sd_bus_message_get_error, (sd_bus_message *message), (message))
BUS_FUNCTION(int, sd_bus_message_get_reply_cookie, (sd_bus_message *message, uint64_t *cookie), (message, cookie))
BUS_FUNCTION(int, sd_bus_message_is_method_error, (sd_bus_message *message, const char *name), (message, name))
BUS_FUNCTION(
    int, sd_bus_message_is_signal,
    (sd_bus_message *message, const char *interface, const char *member),
    (message, interface, member))
BUS_FUNCTION(
    int, sd_bus_message_enter_container,
    (sd_bus_message *message, char type, const char *contents),
    (message, type, contents))
BUS_FUNCTION(int, sd_bus_message_exit_container, (sd_bus_message *message), (message))
BUS_FUNCTION(
    int, sd_bus_message_peek_type,
    (sd_bus_message *message, char *type, const char **contents),
    (message, type, contents))
BUS_FUNCTION(
    int, sd_bus_message_read_array,
    (sd_bus_message *message, char type, const void **bytes, size_t *size),
    (message, type, bytes, size))
BUS_FUNCTION(
    int, sd_bus_message_read_basic,
    (sd_bus_message *message, char type, void *value),
    (message, type, value))
BUS_FUNCTION(int, sd_bus_message_skip, (sd_bus_message *message, const char *types), (message, types))
