#include <microhttpd.h>

/* MHD_start_daemon is variadic, which Swift cannot call: everything goes through one array of options. */
static inline struct MHD_Daemon *tl_mhd_start(
    unsigned int flags, uint16_t port, MHD_AccessHandlerCallback handler, void *context,
    const struct MHD_OptionItem *options) {
    return MHD_start_daemon(flags, port, NULL, NULL, handler, context, MHD_OPTION_ARRAY, options, MHD_OPTION_END);
}
