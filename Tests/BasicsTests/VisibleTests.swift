import Basics
import Testing

@Suite struct VisibleTests {
    @Test("what a terminal would obey is shown instead")
    func harmless() {
        #expect(Visible("\u{1B}[2Jgone").description == "\\u{1B}[2Jgone")
        #expect(Visible("a\u{202E}gpj.exe\n").description == "a\\u{202E}gpj.exe\\u{A}")
        #expect(Visible("日本 📷 é.JPG").description == "日本 📷 é.JPG")
    }
}
