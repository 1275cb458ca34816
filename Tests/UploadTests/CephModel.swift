import Basics
import Bridge
import Digest
import Posix
import TestSupport
import Upload
import WorldSupport

/// A store in memory with the habits that Ceph's radosgw 16.2 was seen to have: a PUT is refused where something lies,
/// and parts are put together over whatever has come meanwhile. Payload hashes are compared, checksums it does not know.
final class CephModel: HTTPTransport {
    struct Object: Equatable, Sendable {
        let size: UInt64
        let noted: String?
    }

    struct State: Sendable {
        var objects: [String: Object] = [:]
        var uploads: [String: Object] = [:]
        var begun = 0
        var replaced: [String] = []
        /// What is given of every object, whatever was put there.
        var altered: [UInt8] = []
    }

    let state = Shared(State())

    func send(_ request: HTTPRequest) async throws(HTTPFailure) -> HTTPResponse {
        state.change { $0.answer(request) }
    }

    func forgetConnections() {}
}

extension CephModel.State {
    mutating func answer(_ request: HTTPRequest) -> HTTPResponse {
        let key = request.s3Key
        switch (request.method, request.s3Query) {
        case ("HEAD", _): return head(key)
        case ("PUT", nil): return put(key, request)
        case ("DELETE", nil): objects[key] = nil
        case ("GET", nil): return get(request)
        case ("POST", "uploads="):
            begun += 1
            uploads["\(begun)"] = CephModel.Object(size: 0, noted: request["x-amz-meta-sha256"])
            return xml("<UploadId>\(begun)</UploadId>")
        case (let method, let query?): return inParts(method, key, upload(of: query), request)
        default: return HTTPResponse(status: 400)
        }
        return HTTPResponse(status: 204)
    }

    private func head(_ key: String) -> HTTPResponse {
        guard let object = objects[key] else { return HTTPResponse(status: 404) }
        return HTTPResponse(
            status: 200,
            headers: [HTTPHeader("Content-Length", "\(object.size)"), HTTPHeader("ETag", "\"\(key)\"")]
                + (object.noted.map { [HTTPHeader("x-amz-meta-sha256", $0)] } ?? []))
    }

    private func get(_ request: HTTPRequest) -> HTTPResponse {
        let range = request["range"]?.split { $0 == "=" || $0 == "-" }.compactMap { Int($0) } ?? []
        guard range.count == 2, range[0] <= range[1], range[1] < altered.count else {
            return HTTPResponse(status: 416)
        }
        return HTTPResponse(
            status: 206,
            headers: [HTTPHeader("Content-Range", "bytes \(range[0])-\(range[1])/\(altered.count)")],
            body: Array(altered[range[0]...range[1]]))
    }

    private mutating func put(_ key: String, _ request: HTTPRequest) -> HTTPResponse {
        if request.body.count == 0, request["x-amz-content-sha256"] != "\(SHA256.of([]))" {
            return HTTPResponse(status: 400, body: Array(error("XAmzContentSHA256Mismatch").utf8))
        }
        if objects[key] != nil {
            guard request["if-none-match"] == nil else { return HTTPResponse(status: 412) }
            replaced.append(key)
        }
        objects[key] = CephModel.Object(size: request.body.count, noted: request["x-amz-meta-sha256"])
        return HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"\(key)\"")])
    }

    private mutating func inParts(
        _ method: String, _ key: String, _ id: String, _ request: HTTPRequest
    ) -> HTTPResponse {
        guard let upload = uploads[id] else {
            return HTTPResponse(status: 404, body: Array(error("NoSuchUpload").utf8))
        }
        switch method {
        case "PUT":
            uploads[id] = CephModel.Object(size: upload.size + request.body.count, noted: upload.noted)
            return HTTPResponse(status: 200, headers: [HTTPHeader("ETag", "\"part\"")])
        case "POST":
            if objects[key] != nil { replaced.append(key) }
            objects[key] = upload
            uploads[id] = nil
            return xml("<ETag>\"\(key)-9\"</ETag>")
        default:
            uploads[id] = nil
            return HTTPResponse(status: 204)
        }
    }

    private func upload(of query: String) -> String {
        query.split(separator: "&").first { $0.hasPrefix("uploadId=") }.map { String($0.dropFirst(9)) } ?? ""
    }

    private func error(_ code: String) -> String { "<Error><Code>\(code)</Code></Error>" }

    private func xml(_ text: String) -> HTTPResponse {
        HTTPResponse(status: 200, body: Array("<Result>\(text)</Result>".utf8))
    }
}

extension HTTPRequest {
    subscript(name: String) -> String? {
        headers.first { $0.name.lowercased() == name }?.value
    }

    /// Behind the host and the bucket.
    var s3Key: String {
        url.prefix { $0 != "?" }.split(separator: "/").dropFirst(3).joined(separator: "/")
    }

    var s3Query: String? {
        url.firstIndex(of: "?").map { String(url[url.index(after: $0)...]) }
    }
}

/// A destination that delivers into one.
final class CephPlace: Sendable {
    let destination: S3Destination
    private let network: Network

    init(_ spool: TestSpool, over transport: any HTTPTransport) throws {
        network = try Network()
        let url = "s3://photos?endpoint=http://127.0.0.1:9"
        destination = S3Destination(
            id: DestinationID(1), url: url, try S3Address(url),
            environment: ["AWS_ACCESS_KEY_ID": "testkey", "AWS_SECRET_ACCESS_KEY": "testsecret"],
            means: network.means(spool, http: transport, moved: Shared(0)), notes: Notebook(),
            thread: network.thread)
    }
}
