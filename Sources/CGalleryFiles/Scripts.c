// The scripts of the pages.
#include "Lists.h"

static const unsigned char account_js[] = {
#embed "../Gallery/Pages/Assets/account.js"
};
static const unsigned char album_js[] = {
#embed "../Gallery/Pages/Assets/album.js"
};
static const unsigned char albumfilter_js[] = {
#embed "../Gallery/Pages/Assets/albumfilter.js"
};
static const unsigned char albums_js[] = {
#embed "../Gallery/Pages/Assets/albums.js"
};
static const unsigned char api_js[] = {
#embed "../Gallery/Pages/Assets/api.js"
};
static const unsigned char backdrop_js[] = {
#embed "../Gallery/Pages/Assets/backdrop.js"
};
static const unsigned char bring_js[] = {
#embed "../Gallery/Pages/Assets/bring.js"
};
static const unsigned char broughtrow_js[] = {
#embed "../Gallery/Pages/Assets/broughtrow.js"
};
static const unsigned char clocks_js[] = {
#embed "../Gallery/Pages/Assets/clocks.js"
};
static const unsigned char comments_js[] = {
#embed "../Gallery/Pages/Assets/comments.js"
};
static const unsigned char drafts_js[] = {
#embed "../Gallery/Pages/Assets/drafts.js"
};
static const unsigned char cover_js[] = {
#embed "../Gallery/Pages/Assets/cover.js"
};
static const unsigned char credit_js[] = {
#embed "../Gallery/Pages/Assets/credit.js"
};
static const unsigned char downloads_js[] = {
#embed "../Gallery/Pages/Assets/downloads.js"
};
static const unsigned char dropzone_js[] = {
#embed "../Gallery/Pages/Assets/dropzone.js"
};
static const unsigned char ending_js[] = {
#embed "../Gallery/Pages/Assets/ending.js"
};
static const unsigned char events_js[] = {
#embed "../Gallery/Pages/Assets/events.js"
};
static const unsigned char export_js[] = {
#embed "../Gallery/Pages/Assets/export.js"
};
static const unsigned char filmed_js[] = {
#embed "../Gallery/Pages/Assets/filmed.js"
};
static const unsigned char finder_js[] = {
#embed "../Gallery/Pages/Assets/finder.js"
};
static const unsigned char folders_js[] = {
#embed "../Gallery/Pages/Assets/folders.js"
};
static const unsigned char guest_js[] = {
#embed "../Gallery/Pages/Assets/guest.js"
};
static const unsigned char guestname_js[] = {
#embed "../Gallery/Pages/Assets/guestname.js"
};
static const unsigned char hearts_js[] = {
#embed "../Gallery/Pages/Assets/hearts.js"
};
static const unsigned char host_js[] = {
#embed "../Gallery/Pages/Assets/host.js"
};
static const unsigned char layout_js[] = {
#embed "../Gallery/Pages/Assets/layout.js"
};
static const unsigned char lightbox_js[] = {
#embed "../Gallery/Pages/Assets/lightbox.js"
};
static const unsigned char liked_js[] = {
#embed "../Gallery/Pages/Assets/liked.js"
};
static const unsigned char liking_js[] = {
#embed "../Gallery/Pages/Assets/liking.js"
};
static const unsigned char list_js[] = {
#embed "../Gallery/Pages/Assets/list.js"
};
static const unsigned char loader_js[] = {
#embed "../Gallery/Pages/Assets/loader.js"
};
static const unsigned char looks_js[] = {
#embed "../Gallery/Pages/Assets/looks.js"
};
static const unsigned char marks_js[] = {
#embed "../Gallery/Pages/Assets/marks.js"
};
static const unsigned char markup_js[] = {
#embed "../Gallery/Pages/Assets/markup.js"
};
static const unsigned char mine_js[] = {
#embed "../Gallery/Pages/Assets/mine.js"
};
static const unsigned char nearby_js[] = {
#embed "../Gallery/Pages/Assets/nearby.js"
};
static const unsigned char photo_js[] = {
#embed "../Gallery/Pages/Assets/photo.js"
};
static const unsigned char picker_js[] = {
#embed "../Gallery/Pages/Assets/picker.js"
};
static const unsigned char picking_js[] = {
#embed "../Gallery/Pages/Assets/picking.js"
};
static const unsigned char picks_js[] = {
#embed "../Gallery/Pages/Assets/picks.js"
};
static const unsigned char position_js[] = {
#embed "../Gallery/Pages/Assets/position.js"
};
static const unsigned char problem_js[] = {
#embed "../Gallery/Pages/Assets/problem.js"
};
static const unsigned char profile_js[] = {
#embed "../Gallery/Pages/Assets/profile.js"
};
static const unsigned char rounds_js[] = {
#embed "../Gallery/Pages/Assets/rounds.js"
};
static const unsigned char saving_js[] = {
#embed "../Gallery/Pages/Assets/saving.js"
};
static const unsigned char say_js[] = {
#embed "../Gallery/Pages/Assets/say.js"
};
static const unsigned char scrubber_js[] = {
#embed "../Gallery/Pages/Assets/scrubber.js"
};
static const unsigned char sections_js[] = {
#embed "../Gallery/Pages/Assets/sections.js"
};
static const unsigned char seldom_js[] = {
#embed "../Gallery/Pages/Assets/seldom.js"
};
static const unsigned char share_js[] = {
#embed "../Gallery/Pages/Assets/share.js"
};
static const unsigned char show_js[] = {
#embed "../Gallery/Pages/Assets/show.js"
};
static const unsigned char sized_js[] = {
#embed "../Gallery/Pages/Assets/sized.js"
};
static const unsigned char start_js[] = {
#embed "../Gallery/Pages/Assets/start.js"
};
static const unsigned char sw_js[] = {
#embed "../Gallery/Pages/Assets/sw.js"
};
static const unsigned char takehome_js[] = {
#embed "../Gallery/Pages/Assets/takehome.js"
};
static const unsigned char text_js[] = {
#embed "../Gallery/Pages/Assets/text.js"
};
static const unsigned char tile_js[] = {
#embed "../Gallery/Pages/Assets/tile.js"
};
static const unsigned char tiles_js[] = {
#embed "../Gallery/Pages/Assets/tiles.js"
};
static const unsigned char timeline_js[] = {
#embed "../Gallery/Pages/Assets/timeline.js"
};
static const unsigned char tus_js[] = {
#embed "../Gallery/Pages/Assets/tus.js"
};
static const unsigned char unfinished_js[] = {
#embed "../Gallery/Pages/Assets/unfinished.js"
};
static const unsigned char upload_js[] = {
#embed "../Gallery/Pages/Assets/upload.js"
};
static const unsigned char uploadrow_js[] = {
#embed "../Gallery/Pages/Assets/uploadrow.js"
};
static const unsigned char uploads_js[] = {
#embed "../Gallery/Pages/Assets/uploads.js"
};
static const unsigned char video_js[] = {
#embed "../Gallery/Pages/Assets/video.js"
};
static const unsigned char waiting_js[] = {
#embed "../Gallery/Pages/Assets/waiting.js"
};
static const unsigned char wall_js[] = {
#embed "../Gallery/Pages/Assets/wall.js"
};
static const unsigned char within_js[] = {
#embed "../Gallery/Pages/Assets/within.js"
};
static const unsigned char zoom_js[] = {
#embed "../Gallery/Pages/Assets/zoom.js"
};

