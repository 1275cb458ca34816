import CGalleryFiles
import Web

/// A file of this target that is compiled into the program: a script, a style sheet, an icon, texts. CGalleryFiles lists them.
enum BuiltInFile {
    static func bytes(of name: String) -> [UInt8] {
        guard let file = gallery_file(name) else {
            preconditionFailure("\(name) is in no list of CGalleryFiles")
        }
        return Array(UnsafeBufferPointer(start: file.pointee.bytes, count: file.pointee.size))
    }

    static func text(of name: String) -> String { String(decoding: bytes(of: name), as: UTF8.self) }

    /// What pages load, under its own name unless it has another there.
    static func asset(_ name: String, as shown: String? = nil) -> Asset {
        Asset(shown ?? name, type(of: name), bytes(of: name))
    }

    /// The same behind another one, which a page would have to ask for by itself.
    static func asset(_ name: String, behind other: Asset) -> Asset {
        Asset(name, type(of: name), other.bytes + [UInt8(ascii: "\n")] + bytes(of: name))
    }

    private static func type(of name: String) -> AssetType {
        switch name.split(separator: ".").last {
        case "js": .script
        case "css": .style
        case "svg": .icon
        case "png": .picture
        default: preconditionFailure("pages load no file like \(name)")
        }
    }
}
