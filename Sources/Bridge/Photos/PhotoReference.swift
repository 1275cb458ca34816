/// What a camera calls a photo during one connection.
///
/// Opaque: only the driver that gave it knows what it means, a handle, a path, a number of arrival. In another
/// connection the same text may mean another photo.
public struct PhotoReference: Hashable, Sendable {
    public let text: String

    public init(_ text: String) {
        self.text = text
    }
}

extension PhotoReference: CustomStringConvertible {
    public var description: String { text }
}

extension PhotoReference: Comparable {
    public static func < (left: PhotoReference, right: PhotoReference) -> Bool { left.text < right.text }
}
