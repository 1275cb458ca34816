// swift-tools-version: 6.2
import PackageDescription

/// Every warning is an error, and what a file uses it imports itself.
let house: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    // An async function runs where its caller runs. Without this every call into a link
    // would leave the camera's thread for the shared pool and come back.
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    // Otherwise every target is looked through twice, a fifth of a build, so that those behind it may begin sooner.
    .unsafeFlags(["-no-emit-module-separately-wmo"], .when(configuration: .release)),
]

/// Pure targets import nothing, and the compiler proves that they use no pointer.
let pure = house + [.strictMemorySafety()]

/// Tests that mostly wait for others gain nothing by the optimizer, and it takes as long as the compiler before it.
/// What of them handles many bytes itself belongs into TestSupport or WorldSupport, which are optimized.
let plainTests =
    house + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

/// For targets whose tests look behind their doors, also in the build that is released.
let opened = house + [.unsafeFlags(["-enable-testing"])]

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: plainTests)
}

let package = Package(
    name: "tetherline",
    products: [
        .library(name: "PTP", targets: ["PTP"]),
        .library(name: "Link", targets: ["Link", "Posix", "Bridge"]),
        .library(name: "Camera", targets: ["Camera"]),
        .library(name: "PacketCapture", targets: ["PacketCapture"]),
        .library(name: "Simulator", targets: ["Simulator"]),
        .executable(name: "tetherline", targets: ["tetherline"]),
        .executable(name: "camsim", targets: ["camsim"]),
        .executable(name: "gallery", targets: ["gallery"]),
    ],
    targets: [
        // Pure: values in, values out.
        .target(name: "PTP", swiftSettings: pure),
        .target(name: "Basics", swiftSettings: pure),
        .target(name: "Bridge", dependencies: ["Basics"], swiftSettings: pure),
        .target(name: "Arguments", swiftSettings: pure),
        .target(name: "Captions", dependencies: ["Bridge", "Arguments"], swiftSettings: pure),

        // What Swift cannot see or call.
        .target(name: "CLinux", cSettings: [.define("_GNU_SOURCE")]),
        .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .systemLibrary(name: "CExiv2", pkgConfig: "exiv2", providers: [.apt(["libexiv2-dev"])]),
        .target(
            name: "CPhotoMetadata", dependencies: ["CExiv2"],
            cxxSettings: [.treatAllWarnings(as: .error), .unsafeFlags(["-std=c++17"])]),
        .systemLibrary(name: "CXCrypt", pkgConfig: "libxcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(
            name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // Libraries with many others behind them, loaded when they are needed: no other command pays for them.
        .target(name: "CLazy"),
        .target(name: "CGalleryFiles"),
        .target(name: "CCurl", dependencies: ["CLazy"]),
        .target(name: "CMicrohttpd", dependencies: ["CLazy"]),
        .target(name: "CPcap", dependencies: ["CLazy"]),
        .target(name: "CSystemd", dependencies: ["CLazy"]),
        .target(name: "CHEIF", dependencies: ["CLazy"]),
        .target(name: "CPostgres", dependencies: ["CLazy"]),

        // System: the world behind small doors.
        .target(name: "Posix", dependencies: ["CLinux", "Basics"], swiftSettings: house),
        .target(name: "Digest", dependencies: ["CCrypto", "Posix"], swiftSettings: house),
        .target(name: "Database", dependencies: ["CSQLite"], swiftSettings: house),
        .target(
            name: "Postgres", dependencies: ["CPostgres", "Database", "Basics"], swiftSettings: house),
        .target(
            name: "HTTPClient", dependencies: ["CCurl", "Posix", "Basics"], swiftSettings: house),
        .target(
            name: "HTTPServer", dependencies: ["CMicrohttpd", "CZlib", "Posix", "Basics"],
            swiftSettings: house),
        .target(
            name: "Imaging", dependencies: ["CTurboJPEG", "CPNG", "CHEIF", "CLCMS", "Posix", "Basics"],
            swiftSettings: house),
        .target(
            name: "PhotoMetadata", dependencies: ["CPhotoMetadata", "Captions", "Posix", "Digest", "Basics"],
            swiftSettings: house),
        .target(name: "Link", dependencies: ["Posix", "Basics"], swiftSettings: house),
        .target(
            name: "PacketCapture", dependencies: ["PTP", "Link", "Basics", "Posix", "CPcap"],
            swiftSettings: house),

        .target(name: "S3", dependencies: ["Basics", "Digest", "Posix"], swiftSettings: house),

        // Resources: a camera at the other end, a camera at this end, the networks around us.
        .target(
            name: "Camera", dependencies: ["PTP", "Link", "Bridge", "Basics", "Posix", "Digest"],
            // The machines of the makers' drivers are tested event by event.
            swiftSettings: opened),
        .target(name: "Discovery", dependencies: ["Basics", "Posix"], swiftSettings: house),
        .target(
            name: "Store", dependencies: ["Bridge", "Basics", "Posix", "Digest", "Database"],
            swiftSettings: house),
        .target(
            name: "ImageCache", dependencies: ["Database", "Digest", "Posix", "Basics"], swiftSettings: house),
        .target(
            name: "GalleryCopy", dependencies: ["Database", "Bridge", "Basics", "Posix"], swiftSettings: house
        ),
        .target(name: "Network", dependencies: ["Posix", "Bridge", "CSystemd"], swiftSettings: house),
        .target(
            name: "Simulator",
            dependencies: ["PTP", "Link", "Posix", "Basics", "Arguments", "PacketCapture"],
            swiftSettings: house),

        // Stages: one changes a row, the next reads it.
        .target(
            name: "Transfer", dependencies: ["Camera", "Store", "Bridge", "Basics", "Digest", "Posix"],
            swiftSettings: house),
        .target(
            name: "Upload", dependencies: ["S3", "Bridge", "Basics", "Digest", "Posix"], swiftSettings: house),
        .target(name: "Console", dependencies: ["Store", "Bridge", "Basics", "Posix"], swiftSettings: house),

        // What two programs with pages and pictures share.
        .target(
            name: "Web", dependencies: ["HTTPServer", "Digest", "Posix", "Basics", "CQREncode"],
            resources: [.embedInCode("Assets")], swiftSettings: house),
        .target(
            name: "Rendering", dependencies: ["Imaging", "Digest", "Posix", "Basics"], swiftSettings: house),
        .target(
            name: "Hud",
            dependencies: [
                "Web", "Rendering", "HTTPServer", "Imaging", "ImageCache", "Console", "Store", "Bridge",
                "Digest", "Posix", "Basics",
            ],
            resources: [.embedInCode("Assets")],
            swiftSettings: opened),
        .target(
            name: "Gallery",
            dependencies: [
                "HTTPServer", "Web", "Rendering", "S3", "Imaging", "Postgres", "Database", "Digest", "Posix",
                "Bridge", "Basics", "CXCrypt", "CGalleryFiles",
            ],
            // Style sheets and scripts are files of their own, which CGalleryFiles compiles in.
            exclude: ["Pages/Assets", "Pages/Languages", "API/openapi.json"],
            swiftSettings: opened),

        // Roots: they build the parts, run them, and stop them in reverse order.
        .executableTarget(
            name: "tetherline",
            dependencies: [
                "Transfer", "Upload", "Console", "HTTPClient", "Network", "Store", "ImageCache",
                "GalleryCopy", "Camera", "Discovery", "PacketCapture", "Link", "Hud", "Web", "Rendering",
                "HTTPServer", "PhotoMetadata", "Captions",
                "Bridge", "Basics", "Posix", "Digest", "Database", "Arguments",
            ],
            swiftSettings: house),
        .executableTarget(
            name: "camsim",
            dependencies: [
                "Simulator", "PacketCapture", "Link", "PTP", "Basics", "Digest", "Posix", "Arguments",
            ],
            swiftSettings: house),
        .executableTarget(
            name: "gallery",
            dependencies: [
                "Gallery", "Postgres", "Web", "Rendering", "HTTPServer", "HTTPClient", "Posix", "Basics",
                "Arguments",
            ],
            swiftSettings: house),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["Basics", "Posix", "Digest"], path: "Tests/TestSupport",
            swiftSettings: house),
        .target(
            name: "WorldSupport",
            dependencies: [
                "Transfer", "Camera", "Simulator", "Link", "PTP", "Upload", "Store", "Bridge", "Basics",
                "Posix",
                "Digest",
                "TestSupport",
            ], path: "Tests/WorldSupport", swiftSettings: house),
        .testTarget(name: "TidyTests", dependencies: ["TestSupport"], swiftSettings: house),
        tests(
            "ExamplesTests", ["PTP", "Link", "Camera", "PacketCapture", "Simulator", "Posix", "TestSupport"]),
        tests("PTPTests", ["PTP", "TestSupport"]),
        tests("PosixTests", ["Posix", "Basics", "TestSupport"]),
        tests("BasicsTests", ["Basics", "TestSupport"]),
        tests("BridgeTests", ["Bridge", "Basics", "TestSupport"]),
        tests("CaptionsTests", ["Captions", "Bridge"]),
        tests("ArgumentsTests", ["Arguments"]),
        tests("DatabaseTests", ["Database", "TestSupport"]),
        tests(
            "StoreTests",
            ["Store", "Database", "Bridge", "Basics", "Posix", "Digest", "TestSupport", "WorldSupport"]),
        tests(
            "ImageCacheTests",
            [
                "ImageCache", "Hud", "Upload", "Bridge", "HTTPClient", "HTTPServer", "Database", "Basics",
                "Posix", "Digest", "TestSupport", "WorldSupport", "tetherline", "gallery",
            ]),
        tests("GalleryCopyTests", ["GalleryCopy", "Database", "Bridge", "Basics", "Posix", "TestSupport"]),
        tests(
            "UploadTests",
            [
                "Upload", "HTTPClient", "S3", "Store", "Bridge", "Basics", "Posix", "Digest", "TestSupport",
                "WorldSupport",
            ]),
        tests(
            "ConsoleTests", ["Console", "Store", "Bridge", "Basics", "Posix", "TestSupport", "WorldSupport"]),
        tests(
            "EveningTests",
            ["Upload", "Simulator", "Store", "Link", "PTP", "Bridge", "TestSupport", "WorldSupport"]),
        tests(
            "TransferTests",
            [
                "Transfer", "Upload", "Camera", "Simulator", "Store", "Link", "PTP", "Bridge", "Basics",
                "Posix", "Digest", "TestSupport", "WorldSupport",
            ]),
        tests("DiscoveryTests", ["Discovery", "Basics", "Posix", "TestSupport"]),
        tests("NetworkTests", ["Network", "Posix", "Bridge", "TestSupport"]),
        tests("HTTPServerTests", ["HTTPServer", "Basics", "Posix", "TestSupport"]),
        tests("ImagingTests", ["Imaging", "Bridge", "Basics", "Posix", "TestSupport"]),
        tests("RenderingTests", ["Rendering", "Imaging", "Posix", "TestSupport"]),
        tests(
            "PhotoMetadataTests",
            ["PhotoMetadata", "Captions", "Bridge", "Digest", "Posix", "TestSupport", "tetherline"]),
        tests("WebTests", ["Web", "HTTPServer", "Basics", "TestSupport"]),
        tests(
            "HudTests",
            [
                "Hud", "Rendering", "HTTPServer", "Console", "Store", "Bridge", "Basics", "Posix",
                "TestSupport",
            ]),
        tests(
            "GalleryTests",
            [
                "Gallery", "GalleryCopy", "Upload", "Web", "Rendering", "HTTPServer", "HTTPClient", "S3",
                "Imaging", "Postgres", "Database", "Digest", "Posix", "Bridge", "Basics", "TestSupport",
            ]),
        tests("DigestTests", ["Digest"]),
        tests("S3Tests", ["S3", "Bridge", "Basics", "Posix", "Digest", "TestSupport"]),
        tests("SimulatorTests", ["Simulator", "PTP", "Link", "Posix", "Bridge", "TestSupport"]),
        tests(
            "InteropTests", ["Simulator", "PTP", "TestSupport", "tetherline", "camsim", "gallery", "Basics"]),
        tests("PacketCaptureTests", ["PacketCapture", "PTP", "Link", "Posix", "TestSupport"]),
        tests(
            "CameraTests",
            [
                "Camera", "Simulator", "PacketCapture", "Link", "PTP", "Bridge", "Basics", "Posix", "Digest",
                "TestSupport",
            ]),
        tests("HTTPClientTests", ["HTTPClient", "Basics", "Posix", "TestSupport"]),
        tests("LinkTests", ["Link", "Posix", "TestSupport"]),
    ],
    swiftLanguageModes: [.v6]
)
