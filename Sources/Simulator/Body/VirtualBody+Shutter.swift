import PTP

extension VirtualBody {
    // MARK: The shutter

    mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot {
        let (objects, notices) = press(&faults, at: now)
        var shot = Shot()
        shot.objects = objects
        shot.notices = notices.map(\.notice)
        return shot
    }

    /// Takes a photo. What a camera tells of it, in order, before it is put into any maker's words.
    mutating func press(
        _ faults: inout Faults, at now: Duration
    ) -> (objects: [ObjectHandle], notices: [CardNotice]) {
        guard isCardIn else {
            complaints.append("the shutter was pressed without a card")
            return ([], [])
        }
        shots += 1
        var notices: [CardNotice] = []
        if let rule = faults.first(.cardSwap), rule.number("shots") == UInt64(shots) {
            swapCard(reusesHandles: rule.text("handles") == "reused")
            notices += [.storeRemoved(.firstSlot), .storeAdded(.firstSlot)]
        }
        if faults.take(.storeFull) != nil { return ([], notices + [.storeFull(.firstSlot)]) }
        let size = faults.take(.hugeObject)?.number("size")
        let handles: [ObjectHandle]
        do throws(VirtualCard.Unusable) {
            handles = try card.shoot(dated: localSeconds(), at: now, size: size)
        } catch {
            return ([], notices + [.storeFull(.firstSlot)])
        }
        for handle in handles { spoil(handle, &faults) }
        return (handles, notices + noticesOfPhoto(handles, &faults))
    }

    private func noticesOfPhoto(_ handles: [ObjectHandle], _ faults: inout Faults) -> [CardNotice] {
        if faults.take(.missingNotices) != nil { return [] }
        if faults.take(.onlyCaptureComplete) != nil { return [.captureComplete] }
        var notices: [CardNotice] = []
        if let count = faults.take(.noticeFlood)?.number("count") {
            notices += (0..<count).map {
                .propertyChanged(DevicePropertyCode(rawValue: 0x5001 + UInt16($0 % 16)))
            }
        }
        notices += handles.map { .objectAdded($0) } + [.captureComplete]
        return faults.take(.duplicateNotices) == nil ? notices : notices.flatMap { [$0, $0] }
    }

    /// What a script says of the photo itself is true of it from its beginning, however often it is looked at.
    mutating func spoil(_ handle: ObjectHandle, _ faults: inout Faults) {
        if faults.take(.emptyObject, object: handle) != nil { card.empty(handle) }
        if faults.take(.protected, object: handle) != nil { card.setProtected(handle, true) }
        if let rule = faults.take(.foreignBeginning, object: handle) {
            let kind = rule.text("as").flatMap(ForeignBeginning.init) ?? .zeros
            card.change(handle) { $0.foreignBeginning = kind.bytes }
        }
    }

    // MARK: Cards that come and go

    private mutating func swapCard(reusesHandles: Bool) {
        var settings = card.settings
        settings.seed = settings.seed &+ 1
        do throws(VirtualCard.Unusable) {
            var fresh = try VirtualCard(settings, photos: 0)
            // By the standard handles are not used again within a session; bodies that make them of slot, folder and
            // number use them again.
            if !reusesHandles { fresh.nextHandle = card.nextHandle }
            card = fresh
        } catch {
            complaints.append("the card could not be changed: \(error)")
        }
        contents.forget()
    }

    mutating func pullCard() -> [EventPacket]? {
        guard isCardIn else { return nil }
        isCardIn = false
        return card.storages.map { CardNotice.storeRemoved($0).notice }
    }

    mutating func insertCard() -> [EventPacket]? {
        guard !isCardIn else { return nil }
        isCardIn = true
        return card.storages.map { CardNotice.storeAdded($0).notice }
    }

    mutating func switchedOff(_ faults: Faults) {
        toVanish = nil
        // What is only in memory is gone with the power.
        if faults.has(.inMemory) { card.removeAll { !$0.isFolder } }
        contents.forget()
    }

    var photos: [CardPhoto] { card.objects.filter { !$0.isFolder }.map { photo($0) } }

    func photo(_ object: CardObject) -> CardPhoto {
        CardPhoto(
            handle: object.handle, storage: object.storage, name: object.name, size: object.size,
            uniqueID: card.uniqueID(of: object), content: contents.maker(of: object))
    }
}
