/// What any client may send to a gallery: targets, headers, bodies.
func fuzzRequests(_ input: inout FuzzInput) {
    switch input.byte() % 6 {
    case 0: fuzzTarget(String(decoding: input.all(), as: UTF8.self))
    case 1: fuzzFraming(String(decoding: input.all(), as: UTF8.self))
    case 2: fuzzWish(input.all())
    case 3: fuzzSyncChange(input.all())
    case 4: fuzzSlug(String(decoding: input.all(), as: UTF8.self))
    default: isLinear(input.repeated()) { fuzzWish($0) }
    }
}

private func fuzzTarget(_ text: String) {
    do throws(Target.Refusal) {
        let target = try Target(text)
        guard target.path != "*" else { return precondition(target.parts.isEmpty) }
        for part in target.parts {
            precondition(
                part != "." && part != ".." && !part.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") })
        }
        // The same target, written in another way, asks for the same.
        let path = target.parts.map { "/" + PercentEncoding.encoded($0) }.joined()
        let query = target.query.items.map { item in
            "\(PercentEncoding.encoded(item.name))=\(PercentEncoding.encoded(item.value))"
        }.joined(separator: "&")
        guard path.utf8.count <= Target.longestPath, query.utf8.count <= Target.longestQuery else { return }
        let again = try Target(query.isEmpty ? path : "\(path)?\(query)")
        precondition(again.parts == target.parts && again.query == target.query, "a target has two meanings")
    } catch {
        precondition(!"\(error)".isEmpty)
    }
}

/// One header in each line, behind the version.
private func fuzzFraming(_ text: String) {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let version = lines.removeFirst()
    let headers = lines.map { line -> HTTPHeader in
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return HTTPHeader(String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
    }
    let framing = Framing(headers, version: version)
    let loud = headers.map { HTTPHeader($0.name.uppercased(), $0.value) }
    if headers.allSatisfy({ Framing.isToken($0.name) }) {
        precondition(Framing(loud, version: version) == framing, "a header's name has a case")
    }
    func count(_ name: String) -> Int { headers.count { $0.name.lowercased() == name } }
    switch framing {
    case .none: precondition(count("transfer-encoding") == 0)
    case .counted(let length):
        precondition(length > 0 && count("content-length") == 1 && count("transfer-encoding") == 0)
    case .chunked:
        precondition(count("transfer-encoding") == 1 && count("content-length") == 0)
        let coding = headers.first { $0.name.lowercased() == "transfer-encoding" }
        precondition(
            coding?.value.utf8.allSatisfy { $0 < 0x80 } == true, "another coding is taken for chunks")
    case .refused(let why): precondition(!why.isEmpty)
    }
}

/// Every kind of field that a body may have.
private func fuzzWish(_ body: [UInt8]) {
    do {
        let wish = try JSONFields.read(Request(path: "/", body: body)) { fields in
            (
                event: fields.required("eventId", .uuid),
                length: fields.required("contentLength", .integer(1...100)),
                name: fields.optional("filename", .text(1...255)),
                taken: fields.optional("capturedAt", .time),
                starts: fields.change("startsAt", .time),
                caption: fields.replacement("caption", .text(0...50, .paragraph)),
                isHidden: fields.optional("hidden", .bool),
                tags: fields.optional(
                    "tags", FieldRule<[String]>.list(0...5, of: FieldRule<String>.text(1...5)))
            )
        }
        precondition(wish.event.utf8.count == 36 && wish.event == wish.event.lowercased())
        precondition((1...100).contains(wish.length))
        precondition(wish.name.map { (1...255).contains($0.unicodeScalars.count) } ?? true)
        precondition(wish.tags.map { $0.count <= 5 } ?? true)
        if let taken = wish.taken { checkWritable(taken) }
        if case .value(let starts) = wish.starts { checkWritable(starts) }
    } catch {
        checkRefusal(error)
    }
}

private func checkWritable(_ moment: Timestamp) {
    let text = CivilTime.rfc3339(milliseconds: moment.milliseconds)
    precondition(Timestamp(rfc3339: text) == moment, "a time was taken that cannot be written: \(text)")
}

/// Every refusal is an answer, and the answer is JSON.
private func checkRefusal(_ error: any Error) {
    guard let refusal = error as? APIError, case .bytes(let body) = refusal.response.body else {
        preconditionFailure("a body was refused without an answer: \(error)")
    }
    precondition([400, 422].contains(refusal.response.status))
    do throws(JSON5Error) {
        let code = try JSON5.parse(body)["error"]?["code"]?.string
        precondition(code == refusal.code.rawValue)
    } catch {
        preconditionFailure("the answer is no JSON: \(error)")
    }
}

private func fuzzSyncChange(_ body: [UInt8]) {
    do {
        let change = try SyncChange(JSON5.parse(body))
        precondition(change.id.utf8.count == 36)
        checkWritable(change.change.updatedAt)
        precondition((change.change.action == .delete) == (change.change.deletedAt != nil))
        if case .photo(let photo) = change.fields, case .value(let rating) = photo.rating {
            precondition((0...5).contains(rating))
        }
    } catch let error as JSON5Error {
        precondition(!"\(error)".isEmpty)
    } catch {
        checkRefusal(error)
    }
}

/// Whatever an event is called, its slug is one that a host could have chosen.
private func fuzzSlug(_ name: String) {
    let slug = EventSlug.made(from: name, random: NoChance())
    do throws(Breach) {
        let taken = try EventSlug.rule.read(.string(slug))
        precondition(taken == slug)
    } catch {
        preconditionFailure("'\(slug)' \(error.sentence)")
    }
}

private struct NoChance: RandomSource {
    func next() -> UInt64 { 0x9E37_79B9_7F4A_7C15 }
}
