/// How EOS bodies make a file's handle: "bits 0–3 sub-object (0 group, 1 RAW, 2 JPEG), bits 4–17 DCF file number, bits
/// 18–27 DCF folder number, top bits storage." So the same file has the same handle after a reconnect.
///
/// Derived from a few bodies without long file names; nothing that is kept may depend on it.
public struct CanonHandle: Equatable, Sendable {
    public enum Part: UInt32, Sendable {
        case group = 0
        case raw = 1
        case jpeg = 2
    }

    public var top: UInt32
    public var folder: Int
    public var file: Int
    public var part: UInt32

    public init(top: UInt32, folder: Int, file: Int, part: Part) {
        self.top = top
        self.folder = folder
        self.file = file
        self.part = part.rawValue
    }

    public init(_ handle: ObjectHandle) {
        top = handle.rawValue >> 28
        folder = Int(handle.rawValue >> 18 & 0x3FF)
        file = Int(handle.rawValue >> 4 & 0x3FFF)
        part = handle.rawValue & 0xF
    }

    public var handle: ObjectHandle {
        ObjectHandle(
            rawValue: top << 28 | UInt32(folder & 0x3FF) << 18 | UInt32(file & 0x3FFF) << 4 | part & 0xF)
    }
}
