import Basics

/// What was taken over before, held against what lies at the target now: a run before may have had another bucket, and a
/// bucket may have lost something since.
extension ObjectMover {
    /// Objects that were noted as taken over and are not at the target, or have another size there: a page of them at a time,
    /// while both are gone through in the order of their keys.
    private func eachLost(_ body: ([String]) async throws -> Void) async throws {
        var there = Listing(target)
        var found = try await there.next()
        var last: String?
        while let page = Optional(try await rows.noted(after: last, limit: Self.page)), let end = page.last {
            try Task.checkCancellation()
            var lost: [String] = []
            for object in page {
                while let listed = found, listed.key < object.key { found = try await there.next() }
                if found != object { lost.append(object.key) }
            }
            if !lost.isEmpty { try await body(lost) }
            last = end.key
        }
    }

    func countLost() async throws -> Int {
        var count = 0
        try await eachLost { count += $0.count }
        return count
    }

    /// The same, and these are taken over by the next ``run()``.
    func forgetLost() async throws -> Int {
        var count = 0
        try await eachLost { keys in
            try await rows.forget(keys)
            count += keys.count
        }
        return count
    }

    /// Objects one after the other, of which a page is held.
    private struct Listing {
        private let objects: any ObjectList
        private var page: ArraySlice<ListedObject> = []
        private var last: String?
        private var isAtEnd = false

        init(_ objects: any ObjectList) {
            self.objects = objects
        }

        mutating func next() async throws -> ListedObject? {
            if page.isEmpty, !isAtEnd {
                page = try await objects.list(after: last, limit: ObjectMover.page)[...]
                last = page.last?.key
                isAtEnd = page.isEmpty
            }
            return page.popFirst()
        }
    }
}
