package import Basics

/// Whether all nodes that share a database put photos to the same place. The first leaves a mark there and notes it in the
/// database; each that starts looks for it. Before there are photos nothing else could tell, and each node would show what the
/// others lack.
package struct StorageMark: Sendable {
    private let place: any MarkedPlace
    private let proof: StorageProof
    private let store: StorePool
    private let time: any TimeSource
    private let warn: @Sendable (String) -> Void

    package init(
        _ place: any MarkedPlace, _ proof: StorageProof, _ store: StorePool, time: any TimeSource,
        warn: @escaping @Sendable (String) -> Void
    ) {
        self.place = place
        self.proof = proof
        self.store = store
        self.time = time
        self.warn = warn
    }

    private enum Finding {
        /// It is the place of all, as far as is known.
        case same
        case withoutMark
        case withOtherMark
        /// What lies there by the mark's name is none.
        case noMark
    }

    /// Throws where it is another place. One that cannot be asked in time keeps no node from its start: `/ready` tells of it.
    package func require(named name: String, adopts: Bool) async throws {
        let finding = try await time.answer(within: StorageProof.patience) {
            try await look(name, adopts: adopts)
        }
        let remedy =
            "Is --storage the same at all nodes? Where all photos are there and any other place is given up, "
            + "--objects-are-lost starts, and makes it the place of all"
        switch finding ?? .same {
        case .same: return
        case .withoutMark:
            throw StorageProof.Elsewhere(
                description:
                    "\(name) lacks the mark (gallery-mark) that the nodes of this database go by. \(remedy)")
        case .withOtherMark:
            throw StorageProof.Elsewhere(
                description:
                    "\(name) has another mark (gallery-mark) than the nodes of this database go by: it is the place of "
                    + "another gallery, or of this one at another time. \(remedy)")
        case .noMark:
            throw StorageProof.Elsewhere(
                description:
                    "the object gallery-mark in \(name) is none that a gallery leaves there. Is --storage the place of the "
                    + "photos? Where it is, give that object another name")
        }
    }

    private func look(_ name: String, adopts: Bool) async throws -> Finding {
        let noted = try await store { try $0.storageMark() }
        let found: String?
        do throws(StorageProblem) {
            found = try await place.mark()
        } catch {
            // What it says is what /ready says.
            return .same
        }
        if let found {
            guard ObjectKey.isKey(found) else { return .noMark }
            guard noted == nil || noted == found || adopts else { return .withOtherMark }
            // Keys that may only read are told of here, and not by the first photo.
            await leave(found, name)
            return noted == found ? .same : try await note(found, adopts)
        }
        // A copy of the place, without its mark; or the place itself, and its mark was put away.
        if let noted, try await proof.hasAll() {
            await leave(noted, name)
            return .same
        }
        guard noted == nil || adopts else { return .withoutMark }
        await leave(try await store { $0.newKey() }, name)
        let left: String?
        do throws(StorageProblem) {
            // Another node may have started at once, and been first.
            left = try await place.mark()
        } catch {
            return .same
        }
        return if let left { try await note(left, adopts) } else { .same }
    }

    /// Where none is. That it could not be left keeps no node from showing what is there.
    private func leave(_ mark: String, _ name: String) async {
        do throws(StorageProblem) {
            try await place.leave(mark)
        } catch {
            if error.meaning == .refused {
                warn("this node may not write to \(name), so no photo can be made here: \(error)")
            }
        }
    }

    private func note(_ mark: String, _ adopts: Bool) async throws -> Finding {
        do {
            let noted = try await store { try $0.note(storageMark: mark, replaces: adopts) }
            return noted == mark ? .same : .withOtherMark
        } catch  where GalleryStore.hasNoRoom(error) {
            // At the next start.
            return .same
        }
    }
}
