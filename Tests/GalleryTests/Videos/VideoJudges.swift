import TestSupport
import Testing

extension Tool {
    /// What one of the programs that judge a video prints, which is to find nothing wrong with it.
    static func judged(
        _ name: String, _ arguments: [String], in folder: TemporaryFolder
    ) throws -> String {
        let ended = try #require(Tool(name)).run(arguments, in: folder.path)
        #expect(ended.code == 0, "\(name): \(ended.errors)")
        return ended.text
    }
}
