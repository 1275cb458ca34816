/// What was pressed at a terminal, as far as a screen has a use for it.
package enum Key: Equatable, Sendable {
    case character(Character)
    case enter
    case escape
    case up
    case down
    case backspace
    /// Ctrl-L: the screen is to be drawn anew.
    case redraw
    /// Something that has a key and no meaning here.
    case other
}

/// Bytes of a terminal as keys, in whatever pieces they come. What is pasted is no command: it is passed over.
package struct KeyDecoder: Equatable, Sendable {
    private enum State: Equatable, Sendable {
        case ground
        /// After ESC: a key of its own, or the beginning of a sequence.
        case escape
        /// After ESC [ or ESC O: its bytes so far.
        case sequence([UInt8], isSingle: Bool)
        /// A character of several bytes: those that came, and how many are missing.
        case character([UInt8], missing: Int)
    }

    private var state = State.ground
    private var isPasting = false
    /// No key's sequence is longer; what comes behind is no key.
    private static let longestSequence = 32

    package init() {}

    /// ESC has come and nothing behind it yet: after a moment it was the key. What is pasted comes at once, too: an end of
    /// it that never comes locks no keyboard.
    package var isUndecided: Bool { state == .escape || isPasting }

    /// Nothing has come for a moment.
    package mutating func pause() -> [Key] {
        defer { isPasting = false }
        guard state == .escape else { return [] }
        state = .ground
        return isPasting ? [] : [.escape]
    }

    package mutating func keys(of bytes: some Sequence<UInt8>) -> [Key] {
        bytes.compactMap { byte in
            let key = take(byte)
            return isPasting ? nil : key
        }
    }

    private mutating func take(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return begin(byte)
        case .escape:
            switch byte {
            case UInt8(ascii: "["), UInt8(ascii: "O"):
                state = .sequence([], isSingle: byte == UInt8(ascii: "O"))
                return nil
            case 0x1B: return .escape
            default:
                // A key together with Alt.
                state = .ground
                return .other
            }
        case .sequence(let bytes, let isSingle):
            // "Intermediate bytes … 02/00 to 02/15, final byte … 04/00 to 07/14" (ECMA-48 §5.4).
            guard isSingle || 0x40...0x7E ~= byte else {
                let isOver = bytes.count >= Self.longestSequence || byte < 0x20
                state = isOver ? .ground : .sequence(bytes + [byte], isSingle: false)
                return byte == 0x1B ? take(byte) : nil
            }
            state = .ground
            return key(bytes, byte)
        case .character(let bytes, let missing):
            guard 0x80...0xBF ~= byte else {
                state = .ground
                return take(byte)
            }
            guard missing == 1 else {
                state = .character(bytes + [byte], missing: missing - 1)
                return nil
            }
            state = .ground
            return String(validating: bytes + [byte], as: UTF8.self)?.first.map(Key.character) ?? .other
        }
    }

    private mutating func begin(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1B:
            state = .escape
            return nil
        case 0x0A, 0x0D: return .enter
        case 0x08, 0x7F: return .backspace
        case 0x0C: return .redraw
        case 0x20...0x7E: return .character(Character(Unicode.Scalar(byte)))
        case 0xC2...0xDF: state = .character([byte], missing: 1)
        case 0xE0...0xEF: state = .character([byte], missing: 2)
        case 0xF0...0xF4: state = .character([byte], missing: 3)
        default: return .other
        }
        return nil
    }

    private mutating func key(_ parameters: [UInt8], _ last: UInt8) -> Key? {
        switch last {
        case UInt8(ascii: "A"): return .up
        case UInt8(ascii: "B"): return .down
        case UInt8(ascii: "M"): return .enter
        case UInt8(ascii: "~"):
            // What xterm calls bracketed paste.
            if parameters == Array("200".utf8) { isPasting = true }
            if parameters == Array("201".utf8) {
                isPasting = false
                return nil
            }
            return .other
        default: return .other
        }
    }
}
