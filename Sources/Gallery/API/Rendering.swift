import Bridge

/// What the API says of each thing, in one place: fields that a client may rely on.

extension Timestamp {
    var json: JSONValue { .string(CivilTime.rfc3339(milliseconds: milliseconds)) }
}

extension Optional where Wrapped == Timestamp {
    var json: JSONValue { map(\.json) ?? .null }
}

extension Optional where Wrapped == String {
    var json: JSONValue { map(JSONValue.string) ?? .null }
}

extension Event {
    func json(publicURL: String) -> JSONValue {
        [
            "id": .string(id), "name": .string(name), "slug": .string(slug), "startsAt": startsAt.json,
            "expiresAt": expiresAt.json, "hasPin": .bool(!isOpen), "allowsOriginals": .bool(allowsOriginals),
            "guestUrl": .string("\(publicURL)/e/\(slug)"),
            "counts": [
                "photos": .integer(Int64(counts.photos)), "bytes": .unsigned(counts.bytes),
                "pending": .integer(Int64(counts.pending)), "failed": .integer(Int64(counts.failed)),
            ],
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
            "hidden": .bool(isHidden), "filename": filename.json, "source": source.json,
            "camera": camera.json,
            "copyright": copyright.json, "capturedAt": capturedAt.json, "createdAt": createdAt.json,
            "updatedAt": updatedAt.json, "contentType": .string(contentType), "size": .unsigned(size),
            "width": .integer(Int64(width)), "height": .integer(Int64(height)), "sha256": .string(sha256),
            "thumbKey": .string(thumbKey), "screenKey": .string(screenKey),
            "originalKey": .string(originalKey),
            "imageKey": .string(originalKey),
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
