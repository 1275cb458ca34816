/// What servers are told that a photo is.
enum ContentType {
    /// By the ending of its name, as other programs there do.
    static func of(_ name: String) -> String {
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() } ?? ""
        return byEnding[ending] ?? "application/octet-stream"
    }

    private static let byEnding = [
        "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "heic": "image/heic",
        "hif": "image/heif", "heif": "image/heif", "tif": "image/tiff", "tiff": "image/tiff",
        "cr2": "image/x-canon-cr2", "cr3": "image/x-canon-cr3", "nef": "image/x-nikon-nef",
        "arw": "image/x-sony-arw", "raf": "image/x-fuji-raf", "dng": "image/x-adobe-dng",
        "rw2": "image/x-panasonic-rw2", "mov": "video/quicktime", "mp4": "video/mp4", "wav": "audio/wav",
        "xmp": "application/rdf+xml",
    ]
}
