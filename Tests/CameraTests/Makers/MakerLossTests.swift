import Basics
import Bridge
import Camera
import Simulator
import TestSupport
import Testing

/// Each make before a simulated body that does not let us in, or goes: what follows, and what the person beside it is told.
@Suite(.timeLimit(.minutes(Cases.minutesOfHang))) struct MakerLossTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let model: String
        let maker: String
        let name: String
        let script: String
        let word: String
        let has: [String]
        var hasNot: [String] = []

        var testDescription: String { "\(model), \(script): \(word)" }

        var known: KnownBody {
            KnownBody(
                identity: CameraIdentity(manufacturer: maker, model: name, body: "1"),
                driver: GenericDriver.name, serial: "1")
        }
    }

    private static let bodies = [
        ("canon-r6", "Canon Inc.", "Canon EOS R6"), ("nikon-z6", "Nikon Corporation", "Z 6"),
        ("nikon-z8", "Nikon Corporation", "Z 8"), ("sony-a7m4", "Sony Corporation", "ILCE-7M4"),
    ]

    private static let strangers: [String: (has: [String], hasNot: [String])] = [
        "canon-r6": (["'Start pairing'", "EOS Utility"], []),
        "nikon-z6": (["camera.guid"], ["profile", "press OK", "Start pairing"]),
        "nikon-z8": (["Network menu → Connect to computer", "delete the profile"], []),
        "sony-a7m4": (["PC Remote"], []),
    ]

    static let rows: [Row] = bodies.flatMap { model, maker, name in
        let stranger = strangers[model] ?? ([], [])
        return [
            Row(
                model: model, maker: maker, name: name, script: "init-fail reason=1", word: "needsPerson",
                has: stranger.has, hasNot: stranger.hasNot),
            Row(
                model: model, maker: maker, name: name, script: "init-fail reason=2", word: "busy",
                has: ["half a minute"]),
            Row(
                model: model, maker: maker, name: name, script: "silent-accept", word: "needsPerson", has: []),
        ]
    }

    @Test("a body that does not let us in is named, with what to do on that body", arguments: rows)
    func notLetIn(row: Row) async throws {
        let model = try #require(CameraModel.named(row.model))
        let stand = GenericStand(try Rig(row.script, model: model))
        let failure = await ConformanceCheck.failure {
            try await stand.connector {
                if row.script == "silent-accept" { $0.waitForPerson = .milliseconds(100) }
            }.met(knowing: row.known) { _ in }
        }
        let loss = try #require(failure).loss
        #expect(loss.word == row.word)
        for text in row.has + [row.name] { #expect(loss.reason.contains(text), "\(loss.reason)") }
        for text in row.hasNot { #expect(!loss.reason.contains(text), "\(loss.reason)") }
        ConformanceCheck.expectSentences(failure)
    }

    @Test(
        "a body that hangs up while nothing is asked of it has gone to sleep, and is woken with its shutter",
        arguments: ["canon-r6", "nikon-z6ii", "sony-a7m4"])
    func asleep(model: String) async throws {
        let stand = GenericStand(try Rig(photos: 0, model: try #require(CameraModel.named(model))))
        let failure = await ConformanceCheck.failure {
            try await stand.connector().met(knowing: nil) { driver in
                await stand.switchOff()
                for await _ in driver.changes {}
                try await driver.throwIfEnded()
            }
        }
        // Nothing was known of it before it said who it is.
        let sentence = try #require(failure?.whenIdle)
        #expect(sentence.contains("half-press its shutter"), "\(sentence)")
        #expect(failure?.loss.word == "lost")
    }
}
