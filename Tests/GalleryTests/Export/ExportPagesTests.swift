import Basics
import TestSupport
import Testing

@testable import Gallery

/// Events of more photos than a page has, as values.
@Suite struct ExportPagesTests {
    private static func event() throws -> Event {
        let zone = ZoneName("Europe/Vienna")
        let start = Timestamp(milliseconds: 1_795_287_600_000)
        return Event(
            id: TestIDs.id(1), owner: TestIDs.id(2), name: "Wedding", slug: "wedding", startsAt: start,
            expiresAt: nil, pinHash: nil, allowsOriginals: false, allowsHearts: true, allowsComments: true,
            createdAt: start, updatedAt: start,
            counts: Event.Counts(photos: 0, bytes: 0, pending: 0, failed: 0, visible: 0),
            key: GuestLinkKey(random: SeededSource(1)), timeZone: zone, guessedOffset: nil, look: EventLook())
    }

    /// A photo a minute, the last of which comes first on the page.
    private static func rows(_ numbers: some Sequence<Int>) throws -> ExportRows {
        let event = try event()
        let rows = numbers.sorted(by: >).map { number in
            let moment = Timestamp(milliseconds: 1_795_287_600_000 + Int64(number) * 60_000)
            func key(_ part: Int) -> String {
                let digits = String(number * 3 + part, radix: 16)
                return String(repeating: "0", count: 32 - digits.count) + digits
            }
            let photo = Photo(
                id: TestIDs.id(number), event: event.id, owner: event.owner, sequence: Int64(number),
                sha256: String(repeating: "a", count: 64), contentType: "image/jpeg", size: 10, width: 30,
                height: 20, filename: "DSC_\(number % 100).JPG", source: nil, camera: nil, copyright: nil,
                capturedAt: moment, capturedOffset: nil,
                shownAt: Timestamp(milliseconds: moment.milliseconds + 3_600_000), createdAt: moment,
                thumbKey: key(0), screenKey: key(1), originalKey: key(2), thumbWidth: 3, thumbHeight: 2,
                caption: "", rating: 0, tags: [], isHidden: false, updatedAt: moment, stamp: Int64(number))
            return ExportRows.Row(photo: photo, thumbSize: 1, screenSize: 2)
        }
        return ExportRows(event: event, rows: rows)
    }

    /// Photos in two of three sections: those of even numbers, and those that three divides.
    private static func inSections(_ numbers: some Sequence<Int>) throws -> ExportPlan {
        let known = try rows(numbers)
        let sections = ["Ceremony", "Empty", "Dance & more"].enumerated().map { index, name in
            Section(id: TestIDs.id(9000 + index), name: name, photos: 0)
        }
        let rows = known.rows.map { row in
            var row = row
            if row.photo.sequence % 2 == 0 { row.sections.append(0) }
            if row.photo.sequence % 3 == 0 { row.sections.append(2) }
            return row
        }
        return ExportPlan(
            ExportRows(event: known.event, sections: sections, rows: rows), originals: false, .system)
    }

    private static func pages(of plan: ExportPlan, in language: Language) -> [ExportPage] {
        let pages = ExportPages(plan, in: language)
        return pages.lists.flatMap { pages.pages(of: $0) }
    }

    private static func plan(_ numbers: some Sequence<Int>) throws -> ExportPlan {
        ExportPlan(try rows(numbers), originals: true, .system)
    }

    @Test(
        "pages of three hundred photos lead to each other, and an hour that goes on has its heading on both")
    func pages() throws {
        let plan = try Self.plan(1...650)
        let pages = Self.pages(of: plan, in: .english)
        #expect(pages.map(\.name) == ["index.html", "page-2.html", "page-3.html"])
        #expect(pages.map(\.items.count) == [300, 300, 50])
        let htmls = pages.map(\.html)
        #expect(htmls.map { $0.ranges(of: "<li class=\"a18\"").count } == [300, 300, 50])
        #expect(htmls[0].contains("data-older=\"page-2.html#photo-\(TestIDs.id(350))\""))
        #expect(htmls[1].contains("data-newer=\"index.html#photo-\(TestIDs.id(351))\" data-older="))
        #expect(htmls[1].contains("data-before=\"300\"") && htmls[2].contains("data-older=\"\""))
        #expect(htmls[2].contains("rel=\"prev\" href=\"page-2.html\"") && !htmls[2].contains("rel=\"next\""))
        let hours = pages.map { $0.hours.map { $0.text ?? "" } }
        #expect(hours[0].last == hours[1].first, "one of these hours is on two pages")
        #expect(Set(hours[0]).count == hours[0].count)
        var count = 0
        for page in pages { for run in page.hours { count += run.photos.count } }
        #expect(count == 650)
    }

