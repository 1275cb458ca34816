// libcurl, loaded when the first address is looked at or the first transfer begins.
#include "CCurl.h"

#include <CLazy.h>
#include <stdarg.h>

static struct lazy_library curl = {"libcurl.so.4", "libcurl4", NULL};

#define CURL_FUNCTION(result, name, parameters, arguments) LAZY_FUNCTION(curl, result, name, parameters, arguments)

CURL_FUNCTION(CURLcode, curl_global_init, (long flags), (flags))
CURL_FUNCTION(void, curl_free, (void *memory), (memory))

CURL_FUNCTION(CURL *, curl_easy_init, (void), ())
CURL_FUNCTION(void, curl_easy_cleanup, (CURL * easy), (easy))
CURL_FUNCTION(void, curl_easy_reset, (CURL * easy), (easy))
CURL_FUNCTION(CURLcode, curl_easy_pause, (CURL * easy, int what), (easy, what))
CURL_FUNCTION(const char *, curl_easy_strerror, (CURLcode code), (code))
CURL_FUNCTION(
    char *, curl_easy_unescape, (CURL * easy, const char *text, int length, int *count), (easy, text, length, count))

CURL_FUNCTION(CURLM *, curl_multi_init, (void), ())
CURL_FUNCTION(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
CURL_FUNCTION(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy))
CURL_FUNCTION(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *easy), (multi, easy))
CURL_FUNCTION(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))
CURL_FUNCTION(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))
CURL_FUNCTION(
    CURLMcode, curl_multi_poll,
    (CURLM * multi, struct curl_waitfd others[], unsigned int count, int milliseconds, int *ready),
    (multi, others, count, milliseconds, ready))

CURL_FUNCTION(CURLSH *, curl_share_init, (void), ())
CURL_FUNCTION(CURLSHcode, curl_share_cleanup, (CURLSH * share), (share))

CURL_FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
CURL_FUNCTION(void, curl_slist_free_all, (struct curl_slist * list), (list))

CURL_FUNCTION(CURLU *, curl_url, (void), ())
CURL_FUNCTION(void, curl_url_cleanup, (CURLU * url), (url))
CURL_FUNCTION(
    CURLUcode, curl_url_set, (CURLU * url, CURLUPart part, const char *text, unsigned int flags),
    (url, part, text, flags))
CURL_FUNCTION(const char *, curl_url_strerror, (CURLUcode code), (code))

CURLUcode tl_url_get(CURLU *url, CURLUPart part, char **text, unsigned int flags) {
    static void *found;
    CURLUcode (*known)(CURLU *, CURLUPart, char **, unsigned int) = lazy_remembered(&curl, &found, "curl_url_get");
    return known(url, part, text, flags);
}

// The variadic functions take one more argument, a pointer or a number of 64 bits, which are passed alike.
_Static_assert(
    sizeof(long) == sizeof(void *) && sizeof(curl_off_t) == sizeof(void *), "an argument of libcurl's is no register");

#define CURL_VARIADIC(result, function, object, option) \
    result function(object handle, option what, ...) { \
        static void *found; \
        va_list arguments; \
        va_start(arguments, what); \
        void *argument = va_arg(arguments, void *); \
        va_end(arguments); \
        result (*known)(object, option, ...) = lazy_remembered(&curl, &found, #function); \
        return known(handle, what, argument); \
    }

#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#undef curl_share_setopt
CURL_VARIADIC(CURLcode, curl_easy_setopt, CURL *, CURLoption)
CURL_VARIADIC(CURLcode, curl_easy_getinfo, CURL *, CURLINFO)
CURL_VARIADIC(CURLMcode, curl_multi_setopt, CURLM *, CURLMoption)
CURL_VARIADIC(CURLSHcode, curl_share_setopt, CURLSH *, CURLSHoption)
