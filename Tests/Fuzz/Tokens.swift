/// Tokens and credentials, as any client may send them.
func fuzzTokens(_ input: inout FuzzInput) {
    switch input.byte() % 4 {
    case 0: fuzzToken(String(decoding: input.all(), as: UTF8.self))
    case 1: fuzzClaims(input.all())
    case 2: fuzzAccount(&input)
    default: fuzzBase64(input.all())
    }
}

private let key = SigningKey(Array("the secret key of a gallery, for fuzzing".utf8))
/// Another signs what is new: a token of either is one.
private let newKey = SigningKey(number: 2, Array("the next key of a gallery, for fuzzing".utf8))
private let keys = SigningKeys(newKey, and: [key])
/// 2026-11-21 18:59:03.
private let now = Timestamp(milliseconds: 1_795_287_543_000)

/// Whatever is taken was written here, to the last character.
private func fuzzToken(_ text: String) {
    guard let token = AccessToken(text, keys: keys, now: now) else { return }
    precondition(
        keys.all.contains { token.signed(with: $0) == text }, "a token has two texts")
}

/// With our signature, as if the key were known: claims are looked at all the same.
private func fuzzClaims(_ claims: [UInt8]) {
    let header = Base64URL.text(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8))
    let body = "\(header).\(Base64URL.text(claims))"
    let text = "\(body).\(Base64URL.text(key.code(of: Array(body.utf8))))"
    guard let token = AccessToken(text, keys: keys, now: now) else { return }
    precondition(token.expiresAt - token.issuedAt == AccessToken.life && token.expiresAt > now.seconds)
    // What it says is what one of ours would say.
    precondition(AccessToken(token.signed(with: key), keys: keys, now: now) == token)
}

/// What was written is read, and nothing that differs from it anywhere.
private func fuzzAccount(_ input: inout FuzzInput) {
    let (place, change) = (Int(input.number()), input.byte())
    let token = AccessToken(
        account: String(decoding: input.take(36), as: UTF8.self),
        family: String(decoding: input.take(36), as: UTF8.self),
        number: Int(input.number()), issuedAt: now.seconds - Int64(input.number() % 900))
    var text = Array(token.signed(with: change & 1 == 0 ? key : newKey).utf8)
    precondition(AccessToken(String(decoding: text, as: UTF8.self), keys: keys, now: now) == token)
    guard change != 0 else { return }
    text[place % text.count] ^= change
    precondition(
        AccessToken(String(decoding: text, as: UTF8.self), keys: keys, now: now) == nil,
        "a changed token is taken")
}

private func fuzzBase64(_ bytes: [UInt8]) {
    precondition(Base64URL.bytes(Base64URL.text(bytes)) == bytes)
    let text = String(decoding: bytes, as: UTF8.self)
    guard let read = Base64URL.bytes(text) else { return }
    precondition(Base64URL.text(read) == text, "bytes have two texts")
}
