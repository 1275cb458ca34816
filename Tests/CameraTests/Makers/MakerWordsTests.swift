import Bridge
import PTP
import TestSupport
import Testing

@testable import Camera

/// What the person beside a body is told: complete, named, and of that body alone.
@Suite struct MakerWordsTests {
    private static let generations: [NikonGeneration?] = [
        nil, .old, .first, .second, .third(isPaired: false), .third(isPaired: true),
    ]
    private static let kinds: [BodyKind] =
        [BodyKind(name: "Body X", .canon)]
        + generations.map { BodyKind(name: "Body X", .nikon($0)) }
        + ([nil] + SonyMode.allCases).map { BodyKind(name: "Body X", .sony($0)) }

    @Test("each kind of body has a sentence for each trouble, and the sentence names the body")
    func complete() throws {
        for kind in Self.kinds {
            let words = try #require(kind.words)
            var sentences = [words.howToConnect]
            for trouble in ConnectionTrouble.allCases {
                guard let sentence = words.advice(on: trouble) else {
                    // Only a Sony stands behind SSH.
                    #expect(trouble == .notAdmitted && kind.make.maker != "Sony", "\(kind), \(trouble)")
                    continue
                }
                sentences.append(sentence)
            }
            for sentence in sentences {
                #expect(sentence.contains("Body X"), "\(kind): \(sentence)")
                #expect(sentence.hasSuffix(".") && sentence.first?.isUppercase == true, "\(sentence)")
                #expect(!sentence.contains("..") && !sentence.contains("  "), "\(sentence)")
            }
        }
    }

    /// By what the facts say of such a body: what its sentence has, and what it has not.
    private static let rows: [(BodyKind.Make, ConnectionTrouble, has: [String], hasNot: [String])] = [
        // "The GUID is stored in that Wi-Fi setting; cure = re-create the setting."
        (
            .canon, .stranger,
            ["'Remote control (EOS Utility)'", "'Start pairing'", "press OK"], ["GUID"]
        ),
        // "No pairing operations; took the GUID learned from Wireless Transmitter Utility."
        (
            .nikon(.first), .stranger,
            ["Wireless Transmitter Utility", "camera.guid"], ["pairing'", "press OK", "profile", "code"]
        ),
        (.nikon(.old), .stranger, ["any computer"], ["profile", "press OK", "camera.guid"]),
        (
            .nikon(.third(isPaired: true)), .stranger,
            ["Network menu → Connect to computer", "delete the profile", "code"], ["Transmitter"]
        ),
        (.nikon(nil), .stranger, ["profile", "Z 5", "camera.guid"], []),
        // "Accepts TCP and never answers until Wi-Fi is cycled on the body."
        (.nikon(.old), .unanswered, ["off and on"], ["press OK"]),
        (.nikon(.third(isPaired: false)), .unanswered, ["press OK"], []),
        // "Keeps its single slot ≥ 30 s."
        (.nikon(.second), .taken, ["half a minute"], []),
        // "Max 20."
        (.sony(.remote), .stranger, ["PC Remote", "twenty"], ["USB"]),
        // "Bound over USB once."
        (.sony(.sendToComputer), .stranger, ["USB", "camera.guid"], ["PC Remote", "twenty"]),
        // "One session per user activation."
        (.sony(.sendToComputer), .lost, ["choose Send to Computer"], ["PC Remote"]),
        (.sony(.remote), .unreachable, ["PC Remote"], ["Send to Computer"]),
        // "Direct 15740 is refused while Access Authentication is on."
        (.sony(.remote), .notListening, ["PC Remote", "ssh-user"], ["Send to Computer"]),
        (.sony(nil), .notAdmitted, ["Access Authentication", "ssh-host-key", "fingerprint"], []),
    ]

