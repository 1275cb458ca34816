import Basics

/// What a device says of itself (UPnP Device Architecture 1.1 §2.3): the elements of its root device that an operator
/// knows a camera by.
package struct DeviceDescription: Equatable, Sendable {
    package var maker: String?
    package var model: String?
    package var name: String?
    package var serial: String?
    /// `UDN`: the same that its announcements begin with.
    package var device: String?
    /// Sony's `X_SSH_Support`.
    package var offersSSH = false

    /// "size cap": descriptions of cameras have a few thousand bytes.
    package static let largest = 64 << 10
    package static let mostElements = 1000
    /// "friendlyName: Should be < 64 characters".
    static let longestText = 64

    package struct Malformed: Error, Equatable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init() {}

    package init(_ bytes: [UInt8]) throws(Malformed) {
        guard bytes.count <= Self.largest else {
            throw Malformed(description: "it has more than \(Self.largest) bytes")
        }
        let root: XMLElement
        do throws(XMLElement.Malformed) {
            root = try XMLElement(bytes, mostElements: Self.mostElements)
        } catch {
            throw Malformed(description: "\(error)")
        }
        guard root.name == "root", let device = root.all("device").first else {
            throw Malformed(description: "it describes no device")
        }
        func text(_ name: String) -> String? {
            let text = device[name].map { $0.split { $0.isWhitespace }.joined(separator: " ") } ?? ""
            return text.isEmpty ? nil : String(text.prefix(Self.longestText))
        }
        maker = text("manufacturer")
        model = text("modelName")
        name = text("friendlyName")
        serial = text("serialNumber")
        self.device = text("UDN")?.lowercased()
        offersSSH = device.first("X_SSH_Support").map { $0 == "1" || $0.lowercased() == "true" } ?? false
    }
}

extension XMLElement {
    /// The text of the first element of that name, at any depth: makers put theirs into elements of their own.
    fileprivate func first(_ name: String) -> String? {
        for child in children {
            if child.name == name { return child.text.split { $0.isWhitespace }.joined() }
            if let text = child.first(name) { return text }
        }
        return nil
    }
}