    @Test("each section with photos has pages of its own, which lead to each other and to all photos")
    func sections() throws {
        let (ceremony, dance) = ("section-\(TestIDs.id(9000))", "section-\(TestIDs.id(9002))")
        let pages = Self.pages(of: try Self.inSections(1...650), in: .english)
        #expect(
            pages.map(\.name) == [
                "index.html", "page-2.html", "page-3.html", "\(ceremony).html", "\(ceremony)-page-2.html",
                "\(dance).html",
            ])
        #expect(pages.map(\.items.count) == [300, 300, 50, 300, 25, 216])
        #expect(pages[3].items.allSatisfy { $0.photo.sequence % 2 == 0 })
        #expect(pages[5].items.allSatisfy { $0.photo.sequence % 3 == 0 })
        let row = """
            <li><a href="\(dance).html"><bdi>Dance &amp; more</bdi> <small>216</small></a></li>
            """
        for page in pages.dropLast() { #expect(page.html.contains(row)) }
        #expect(pages.allSatisfy { !$0.html.contains("Empty") })
        #expect(pages[0].html.contains("<a href=\"index.html\" aria-current=\"page\"><bdi>All photos</bdi>"))
        #expect(pages[4].html.contains("<a href=\"\(ceremony).html\" aria-current=\"true\"><bdi>Ceremony"))
        #expect(pages[3].html.contains("data-older=\"\(ceremony)-page-2.html#photo-\(TestIDs.id(50))\""))
        #expect(pages[4].html.contains("data-newer=\"\(ceremony).html#photo-\(TestIDs.id(52))\""))
        #expect(pages[4].html.contains("data-before=\"300\" data-count=\"325\""))
        #expect(try !Self.pages(of: Self.plan(1...9), in: .english)[0].html.contains("class=\"sections\""))
    }

    @Test("sections for which there are too many pages are told, and smaller ones behind them have theirs")
    func tooMany() throws {
        let pages = ExportPages(try Self.inSections(1...650), in: .english, most: 4)
        #expect(pages.lists.map(\.section) == [nil, "Dance & more"])
        #expect(pages.left == ["Ceremony"])
        #expect(ExportPages(try Self.inSections(1...650), in: .english, most: 6).left == [])
    }

    @Test("pages are in the language that was asked for, and no text of them is English elsewhere")
    func languages() throws {
        let plan = try Self.inSections(1...650)
        let german = Self.pages(of: plan, in: .german)[1].html
        for words in [
            "<html lang=\"de\"", "Zu den Fotos springen", "<span>21. November 2026</span>", "650 Fotos",
            "Seite 2 von 3", "Zeitzone: Europe/Vienna", "Neuere Fotos", "Ältere Fotos", "Alle Fotos",
            "Seite 2 <span>22. November 2026, 01:50</span>",
        ] { #expect(german.contains(words), "\(words)") }
        let said: [Word] = [
            .skip, .sections, .all, .exportNewer, .exportOlder, .exportPages, .photoAmong, .getPhoto, .close,
            .newerPhoto, .olderPhoto, .unplayable,
        ]
        // Spelt alike.
        let alike: [Language: [Word]] = [.french: [.exportPages]]
        let english = Words.of(.english)
        for language in Language.allCases where language != .english {
            let words = Words.of(language)
            let pages = Self.pages(of: plan, in: language)
            for page in [pages[1], pages[4]] {
                for word in said where alike[language]?.contains(word) != true {
                    #expect(!page.html.contains(english[word]), "\(language): \(word)")
                }
                #expect(page.html.contains("alt=\"\(words[.photo])\""), "\(language)")
                #expect(!page.html.contains("of 3") && !page.html.contains("Facts of"), "\(language)")
            }
        }
    }

    @Test("an event without photos has one page that says so")
    func empty() throws {
        let pages = Self.pages(of: try Self.plan([]), in: .english)
        #expect(pages.map(\.name) == ["index.html"])
        #expect(pages[0].html.contains("There are no photos.") && pages[0].html.contains("0 photos"))
    }

    @Test(
        "a folder holds no more files than it should, and a photo that goes moves no other to another folder")
    func folders() throws {
        let few = try Self.plan(1...500)
        #expect(few.files.allSatisfy { $0.path.split(separator: "/").count == 2 })
        let many = try Self.plan(1...1200)
        let folders = Dictionary(grouping: many.files) { file in
            file.path.split(separator: "/").dropLast().joined(separator: "/")
        }
        #expect(
            folders.keys.sorted().filter { $0.hasPrefix("thumbs") } == [
                "thumbs/0000", "thumbs/0001", "thumbs/0002",
            ])
        #expect(folders.values.allSatisfy { $0.count <= ExportPlan.mostInOneFolder })
        #expect(Set(many.files.map(\.path)).count == many.files.count)
        #expect(many.files.allSatisfy { ExportFolder.isPath($0.path) })
        let fewer = try Self.plan((1...1200).filter { $0 != 600 })
        func folder(_ plan: ExportPlan, _ number: Int) -> Substring? {
            plan.items.first { $0.photo.sequence == Int64(number) }?.files[.screen]?.path.prefix(12)
        }
        for number in [599, 601, 1100] { #expect(folder(fewer, number) == folder(many, number)) }
    }
}
