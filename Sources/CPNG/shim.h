#include <png.h>
#include <string.h>

// Swift cannot see what these macros are made of.
static inline void tl_png_begin(png_image *image) {
    memset(image, 0, sizeof *image);
    image->version = PNG_IMAGE_VERSION;
}
static inline int tl_png_has_failed(const png_image *image) { return PNG_IMAGE_FAILED(*image) ? 1 : 0; }
// Red, green and blue, and how much of them is there where the file says that; true when it does.
static inline int tl_png_as_colours(png_image *image) {
    int has_alpha = (image->format & PNG_FORMAT_FLAG_ALPHA) != 0;
    image->format = has_alpha ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
    return has_alpha;
}
