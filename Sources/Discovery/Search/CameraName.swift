/// What an operator calls a camera by: `Z 8`, `EOS R6`, a serial number, or the name that it was given.
package struct CameraName: Hashable, Sendable, CustomStringConvertible {
    package let description: String
    private let words: [String]

    /// Nothing for what has no letter and no digit.
    package init?(_ text: String) {
        words = Self.words(text)
        guard !words.isEmpty else { return nil }
        description = text
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    package static func == (left: CameraName, right: CameraName) -> Bool { left.words == right.words }
    package func hash(into hasher: inout Hasher) { hasher.combine(words) }

    /// The whole name, or the words at its end: an "R6" is a "Canon EOS R6" and no "Canon EOS R6 Mark II".
    package func means(model: String) -> Bool {
        let others = Self.words(model)
        return others.count >= words.count && Array(others.suffix(words.count)) == words
    }

    /// Bodies put a serial number behind their model's name, so the words may stand anywhere in it.
    package func means(name: String) -> Bool {
        let others = Self.words(name)
        guard others.count >= words.count else { return false }
        return (0...(others.count - words.count)).contains { Array(others[$0..<($0 + words.count)]) == words }
    }

    package func means(serial: String) -> Bool {
        Serial(description).map { $0 == Serial(serial) } ?? false
    }

    func means(_ camera: FoundCamera) -> Bool {
        if camera.id.lowercased() == description.lowercased() { return true }
        if let model = camera.model, means(model: model) { return true }
        // Of one that tells its model the name is what its owner gave it, and may be that of another model.
        if let name = camera.name, camera.model == nil ? means(name: name) : words == Self.words(name) {
            return true
        }
        return camera.details.serial.map(means(serial:)) ?? false
    }

    package func means(_ camera: ExpectedCamera) -> Bool {
        if let name = camera.name, words == Self.words(name) { return true }
        if let model = camera.model, means(model: model) { return true }
        return camera.serial.map(means(serial:)) ?? false
    }
}

extension FoundCamera {
    /// Whether that is its address, its name, its model or its serial number.
    package func isMeant(by what: String) -> Bool {
        if what == host || what == place { return true }
        return CameraName(what)?.means(self) ?? false
    }
}

/// A serial number as it is compared: "Sony pads with zeros".
struct Serial: Equatable {
    private let text: Substring

    /// Nothing where it tells no body from another.
    init?(_ text: String?) {
        guard let text else { return nil }
        self.text = text.lowercased().filter { !$0.isWhitespace }.drop { $0 == "0" }
        guard !self.text.isEmpty else { return nil }
    }
}
