#include <png.h>
#include <string.h>

// Swift cannot see what these macros are made of.
static inline void tl_png_begin(png_image *image) {
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
}
static inline int tl_png_has_failed(const png_image *image) { return PNG_IMAGE_FAILED(*image) ? 1 : 0; }
static inline void tl_png_as_rgb(png_image *image) { image->format = PNG_FORMAT_RGB; }
