import PTP
import TestSupport
import Testing

@testable import Camera

/// What the person beside a Sony is told of an answer: of that body, and what can be done on it.
@Suite struct SonyWordsTests {
    /// What the facts know of a Sony's answers, and what of that the sentence has to name.
    private static let rows: [(code: UInt16, has: [String])] = [
        // "Session poisoned by an unknown operation."
        (0x2002, ["connected to again"]), (0x2005, ["connected to again"]),
        // "Card pulled."
        (0x2008, ["card"]), (0x2013, ["card"]),
        // "Wrong camera mode; do not loop."
        (0x200F, ["mode"]),
        // "Camera busy writing to card, AF, menu open."
        (0x2019, ["busy", "asked again"]),
        // "AuthenticationFailed, PasswordTooLong, PasswordBadChar, FeatureVersionInvalid."
        (0xA101, ["Access Authentication", "ssh-user", "ssh-password-file"]),
        (0xA102, ["shorter", "Access Authentication", "ssh-password-file"]),
        (0xA103, ["characters", "Access Authentication", "ssh-password-file"]),
        (0xA104, ["sdio-version"]),
        // "TemporaryStorageFull: drain it"; "CameraStatusError".
        (0xA105, ["memory", "full"]), (0xA106, ["mode", "playback"]),
    ]

    @Test(
        "each answer that is known of a Sony has a sentence, which names the body and what to do",
        arguments: rows)
    func answers(code: UInt16, has: [String]) throws {
        for mode in [nil] + SonyMode.allCases {
            let words = try #require(BodyKind(name: "Body X", .sony(mode)).words)
            let sentence = try #require(words.advice(on: ResponseCode(rawValue: code)))
            for text in has + ["Body X"] { #expect(sentence.contains(text), "\(sentence)") }
            #expect(sentence.hasSuffix(".") && !sentence.contains(".."), "\(sentence)")
        }
    }

    /// "In remote mode GetStorageIDs is answered with 0x2013"; in the modes that show the card it is out.
    @Test("a card that is not available is out where it is shown, and never shown in PC Remote")
    func card() throws {
        for (mode, isShown) in [(SonyMode.remote, false), (.transfer, true), (.sendToComputer, true)] {
            let words = try #require(BodyKind(name: "it", .sony(mode)).words)
            let sentence = try #require(words.advice(on: .storeNotAvailable))
            #expect(sentence.contains("taken out") == isShown)
            #expect(sentence.contains("PC Remote") != isShown)
        }
    }
}
