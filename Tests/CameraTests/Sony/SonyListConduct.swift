import Bridge
import Camera
import PTP
import Simulator
import TestSupport
import Testing

/// What a body that lists its card (0x923C) does from now on.
struct SonyListConduct {
    /// It refuses these with this.
    var refused: Set<OperationCode> = []
    var code = ResponseCode.ok
    /// It refuses a list from its beginning, and one that is gone on with not.
    var refusesWhole = false
    /// When its list was made, where it says something else than it would.
    var dataTime: UInt64?
    /// There are other photos under the same names: shot a day later, in another folder.
    var hasOtherPhotos = false

    static func stand(
        _ conduct: Shared<SonyListConduct>, photos: Int = 2, _ script: String = "",
        clock: ManualClock? = nil
    ) async throws -> SonyCardStand {
        try await SonyContentsBody.stand(
            photos: photos, script, clock: clock, { $1.photoSize = 20_000 },
            answers: { conduct.value.answer($0, $1) })
    }

    private func answer(_ operation: Responder.Operation, _ answer: BodyAnswer) -> BodyAnswer {
        if refused.contains(operation.code) { return .refusal(code) }
        guard operation.code == .sonyContentList, case .bytes(var bytes) = answer.data else { return answer }
        if refusesWhole, operation.parameters.prefix(2).allSatisfy({ $0 == 0 }) { return .refusal(code) }
        if hasOtherPhotos { bytes = Self.withOtherPhotos(bytes) }
        if let time = dataTime {
            // Behind u16 version and u16 reserved.
            bytes.replaceSubrange(4..<12, with: (0..<8).map { UInt8(time >> (8 * $0) & 0xFF) })
        }
        var answer = answer
        answer.data = .bytes(bytes)
        return answer
    }

    private static let day: UInt64 = 86_400_000

    private static func withOtherPhotos(_ bytes: [UInt8]) -> [UInt8] {
        do throws(Malformed) {
            var list = try SonyContentList(decoding: bytes[...])
            for index in list.contents.indices {
                list.contents[index].created += day
                list.contents[index].createdLocal += day
                for file in list.contents[index].files.indices {
                    list.contents[index].files[file].path.replace("100MSDCF", with: "101MSDCF")
                    list.contents[index].files[file].umid[0] ^= 0xFF
                }
            }
            return list.encoded
        } catch {
            Issue.record(error)
            return bytes
        }
    }
}

extension SonyCardStand {
    /// One connection whose time is the clock's.
    func connect<Result: Sendable>(
        _ clock: ManualClock, _ use: @escaping @Sendable (any CameraDriver) async throws -> Result
    ) async throws -> Result {
        let connector = try stand.connector(time: clock) { $0.driver = choice }
        return try await clock.ticking(
            upTo: .seconds(1), until: Task { try await connector.met(knowing: nil, use) })
    }
}
