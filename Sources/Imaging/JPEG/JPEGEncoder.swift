import CTurboJPEG
import Glibc
import Posix

/// Writes planes as a JPEG that holds nothing but the image: no place, no name, and no profile, as its colours are
/// sRGB, which programs assume without one.
enum JPEGEncoder {
    /// How many bytes it has.
    static func write(
        _ planes: Planes, to path: String, quality: Int, isProgressive: Bool
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
        return try RenditionFile.write(UnsafeRawBufferPointer(start: memory, count: Int(count)), to: path)
    }
}

/// What was made of a picture, as a file.
enum RenditionFile {
    /// How many bytes it has.
    static func write(_ bytes: UnsafeRawBufferPointer, to path: String) throws -> UInt64 {
        let number = try check("making", on: path) {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        }
        let file = OwnedDescriptor(owning: number)
        try writeAll(bytes, to: file, path)
        return UInt64(bytes.count)
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
}