const struct gallery_file gallery_scripts[] = {
    {"account.js", account_js, sizeof account_js},
    {"album.js", album_js, sizeof album_js},
    {"albumfilter.js", albumfilter_js, sizeof albumfilter_js},
    {"albums.js", albums_js, sizeof albums_js},
    {"api.js", api_js, sizeof api_js},
    {"backdrop.js", backdrop_js, sizeof backdrop_js},
    {"bring.js", bring_js, sizeof bring_js},
    {"broughtrow.js", broughtrow_js, sizeof broughtrow_js},
    {"clocks.js", clocks_js, sizeof clocks_js},
    {"comments.js", comments_js, sizeof comments_js},
    {"drafts.js", drafts_js, sizeof drafts_js},
    {"cover.js", cover_js, sizeof cover_js},
    {"credit.js", credit_js, sizeof credit_js},
    {"downloads.js", downloads_js, sizeof downloads_js},
    {"dropzone.js", dropzone_js, sizeof dropzone_js},
    {"ending.js", ending_js, sizeof ending_js},
    {"events.js", events_js, sizeof events_js},
    {"export.js", export_js, sizeof export_js},
    {"filmed.js", filmed_js, sizeof filmed_js},
    {"finder.js", finder_js, sizeof finder_js},
    {"folders.js", folders_js, sizeof folders_js},
    {"guest.js", guest_js, sizeof guest_js},
    {"guestname.js", guestname_js, sizeof guestname_js},
    {"hearts.js", hearts_js, sizeof hearts_js},
    {"host.js", host_js, sizeof host_js},
    {"layout.js", layout_js, sizeof layout_js},
    {"lightbox.js", lightbox_js, sizeof lightbox_js},
    {"liked.js", liked_js, sizeof liked_js},
    {"liking.js", liking_js, sizeof liking_js},
    {"list.js", list_js, sizeof list_js},
    {"loader.js", loader_js, sizeof loader_js},
    {"looks.js", looks_js, sizeof looks_js},
    {"marks.js", marks_js, sizeof marks_js},
    {"markup.js", markup_js, sizeof markup_js},
    {"mine.js", mine_js, sizeof mine_js},
    {"nearby.js", nearby_js, sizeof nearby_js},
    {"photo.js", photo_js, sizeof photo_js},
    {"picker.js", picker_js, sizeof picker_js},
    {"picking.js", picking_js, sizeof picking_js},
    {"picks.js", picks_js, sizeof picks_js},
    {"position.js", position_js, sizeof position_js},
    {"problem.js", problem_js, sizeof problem_js},
    {"profile.js", profile_js, sizeof profile_js},
    {"rounds.js", rounds_js, sizeof rounds_js},
    {"saving.js", saving_js, sizeof saving_js},
    {"say.js", say_js, sizeof say_js},
    {"scrubber.js", scrubber_js, sizeof scrubber_js},
    {"sections.js", sections_js, sizeof sections_js},
    {"seldom.js", seldom_js, sizeof seldom_js},
    {"share.js", share_js, sizeof share_js},
    {"show.js", show_js, sizeof show_js},
    {"sized.js", sized_js, sizeof sized_js},
    {"start.js", start_js, sizeof start_js},
    {"sw.js", sw_js, sizeof sw_js},
    {"takehome.js", takehome_js, sizeof takehome_js},
    {"text.js", text_js, sizeof text_js},
    {"tile.js", tile_js, sizeof tile_js},
    {"tiles.js", tiles_js, sizeof tiles_js},
    {"timeline.js", timeline_js, sizeof timeline_js},
    {"tus.js", tus_js, sizeof tus_js},
    {"unfinished.js", unfinished_js, sizeof unfinished_js},
    {"upload.js", upload_js, sizeof upload_js},
    {"uploadrow.js", uploadrow_js, sizeof uploadrow_js},
    {"uploads.js", uploads_js, sizeof uploads_js},
    {"video.js", video_js, sizeof video_js},
    {"waiting.js", waiting_js, sizeof waiting_js},
    {"wall.js", wall_js, sizeof wall_js},
    {"within.js", within_js, sizeof within_js},
    {"zoom.js", zoom_js, sizeof zoom_js},
    {0}
};
