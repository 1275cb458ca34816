import Basics

struct ForgetfulFolder: DiskFolder {
    let disk: ForgetfulDisk
    let node: Int
    let path: String

    /// What a real disk takes as a name in a folder.
    private func require(_ name: String) throws(DiskError) {
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), name.utf8.count <= 255 else {
            throw DiskError(.other, "'\(name)' is no name")
        }
    }

    func folder(_ name: String) throws(DiskError) -> any DiskFolder {
        try require(name)
        let known = try disk.read { state throws(DiskError) in try state.folder(node).names[name] }
        let found: Int
        if let known {
            found = known
        } else {
            found = try disk.change(.makeFolder) { state throws(DiskError) in
                _ = try state.folder(node)
                let new = state.newNode()
                state.folders[new] = DiskState.Folder()
                state.folders[node]?.names[name] = new
                return new
            }
        }
        return ForgetfulFolder(disk: disk, node: found, path: "\(path)/\(name)")
    }

    func open(_ name: String) throws(DiskError) -> any DiskFile {
        try require(name)
        let known = try disk.read { state throws(DiskError) in try state.folder(node).names[name] }
        if let known {
            let isReadOnly = try disk.read { state throws(DiskError) in try state.file(known).isReadOnly }
            if isReadOnly { throw DiskError(.notWritable, "\(name) is for reading only") }
            return ForgetfulFile(disk: disk, node: known)
        }
        let new = try disk.change(.create) { state throws(DiskError) in
            _ = try state.folder(node)
            let new = state.newNode()
            state.files[new] = DiskState.File()
            state.folders[node]?.names[name] = new
            return new
        }
        return ForgetfulFile(disk: disk, node: new)
    }

    func openForReading(_ name: String) throws(DiskError) -> any DiskFile {
        try require(name)
        return ForgetfulFile(
            disk: disk,
            node: try disk.read { state throws(DiskError) in try state.node(name, in: node) })
    }

    func allocated(to name: String) throws(DiskError) -> UInt64? { try size(of: name) }

    func size(of name: String) throws(DiskError) -> UInt64? {
        try require(name)
        return try disk.read { state throws(DiskError) in
            guard let found = try state.folder(node).names[name] else { return nil }
            return UInt64(state.files[found]?.bytes.count ?? 0)
        }
    }

    func names() throws(DiskError) -> [DiskEntry] {
        try disk.read { state throws(DiskError) in
            let names = try state.folder(node).names
            return names.sorted { $0.key < $1.key }.map {
                DiskEntry(name: $0.key, isFolder: state.folders[$0.value] != nil)
            }
        }
    }

    func move(_ name: String, to folder: any DiskFolder, as newName: String) throws(DiskError) -> Bool {
        try require(name)
        try require(newName)
        guard let folder = folder as? ForgetfulFolder else {
            preconditionFailure("a file cannot be moved from this model to another disk")
        }
        return try disk.change(.move) { state throws(DiskError) in
            let found = try state.node(name, in: node)
            guard try state.folder(folder.node).names[newName] == nil else { return false }
            state.folders[node]?.names[name] = nil
            state.folders[folder.node]?.names[newName] = found
            return true
        }
    }

    func remove(_ name: String) throws(DiskError) {
        try require(name)
        try disk.change(.remove) { state throws(DiskError) in
            _ = try state.node(name, in: node)
            state.folders[node]?.names[name] = nil
        }
    }

    func sync() throws(DiskError) {
        try disk.change(.folderSync) { state throws(DiskError) in
            guard !disk.options.forgetsFolderSync, let names = state.folders[node]?.names else { return }
            state.folders[node]?.durable = names
        }
    }

    func space() throws(DiskError) -> DiskSpace {
        guard let capacity = disk.options.capacity else { return disk.options.space }
        let used = try disk.read { state in state.used }
        return DiskSpace(free: capacity - min(capacity, used), total: capacity)
    }
}

struct ForgetfulFile: DiskFile {
    let disk: ForgetfulDisk
    let node: Int

    func size() throws(DiskError) -> UInt64 {
        try disk.read { state throws(DiskError) in UInt64(try state.file(node).bytes.count) }
    }

    func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
        let new = bytes.withUnsafeBytes { Array($0) }
        let start = Int(offset)
        try disk.change(.write) { state throws(DiskError) in
            var whole = try state.file(node).bytes
            if whole.count < start + new.count {
                whole += [UInt8](repeating: 0, count: start + new.count - whole.count)
            }
            whole.replaceSubrange(start..<start + new.count, with: new)
            state.files[node]?.bytes = whole
        }
    }

    func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
        try disk.read { state throws(DiskError) in
            Array(try state.file(node).bytes.dropFirst(Int(offset)).prefix(count))
        }
    }

    func truncate(to length: UInt64) throws(DiskError) {
        try disk.change(.truncate) { state throws(DiskError) in
            let bytes = try state.file(node).bytes
            let zeros = [UInt8](repeating: 0, count: max(0, Int(length) - bytes.count))
            state.files[node]?.bytes = Array(bytes.prefix(Int(length))) + zeros
        }
    }

    func preallocate(_ length: UInt64) throws(DiskError) {
        try disk.change(.preallocate) { _ in }
    }

    func syncData() throws(DiskError) {
        try disk.change(.syncData) { state throws(DiskError) in
            let bytes = try state.file(node).bytes
            state.files[node]?.durable = bytes
        }
    }

    func sync() throws(DiskError) {
        try disk.change(.sync) { state throws(DiskError) in
            let bytes = try state.file(node).bytes
            state.files[node]?.durable = bytes
        }
    }

    func makeReadOnly() throws(DiskError) {
        try disk.change(.makeReadOnly) { state throws(DiskError) in
            _ = try state.file(node)
            state.files[node]?.isReadOnly = true
        }
    }

    func setModified(_ seconds: Int64) throws(DiskError) {
        try disk.change(.setModified) { _ in }
    }
}
