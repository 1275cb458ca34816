import CTurboJPEG
import Glibc
import Posix

/// Writes planes as a JPEG that holds nothing but the image and perhaps its colour profile: no place, no name.
enum JPEGEncoder {
    /// An APP2 segment holds so much of a profile ("65519 bytes", ICC.1:2010 annex B.4).
    private static let mostOfProfile = 65_519
    private static let mostSegments = 255

    /// How many bytes it has.
    static func write(
        _ planes: Planes, to path: String, quality: Int, isProgressive: Bool, profile: [UInt8]
    ) throws -> UInt64 {
        guard let handle = tjInitCompress() else {
            preconditionFailure("libjpeg-turbo has no memory for an encoder")
        }
        defer { tjDestroy(handle) }
        for plane in planes.all { plane.fillRoom() }
        var strides = planes.all.map { Int32($0.stride) }
        var pointers = planes.all.map { UnsafePointer<UInt8>?($0.samples) }
        var memory: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        defer { tjFree(memory) }
        let sampling = planes.colour == nil ? TJSAMP_GRAY : TJSAMP_420
        let result = tjCompressFromYUVPlanes(
            handle, &pointers, Int32(planes.width), &strides, Int32(planes.height), Int32(sampling.rawValue),
            &memory, &count, Int32(quality), isProgressive ? TJFLAG_PROGRESSIVE : 0)
        guard result == 0, let memory else {
            throw SystemError("making a JPEG (\(String(cString: tjGetErrorStr2(handle))))", ENOMEM, on: path)
        }
        return try write(UnsafeRawBufferPointer(start: memory, count: Int(count)), profile, to: path)
    }

    private static func write(
        _ jpeg: UnsafeRawBufferPointer, _ profile: [UInt8], to path: String
    ) throws -> UInt64 {
        let number = try check("making", on: path) {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let file = OwnedDescriptor(owning: number)
        // The profile stands behind SOI and the JFIF segment that libjpeg begins with.
        let start = 2 + (jpeg.count > 6 && jpeg[3] == 0xE0 ? Int(jpeg[4]) << 8 + Int(jpeg[5]) + 2 : 0)
        let segments = Self.segments(of: profile)
        try writeAll(UnsafeRawBufferPointer(rebasing: jpeg[..<start]), to: file, path)
        try segments.withUnsafeBytes { try writeAll($0, to: file, path) }
        try writeAll(UnsafeRawBufferPointer(rebasing: jpeg[start...]), to: file, path)
        return UInt64(jpeg.count + segments.count)
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to file: borrowing OwnedDescriptor, _ path: String
    ) throws(SystemError) {
        let number = file.number
        var rest = bytes
        while !rest.isEmpty {
            let count = try check("writing", on: path) { Glibc.write(number, rest.baseAddress, rest.count) }
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        }
    }

    private static func segments(of profile: [UInt8]) -> [UInt8] {
        let pieces = stride(from: 0, to: profile.count, by: mostOfProfile).map {
            profile[$0..<min($0 + mostOfProfile, profile.count)]
        }
        guard pieces.count <= mostSegments else { return [] }
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            let length = 2 + 12 + 2 + piece.count
            bytes += [0xFF, 0xE2, UInt8(length >> 8), UInt8(length & 0xFF)] + Array("ICC_PROFILE\0".utf8)
            bytes += [UInt8(index + 1), UInt8(pieces.count)] + piece
        }
        return bytes
    }
}
