package import Basics

/// Why a store did not do what it was asked.
package enum S3Failure: Error, Equatable, Sendable {
    /// There is no answer.
    case noAnswer(HTTPFailure)
    case refused(S3Refusal)
    /// An answer that no store gives: something stands between us and it.
    case notAStore(String)
}

extension S3Failure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .noAnswer(let failure): "\(failure)"
        case .refused(let refusal): "\(refusal)"
        case .notAStore(let text): text
        }
    }
}

/// What a store said instead of doing it.
package struct S3Refusal: Error, Equatable, Sendable {
    package let status: Int
    /// "NoSuchKey"; made from the status where the store gave none.
    package let code: String
    /// The store's own sentence.
    package let message: String
    /// Where the bucket really is, when that is why.
    package let region: String?
    package let retryAfter: Duration?
    /// Who said it, for messages.
    package let host: String

    package init(
        status: Int, code: String, message: String, region: String? = nil, retryAfter: Duration? = nil,
        host: String
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.region = region
        self.retryAfter = retryAfter
        self.host = host
    }

    /// Reads what answers have in common.
    init(_ response: HTTPResponse, host: String, now: Timestamp) {
        let error: XMLElement?
        do throws(XMLElement.Malformed) {
            let root = response.body.isEmpty ? nil : try XMLElement(response.body)
            error = root?.name == "Error" ? root : root?.all("Error").first
        } catch {
            // A proxy's page, perhaps: the status is what there is.
            self.init(response, code: nil, message: nil, region: nil, host: host, now: now)
            return
        }
        self.init(
            response, code: error?["Code"], message: error?["Message"], region: error?["Region"],
            host: host, now: now)
    }

    private init(
        _ response: HTTPResponse, code: String?, message: String?, region: String?, host: String,
        now: Timestamp
    ) {
        let code = code.map { Self.harmless($0, 60) } ?? ""
        self.init(
            status: response.status, code: code.isEmpty ? Self.usualCode(response.status) : code,
            message: Self.harmless(message ?? "", 300),
            region: (region ?? response["x-amz-bucket-region"]).map { Self.harmless($0, 60) },
            retryAfter: response.retryAfter(at: now), host: host)
    }

    /// An answer to HEAD has no body that could say more.
    private static func usualCode(_ status: Int) -> String {
        switch status {
        case 301, 307, 308: "PermanentRedirect"
        case 403: "AccessDenied"
        case 404: "NotFound"
        case 412: "PreconditionFailed"
        case 413: "EntityTooLarge"
        case 429, 503: "SlowDown"
        default: "status \(status)"
        }
    }

    /// It goes to a terminal.
    private static func harmless(_ text: String, _ most: Int) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
                " "
            default: scalar
            }
        }
        return String(String(String.UnicodeScalarView(scalars)).prefix(most))
    }
}

extension S3Refusal: CustomStringConvertible {
    package var description: String {
        "\(host) says \(code)" + (message.isEmpty ? "" : ": \(message)")
    }
}

extension S3Refusal {
    /// What it is about, and so who can do something.
    package enum Concern: Equatable, Sendable {
        /// The name is taken, or not there, or another client works on it: part of the conversation.
        case object
        /// Keys, names or addresses are wrong.
        case settings
        /// What arrived is not what was announced.
        case content
        /// This object will never be taken.
        case never
        /// The store cannot just now.
        case store
        case other
    }

    package var concern: Concern {
        switch code {
        case "PreconditionFailed", "ConditionalRequestConflict", "OperationAborted", "NoSuchKey", "NotFound",
            "NoSuchUpload":
            .object
        case "InvalidAccessKeyId", "SignatureDoesNotMatch", "AccessDenied", "ExpiredToken", "InvalidToken",
            "TokenRefreshRequired", "NoSuchBucket", "AllAccessDisabled", "AccountProblem", "NotSignedUp",
            "InvalidBucketName", "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed",
            "IllegalLocationConstraintException", "InvalidRegion", "MethodNotAllowed", "NotImplemented":
            .settings
        case "BadDigest", "XAmzContentSHA256Mismatch", "XAmzContentChecksumMismatch", "InvalidDigest",
            "IncompleteBody":
            .content
        case "EntityTooLarge", "KeyTooLongError": .never
        case "RequestTimeTooSkewed", "RequestTimeout", "SlowDown", "ServiceUnavailable", "InternalError",
            "QuotaExceeded", "InsufficientStorage", "TooManyRequests", "ThrottlingException":
            .store
        default: concernOfStatus
        }
    }

    private var concernOfStatus: Concern {
        switch status {
        case 408, 425, 429, 500...: .store
        case 300..<400, 401, 403: .settings
        default: .other
        }
    }

    /// What it says and what the operator can do.
    package func advice(site: S3Site, keys: S3Keys) -> String {
        switch code {
        case "InvalidAccessKeyId":
            "\(host) does not know the \(keys); check the keys, or the endpoint"
        case "SignatureDoesNotMatch":
            "\(host) refuses the signature: the secret key does not belong to the \(keys)"
        case "ExpiredToken", "InvalidToken", "TokenRefreshRequired":
            "the session token of the \(keys) is not valid any more; get new keys"
        case "AccessDenied": "\(self). The \(keys) may not do this in the bucket '\(site.bucket)'"
        case "NoSuchBucket", "NotFound":
            "there is no bucket '\(site.bucket)' at \(host); make it, or correct the destination"
        case _ where concern == .settings && region != nil && region != site.region:
            "the bucket '\(site.bucket)' is in the region \(region ?? ""), not in \(site.region); "
                + "add region=\(region ?? "") to the destination, or set AWS_REGION"
        case "PermanentRedirect", "TemporaryRedirect":
            "the bucket '\(site.bucket)' is not at \(host); set its region or its endpoint"
        default: description
        }
    }
}
