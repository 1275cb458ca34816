import Posix
import TestSupport
import Testing

@Suite struct InterfaceFolderTests {
    @Test("what sysfs has of an interface, from any folder that looks like it")
    func reads() throws {
        let folder = try TemporaryFolder()
        for path in ["class", "class/net", "class/net/wlp3s0", "class/net/tun0", "class/net/bare"] {
            folder.makeFolder(path)
        }
        folder.makeFolder("class/net/wlp3s0/phy80211")
        folder.makeFolder("class/net/wlp3s0/device")
        try folder.write("DEVTYPE=wlan\nINTERFACE=wlp3s0\nIFINDEX=3\n", to: "class/net/wlp3s0/uevent")
        try folder.write("0x1001\n", to: "class/net/tun0/tun_flags")
        try folder.write("INTERFACE=tun0\nIFINDEX=4\n", to: "class/net/tun0/uevent")
        let wireless = try InterfaceFolder(of: "wlp3s0", root: folder.path)
        #expect(wireless.isWireless && wireless.hasDevice && wireless.deviceType == "wlan")
        #expect(!wireless.isTunnelOfProgram)
        let tunnel = try InterfaceFolder(of: "tun0", root: folder.path)
        #expect(tunnel.isTunnelOfProgram && !tunnel.hasDevice && tunnel.deviceType == nil)
        #expect(try InterfaceFolder(of: "bare", root: folder.path) == InterfaceFolder())
        #expect(try InterfaceFolder(of: "gone", root: folder.path) == InterfaceFolder())
    }

    @Test("a name that is no interface's is not looked up", arguments: ["", ".", "..", "../../x", "a/b"])
    func names(name: String) {
        #expect(throws: SystemError.self) { try InterfaceFolder(of: name, root: "/sys") }
    }
}
