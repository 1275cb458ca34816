import Basics

/// What the API says of each thing, in one place: fields that a client may rely on.

extension Timestamp {
    var json: JSONValue { .string(CivilTime.rfc3339(milliseconds: milliseconds)) }
}

extension Optional where Wrapped == Timestamp {
    var json: JSONValue { map(\.json) ?? .null }
    /// What a clock showed, in no zone: "2026-11-21T21:59:03.120".
    var local: JSONValue {
        map { .string(String(CivilTime.rfc3339(milliseconds: $0.milliseconds).dropLast())) } ?? .null
    }
}

extension Optional where Wrapped == String {
    var json: JSONValue { map(JSONValue.string) ?? .null }
}

extension Event {
    /// What its QR code holds: a guest who opens it needs no PIN.
    package func entryURL(_ publicURL: String) -> String { key.link(to: "\(publicURL)/e/\(slug)") }

    func json(publicURL: String) -> JSONValue {
        .object(
            (facts(publicURL).members ?? []) + guestUploads.members + look.members("\(publicURL)/e/\(slug)"))
    }

    private func facts(_ publicURL: String) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "slug": .string(slug), "startsAt": startsAt.json,
            "expiresAt": expiresAt.json, "hasPin": .bool(!isOpen), "allowsOriginals": .bool(allowsOriginals),
            "allowsHearts": .bool(allowsHearts), "allowsComments": .bool(allowsComments),
            "guestUrl": .string("\(publicURL)/e/\(slug)"),
            "entryUrl": .string(entryURL(publicURL)),
            "counts": [
                "photos": .integer(Int64(counts.photos)), "bytes": .unsigned(counts.bytes),
                "pending": .integer(Int64(counts.pending)), "failed": .integer(Int64(counts.failed)),
                "waiting": .integer(Int64(guestUploads.waiting)),
            ],
            "timeZone": (shownZone?.text).json,
            "timeZoneSource": timeZone != nil ? "host" : guessedOffset != nil ? "photos" : .null,
            "createdAt": createdAt.json, "updatedAt": updatedAt.json,
        ]
    }
}

extension Photo {
    /// For its owner.
    var json: JSONValue {
        [
            "id": .string(id), "eventId": .string(event), "caption": .string(caption),
            "rating": .integer(Int64(rating)), "tags": .array(tags.map(JSONValue.string)),
            "hidden": .bool(isHidden), "pending": .bool(isWaiting), "guestName": guestName.json,
            "filename": filename.json, "source": source.json,
            "camera": camera.json,
            "copyright": copyright.json, "capturedAt": capturedAt.json,
            "capturedOffset": .optional(capturedOffset) { .integer(Int64($0)) }, "localTime": shownAt.local,
            "sequence": .integer(sequence), "position": .string(place.text), "createdAt": createdAt.json,
            "updatedAt": updatedAt.json, "contentType": .string(contentType), "size": .unsigned(size),
            "width": .integer(Int64(width)), "height": .integer(Int64(height)), "sha256": .string(sha256),
            "thumbKey": .string(thumbKey), "tileKey": (tile?.key).json, "screenKey": .string(screenKey),
            "originalKey": .string(originalKey),
            "imageKey": .string(originalKey),
            "kind": video == nil ? "photo" : "video",
            "duration": .optional(video?.seconds, JSONValue.double),
            "streamKey": (video?.streamKey).json, "hasPoster": .bool(video?.hasPoster ?? true),
        ]
    }
}

extension UploadRow {
    var json: JSONValue {
        [
            "uploadId": .string(id), "eventId": .string(event), "status": .string(status),
            "errorCode": (failure?.code.rawValue).json, "errorMessage": (failure?.message).json,
            "photoId": photo.json, "completedAt": completedAt.json, "expiresAt": expiresAt.json,
            "filename": filename.json, "contentLength": .unsigned(contentLength), "createdAt": createdAt.json,
        ]
    }
}
