/// A JPEG as the segments before its image, and everything from the image on.
///
/// Only what is said about a photo is ever replaced: every other byte of the copy is the camera's, in its order.
struct JPEGParts: Equatable {
    /// Why a file is not taken apart.
    enum Problem: Error, Equatable {
        case noJPEG
        /// Its segments do not lead to an image.
        case damaged
        /// What would be written does not fit into a segment.
        case tooLong
        /// Something in it is found by its distance from the end of what would change.
        case cannotMove
    }

    struct Segment: Equatable {
        let marker: UInt8
        /// With its marker and its length.
        let range: Range<Int>

        var payload: Range<Int> { range.lowerBound + 4..<range.upperBound }
    }

    private enum Marker {
        static let app0: UInt8 = 0xE0
        static let app1: UInt8 = 0xE1
        static let app2: UInt8 = 0xE2
        static let app13: UInt8 = 0xED
        static let startOfScan: UInt8 = 0xDA
    }

    static let exif = Array("Exif\0\0".utf8)
    static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
    static let resources = Array("Photoshop 3.0\0".utf8)
    /// CIPA DC-007: further images behind the first, each by its distance from here.
    static let multiPicture = Array("MPF\0".utf8)

    private static let longestPayload = 0xFFFF - 2
    private static let mostSegments = 1_000

    let bytes: [UInt8]
    let segments: [Segment]
    /// From the first scan's marker on.
    let image: Range<Int>

    init(_ bytes: [UInt8]) throws(Problem) {
        guard bytes.starts(with: [0xFF, 0xD8, 0xFF]) else { throw .noJPEG }
        var segments: [Segment] = []
        var position = 2
        while true {
            // Any number of FF may stand before a marker.
            while position + 1 < bytes.count, bytes[position] == 0xFF, bytes[position + 1] == 0xFF {
                position += 1
            }
            guard position + 4 <= bytes.count, bytes[position] == 0xFF, bytes[position + 1] > 0 else {
                throw .damaged
            }
            let marker = bytes[position + 1]
            if marker == Marker.startOfScan { break }
            let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
            guard length >= 2, position + 2 + length <= bytes.count, segments.count < Self.mostSegments else {
                throw .damaged
            }
            segments.append(Segment(marker: marker, range: position..<position + 2 + length))
            position += 2 + length
        }
        self.bytes = bytes
        self.segments = segments
        image = position..<bytes.count
    }

    private func begins(_ segment: Segment, with mark: [UInt8]) -> Bool {
        bytes[segment.payload].starts(with: mark)
    }

    private func isXMP(_ segment: Segment) -> Bool {
        segment.marker == Marker.app1 && begins(segment, with: Self.xmp)
    }

    private func isResources(_ segment: Segment) -> Bool {
        segment.marker == Marker.app13 && begins(segment, with: Self.resources)
    }

    /// The XMP packet that it has; of two the first.
    var packet: [UInt8] {
        guard let segment = segments.first(where: isXMP) else { return [] }
        return Array(bytes[segment.payload].dropFirst(Self.xmp.count))
    }

    /// Photoshop's resources, however many segments they are in.
    var photoshop: [UInt8] {
        segments.filter(isResources).flatMap { bytes[$0.payload].dropFirst(Self.resources.count) }
    }

    /// The same photo with this XMP and these resources in place of its own, behind its EXIF.
    func with(packet: [UInt8], photoshop: [UInt8]) throws(Problem) -> [UInt8] {
        let replaced = segments.filter { isXMP($0) || isResources($0) }
        if let pictures = segments.first(where: {
            $0.marker == Marker.app2 && begins($0, with: Self.multiPicture)
        }),
            let last = replaced.last, last.range.lowerBound > pictures.range.lowerBound
        {
            throw .cannotMove
        }
        let kept = segments.filter { !isXMP($0) && !isResources($0) }
        let first = kept.prefix {
            $0.marker == Marker.app0 || $0.marker == Marker.app1 && begins($0, with: Self.exif)
        }
        var result: [UInt8] = [0xFF, 0xD8]
        result.reserveCapacity(bytes.count + packet.count + photoshop.count + 1000)
        for segment in first { result += bytes[segment.range] }
        guard Self.xmp.count + packet.count <= Self.longestPayload else { throw .tooLong }
        Self.append(Marker.app1, Self.xmp, packet[...], to: &result)
        var rest = photoshop[...]
        while !rest.isEmpty {
            let piece = rest.prefix(Self.longestPayload - Self.resources.count)
            Self.append(Marker.app13, Self.resources, piece, to: &result)
            rest = rest.dropFirst(piece.count)
        }
        for segment in kept.dropFirst(first.count) { result += bytes[segment.range] }
        result += bytes[image]
        return result
    }

    private static func append(
        _ marker: UInt8, _ mark: [UInt8], _ payload: ArraySlice<UInt8>, to result: inout [UInt8]
    ) {
        let length = 2 + mark.count + payload.count
        result += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
        result += mark
        result += payload
    }
}
