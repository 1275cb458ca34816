#include <png.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

// libpng leaves a call that fails by longjmp(3), which Swift must not see: each function here catches that, and says it
// by what it returns.
typedef struct {
    png_structp png;
    png_infop info;
    const unsigned char *bytes;
    size_t left;
    char message[96];
} tl_png;

static inline void tl_png_fail(png_structp png, png_const_charp text) {
    tl_png *reader = png_get_error_ptr(png);
    strncpy(reader->message, text, sizeof reader->message - 1);
    png_longjmp(png, 1);
}
static inline void tl_png_warn(png_structp png, png_const_charp text) { (void)png, (void)text; }
static inline void tl_png_supply(png_structp png, png_bytep target, size_t count) {
    tl_png *reader = png_get_io_ptr(png);
    if (count > reader->left) png_error(png, "no more bytes");
    memcpy(target, reader->bytes, count);
    reader->bytes += count;
    reader->left -= count;
}

static inline void tl_png_close(tl_png *reader) {
    png_destroy_read_struct(&reader->png, &reader->info, NULL);
    free(reader);
}
// Of bytes that stay where they are. NULL when there is no memory.
static inline tl_png *tl_png_open(const void *bytes, size_t count) {
    tl_png *reader = calloc(1, sizeof *reader);
    if (!reader) return NULL;
    reader->bytes = bytes;
    reader->left = count;
    reader->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, reader, tl_png_fail, tl_png_warn);
    reader->info = reader->png ? png_create_info_struct(reader->png) : NULL;
    if (reader->info) return reader;
    tl_png_close(reader);
    return NULL;
}
// What comes before the image. Chunks that are not needed for its samples are passed over, those about colours too.
static inline int tl_png_read_header(tl_png *reader) {
    if (setjmp(png_jmpbuf(reader->png))) return -1;
    png_set_benign_errors(reader->png, 1);
    png_set_keep_unknown_chunks(reader->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_read_fn(reader->png, reader, tl_png_supply);
    png_read_info(reader->png, reader->info);
    return 0;
}
static inline uint32_t tl_png_width(const tl_png *reader) { return png_get_image_width(reader->png, reader->info); }
static inline uint32_t tl_png_height(const tl_png *reader) { return png_get_image_height(reader->png, reader->info); }
static inline int tl_png_depth(const tl_png *reader) { return png_get_bit_depth(reader->png, reader->info); }
// Rows will be red, green and blue as they are stored, and how much of them is there where the file says that; of 16 bits
// in this machine's order, or of 8. How often all rows have to be read into the same place, or -1.
static inline int tl_png_begin(tl_png *reader, int has_16_bits) {
    if (setjmp(png_jmpbuf(reader->png))) return -1;
    png_set_expand(reader->png);
    png_set_gray_to_rgb(reader->png);
    if (has_16_bits) png_set_swap(reader->png);
    else png_set_scale_16(reader->png);
    int passes = png_set_interlace_handling(reader->png);
    png_read_update_info(reader->png, reader->info);
    return passes;
}
static inline int tl_png_channels(const tl_png *reader) { return png_get_channels(reader->png, reader->info); }
static inline int tl_png_is_grey(const tl_png *reader) {
    return !(png_get_color_type(reader->png, reader->info) & PNG_COLOR_MASK_COLOR);
}
static inline int tl_png_is_interlaced(const tl_png *reader) {
    return png_get_interlace_type(reader->png, reader->info) != PNG_INTERLACE_NONE;
}
static inline int tl_png_read_row(tl_png *reader, void *row) {
    if (setjmp(png_jmpbuf(reader->png))) return -1;
    png_read_row(reader->png, row, NULL);
    return 0;
}
static inline const char *tl_png_message(const tl_png *reader) { return reader->message; }

// The checksum of a chunk.
static inline uint32_t tl_png_sum(const void *bytes, size_t count) { return (uint32_t)crc32(0, bytes, (uInt)count); }
// What a chunk holds packed; 0 when it is damaged or needs more room.
static inline size_t tl_png_inflate(const void *bytes, size_t count, void *room, size_t size) {
    uLongf length = size;
    return uncompress(room, &length, bytes, count) == Z_OK ? length : 0;
}

// Rows of red, green, blue and how much of them is there, a byte each, as a PNG that holds nothing but the image. How long it
// is, where `memory` is NULL or has so much room; 0 when it cannot be made.
static inline size_t tl_png_write(const void *rows, uint32_t width, uint32_t height, void *memory, size_t room) {
    png_image image;
    memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = room;
    return png_image_write_to_memory(&image, memory, &size, 0, rows, 0, NULL) ? size : 0;
}
