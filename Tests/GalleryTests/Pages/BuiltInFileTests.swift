import TestSupport
import Testing

@testable import Gallery

@Suite struct BuiltInFileTests {
    @Test(
        "each file that lies beside the others is compiled in as it is",
        arguments: ["Pages/Assets", "Pages/Languages", "API"])
    func files(in folder: String) throws {
        let place = "Sources/Gallery/\(folder)"
        let names = TemporaryFolder.contents(of: place).filter { !$0.hasSuffix(".swift") }
        #expect(!names.isEmpty)
        for name in names {
            let file = try readFile("\(place)/\(name)")
            #expect(BuiltInFile.bytes(of: name) == file, "\(name)")
        }
    }
}
