import Basics
import HTTPClient
import TestSupport
import Testing

extension OnTheWire {
    /// What others' server makes of our requests.
    @Suite(.enabled(if: Tool.isThere("nginx"), "nginx is not installed"))
    struct NginxTests {
        @Test("nginx stores what is put, byte by byte, over TLS and without, and logs nothing odd")
        func puts() async throws {
            let shop = try CertificateShop()
            let nginx = try Nginx(try shop.signed("good"))
            let bytes = noise(3_000_003)
            try nginx.folder.write(bytes, to: "photo")
            try await withClient(CurlClient.Configuration(privateCA: shop.authority)) { client in
                for (number, base) in [nginx.url, nginx.secureURL].enumerated() {
                    for (index, count) in [0, 1, 65_537, bytes.count].enumerated() {
                        let response = try await client.send(
                            HTTPRequest(
                                "PUT", "\(base)/\(number)-\(index)",
                                headers: [HTTPHeader("Content-Type", "image/jpeg")],
                                body: .file(
                                    FileSlice(path: nginx.folder.file("photo"), count: UInt64(count)))))
                        #expect(response.status == 201)
                        let stored = try readFile(nginx.stored("\(number)-\(index)"))
                        #expect(stored == Array(bytes[..<count]))
                    }
                    let back = try await client.send(
                        HTTPRequest("GET", "\(base)/\(number)-3", answerLimit: bytes.count))
                    #expect(back.body == bytes)
                    #expect(try await client.send(HTTPRequest("DELETE", "\(base)/\(number)-3")).status == 204)
                    #expect(try await client.send(HTTPRequest("HEAD", "\(base)/\(number)-3")).status == 404)
                }
            }
            nginx.stop()
            // Method, status, what the request says of its length, how many requests came by the connection before.
            #expect(
                try nginx.log() == [
                    "PUT 201 0 1", "PUT 201 1 2", "PUT 201 65537 3", "PUT 201 3000003 4", "GET 200 - 5",
                    "DELETE 204 - 6", "HEAD 404 - 7", "PUT 201 0 1", "PUT 201 1 2", "PUT 201 65537 3",
                    "PUT 201 3000003 4", "GET 200 - 5", "DELETE 204 - 6", "HEAD 404 - 7",
                ])
        }
    }
}
