#include <sqlite3.h>

// Swift cannot see macros that cast: the text is copied, because Swift's buffer ends with the call.
static inline int tl_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
    return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}
static inline int tl_sqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int length) {
    return sqlite3_bind_blob(statement, index, bytes, length, SQLITE_TRANSIENT);
}
// sqlite3_db_config is variadic. A connection that only looked must not move the log into the file when it closes.
static inline int tl_sqlite_leave_log_alone(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
// Variadic. SQLite would count its memory under a lock that every allocation takes, and the program does not use the sum.
// Before anything else of SQLite's in a process.
static inline int tl_sqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
// What a damaged schema says must not be run: no trigger, no view, no function of its own.
static inline int tl_sqlite_distrust_schema(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
}
