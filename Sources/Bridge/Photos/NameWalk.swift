/// How a photo gets a name of its own: its names are gone through, one after the other, until one is free or has the very
/// photo already. Nothing is ever replaced.
///
/// Questions out, answers in. ``step`` is what has to be found out or done next; each step has one answer. A driver asks
/// its disk, its server or its bucket, and decides nothing.
///
/// * A name is looked at before it is claimed, unless the other side refuses by itself to replace what is there. Then the
///   likeliest names are claimed at once, and those after them looked at first: bytes are not sent once more for nothing.
/// * "Already there" is believed of something with the photo's size and its SHA-256 only.
/// * A claim that is refused, or whose answer was lost, is followed by a look at what has the name now.
public struct NameWalk: Equatable, Sendable {
    public enum Step: Equatable, Sendable {
        /// What has this name? Answered by ``saw(_:)``.
        case look(String)
        /// Is what has this name the photo, by its SHA-256? Answered by ``compared(isSame:)``.
        case compare(String)
        /// Give the photo this name, unless something has it by now. Answered by ``claimed(_:)``.
        case claim(String)
        case ended(Outcome)
    }

    public enum Outcome: Equatable, Sendable {
        /// The photo has this name. What was begun for it elsewhere is not needed where it was there already.
        case has(String, wasThere: Bool)
        /// Other things have all of its names.
        case noneFree
        /// Twice the name was refused as taken, and nothing was there afterwards: something else works on it.
        case contested(String)
        /// No answer came to the claim, and nothing is there.
        case unclaimed(String)
    }

    /// What lies under a name.
    public enum Sight: Equatable, Sendable {
        case nothing
        case file(size: UInt64)
        /// A folder, or what cannot be the photo for another reason.
        case other
    }

    public enum Claim: Equatable, Sendable {
        case done
        /// Something has the name.
        case taken
        /// It may have been done; the answer was lost.
        case unknown
    }

    private static let mostClaims = 2

    private let preferred: [String]
    private let candidates: NameCandidates
    private let size: UInt64?
    private let claimsUnseen: Bool
    private var index = 0
    private var claims = 0
    private var isUncertain = false
    public private(set) var step: Step

    /// `preferred` are tried first: what the photo was called there before, or is half sent under. `size` is the photo's;
    /// without it whatever is a file is compared. `claimsUnseen` where the other side refuses to replace anything.
    public init(
        preferred: [String] = [], _ candidates: NameCandidates, size: UInt64?, claimsUnseen: Bool = false
    ) {
        self.preferred = preferred
        self.candidates = candidates
        self.size = size
        self.claimsUnseen = claimsUnseen
        step = .ended(.noneFree)
        begin()
    }

    /// The name that is being decided on; nothing at the end.
    public var name: String? {
        switch step {
        case .look(let name), .compare(let name), .claim(let name): name
        case .ended: nil
        }
    }

    /// Whether `name`, on which it was being decided, has turned out to be another photo's.
    public func hasMoved(from name: String?) -> Bool {
        guard let name, name != self.name else { return false }
        return switch step {
        case .look, .compare, .claim, .ended(.noneFree): true
        case .ended(.has), .ended(.contested), .ended(.unclaimed): false
        }
    }

    public mutating func saw(_ sight: Sight) {
        guard case .look(let name) = step else { preconditionFailure("\(sight) answers \(step)") }
        switch sight {
        case .nothing where isUncertain: step = .ended(.unclaimed(name))
        case .nothing where claims >= Self.mostClaims: step = .ended(.contested(name))
        case .nothing: step = .claim(name)
        case .file(let found) where size.map { $0 == found } ?? true: step = .compare(name)
        case .file, .other: next()
        }
    }

    public mutating func compared(isSame: Bool) {
        guard case .compare(let name) = step else { preconditionFailure("a comparison answers \(step)") }
        if isSame {
            step = .ended(.has(name, wasThere: !isUncertain))
        } else {
            next()
        }
    }

    public mutating func claimed(_ claim: Claim) {
        guard case .claim(let name) = step else { preconditionFailure("\(claim) answers \(step)") }
        claims += 1
        isUncertain = claim == .unknown
        step = claim == .done ? .ended(.has(name, wasThere: false)) : .look(name)
    }

    private mutating func next() {
        index += 1
        begin()
    }

    private mutating func begin() {
        claims = 0
        isUncertain = false
        let name =
            index < preferred.count ? preferred[index] : candidates[index - preferred.count]
        guard let name else {
            step = .ended(.noneFree)
            return
        }
        step = claimsUnseen && index <= preferred.count ? .claim(name) : .look(name)
    }
}

/// The names that a photo may get, in the order in which they are tried: the one that it ought to have, numbered ones, and
/// at last some that have a part of its SHA-256.
public struct NameCandidates: Equatable, Sendable {
    /// Each name costs a destination a question, so there are few. The camera's counter may have been round so often that
    /// even the numbered names are other photos'.
    public static let usualNumbers = 14
    /// How much of the SHA-256, in hexadecimal digits.
    private static let marks = [8, 32]

    private let folder: String
    private let name: String
    private let numbers: Int
    private let sha256: String?

    /// `folder` ends with a slash, or is empty.
    public init(in folder: String = "", _ name: String, sha256: String) {
        self.folder = folder
        self.name = name
        self.sha256 = sha256
        numbers = Self.usualNumbers
    }

    /// For a photo whose SHA-256 is not known yet.
    public init(_ name: String, numbers: Int) {
        folder = ""
        self.name = name
        self.numbers = numbers
        sha256 = nil
    }

    /// The first one.
    public var wanted: String { folder + name }
    public var count: Int { numbers + (sha256 == nil ? 0 : Self.marks.count) }

    subscript(index: Int) -> String? {
        if index < numbers { return folder + SafeName.numbered(name, index + 1) }
        guard let sha256, index < count else { return nil }
        return folder + SafeName.marked(name, String(sha256.prefix(Self.marks[index - numbers])))
    }
}
