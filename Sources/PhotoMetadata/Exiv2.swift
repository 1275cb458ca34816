import CPhotoMetadata
import Captions

/// What exiv2 makes of properties. It meets bytes from strangers, so this is called in a worker only.
enum Exiv2 {
    /// In exiv2's own words.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// An XMP packet with these properties in place of what `old` says of them.
    static func packet(_ entries: [MetadataEntry], over old: [UInt8]) throws(Failure) -> [UInt8] {
        try call(entries) { list, count, result, problem in
            tl_metadata_xmp(old, old.count, list, count, 0, result, problem)
        }
    }

    /// A sidecar of them.
    static func sidecar(_ entries: [MetadataEntry]) throws(Failure) -> [UInt8] {
        try call(entries) { list, count, result, problem in
            tl_metadata_xmp(nil, 0, list, count, 1, result, problem)
        }
    }

    /// Photoshop's resources with these properties in IPTC, in place of what `old` says of them.
    static func resources(_ entries: [MetadataEntry], over old: [UInt8]) throws(Failure) -> [UInt8] {
        try call(entries) { list, count, result, problem in
            tl_metadata_resources(old, old.count, list, count, result, problem)
        }
    }

    private typealias Call = (
        UnsafePointer<tl_metadata_entry>, Int, UnsafeMutablePointer<tl_metadata_bytes>,
        UnsafeMutablePointer<tl_metadata_problem>
    ) -> Int32

    private static func call(_ entries: [MetadataEntry], _ body: Call) throws(Failure) -> [UInt8] {
        let pairs = entries.flatMap { entry in entry.values.map { (entry.key, $0) } }
        let texts = pairs.flatMap { [$0.0, $0.1] }.map { text -> UnsafeMutablePointer<CChar> in
            let bytes = Array(text.utf8CString)
            let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
            copy.initialize(from: bytes, count: bytes.count)
            return copy
        }
        defer { for text in texts { text.deallocate() } }
        let list = pairs.indices.map {
            tl_metadata_entry(key: UnsafePointer(texts[2 * $0]), value: UnsafePointer(texts[2 * $0 + 1]))
        }
        var result = tl_metadata_bytes()
        var problem = tl_metadata_problem()
        guard body(list, list.count, &result, &problem) == 0 else {
            let text = withUnsafeBytes(of: &problem.text) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            throw Failure(description: text)
        }
        defer { tl_metadata_free(result) }
        return Array(UnsafeBufferPointer(start: result.bytes, count: result.count))
    }
}
