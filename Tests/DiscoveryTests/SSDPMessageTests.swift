import Discovery
import Testing

/// Messages of UPnP Device Architecture 1.1 §1.2 and §1.3.
struct SSDPMessageTests {
    @Test("an announcement, a good-bye and an answer to a search are read")
    func read() throws {
        let alive = try SSDPMessage(Wire.notify())
        #expect(alive.kind == .alive && alive.target == Wire.canon && alive.maximumAge == 1800)
        #expect(alive.device == Wire.udn.lowercased())
        #expect(alive.location == "http://10.9.0.3:49152/upnp/CameraDevDesc.xml")
        let byebye = try SSDPMessage(Wire.notify(location: nil, kind: "ssdp:byebye"))
        #expect(byebye.kind == .byebye && byebye.location == nil)
        let answer = try SSDPMessage(
            Array(
                """
                HTTP/1.1 200 OK\r\nCACHE-CONTROL: no-cache="Ext", max-age = 60\r\nEXT:\r\n\
                LOCATION: http://10.9.0.4:80/dd.xml\r\nST: urn:schemas-sony-com:service:DigitalImaging:1\r\n\
                USN: uuid:abc::urn:schemas-sony-com:service:DigitalImaging:1\r\n\r\n
                """.utf8))
        #expect(answer.kind == .alive && answer.target == CameraService.sonyImaging.rawValue)
        #expect(answer.device == "uuid:abc" && answer.maximumAge == 60)
        #expect(try SSDPMessage(Wire.notify(kind: "ssdp:update")).kind == .other)
    }

    @Test("a search is the bytes of §1.3.2")
    func search() throws {
        let bytes = SSDPMessage.search(for: "urn:schemas-sony-com:service:DigitalImaging:1")
        let expected = """
            M-SEARCH * HTTP/1.1\r
            HOST: 239.255.255.250:1900\r
            MAN: "ssdp:discover"\r
            MX: 1\r
            ST: urn:schemas-sony-com:service:DigitalImaging:1\r
            \r

            """
        #expect(bytes == Array(expected.utf8))
        #expect(try SSDPMessage(bytes).kind == .search)
    }

    @Test("an age is between none and a day, and the usual one where none can be read")
    func ages() throws {
        for (text, age) in [(86_401, 86_400), (0, 0), (-5, 1800)] {
            #expect(try SSDPMessage(Wire.notify(age: text)).maximumAge == age)
        }
    }

    @Test("what is too long, has too many headers, one of them twice, or is no SSDP is refused")
    func refused() {
        let long = String(repeating: "x", count: 600)
        let many = (0..<70).map { "H\($0): x\r\n" }.joined()
        for text in [
            "", "GET / HTTP/1.1\r\n\r\n", "NOTIFY * HTTP/1.1\r\nnothing\r\n\r\n",
            "NOTIFY * HTTP/1.1\r\nNT: a\r\nnt: b\r\n\r\n", "NOTIFY * HTTP/1.1\r\nNT: \(long)\r\n\r\n",
            "NOTIFY * HTTP/1.1\r\n\(many)\r\n", String(repeating: long, count: 10),
        ] {
            #expect(throws: SSDPMessage.Malformed.self) { try SSDPMessage(Array(text.utf8)) }
        }
    }

    @Test("a description may be fetched from the sender by http, and from nowhere else")
    func places() throws {
        let sender = try #require(CameraAddress("10.9.0.3"))
        for (text, url) in [
            ("http://10.9.0.3:49152/upnp/CameraDevDesc.xml", "http://10.9.0.3:49152/upnp/CameraDevDesc.xml"),
            ("HTTP://10.9.0.3", "http://10.9.0.3:80/"), ("http://10.9.0.3?x", "http://10.9.0.3:80/?x"),
        ] {
            #expect(try DescriptionAddress(text, announcedBy: sender).url == url)
        }
        for text in [
            "http://10.9.0.9/dd.xml", "https://10.9.0.3/", "file:///etc/passwd", "http://localhost/",
            "http://10.9.0.3@10.9.0.9/", "http://10.9.0.9#@10.9.0.3/", "http://10.9.0.3:15740/",
            "http://10.9.0.3:0/", "http://10.9.0.3:99999/", "http://10.9.0.3:80:80/", "http://0x0a.9.0.3/",
            "http://10.9.0.03/", "http://10.9.3/", "http://[::1]/", "http://10.9.0.3\\@10.9.0.9/",
            "http://10.9.0.3/a b", "http://10.9.0.3/\r\nX: y", "",
            "http://10.9.0.3/" + String(repeating: "a", count: 600),
        ] {
            #expect(throws: DescriptionAddress.Refused.self, "\(text)") {
                try DescriptionAddress(text, announcedBy: sender)
            }
        }
    }

    @Test("a description's words are read, and no more than a line of each")
    func description() throws {
        let read = try DeviceDescription(
            Wire.description(extra: "<X_Info><X_SSH_Support>1</X_SSH_Support></X_Info>"))
        #expect(read.maker == "Canon" && read.model == "Canon EOS R6" && read.name == "EOS R6")
        #expect(read.serial == "012345678901" && read.device == Wire.udn.lowercased() && read.offersSSH)
        let long = String(repeating: "long\n name ", count: 1000)
        #expect(try DeviceDescription(Wire.description(name: long)).name?.count == 64)
    }

    @Test("recursive XML, deep, wide and huge documents, and what describes no device are refused")
    func lies() {
        let bomb = """
            <?xml version="1.0"?><!DOCTYPE root [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
            <root><device><friendlyName>&b;</friendlyName></device></root>
            """
        let deep = String(repeating: "<root>", count: 40) + String(repeating: "</root>", count: 40)
        let wide = "<root><device>" + String(repeating: "<a/>", count: 1000) + "</device></root>"
        let huge = "<root><device><a>" + String(repeating: " ", count: 64 << 10) + "</a></device></root>"
        for text in [bomb, deep, wide, huge, "<html></html>", "<root><device>", "", "<root>&x;</root>"] {
            #expect(throws: DeviceDescription.Malformed.self) { try DeviceDescription(Array(text.utf8)) }
        }
    }
}
