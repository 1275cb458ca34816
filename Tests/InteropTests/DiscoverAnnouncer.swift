/// Announcers of cameras in Python, written from RFC 1035, RFC 6762, RFC 6763 and UPnP Device Architecture 1.1, and not
/// from our code. The first word says which, the second is the address that it has.
enum DiscoverAnnouncer {
    static let script = #"""
        import http.server, signal, socket, struct, sys, threading, time

        kind, own = sys.argv[1], sys.argv[2]
        words = sys.argv[3:]

        def say(text):
            print(text, flush=True)

        def group_socket(group, port):
            s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            s.bind(("", port))
            s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                socket.inet_aton(group) + socket.inet_aton(own))
            s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
            s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255 if port == 5353 else 2)
            return s

        # A connection to PTP/IP's port is what must never happen, where no camera stands behind it.
        def guard():
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind((own, 15740))
            s.listen()
            while True:
                s.accept()
                say("TOUCHED")
        if "real" in words:
            words.remove("real")
        else:
            threading.Thread(target=guard, daemon=True).start()

        def name(text):
            return b"".join(bytes([len(l)]) + l.encode() for l in text.split(".")) + b"\0"

        def record(owner, type, ttl, data, flush=True):
            return owner + struct.pack(">HHIH", type, 0x8001 if flush else 1, ttl, len(data)) + data

        SERVICE = name("_ptp._tcp.local")

        def mdns(instance, claimed, ttl=120):
            full = bytes([len(instance)]) + instance.encode() + SERVICE
            host = name("camera-" + own.replace(".", "-") + ".local")
            return struct.pack(">HHHHHH", 0, 0x8400, 0, 1, 0, 3) \
                + record(SERVICE, 12, 0 if ttl == 0 else 4500, full, False) \
                + record(full, 33, ttl, struct.pack(">HHH", 0, 0, 15740) + host) \
                + record(full, 16, ttl, b"\0") + record(host, 1, ttl, socket.inet_aton(claimed))

        def serve_mdns():
            instance, claimed = words[0], words[1] if len(words) > 1 else own
            s = group_socket("224.0.0.251", 5353)
            def end(*_):
                s.sendto(mdns(instance, claimed, 0), ("224.0.0.251", 5353))
                sys.exit(0)
            signal.signal(signal.SIGTERM, end)
            s.sendto(mdns(instance, claimed), ("224.0.0.251", 5353))
            say("announced")
            while True:
                data, sender = s.recvfrom(9000)
                if data[2] & 0x80 == 0 and SERVICE in data:
                    s.sendto(mdns(instance, claimed), ("224.0.0.251", 5353))

        def description(udn):
            return ('<?xml version="1.0"?><root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion>'
                '<major>1</major><minor>0</minor></specVersion><device><friendlyName>R6 of ' + own
                + '</friendlyName><manufacturer>Canon</manufacturer><modelName>Canon EOS R6</modelName>'
                '<serialNumber>42</serialNumber><UDN>' + udn + '</UDN></device></root>').encode()

        BOMB = b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">' + b"".join(
            b'<!ENTITY %c "&%c;&%c;&%c;&%c;&%c;&%c;&%c;&%c;">' % ((c + 1,) + (c,) * 8) for c in range(97, 115)) \
            + b"]><root><device><friendlyName>&s;</friendlyName></device></root>"

        asked = threading.Semaphore(0)

        class Pages(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass
            def do_GET(self):
                say("asked for " + self.path)
                asked.release()
                if self.path == "/moved":
                    self.send_response(302)
                    self.send_header("Location", "http://%s:49152/dd.xml" % own)
                    self.end_headers()
                    return
                self.send_response(200)
                self.end_headers()
                try:
                    if self.path == "/bomb":
                        self.wfile.write(BOMB)
                    elif self.path == "/huge":
                        while True:
                            self.wfile.write(b"<a>" * 10000)
                    elif self.path == "/slow":
                        while True:
                            self.wfile.write(b" ")
                            time.sleep(0.2)
                    else:
                        self.wfile.write(description(self.path.split("?")[-1]))
                except OSError:
                    pass

        threading.Thread(
            target=http.server.ThreadingHTTPServer((own, 49152), Pages).serve_forever, daemon=True).start()

        CANON = "urn:schemas-canon-com:service:ICPO-WFTEOSSystemService:1"
        SSDP = ("239.255.255.250", 1900)

        def notify(udn, location, kind="alive"):
            return ("NOTIFY * HTTP/1.1\r\nHost: 239.255.255.250:1900\r\nCache-Control: max-age=1800\r\n"
                "Location: %s\r\nNT: %s\r\nNTS: ssdp:%s\r\nUSN: %s::%s\r\n\r\n"
                % (location, CANON, kind, udn, CANON)).encode()

        def serve_ssdp():
            udn = words[0]
            location = "http://%s:49152/dd.xml?%s" % (own, udn)
            s = group_socket(*SSDP)
            def end(*_):
                s.sendto(notify(udn, location, "byebye"), SSDP)
                sys.exit(0)
            signal.signal(signal.SIGTERM, end)
            s.sendto(notify(udn, location), SSDP)
            say("announced")
            while True:
                data, sender = s.recvfrom(9000)
                if data.startswith(b"M-SEARCH") and CANON.encode() in data:
                    answer = ("HTTP/1.1 200 OK\r\nCACHE-CONTROL: max-age=1800\r\nEXT:\r\nLOCATION: %s\r\n"
                        "ST: %s\r\nUSN: %s::%s\r\n\r\n" % (location, CANON, udn, CANON)).encode()
                    reply = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
                    reply.bind((own, 0))
                    reply.sendto(answer, sender)

        def lie():
            s = group_socket(*SSDP)
            d = group_socket("224.0.0.251", 5353)
            here = "http://%s:49152" % own
            for place in ["http://10.9.0.2:49152/dd.xml", "file:///etc/passwd", "https://" + own, here[:-5] + "15740/"]:
                s.sendto(notify("uuid:elsewhere", place), SSDP)
            for page in ["bomb", "huge", "slow", "moved"]:
                s.sendto(notify("uuid:" + page, here + "/" + page), SSDP)
            # A host that floods is not asked for anything any more: first what is to be asked for.
            for _ in range(4):
                asked.acquire(timeout=10)
            header = struct.pack(">HHHHHH", 0, 0x8400, 0, 1, 0, 0)
            for loop in [b"\xc0\x0c", b"\xc0\x0e\xc0\x0c", b"\x01a\xc0\x0c", b"\xff\xff", b"\x3f"]:
                d.sendto(header + loop + b"\0\x0c\0\x01\0\0\0\x78\0\x02\xc0\x0c", ("224.0.0.251", 5353))
            d.sendto(mdns("Liar", "10.9.0.2"), ("224.0.0.251", 5353))
            for number in range(3000):
                s.sendto(notify("uuid:flood-%d" % number, here + "/dd.xml?%d" % number), SSDP)
                d.sendto(mdns("Flood %d" % number, own), ("224.0.0.251", 5353))
            say("lied")
            while True:
                time.sleep(60)

        {"mdns": serve_mdns, "ssdp": serve_ssdp, "lie": lie}[kind]()
        """#
}
