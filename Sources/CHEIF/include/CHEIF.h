// libheif, which is loaded when the first HEIF is looked at. What cannot be decoded without it is one photo, so its
// functions are asked for as a table that may be missing.
#pragma once
#include <libheif/heif.h>

#define CHEIF_FUNCTIONS(X) \
    X(heif_context_alloc) \
    X(heif_context_free) \
    X(heif_context_set_max_decoding_threads) \
    X(heif_context_read_from_memory_without_copy) \
    X(heif_context_get_primary_image_handle) \
    X(heif_image_handle_release) \
    X(heif_image_handle_get_width) \
    X(heif_image_handle_get_height) \
    X(heif_image_handle_get_luma_bits_per_pixel) \
    X(heif_image_handle_get_raw_color_profile_size) \
    X(heif_image_handle_get_raw_color_profile) \
    X(heif_image_handle_get_nclx_color_profile) \
    X(heif_image_handle_get_list_of_metadata_block_IDs) \
    X(heif_image_handle_get_metadata_size) \
    X(heif_image_handle_get_metadata) \
    X(heif_nclx_color_profile_free) \
    X(heif_decoding_options_alloc) \
    X(heif_decoding_options_free) \
    X(heif_decode_image) \
    X(heif_image_release) \
    X(heif_image_get_colorspace) \
    X(heif_image_get_width) \
    X(heif_image_get_height) \
    X(heif_image_get_plane_readonly)

// The functions of libheif that are used here, under their own names.
struct cheif_library {
#define CHEIF_MEMBER(name) __typeof__(&name) _Nonnull name;
    CHEIF_FUNCTIONS(CHEIF_MEMBER)
#undef CHEIF_MEMBER
};

// The library, or NULL where it cannot be loaded. From any thread.
const struct cheif_library *_Nullable cheif_library(void);

// Why it cannot, in the loader's words.
const char *_Nonnull cheif_problem(void);
