package import Bridge

/// Under which list of a card (0x923C) its photos were begun: "resume only if the list's DataTime equals the remembered
/// one".
///
/// What is noted of a photo is lost with a crash, and a photo that was begun may have been left where it was. So the first
/// list that was ever read of a slot is remembered for good: what is not noted was begun under that one or not at all, and
/// is gone on with under no other.
package struct SonyBeginnings: Equatable, Sendable {
    /// When the first list that was ever read of a slot was made.
    package internal(set) var first: [UInt32: UInt64] = [:]
    /// Photos that were begun under a later list and have not come whole, with the time of that list.
    package internal(set) var begun: [PhotoReference: UInt64] = [:]

    /// Those of one connection are a few: what broke off is gone on with before anything else is begun.
    package static let most = 64

    package init() {}

    /// A list of that slot has been read.
    package mutating func read(_ slot: UInt32, at time: UInt64) {
        if first[slot] == nil { first[slot] = time }
    }

    package func mayResume(_ reference: PhotoReference, in slot: UInt32, under time: UInt64) -> Bool {
        (begun[reference] ?? first[slot]) == time
    }

    /// Its first byte is asked for: nothing is left of what came before.
    package mutating func begin(_ reference: PhotoReference, in slot: UInt32, under time: UInt64) {
        if first[slot] == time {
            begun[reference] = nil
        } else {
            begun[reference] = time
        }
        // What was begun under the oldest list is the last that could be gone on with.
        while begun.count > Self.most, let oldest = begun.min(by: { ($0.value, $0.key) < ($1.value, $1.key) })
        {
            begun[oldest.key] = nil
        }
    }

    /// All of it has come.
    package mutating func ended(_ reference: PhotoReference) { begun[reference] = nil }
}

extension SonyBeginnings {
    private static let firstList = "list-time-"
    private static let beginning = "begun-"

    /// As the ledger keeps it.
    var words: [String: String] {
        var words: [String: String] = [:]
        for (slot, time) in first { words["\(Self.firstList)\(slot)"] = String(time) }
        for (reference, time) in begun { words["\(Self.beginning)\(reference)"] = String(time) }
        return words
    }

    mutating func apply(_ word: String, _ value: String) {
        guard let time = UInt64(value) else { return }
        if word.hasPrefix(Self.firstList), let slot = UInt32(word.dropFirst(Self.firstList.count)) {
            // A body that is recognised late has another first list in its ledger than in this connection.
            first[slot] = min(first[slot] ?? time, time)
        } else if word.hasPrefix(Self.beginning), begun.count < Self.most {
            begun[PhotoReference(String(word.dropFirst(Self.beginning.count)))] = time
        }
    }
}
