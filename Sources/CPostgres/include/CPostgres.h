// libpq, loaded when a gallery's database is PostgreSQL: a gallery in a folder needs no client library of it.
#pragma once
#include <postgresql/libpq-fe.h>

/* Nothing that the server remarks goes to standard error by itself. */
static inline void tl_pq_ignore_notice(void *context, const PGresult *result) {
    (void)context;
    (void)result;
}

static inline void tl_pq_ignore_notices(PGconn *connection) {
    PQsetNoticeReceiver(connection, tl_pq_ignore_notice, 0);
}
