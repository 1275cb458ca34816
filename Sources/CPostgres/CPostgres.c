// libpq, loaded when a gallery's database is PostgreSQL.
#include "CPostgres.h"

#include <CLazy.h>

static struct lazy_library postgres = {"libpq.so.5", "libpq5", NULL};

#define PQ_FUNCTION(result, name, parameters, arguments) LAZY_FUNCTION(postgres, result, name, parameters, arguments)

PQ_FUNCTION(PQconninfoOption *, PQconninfoParse, (const char *text, char **problem), (text, problem))
PQ_FUNCTION(void, PQconninfoFree, (PQconninfoOption * options), (options))
PQ_FUNCTION(PQconninfoOption *, PQconninfo, (PGconn * connection), (connection))
PQ_FUNCTION(
    PGconn *, PQconnectStartParams, (const char *const *keywords, const char *const *values, int expands),
    (keywords, values, expands))
PQ_FUNCTION(PostgresPollingStatusType, PQconnectPoll, (PGconn * connection), (connection))
PQ_FUNCTION(ConnStatusType, PQstatus, (const PGconn *connection), (connection))
PQ_FUNCTION(int, PQsocket, (const PGconn *connection), (connection))
PQ_FUNCTION(void, PQfinish, (PGconn * connection), (connection))
PQ_FUNCTION(char *, PQerrorMessage, (const PGconn *connection), (connection))
PQ_FUNCTION(int, PQsetnonblocking, (PGconn * connection, int isNonblocking), (connection, isNonblocking))
PQ_FUNCTION(
    PQnoticeReceiver, PQsetNoticeReceiver, (PGconn * connection, PQnoticeReceiver receiver, void *context),
    (connection, receiver, context))
PQ_FUNCTION(
    int, PQsendQueryParams,
    (PGconn * connection, const char *sql, int count, const Oid *types, const char *const *values, const int *lengths,
     const int *formats, int resultFormat),
    (connection, sql, count, types, values, lengths, formats, resultFormat))
PQ_FUNCTION(
    int, PQsendPrepare, (PGconn * connection, const char *name, const char *sql, int count, const Oid *types),
    (connection, name, sql, count, types))
PQ_FUNCTION(
    int, PQsendQueryPrepared,
    (PGconn * connection, const char *name, int count, const char *const *values, const int *lengths, const int *formats,
     int resultFormat),
    (connection, name, count, values, lengths, formats, resultFormat))
PQ_FUNCTION(int, PQbackendPID, (const PGconn *connection), (connection))
PQ_FUNCTION(int, PQsendQuery, (PGconn * connection, const char *sql), (connection, sql))
PQ_FUNCTION(int, PQflush, (PGconn * connection), (connection))
PQ_FUNCTION(int, PQconsumeInput, (PGconn * connection), (connection))
PQ_FUNCTION(int, PQisBusy, (PGconn * connection), (connection))
PQ_FUNCTION(PGresult *, PQgetResult, (PGconn * connection), (connection))
PQ_FUNCTION(PGnotify *, PQnotifies, (PGconn * connection), (connection))
PQ_FUNCTION(void, PQfreemem, (void *memory), (memory))
PQ_FUNCTION(ExecStatusType, PQresultStatus, (const PGresult *result), (result))
PQ_FUNCTION(char *, PQresultErrorField, (const PGresult *result, int field), (result, field))
PQ_FUNCTION(void, PQclear, (PGresult * result), (result))
PQ_FUNCTION(int, PQntuples, (const PGresult *result), (result))
PQ_FUNCTION(int, PQnfields, (const PGresult *result), (result))
PQ_FUNCTION(char *, PQfname, (const PGresult *result, int column), (result, column))
PQ_FUNCTION(Oid, PQftype, (const PGresult *result, int column), (result, column))
PQ_FUNCTION(int, PQgetisnull, (const PGresult *result, int row, int column), (result, row, column))
PQ_FUNCTION(char *, PQgetvalue, (const PGresult *result, int row, int column), (result, row, column))
PQ_FUNCTION(int, PQgetlength, (const PGresult *result, int row, int column), (result, row, column))
PQ_FUNCTION(char *, PQcmdTuples, (PGresult * result), (result))