    @Test("a body is told what it has: no pairing where there is none, no code, no mode that it is not in")
    func facts() throws {
        for (make, trouble, has, hasNot) in Self.rows {
            let words = try #require(BodyKind(name: "it", make).words)
            let sentence = try #require(words.advice(on: trouble))
            for text in has { #expect(sentence.contains(text), "\(make): \(sentence)") }
            for text in hasNot { #expect(!sentence.contains(text), "\(make): \(sentence)") }
        }
    }

    @Test("an end of the connection is explained by the maker, and by nothing of one where it is not known")
    func endings() {
        let endings: [Ending] = [
            .refused(.rejectedInitiator, .command), .refused(.busy, .command), .refused(.unspecified, .event),
            .sessionRefused(.deviceBusy), .notConfirmed(after: .seconds(180)),
            .unreachable(.command, reason: "no route"), .nothingListens(port: 15740),
            .linkLost(.command, reason: "the camera closed it"), .stalled(after: .seconds(20)),
            .tooSlow(bytesPerSecond: 1, least: 2), .silent(waitingFor: "answer", after: .seconds(9)),
            .hung(silentFor: .seconds(28), over: .getStorageIDs),
        ]
        for ending in endings {
            for kind in Self.kinds {
                let error = CameraError(camera: "10.0.0.1", kind: kind, .ended(ending))
                #expect(error.advice.contains("Body X"), "\(kind.make), \(ending): \(error.advice)")
            }
            let stranger = CameraError(camera: "10.0.0.1", .ended(ending)).advice
            #expect(!stranger.isEmpty && !stranger.contains("EOS Utility"), "\(stranger)")
        }
    }

    // MARK: Whose body it is

    private func known(_ manufacturer: String, _ model: String) -> KnownBody {
        KnownBody(
            identity: CameraIdentity(manufacturer: manufacturer, model: model, body: "1"),
            driver: GenericDriver.name, serial: "1")
    }

    /// "gen 1: Z 5, Z 6, Z 7, Z 50; gen 2: Z 6II, Z 7II, Z fc, Z 30; gen 3: Z 8, Z 9, Z 6III, Z f, Z 5II, Z 50II, ZR".
    @Test(
        "a Nikon that was met before is of the generation that its name says",
        arguments: [
            (["Z 5", "Z 6", "Z 7", "Z 50"], NikonGeneration.first),
            (["Z 6II", "Z 6_2", "Z 7II", "Z fc", "Z 30"], .second),
            (["Z 8", "Z 9", "Z 6III", "Z f", "Z 5II", "Z 50II", "ZR"], .third(isPaired: true)),
            (["D5300", "D7200", "NIKON D750", "V1", "1 J5"], .old),
        ])
    func generations(models: [String], generation: NikonGeneration) {
        for model in models {
            let kind = BodyKind(of: known("Nikon Corporation", model), .automatic)
            #expect(kind == BodyKind(name: model, .nikon(generation)))
        }
    }

    @Test("the operator's word counts before what was here last, and a name goes with its own maker alone")
    func beforeItSpeaks() throws {
        let canon = known("Canon Inc.", "Canon EOS R6")
        #expect(BodyKind(of: nil, .automatic) == nil)
        #expect(BodyKind(of: canon, .automatic) == BodyKind(name: "Canon EOS R6", .canon))
        let nikon = try #require(DriverChoice("nikon"))
        #expect(BodyKind(of: canon, nikon) == BodyKind(name: "Nikon", .nikon(nil)))
        let transfer = try #require(DriverChoice("sony:transfer"))
        let sony = known("Sony Corporation", "ILCE-7M4")
        #expect(BodyKind(of: sony, transfer) == BodyKind(name: "ILCE-7M4", .sony(.transfer)))
        #expect(BodyKind(of: sony, .automatic) == BodyKind(name: "ILCE-7M4", .sony(nil)))
        #expect(BodyKind(of: known("Nikon Corporation", "COOLPIX"), .automatic)?.make == .nikon(nil))
        let long = BodyKind(of: known("Canon", String(repeating: "R", count: 200)), .automatic)
        #expect(long?.name.count == 40)
    }
}
