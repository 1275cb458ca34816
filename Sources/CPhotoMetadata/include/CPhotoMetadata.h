// exiv2 with a face that Swift can call: bytes in, bytes out. No exception leaves it.

#ifndef CPHOTOMETADATA_H
#define CPHOTOMETADATA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// One value of one property, as exiv2 names it: "Xmp.dc.subject". Several values of one property follow each other.
typedef struct {
    const char *key;
    const char *value;
} tl_metadata_entry;

/// Bytes that belong to the caller, who frees them with `tl_metadata_free`.
typedef struct {
    uint8_t *bytes;
    size_t count;
} tl_metadata_bytes;

/// What went wrong, or an empty text; cut where it is longer.
typedef struct {
    char text[256];
} tl_metadata_problem;

/// An XMP packet with those of these properties that are XMP, in place of what `old` says of them; all others stay.
/// `old` may be empty. Returns 0, or -1 with the problem.
int tl_metadata_xmp(
    const uint8_t *old, size_t count, const tl_metadata_entry *entries, size_t entry_count, int is_sidecar,
    tl_metadata_bytes *result, tl_metadata_problem *problem);

/// The same of IPTC, among the resources of a photo as Photoshop keeps them. What is there of IPTC is UTF-8 afterwards.
int tl_metadata_resources(
    const uint8_t *old, size_t count, const tl_metadata_entry *entries, size_t entry_count,
    tl_metadata_bytes *result, tl_metadata_problem *problem);

void tl_metadata_free(tl_metadata_bytes bytes);

#ifdef __cplusplus
}
#endif

#endif
