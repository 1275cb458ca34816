// The style sheets and icons of the pages.
#include "Lists.h"

static const unsigned char bring_css[] = {
#embed "../Gallery/Pages/Assets/bring.css"
};
static const unsigned char cover_css[] = {
#embed "../Gallery/Pages/Assets/cover.css"
};
static const unsigned char export_css[] = {
#embed "../Gallery/Pages/Assets/export.css"
};
static const unsigned char full_192_png[] = {
#embed "../Gallery/Pages/Assets/full-192.png"
};
static const unsigned char full_512_png[] = {
#embed "../Gallery/Pages/Assets/full-512.png"
};
static const unsigned char guest_css[] = {
#embed "../Gallery/Pages/Assets/guest.css"
};
static const unsigned char hearts_css[] = {
#embed "../Gallery/Pages/Assets/hearts.css"
};
static const unsigned char host_css[] = {
#embed "../Gallery/Pages/Assets/host.css"
};
static const unsigned char icon_192_png[] = {
#embed "../Gallery/Pages/Assets/icon-192.png"
};
static const unsigned char icon_512_png[] = {
#embed "../Gallery/Pages/Assets/icon-512.png"
};
static const unsigned char icon_svg[] = {
#embed "../Gallery/Pages/Assets/icon.svg"
};
static const unsigned char liking_css[] = {
#embed "../Gallery/Pages/Assets/liking.css"
};
static const unsigned char looks_css[] = {
#embed "../Gallery/Pages/Assets/looks.css"
};
static const unsigned char photo_css[] = {
#embed "../Gallery/Pages/Assets/photo.css"
};
static const unsigned char picks_css[] = {
#embed "../Gallery/Pages/Assets/picks.css"
};
static const unsigned char scrubber_css[] = {
#embed "../Gallery/Pages/Assets/scrubber.css"
};
static const unsigned char sections_css[] = {
#embed "../Gallery/Pages/Assets/sections.css"
};
static const unsigned char show_css[] = {
#embed "../Gallery/Pages/Assets/show.css"
};
static const unsigned char video_css[] = {
#embed "../Gallery/Pages/Assets/video.css"
};

const struct gallery_file gallery_styles[] = {
    {"bring.css", bring_css, sizeof bring_css},
    {"cover.css", cover_css, sizeof cover_css},
    {"export.css", export_css, sizeof export_css},
    {"full-192.png", full_192_png, sizeof full_192_png},
    {"full-512.png", full_512_png, sizeof full_512_png},
    {"guest.css", guest_css, sizeof guest_css},
    {"hearts.css", hearts_css, sizeof hearts_css},
    {"host.css", host_css, sizeof host_css},
    {"icon-192.png", icon_192_png, sizeof icon_192_png},
    {"icon-512.png", icon_512_png, sizeof icon_512_png},
    {"icon.svg", icon_svg, sizeof icon_svg},
    {"liking.css", liking_css, sizeof liking_css},
    {"looks.css", looks_css, sizeof looks_css},
    {"photo.css", photo_css, sizeof photo_css},
    {"picks.css", picks_css, sizeof picks_css},
    {"scrubber.css", scrubber_css, sizeof scrubber_css},
    {"sections.css", sections_css, sizeof sections_css},
    {"show.css", show_css, sizeof show_css},
    {"video.css", video_css, sizeof video_css},
    {0}
};
