#include <lcms2.h>
#include <stdint.h>

// Swift cannot see what these macros are made of.
static const uint32_t tl_grey = TYPE_GRAY_8;
static const uint32_t tl_colours = TYPE_RGB_8;
static const uint32_t tl_deep_colours = TYPE_RGB_16;
// One that comes three times, of which the first is taken.
static const uint32_t tl_deep_grey_of_three = COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(2) | BYTES_SH(2);
static const uint32_t tl_inks = TYPE_CMYK_8;
// Where 255 is no ink.
static const uint32_t tl_opposite_inks = TYPE_CMYK_8_REV;
