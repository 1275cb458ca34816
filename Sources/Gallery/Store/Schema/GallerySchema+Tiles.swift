/// A rendition for walls on screens that have several pixels for one of CSS.
extension GallerySchema {
    static let tiles = """
        -- None of what is hardly larger than its thumb, and of photos from before there were any.
        ALTER TABLE photos ADD COLUMN tile_key TEXT CHECK (length(tile_key) = 32);
        ALTER TABLE photos ADD COLUMN tile_size INTEGER CHECK (tile_size > 0);
        -- In pixels: what a page says of it beside the thumb.
        ALTER TABLE photos ADD COLUMN tile_width INTEGER CHECK (tile_width > 0);
        CREATE UNIQUE INDEX tiles_by_key ON photos (tile_key) WHERE tile_key IS NOT NULL;

        """
}
