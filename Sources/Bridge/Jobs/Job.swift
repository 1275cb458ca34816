public import Basics

/// Where one photo stands on its way to one destination. The same names in code, database and JSON.
public enum JobState: String, Equatable, Sendable, CaseIterable {
    /// The photo is whole in the spool; nothing has been tried, or nothing came of it that counts.
    case staged
    /// A gallery has given a place to put it. Only galleries do that.
    case presigned
    /// Bytes are on their way. After a crash the job goes back to where it came from.
    case uploading
    /// A gallery has the bytes and works on them. Only galleries do that.
    case uploadedAwaitingProcessing
    /// The destination has it, and the receipt says under what name.
    case completed
    /// Failed, and is tried again when its time comes.
    case failedRetryable
    /// Waits for the operator.
    case failedPermanent
}

/// What a destination does, as far as the machine has to know.
public enum DestinationKind: String, Sendable {
    /// It takes the photo in one step: a folder, a bucket, a server. The ledger has called it so since its first
    /// version.
    case direct = "file"
    /// It gives a place, takes the bytes there, works on them, and says when it has the photo.
    case gallery
}

/// Which of two is delivered first: what is small and what is a picture before a RAW, always.
public enum Lane: Int64, Comparable, Sendable {
    case first = 0
    case later = 1

    /// Pictures, and what is no larger than `small` whatever it is.
    public init(_ kind: PhotoKind, size: UInt64, small: UInt64) {
        self = kind == .picture || size <= small ? .first : .later
    }

    public static func < (left: Lane, right: Lane) -> Bool { left.rawValue < right.rawValue }
}

/// One photo's way to one destination.
public struct Job: Equatable, Sendable {
    public let id: JobID
    public let capture: CaptureID
    public let destination: DestinationID
    public let kind: DestinationKind
    public var state: JobState
    public let lane: Lane
    /// Goes with every request, so that a lost answer never makes a second photo.
    public private(set) var key: String
    /// Failures that counted.
    public var attempts: Int
    /// When it is tried again, or when it was staged.
    public var due: Timestamp
    /// When it should be there, where the operator has said so: what has to be there sooner goes first.
    public var deadline: Timestamp?
    public private(set) var photo: StagedPhoto
    /// What it may be called there.
    public private(set) var facts: NameTemplate.Facts
    /// What it has to be called there, whatever the template of its destination says.
    public private(set) var wantedName: String?
    /// When it was taken, where the camera has said how far its clock is from UTC. Most say a date and a time of day,
    /// which is no moment.
    public var takenAt: Timestamp?
    /// When it was taken, as far as it can be known: see ``ConfirmationTimes``. Nothing for what is sent again, or to a
    /// destination that was named later: how long that takes says nothing of the way.
    public var shot: Timestamp?
    /// By how many seconds the camera's clock was ahead of UTC when the photo came, where its body tells its time.
    public var cameraClockAhead: Int64?
    /// Why it failed last, while it is one that failed.
    public var problem: String?
    /// The place that a gallery gave for it.
    public var intent: PresignedUpload?
    /// What a destination of one step has to remember of it from one try to the next, in its own words.
    public var note: String?
    /// What it was called there when it was delivered before: it gets that name again where no other photo has it by now.
    public var formerName: String?

    public init(
        id: JobID, capture: CaptureID, destination: DestinationID, kind: DestinationKind, state: JobState,
        lane: Lane, key: String, attempts: Int, due: Timestamp, photo: StagedPhoto,
        facts: NameTemplate.Facts, problem: String? = nil, intent: PresignedUpload? = nil, note: String? = nil
    ) {
        self.id = id
        self.capture = capture
        self.destination = destination
        self.kind = kind
        self.state = state
        self.lane = lane
        self.key = key
        self.attempts = attempts
        self.due = due
        self.photo = photo
        self.facts = facts
        self.problem = problem
        self.intent = intent
        self.note = note
    }
}

extension Job {
    /// The same delivery with another file in the photo's place.
    public func sending(_ copy: StagedPhoto) -> Job {
        var job = self
        job.photo = copy
        return job
    }

