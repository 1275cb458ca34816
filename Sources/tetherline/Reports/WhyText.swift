import Basics
import Bridge
import Console
import Posix

/// A photo's story as lines for people, on a terminal no wider than it is.
struct WhyText {
    /// A terminal's columns; nothing where lines stay whole, for another program.
    let width: Int?

    init(width: Int? = Terminal.knownColumns(1)) { self.width = width }

    func lines(_ story: PhotoStory) -> [String] {
        let photo = story.history
        let name = photo.path.split(separator: "/").last.map(String.init) ?? photo.path
        var lines = said("\(name), photo \(photo.id) of '\(photo.event.name)': \(photo.state.words)")
        lines += said(story.sentence)
        lines += story.cures.flatMap { said($0, behind: "    ") }
        lines.append("")
        lines += table(Self.facts(photo))
        lines.append("")
        lines += table(story.stages.map(Self.row))
        if !story.deliveries.isEmpty { lines.append("") }
        for delivery in story.deliveries {
            lines += said("\(delivery.url) (delivery \(delivery.job)): \(delivery.sentence)", behind: "to ")
        }
        return lines
    }

    private func said(_ text: String, behind start: String = "") -> [String] {
        TextTable.hanging(start, Visible(text).description, width: width)
    }

    private func table(_ rows: [[String]]) -> [String] {
        TextTable.lines(rows.map { $0.map { Visible($0).description } }, width: width)
    }

    private static func facts(_ photo: PhotoHistory) -> [[String]] {
        var facts: [[String]] = []
        func add(_ name: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append([name, text]) }
        }
        let place = photo.address.map { " at \($0)" } ?? ""
        add("camera", photo.camera.map { "\($0)\(place)" } ?? "none: it was found in the spool without a row")
        add("on the card", photo.isInMemory ? "never: it was in the camera's memory" : photo.path)
        add("shot", "\(photo.captureDate), as the camera wrote it")
        add("size", Human.bytes(photo.stagedSize ?? photo.size))
        add("spool", photo.removedAt == nil ? photo.file : nil)
        add("SHA-256", photo.sha256)
        add("doubts", photo.doubts.sentence)
        add("trouble", cost(photo.cost))
        for relative in photo.relatives {
            add(
                relation(relative.relation), "\(relative.path), photo \(relative.id), \(relative.state.words)"
            )
        }
        return facts
    }

    private static func relation(_ relation: PhotoHistory.Relative.Relation) -> String {
        switch relation {
        case .pair: "shot with"
        case .companion: "has beside it"
        case .companionOf: "goes with"
        case .original: "same bytes as"
        case .copy: "came again as"
        }
    }

    private static func cost(_ cost: FailedFetchCost) -> String? {
        guard cost != .none else { return nil }
        let connections = cost.connections == 1 ? "1 connection" : "\(cost.connections) connections"
        return "\(connections) ended over it, after \(Human.bytes(cost.bytes)) and \(Human.span(cost.time))"
    }

    private static func row(_ stage: PhotoStory.Stage) -> [String] {
        [stage.at.onTheWallToTenths, stage.took.map { Human.span($0) } ?? "", stage.text]
    }

    /// Several that one word may mean.
    func choice(_ photos: [PhotoHistory], of word: String, limit: Int) -> [String] {
        let number = photos.count < limit ? "\(photos.count) photos" : "\(photos.count) photos or more"
        let rows = photos.map { photo in
            [
                "\(photo.id)", photo.state.words, Human.bytes(photo.stagedSize ?? photo.size),
                photo.captureDate,
                photo.camera.map { "\($0)" } ?? "-", photo.path, photo.event.name,
            ]
        }
        return said("\(number) may be meant by '\(word)':") + table(rows)
            + said(
                "'tetherline why \(photos[0].id)' tells of the first, and so on; --event EVENT looks at one event only."
            )
    }
}
