import Bridge
import Testing

@Suite struct SafeNameTests {
    @Test(
        "what cameras really write stays as it is",
        arguments: [
            "DSC_0001.NEF", "_DSC0001.ARW", "IMG 0001.JPG", "2R7A4528.CR3", "日本の写真.JPG", "DSCF.jpg",
            "100CANON",
            "a.b.c.JPG", "MVI_0001.MOV", "naïve.jpg", "👩🏽 🏳.jpg",
        ])
    func ordinary(name: String) {
        #expect(SafeName.component(name, fallback: "x") == name)
    }

    static let hostile: [(String, String)] = [
        ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("..\\..\\boot.ini", "boot.ini"),
        ("..", "_"), (".", "_"), ("", "fallback"), ("/", "fallback"), ("...", "_.."), (".bashrc", "_bashrc"),
        ("-rf", "_rf"), ("a\u{0}b.JPG", "a_b.JPG"), ("a\nb.JPG", "a_b.JPG"), ("C:photo.JPG", "C_photo.JPG"),
        ("photo.JPG. . ", "photo.JPG"), ("CON", "_CON"), ("nul.jpg", "_nul.jpg"), ("COM1.JPG", "_COM1.JPG"),
        ("LPT9", "_LPT9"), ("PRN.x", "_PRN.x"), ("aux", "_aux"), ("a\u{202E}gpj.exe", "a_gpj.exe"),
        ("a*b?.JPG", "a_b_.JPG"), ("  a.JPG", "a.JPG"),
        // Found by fuzzing: the dot came to the front when the space had gone.
        (" ._", "__"), ("  -rf", "_rf"),
        ("\u{FEFF}a.JPG", "_a.JPG"), ("a\u{200B}.JPG", "a_.JPG"), ("a\u{7F}.JPG", "a_.JPG"),
    ]

    @Test("what a hostile camera writes becomes harmless", arguments: hostile)
    func hostileNames(name: String, safe: String) {
        let got = SafeName.component(name, fallback: "fallback")
        // Three dots: the first is replaced, the others fall off the end.
        #expect(got == (name == "..." ? "_" : safe))
    }

    @Test(
        "an emoji of several parts stays one; what joins them shows nothing anywhere else, and is not taken",
        arguments: [
            ("👩\u{200D}👩\u{200D}👧.jpg", "👩\u{200D}👩\u{200D}👧.jpg"),
            ("👩🏽\u{200D}🚀 2.jpg", "👩🏽\u{200D}🚀 2.jpg"),
            ("🏳\u{FE0F}\u{200D}🌈.jpg", "🏳\u{FE0F}\u{200D}🌈.jpg"), ("❤\u{FE0F}.jpg", "❤\u{FE0F}.jpg"),
            ("a\u{200D}b.jpg", "a_b.jpg"), ("1\u{200D}2.jpg", "1_2.jpg"),
            ("👩\u{200D}a.jpg", "👩_a.jpg"), ("a\u{200D}👩.jpg", "a_👩.jpg"),
            ("👩\u{200D}\u{200D}👩.jpg", "👩__👩.jpg"), ("👩\u{200D}.jpg", "👩_.jpg"),
            ("\u{200D}👩.jpg", "_👩.jpg"), ("👩\u{200D}", "👩_"),
            ("👩\u{200B}👩.jpg", "👩_👩.jpg"),
        ])
    func emoji(name: String, safe: String) {
        let got = SafeName.component(name, fallback: "fallback")
        #expect(Array(got.unicodeScalars) == Array(safe.unicodeScalars))
    }

    @Test(
        "every result is one short, visible component, and safe already",
        arguments: hostile.map(\.0) + [
            String(repeating: "é", count: 300) + ".JPG", String(repeating: "📷", count: 100) + ".ARW",
            String(repeating: "a", count: 300), "a." + String(repeating: "b", count: 300),
            // Each of them one character.
            "e" + String(repeating: "\u{301}", count: 300) + ".JPG",
            String(repeating: "👩\u{200D}", count: 100) + "👩.JPG",
            String(repeating: "👩\u{200D}", count: 100) + "👩",
        ])
    func invariants(name: String) {
        let safe = SafeName.component(name, fallback: "fallback")
        #expect(safe.utf8.count <= 255)
        #expect(!safe.isEmpty && safe != "." && safe != "..")
        #expect(!safe.contains("/") && !safe.hasPrefix(".") && !safe.hasPrefix("-"))
        #expect(SafeName.component(safe, fallback: "fallback") == safe)
    }

    @Test("a name that is too long keeps its extension and is cut between characters")
    func longNames() {
        let name = SafeName.component(String(repeating: "📷", count: 100) + ".ARW", fallback: "x")
        #expect(name == String(repeating: "📷", count: 62) + ".ARW")
    }

    @Test("numbers go in front of the extension and fit")
    func numbering() {
        #expect(SafeName.numbered("IMG_0001.JPG", 1) == "IMG_0001.JPG")
        #expect(SafeName.numbered("IMG_0001.JPG", 2) == "IMG_0001-2.JPG")
        #expect(SafeName.numbered("noextension", 3) == "noextension-3")
        let long = String(repeating: "a", count: 251) + ".JPG"
        #expect(SafeName.numbered(long, 12).utf8.count == 255)
        #expect(SafeName.numbered(long, 12).hasSuffix("a-12.JPG"))
    }

    @Test("names that some file systems take for one have one key")
    func collisions() {
        #expect(SafeName.collisionKey("IMG_1.jpg") == SafeName.collisionKey("img_1.JPG"))
    }
}
