/// A camera of the home, by all that it may be recognised by when it announces itself.
package struct ExpectedCamera: Equatable, Sendable {
    /// The home's own name for it.
    package let key: String
    /// As the operator calls it.
    package var name: String?
    package var model: String?
    package var serial: String?
    /// What it calls itself on the wire: a GUID.
    package var wireID: String?
    /// As what it has announced itself: ``FoundCamera/id``.
    package var announced: String?
    /// Where it was last, or where the operator says that it is: `192.168.1.5:15740`.
    package var place: String?
    /// The operator has said where it is: it is tried there, whether it announces itself or not.
    package var isAddedByPlace = false

    package init(key: String) {
        self.key = key
    }

    /// How surely an announcement is this camera's; nothing where it is not. Announcements prove nothing: who it is shows
    /// when it has been connected to, and another body is refused then.
    package func likeness(to found: FoundCamera) -> Int? {
        if let announced, announced == found.id { return place == found.place ? 5 : 4 }
        if let own = wireID.flatMap(Self.digits), own == Self.digits(found.id) { return 3 }
        if let serial = Serial(serial), let other = Serial(found.details.serial) {
            return serial == other && !contradicts(found) ? 2 : nil
        }
        // At the address of one that was never heard: it announces itself for the first time.
        return announced == nil && place == found.place && !contradicts(found) ? Self.byPlace : nil
    }

    /// The least likeness: nothing but its address speaks for it.
    package static let byPlace = 1

    private func contradicts(_ found: FoundCamera) -> Bool {
        guard let model = model.flatMap(CameraName.init), let other = found.model.flatMap(CameraName.init)
        else {
            return false
        }
        return !model.means(model: "\(other)") && !other.means(model: "\(model)")
    }

    /// "responder GUID or UPnP UDN": both are 32 hexadecimal digits, written differently.
    private static func digits(_ text: String) -> String? {
        let text = text.lowercased()
        let digits = (text.hasPrefix("uuid:") ? text.dropFirst(5) : text[...]).filter(\.isHexDigit)
        return digits.count == 32 && Set(digits).count > 1 ? digits : nil
    }
}
