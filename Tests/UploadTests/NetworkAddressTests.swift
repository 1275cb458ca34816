import Basics
import Bridge
import S3
import Testing
import Upload

@Suite struct NetworkAddressTests {
    @Test("a bucket's address says where it is and how photos are called in it")
    func bucket() throws {
        let plain = try S3Address("s3://photos")
        #expect(plain.bucket == "photos" && plain.prefix == "" && plain.template.description == "{name}")
        #expect(plain.choice == S3Settings.Choice())
        let full = try S3Address(
            "s3://photos/a%20b//c/?name={event}/{seq}.{ext}&endpoint=http://127.0.0.1:9000&region=r-1"
                + "&style=virtual&profile=desk&credentials=/etc/keys")
        #expect(full.prefix == "a b/c/" && full.template.description == "{event}/{seq}.{ext}")
        #expect(
            full.choice
                == S3Settings.Choice(
                    profile: "desk", credentialsFile: "/etc/keys", region: "r-1",
                    endpoint: "http://127.0.0.1:9000", style: .virtual))
    }

    @Test(
        "what is no bucket's address is refused with what is meant",
        arguments: [
            ("s3:/photos", "s3://bucket/prefix is meant"), ("s3:///a", "names no bucket"),
            ("s3://key:secret@photos/", "names no bucket"), ("s3://photos/../a", "is no name of a folder"),
            ("s3://photos/a%2Fb", "is no name of a folder"), ("s3://photos/%zz", "is no escaped byte"),
            ("s3://photos?style=other", "style=path, style=virtual and"),
            ("s3://photos?nam=a", "name=TEMPLATE"),
            ("s3://photos?credentials=keys", "credentials=/absolute/path"),
            ("s3://photos?name=a", "every photo would have one name"),
            ("s3://photos?endpoint=store", "is no address of a server"),
            ("s3://photo$", "cannot be the name of a bucket"),
            ("s3://photos/" + String(repeating: "a", count: 800), "longer than 700 bytes"),
        ])
    func refusedBuckets(url: String, words: String) {
        do {
            _ = try S3Address(url)
            Issue.record("\(url) was taken")
        } catch {
            #expect(error.description.contains(words), "\(error)")
            #expect(!error.description.contains("secret"))
        }
    }

    @Test("a WebDAV server's address is shown and stored without its password")
    func server() throws {
        let address = try WebDAVAddress("webdavs://desk:s%3Aecret@host:8443/a%20b?name={seq}-{name}")
        #expect(address.url == "webdavs://desk@host:8443/a%20b?name={seq}-{name}")
        #expect(try WebDAVAddress(address.url).url == address.url)
        #expect(try WebDAVAddress("webdav://host").url == "webdav://host")
        #expect(!"\(address)".contains("webdavs://desk:"))
    }

    @Test(
        "what is no WebDAV server's address is refused, and its password not shown",
        arguments: [
            "webdav:/host", "webdavs://", "webdavs://u:secret@", "webdavs://u:secret%zz@host",
            "webdavs://u:secret@host:99999", "webdavs://u:secret@host/..", "webdavs://u:secret@host?a=b",
            "webdavs://u:secret@host?credentials=relative", "webdavs://u:secret@host?name=a",
            "dav://u:secret@host", "webdavs://u:secret@host/%zz",
        ])
    func refusedServers(url: String) {
        do {
            _ = try WebDAVAddress(url)
            Issue.record("\(url) was taken")
        } catch {
            #expect(!error.description.contains("secret"), "\(error)")
        }
    }
}
