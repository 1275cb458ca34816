import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// The driver with the bytes of a real body: an R6's answer to GetEvent, as it was recorded.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct CanonBytesTests {
    /// A body that gives one recorded answer, and has what that speaks of.
    private struct RecordedBody: CameraBody {
        var answers: [[UInt8]]

        var operations: OperationTable {
            var table = OperationTable.standard
            table.offered = [.getDeviceInfo, .getStorageIDs, .getObjectHandles, .getObjectInfo, .getObject]
            table.offered += [0x9115, 0x9116].map { OperationCode(rawValue: $0) }
            return table
        }

        mutating func connected(isFirst: Bool, _ faults: inout Faults) {}
        mutating func delivered() {}
        mutating func shoot(_ faults: inout Faults, at now: Duration) -> Shot { Shot() }
        mutating func noticesOfSession() -> [(after: Duration, notice: EventPacket)] { [] }
        mutating func takeComplaints() -> [String] { [] }

        mutating func perform(
            _ operation: Responder.Operation, _ faults: inout Faults, at now: Duration
        ) -> BodyAnswer {
            switch operation.code.rawValue {
            case 0x1001:
                var info = DeviceInfo()
                info.operations = operations.offered
                (info.manufacturer, info.model, info.serialNumber) = ("Canon.Inc", "Canon EOS R6m2", "1")
                return .dataset(info.encoded)
            case 0x1008: return info(ObjectHandle(rawValue: operation.parameters.first ?? 0))
            case 0x9115: return BodyAnswer(code: .ok)
            case 0x9116: return .dataset(answers.count > 1 ? answers.removeFirst() : CanonBytes.idle)
            default: return .refusal(.operationNotSupported)
            }
        }

        private func info(_ handle: ObjectHandle) -> BodyAnswer {
            var info = ObjectInfo()
            (info.storage, info.parent) = (.firstSlot, ObjectHandle(rawValue: 0x5190_0000))
            switch handle.rawValue {
            case 0x5191_1B01:
                (info.fileName, info.format) = ("2R7A4528.CR3", FormatCode(rawValue: 0xB108))
                info.compressedSize = 24_885_906
            case 0x5191_1B02:
                (info.fileName, info.format, info.compressedSize) = ("2R7A4528.JPG", .exifJPEG, 1_113_532)
            case 0x5190_0000: (info.fileName, info.format, info.parent) = ("100EOSR6", .association, .root)
            default: return .refusal(.invalidObjectHandle)
            }
            return .dataset(info.encoded)
        }
    }

    @Test(
        "an answer larger than any body gives is thrown away, and what came with it is looked for on the card"
    )
    func tooLarge() async throws {
        let flood = [UInt8](repeating: 0, count: CanonEventList.longest + 1)
        let body = RecordedBody(answers: [flood, CanonBytes.r6, CanonBytes.idle])
        let stand = GenericStand(try Rig(body: body))
        try await stand.connector().met(knowing: nil) { driver in
            var told: [CameraChange] = []
            let changes = driver.changes.makeAsyncIterator()
            while told.count < 3, let change = await changes.next() {
                if case .remark = change { continue }
                told.append(change)
            }
            let handles = [0x5191_1B01, 0x5191_1B02] as [UInt32]
            let added = handles.map { CameraChange.added(PhotoReference(ObjectHandle(rawValue: $0))) }
            #expect(told == [.cardsChanged] + added)
        }
    }

    @Test("an answer that is cut in a record tells what is whole, and sends to the card for the rest")
    func cut() async throws {
        let body = RecordedBody(answers: [Array(CanonBytes.r6.prefix(100)), CanonBytes.idle])
        let stand = GenericStand(try Rig(body: body))
        try await stand.connector().met(knowing: nil) { driver in
            var told: [CameraChange] = []
            let changes = driver.changes.makeAsyncIterator()
            while told.count < 3, let change = await changes.next() { told.append(change) }
            guard case .remark(let sentence) = told.first else { return #expect(Bool(false), "it is said") }
            #expect(sentence.contains("64 bytes") && sentence.contains("36 are left"), "\(sentence)")
            let raw = PhotoReference(ObjectHandle(rawValue: 0x5191_1B01))
            #expect(told.dropFirst() == [.cardsChanged, .added(raw)])
        }
    }

    /// PropValueChanged: size 16, type 0xC189, property, value.
    private static func settings(_ count: Int) -> [UInt8] {
        [[UInt8]](repeating: hex("10 00 00 00  89 C1 00 00  01 D3 00 00  07 00 00 00"), count: count).flatMap
        { $0 }
    }

    @Test("settings that flood the first answers, counts of shots and the battery, hide no photo behind them")
    func flooded() async throws {
        let flood = Self.settings(30_000)
        let body = RecordedBody(answers: [flood, flood + CanonBytes.r6, CanonBytes.idle])
        let stand = GenericStand(try Rig(body: body))
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            var told: [CameraChange] = []
            while told.count < 2, let change = await changes.next() { told.append(change) }
            let handles = [0x5191_1B01, 0x5191_1B02] as [UInt32]
            #expect(told == handles.map { .added(PhotoReference(ObjectHandle(rawValue: $0))) })
        }
    }

    @Test("more records than any body tells at once send to the card for what stood behind them")
    func tooMany() async throws {
        let flood = Self.settings(CanonEventList.mostRecords)
        let body = RecordedBody(answers: [flood + CanonBytes.r6, CanonBytes.idle])
        let stand = GenericStand(try Rig(body: body))
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            guard case .remark(let sentence) = await changes.next() else {
                return #expect(Bool(false), "it is said")
            }
            #expect(sentence.contains("more than 65536 records"), "\(sentence)")
            #expect(await changes.next() == .cardsChanged)
        }
    }

    @Test("an R6's own answer tells of a RAW and its JPEG, each by the handle under which it is asked for")
    func r6() async throws {
        let stand = GenericStand(try Rig(body: RecordedBody(answers: [CanonBytes.r6, CanonBytes.idle])))
        try await stand.connector().met(knowing: nil) { driver in
            let changes = driver.changes.makeAsyncIterator()
            var offers: [Offer] = []
            while offers.count < 2, let change = await changes.next() {
                guard case .added(let reference) = change else { continue }
                if let offer = try await driver.describe(reference, withRating: false) {
                    offers.append(offer)
                }
            }
            #expect(offers.map(\.reference.text) == ["0x51911B01", "0x51911B02"])
        }
    }
}
