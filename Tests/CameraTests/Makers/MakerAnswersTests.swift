import PTP
import TestSupport
import Testing

@testable import Camera

/// What the person beside a body is told when it refuses, by what the facts know of each make's answers.
@Suite struct MakerAnswersTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let make: BodyKind.Make
        let code: UInt16
        let has: [String]

        init(_ make: BodyKind.Make, _ code: UInt16, _ has: String...) {
            (self.make, self.code, self.has) = (make, code, has)
        }

        var testDescription: String { "\(make.maker) \(ResponseCode(rawValue: code))" }
    }

    /// By make, so that the same number stands once in each.
    static let rows = canon + nikon + sony

    private static let canon = [
        // "Object deleted on the body during transfer."
        Row(.canon, 0x2002, "deleted on it", "asked for it again"),
        // "Canon after CloseSession."
        Row(.canon, 0x2005, "connect again"),
        // "Cancelled by body: 0x2007, 0x201F."
        Row(.canon, 0x2007, "broken off", "asked for it again"),
        Row(.canon, 0x201F, "broken off", "asked for it again"),
        // "Card pulled."
        Row(.canon, 0x2008, "card", "access lamp"),
        Row(.canon, 0x2013, "card", "access lamp"),
        Row(.canon, 0x200C, "full"),
        Row(.canon, 0x2019, "busy", "asked again"),
        // "A001 UnknownCommand, A005 OperationRefused, A006 LensCoverClosed."
        Row(.canon, 0xA001, "connect again"),
        Row(.canon, 0xA005, "present mode"),
        Row(.canon, 0xA006, "lens cover", "open"),
        // "A101 LowBattery, A102 ObjectNotReady, A104 CannotMakeObject, A106 MemoryStatusNotReady."
        Row(.canon, 0xA101, "battery"),
        Row(.canon, 0xA102, "still writing", "asked for it again"),
        Row(.canon, 0xA104, "card"),
        Row(.canon, 0xA106, "still writing", "asked for it again"),
    ]

    private static let nikon = [
        // "GetObjectInfo too soon after ObjectAdded (retry)."
        Row(.nikon(.old), 0x2002, "still writing", "asked for it again"),
        // "Unpaired Nikon Z."
        Row(.nikon(.third(isPaired: false)), 0x2005, "Network menu → Connect to computer", "the code"),
        Row(.nikon(nil), 0x2005, "the code"),
        // "No pairing operations."
        Row(.nikon(.first), 0x2005, "present mode"),
        // "Cancelled by body: 0x2007, 0x201F."
        Row(.nikon(.second), 0x2007, "broken off", "asked for it again"),
        Row(.nikon(.second), 0x201F, "broken off", "asked for it again"),
        Row(.nikon(.second), 0x2008, "card", "access lamp"),
        Row(.nikon(.second), 0x2013, "card", "access lamp"),
        Row(.nikon(.second), 0x200C, "full"),
        // "Nikon Wi-Fi access lock."
        Row(.nikon(.second), 0x200F, "picture-transfer mode", "Camera control"),
        Row(.nikon(.second), 0x2019, "busy", "asked again"),
        // "A001 HardwareError, A021 StoreError."
        Row(.nikon(.second), 0xA001, "off and on"),
        Row(.nikon(.second), 0xA021, "card"),
        // "A022 StoreUnformatted (also named AdvancedTransferCancel)."
        Row(.nikon(.second), 0xA022, "not formatted", "cancelled"),
        // "A081 no transfer list."
        Row(.nikon(.old), 0xA081, "sending"),
    ]

    /// In each of its modes, and while it is not known which.
    private static let sony = ([nil] + SonyMode.allCases).flatMap { mode in
        [
            // "Session poisoned by an unknown operation."
            Row(.sony(mode), 0x2002, "connected to again"),
            Row(.sony(mode), 0x2005, "connected to again"),
            // "Cancelled by body: 0x2007, 0x201F."
            Row(.sony(mode), 0x2007, "broken off", "half-press"),
            Row(.sony(mode), 0x201F, "broken off", "half-press"),
            Row(.sony(mode), 0x200C, "full"),
            // "Wrong camera mode."
            Row(.sony(mode), 0x200F, "present mode", "menu"),
            Row(.sony(mode), 0x2019, "busy", "asked again"),
            // "A101 AuthenticationFailed, A102 PasswordTooLong, A103 PasswordBadChar, A104 FeatureVersionInvalid."
            Row(.sony(mode), 0xA101, "Access Authentication", "ssh-user", "ssh-password-file"),
            Row(.sony(mode), 0xA102, "shorter", "Access Authentication", "ssh-password-file"),
            Row(.sony(mode), 0xA103, "characters", "Access Authentication", "ssh-password-file"),
            Row(.sony(mode), 0xA104, "sdio-version"),
            // "A105 TemporaryStorageFull: drain", "A106 CameraStatusError".
            Row(.sony(mode), 0xA105, "memory", "full"),
            Row(.sony(mode), 0xA106, "present mode", "playback"),
        ]
    }

    @Test(
        "each answer that a make gives is explained, with the name of the body and what to do",
        arguments: rows)
    func explained(row: Row) throws {
        let words = try #require(BodyKind(name: "Body X", row.make).words)
        let sentence = try #require(words.advice(on: ResponseCode(rawValue: row.code)))
        #expect(sentence.contains("Body X"), "\(sentence)")
        for text in row.has { #expect(sentence.contains(text), "\(sentence)") }
        #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
        #expect(!sentence.contains("..") && !sentence.contains("  "), "\(sentence)")
    }

    /// Whatever else a make comes to say.
    @Test("whatever is said of an answer names the body", arguments: [0x2002...0x2023, 0xA001...0xA209])
    func named(codes: ClosedRange<UInt16>) throws {
        for make in Set(Self.rows.map(\.make.maker)).sorted() {
            let kind = try #require(Self.rows.first { $0.make.maker == make }).make
            let words = try #require(BodyKind(name: "Body X", kind).words)
            for code in codes {
                guard let sentence = words.advice(on: ResponseCode(rawValue: code)) else { continue }
                #expect(sentence.contains("Body X"), "\(make), \(code): \(sentence)")
            }
        }
    }

    /// "In remote mode GetStorageIDs is answered with 0x2013"; "card pulled: 0x2008, 0x2013".
    @Test(
        "a Sony's card that is not available is out where it is shown, and never shown in PC Remote",
        arguments: [(SonyMode.remote, false), (.transfer, true), (.sendToComputer, true)])
    func card(mode: SonyMode, isShown: Bool) throws {
        let words = try #require(BodyKind(name: "Body X", .sony(mode)).words)
        for code in [ResponseCode.storeNotAvailable, .invalidStorageID] {
            let sentence = try #require(words.advice(on: code))
            #expect(sentence.contains("Body X") && sentence.contains("taken out") == isShown, "\(sentence)")
            #expect(sentence.contains("PC Remote") != isShown, "\(sentence)")
        }
    }
}
