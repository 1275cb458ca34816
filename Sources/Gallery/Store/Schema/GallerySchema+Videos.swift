/// Photos that move.
extension GallerySchema {
    static let videos = """
        -- The copy that guests are given of a video. Where there is none, the photo is one that stands still.
        ALTER TABLE photos ADD COLUMN stream_key TEXT;
        ALTER TABLE photos ADD COLUMN stream_size INTEGER CHECK (stream_size > 0);
        ALTER TABLE photos ADD COLUMN stream_crc INTEGER CHECK (stream_crc BETWEEN 0 AND 4294967295);
        -- In milliseconds; none where the video does not say it.
        ALTER TABLE photos ADD COLUMN duration INTEGER CHECK (duration >= 0);
        -- Its picture is one out of it, and not a sign that stands for it.
        ALTER TABLE photos ADD COLUMN has_poster INTEGER NOT NULL DEFAULT 1 CHECK (has_poster IN (0, 1));
        CREATE UNIQUE INDEX videos_by_key ON photos (stream_key) WHERE stream_key IS NOT NULL;

        """
}
