import Arguments
import Basics
import Bridge
import GalleryCopy
import Posix
import Store

/// `photo …`: what an operator says of photos, for the galleries that they go to. It is kept here first, so that it works
/// without an uplink and before the upload.
enum PhotoCommands {
    static let name = "photo"

    private static let photos = PositionalSpec(
        "PHOTO", .any,
        "A name, a path on the card, a number of 'tetherline captures', a SHA-256 or its beginning, or what the gallery calls it."
    )
    private static let common = [
        OptionSpec("event", "EVENT", "Only of this event, by id or name. [any]"),
        OptionSpec("home", "DIR", "The bridge's home. [$TETHERLINE_HOME, or ~/.local/state/tetherline]"),
    ]

    private static func command(
        _ name: String, _ summary: String, _ first: PositionalSpec? = nil, options: [OptionSpec] = [],
        example: String
    ) -> CommandSpec {
        var spec = CommandSpec(name, summary)
        spec.positionals = [first, photos].compactMap { $0 }
        spec.options = options + common
        spec.examples = [example]
        return spec
    }

    static let spec: CommandSpec = {
        var spec = CommandSpec(name, "Rates, captions, tags, hides and sorts photos at their gallery.")
        spec.discussion = [
            "What is said is kept here at once, also without an uplink and before the photo is uploaded. The bridge that runs sends "
                + "it, or 'tetherline sync --now'; 'tetherline sync' shows what waits, and what others have changed at the same time."
        ]
        spec.subcommands = [
            command(
                "rate", "Gives photos a rating.", PositionalSpec("STARS", .one, "From 0 to 5."),
                example: "tetherline photo rate 5 DSC_0412.JPG DSC_0413.JPG"),
            command(
                "caption", "Gives photos a caption; an empty one takes it away.",
                PositionalSpec("TEXT", .one, "At most 2000 characters."),
                example: "tetherline photo caption 'The first dance' DSC_0412.JPG"),
            command(
                "tag", "Adds a tag to photos, or takes it away.",
                PositionalSpec("TAG", .one, "At most 50 characters."),
                options: [.flag("remove", "Take it away.")],
                example: "tetherline photo tag dance DSC_0412.JPG"),
            command(
                "album", "Puts photos into an album, or takes them out.",
                PositionalSpec("ALBUM", .one, "Its name; it is made where there is none."),
                options: [.flag("remove", "Take them out.")],
                example: "tetherline photo album Church DSC_0412.JPG"),
            command("hide", "Hides photos from guests.", example: "tetherline photo hide DSC_0412.JPG"),
            command(
                "unhide", "Shows photos to guests again.", example: "tetherline photo unhide DSC_0412.JPG"),
            command(
                "show", "What is said of photos, as it is known here.",
                options: [.flag("json", "Print JSON, one value a line.")],
                example: "tetherline photo show DSC_0412.JPG"),
        ]
        return spec
    }()

    static func run(_ invocation: Invocation, on reactor: Reactor) async throws -> ExitCode {
        let home = Home(invocation.value("home"))
        var words = invocation.positionals
        let command = invocation.path.last ?? ""
        let said = ["hide", "unhide", "show"].contains(command) || words.isEmpty ? "" : words.removeFirst()
        guard !words.isEmpty else { throw UsageError("Say which photos.") }
        guard words.count <= PhotoEditRequest.mostPhotos else {
            throw UsageError("At most \(PhotoEditRequest.mostPhotos) photos at a time.")
        }
        let wish = try wish(command, said, removes: invocation.has("remove"))
        let finder = try PhotoFinder(home, event: invocation.value("event"))
        var photos: [PhotoFinder.Photo] = []
        for word in words {
            let photo = try finder.photo(word)
            if !photos.contains(photo) { photos.append(photo) }
        }
        guard let wish else { return try show(photos, finder, isJSON: invocation.has("json")) }
        let request = PhotoEditRequest(
            photos: photos.map(\.named), edit: wish.edit, album: wish.album,
            takesOut: invocation.has("remove"))
        let answer = try await CommandRouter.perform(request.members, in: home, on: reactor) { _ in
            let thread = ThreadExecutor(name: "copy")
            defer { thread.shutDown() }
            let copy = home.galleryCopy(on: thread) { printError("tetherline: \($0)") }
            let answer = try await request.perform(in: copy, home)
            try await copy.end()
            return answer
        }
        let galleries = (answer["galleries"]?.array ?? []).compactMap(\.string)
        printOutput(
            "\(photos.count == 1 ? "1 photo" : "\(photos.count) photos") changed; "
                + "'tetherline sync' shows when \(Visible(galleries.joined(separator: ", "))) has it")
        return .success
    }

    /// What is to be said of the photos; nothing where they are only shown.
    private static func wish(
        _ command: String, _ said: String, removes: Bool
    ) throws(UsageError) -> (edit: PhotoEdit, album: String?)? {
        var edit = PhotoEdit()
        switch command {
        case "rate":
            guard let stars = Int(said), RecordLimits.ratings.contains(stars) else {
                throw UsageError("'\(said)' is no rating: it is from 0 to 5, and stands before the photos.")
            }
            edit.rating = stars
        case "caption": edit.caption = said
        case "tag" where removes: edit.removedTags = [said]
        case "tag": edit.addedTags = [said]
        case "album":
            let album = RecordEdit.album(GalleryRecord.Album(event: "", name: said))
            if let objection = album.objection { throw UsageError(objection) }
            return (edit, said)
        case "hide": edit.isHidden = true
        case "unhide": edit.isHidden = false
        default: return nil
        }
        if let objection = RecordEdit.photo(edit).objection { throw UsageError(objection) }
        return (edit, nil)
    }

    private static func show(
        _ photos: [PhotoFinder.Photo], _ finder: PhotoFinder, isJSON: Bool
    ) throws -> ExitCode {
        for photo in photos {
            let views = try finder.views(of: photo)
            if views.isEmpty, !isJSON {
                printOutput("\(Visible(photo.label)): nothing is known of it at a gallery yet")
            }
            for view in views {
                if isJSON {
                    printOutput(view.json.compact)
                } else {
                    for line in view.lines { printOutput(Visible(line).description) }
                }
            }
        }
        return .success
    }
}

extension Home {
    var galleryCopy: String { "\(path)/\(CopyDatabase.fileName)" }

    /// For the process that holds the lock.
    func galleryCopy(
        on thread: ThreadExecutor, report: @escaping @Sendable (String) -> Void,
        told: @escaping @Sendable (CopyPlace, [GalleryRecord]) -> Void = { _, _ in }
    ) -> GalleryCopy {
        GalleryCopy(
            path: galleryCopy, executor: thread, wall: SystemWallTime(), random: SystemRandomSource(),
            report: report, told: told)
    }

    /// Nothing where none was made yet.
    func readGalleryCopy() throws -> CopyDatabase? {
        do throws(SystemError) {
            guard try Directory(path: path).facts(of: CopyDatabase.fileName) != nil else { return nil }
        } catch {
            guard error.kind != .missing else { return nil }
            throw error
        }
        return try CopyDatabase(readingAt: galleryCopy)
    }
}
