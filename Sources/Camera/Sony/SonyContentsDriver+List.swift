import Bridge
import PTP

/// How the list of a card is read.
extension SonyContentsDriver {
    static let slots: ClosedRange<UInt32> = 1...2
    /// A body that makes its list anew while it is read does not do so for ever.
    private static let mostLists = 3
    private static let mostPages = 10_000

    private func page(_ slot: UInt32, after: UInt64) async throws(CameraError) -> SonyContentList {
        try await session.ask(
            .sonyContentList,
            [
                UInt32(truncatingIfNeeded: after), UInt32(truncatingIfNeeded: after >> 32),
                SonyContents.page, slot, 0,
            ], limit: SonyContentList.mostBytes
        ) { bytes throws(Malformed) in try SonyContentList(decoding: bytes) }
    }

    /// One page, to see whether the body lists anything at all. One that is all there is need not be asked for again
    /// before it is known what is new.
    func lookAtCard() async throws(CameraError) {
        let slot = Self.slots.lowerBound
        let page = try await page(slot, after: 0)
        var draft = contents
        guard case .nothing = draft.add(page, after: 0) else { return }
        contents = draft
        listed.insert(slot)
        await remember(slot)
    }

    /// What is listed in a slot: all of it anew, or what comes behind what is known. What was known before counts until
    /// the last page has come, and after that what is on these pages does. Gives what is new on the card that was in it.
    @discardableResult
    func list(_ slot: UInt32, anew: Bool) async throws(CameraError) -> [PhotoReference] {
        await listing.enter()
        defer { listing.leave() }
        var draft = contents
        if anew { draft.forget(slot) }
        var (after, lists, pages) = (draft.end(of: slot), 1, 0)
        reading: while pages < Self.mostPages {
            let page = try await page(slot, after: after)
            pages += 1
            guard !draft.isOfAnotherList(page) || lists == Self.mostLists else {
                draft.startOver(with: page)
                (after, lists) = (0, lists + 1)
                continue
            }
            switch draft.add(page, after: after) {
            case .page(let time): after = time
            case .nothing: break reading
            case .unknown:
                changes.push(
                    .remark(
                        "the camera's list of its card does not go on behind \(draft.entries.count) files"))
                break reading
            }
        }
        let former = contents
        contents = draft
        refusals[slot] = nil
        let isFirst = listed.insert(slot).inserted
        await remember(slot)
        guard let time = former.dataTimes[slot] else {
            // A card is in it again, and may be another one.
            if !isFirst { changes.push(.cardsChanged) }
            return []
        }
        if time != draft.dataTimes[slot] { changes.push(.cardsChanged) }
        return draft.news(since: former)
    }

    /// That it is out is told once. What comes into the slot next may have other photos under the same names.
    func cardIsOut(of slot: UInt32) {
        if contents.dataTimes[slot] != nil { changes.push(.cardsChanged) }
        contents.cardIsOut(of: slot)
    }

    private func remember(_ slot: UInt32) async {
        guard let time = contents.dataTimes[slot] else { return }
        await plain.learn { $0.sony.beginnings.read(slot, at: time) }
    }

    /// All of it, anew. Gives whether there is a card at all.
    func listAll() async throws(CameraFailure) -> Bool {
        try await throwIfEnded()
        for slot in Self.slots {
            do throws(CameraError) {
                try await list(slot, anew: true)
            } catch {
                // A body of one slot may refuse another one in any way. What else is refused is there still: what is known
                // of it counts until the body lists it again.
                let mayBeNone = slot != Self.slots.lowerBound && contents.dataTimes[slot] == nil
                guard error.saysThatNoCardIsThere || mayBeNone && error.isNoForGood else {
                    throw CameraFailure(error)
                }
                cardIsOut(of: slot)
            }
        }
        return !contents.dataTimes.isEmpty
    }
}

extension CameraError {
    /// "Card pulled: 0x2008, 0x2013." A slot that a body does not have is a parameter that it does not know.
    var saysThatNoCardIsThere: Bool {
        guard case .answered(_, let code, _) = problem else { return false }
        return [.invalidStorageID, .storeNotAvailable, .invalidParameter, .parameterNotSupported].contains(
            code)
    }

    fileprivate var isNoForGood: Bool { isHarmless && code != nil && code != .deviceBusy }
}