    /// A file that goes beside the photo, which is called `name` there: under the same name with this ending.
    public func sending(_ file: StagedPhoto, beside name: String, as ending: String) -> Job {
        var job = sending(file)
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        var facts = job.facts
        facts.name = parts.last.map(String.init) ?? name
        facts.name = "\(facts.nameParts.stem).\(ending)"
        job.facts = facts
        job.wantedName = (parts.dropLast().map(String.init) + [facts.name]).joined(separator: "/")
        // Neither what was begun of the photo nor what it was called before is this file's.
        job.key += "-\(ending)"
        job.note = nil
        job.formerName = nil
        return job
    }

    /// Folders and a name, none of them empty.
    public func components(by template: NameTemplate) -> [String] {
        wantedName.map { $0.split(separator: "/").map(String.init) } ?? template.components(for: facts)
    }
}

/// What a destination has acknowledged.
public struct Receipt: Equatable, Sendable {
    public enum Place: Equatable, Sendable {
        /// The name it has there.
        case key(String)
        /// The gallery's id of the photo.
        case photo(String)
    }

    public var place: Place
    /// Of what lies there, which is not what the camera wrote where something is said about the photo in it.
    public var size: UInt64
    public var sha256: String
    /// Nothing where nothing was to be said about it.
    public var caption: DeliveredCaption?

    public init(key: String, size: UInt64, sha256: String) {
        self.init(.key(key), size: size, sha256: sha256)
    }

    public init(_ place: Place, size: UInt64, sha256: String) {
        self.place = place
        self.size = size
        self.sha256 = sha256
    }

    /// The gallery's id of the photo, where it is at a gallery.
    public var photoID: String? { if case .photo(let id) = place { id } else { nil } }

    public var json: JSONValue {
        let first: (key: String, value: JSONValue) =
            switch place {
            case .key(let key): (key: "key", value: .string(key))
            case .photo(let id): (key: "photoId", value: .string(id))
            }
        let caption = caption.map { [(key: "caption", value: $0.json)] } ?? []
        return .object(
            [first, (key: "size", value: .unsigned(size)), (key: "sha256", value: .string(sha256))] + caption)
    }

    /// As the ledger keeps it; nothing for what is no receipt.
    public init?(noted: String) {
        do throws(JSON5Error) {
            let value = try JSON5.parse(noted)
            let place =
                value["key"]?.string.map { Place.key($0) } ?? value["photoId"]?.string.map { .photo($0) }
            guard let place, let size = value["size"]?.integer.flatMap({ UInt64(exactly: $0) }),
                let sha256 = value["sha256"]?.string
            else { return nil }
            self.init(place, size: size, sha256: sha256)
            caption = DeliveredCaption(value["caption"])
        } catch {
            return nil
        }
    }
}

/// A step of a job, to be written before anything relies on it.
public struct JobChange: Equatable, Sendable {
    public let job: JobID
    public let from: JobState
    public let to: JobState
    public var attempts: Int
    public var due: Timestamp
    /// Why it failed, for the operator; nothing in the states that are no failure.
    public var problem: String?
    public var receipt: Receipt?
    /// The place that a gallery has given, as the ledger is to remember it.
    public var intent: PresignedUpload?
    /// Taken back by the operator: it counts neither as failed nor as open.
    public var isCancelled = false

    public init(
        _ job: JobID, from: JobState, to: JobState, attempts: Int, due: Timestamp, problem: String? = nil,
        receipt: Receipt? = nil, intent: PresignedUpload? = nil
    ) {
        self.job = job
        self.from = from
        self.to = to
        self.attempts = attempts
        self.due = due
        self.problem = problem
        self.receipt = receipt
        self.intent = intent
    }
}

/// A job was not in the state that a change begins from: a bug, or another process wrote into the ledger.
public struct JobMismatch: Error, Equatable, Sendable {
    public let change: JobChange

    public init(change: JobChange) {
        self.change = change
    }
}
