import Glibc
import Posix
import TestSupport
import Testing

/// What a process holds, beside what other programs say of it.
@Suite struct ProcessFiguresTests {
    @Test("memory and files are those that ps and the kernel's folder show", .enabled(if: Tool.isThere("ps")))
    func figures() throws {
        let figures = try ProcessFigures.now()
        let judged = try #require(Tool("ps")).run(["-o", "rss=,vsz=", "-p", "\(getpid())"])
        let kilobytes = judged.text.split(separator: " ").compactMap { UInt64($0.filter(\.isNumber)) }
        try #require(kilobytes.count == 2, "\(judged.text)")
        // Other tests run beside it in this process: it is the same within a half.
        func isNear(_ ours: UInt64, _ theirs: UInt64) -> Bool { ours < theirs * 2 && theirs < ours * 2 }
        #expect(isNear(figures.residentBytes, kilobytes[0] * 1024), "\(figures) \(kilobytes)")
        #expect(isNear(figures.virtualBytes, kilobytes[1] * 1024), "\(figures) \(kilobytes)")
        #expect(figures.processorSeconds > 0 && figures.openFiles > 2)
        #expect(figures.mostFiles >= UInt64(figures.openFiles))
    }
}
