/// The answer to GetObjectHandles and GetObjectReferences.
public struct HandleList: Equatable, Sendable {
    public var handles: [ObjectHandle]

    public init(_ handles: [ObjectHandle]) {
        self.handles = handles
    }

    /// A camera with nothing to list may leave out the data altogether.
    public init(decoding bytes: ArraySlice<UInt8>, limit: Int = DatasetLimits.handles) throws(Malformed) {
        guard !bytes.isEmpty else {
            handles = []
            return
        }
        handles = try PTP.decoding("ObjectHandles", bytes) { reader throws(ReadFailure) in
            try reader.array(of: UInt32.self, "ObjectHandleArray", limit: limit)
                .map { ObjectHandle(rawValue: $0) }
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter(reserving: 4 + 4 * handles.count)
        writer.append(array: handles.map(\.rawValue))
        return writer.bytes
    }
}

/// The answer to GetStorageIDs.
public struct StorageIDList: Equatable, Sendable {
    public var ids: [StorageID]

    public init(_ ids: [StorageID]) {
        self.ids = ids
    }

    /// A camera with nothing to list may leave out the data altogether.
    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        guard !bytes.isEmpty else {
            ids = []
            return
        }
        ids = try PTP.decoding("StorageIDs", bytes) { reader throws(ReadFailure) in
            try reader.array(of: UInt32.self, "StorageIDArray", limit: DatasetLimits.storages)
                .map { StorageID(rawValue: $0) }
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(array: ids.map(\.rawValue))
        return writer.bytes
    }
}

/// A bare array of codes: GetObjectPropsSupported and what vendors add to DeviceInfo.
public struct CodeList<Code: OpenCode>: Equatable, Sendable {
    public var codes: [Code]

    public init(_ codes: [Code]) {
        self.codes = codes
    }

    public init(decoding bytes: ArraySlice<UInt8>) throws(Malformed) {
        codes = try PTP.decoding("codes", bytes) { reader throws(ReadFailure) in
            try reader.codes(Code.self, "CodeArray")
        }
    }

    public var encoded: [UInt8] {
        var writer = ByteWriter()
        writer.append(array: codes.map(\.rawValue))
        return writer.bytes
    }
}
