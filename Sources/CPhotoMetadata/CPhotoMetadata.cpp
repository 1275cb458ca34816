#include "CPhotoMetadata.h"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <exiv2/exiv2.hpp>
#include <set>
#include <stdexcept>
#include <string>

namespace {

/// ISO 2022's escape sequence that names UTF-8: IIM 4.2, 1:90.
const char utf8Mark[] = "\x1b%G";

bool isUTF8(const std::string &text) {
    size_t rest = 0;
    for (unsigned char byte : text) {
        if (rest > 0) {
            if ((byte & 0xC0) != 0x80) return false;
            rest -= 1;
        } else if (byte >= 0x80) {
            if (byte >= 0xC2 && byte <= 0xDF) rest = 1;
            else if ((byte & 0xF0) == 0xE0) rest = 2;
            else if (byte >= 0xF0 && byte <= 0xF4) rest = 3;
            else return false;
        }
    }
    return rest == 0;
}

std::string fromLatin1(const std::string &text) {
    std::string result;
    for (unsigned char byte : text) {
        if (byte < 0x80) {
            result += static_cast<char>(byte);
        } else {
            result += static_cast<char>(0xC0 | (byte >> 6));
            result += static_cast<char>(0x80 | (byte & 0x3F));
        }
    }
    return result;
}

/// What was written without the mark means Latin-1 to most programs, and would be read as UTF-8 from now on.
void makeUTF8(Exiv2::IptcData &iptc) {
    for (auto &datum : iptc) {
        if (datum.typeId() != Exiv2::string) continue;
        std::string text = datum.toString();
        if (!isUTF8(text)) datum.setValue(fromLatin1(text));
    }
    iptc["Iptc.Envelope.CharacterSet"] = utf8Mark;
}

/// Values are put together here: exiv2 takes the beginning of a text, such as `lang=` or `type=`, for an instruction.
void add(Exiv2::XmpData &xmp, const Exiv2::XmpKey &key, const std::string &text) {
    auto found = xmp.findKey(key);
    switch (Exiv2::XmpProperties::propertyType(key)) {
    case Exiv2::langAlt: {
        Exiv2::LangAltValue value;
        value.value_["x-default"] = text;
        xmp.add(key, &value);
        break;
    }
    case Exiv2::xmpBag:
    case Exiv2::xmpSeq:
    case Exiv2::xmpAlt:
        if (found == xmp.end()) {
            Exiv2::XmpArrayValue value(Exiv2::XmpProperties::propertyType(key));
            value.read(text);
            xmp.add(key, &value);
        } else {
            found->setValue(text);
        }
        break;
    default: {
        Exiv2::XmpTextValue value;
        value.value_ = text;
        xmp.add(key, &value);
    }
    }
}

void add(Exiv2::IptcData &iptc, const Exiv2::IptcKey &key, const std::string &text) {
    auto value = Exiv2::Value::create(Exiv2::IptcDataSets::dataSetType(key.tag(), key.record()));
    if (value->read(text) != 0) throw std::runtime_error(key.key() + " does not take '" + text + "'");
    if (iptc.add(key, value.get()) != 0) throw std::runtime_error(key.key() + " is there already");
}

bool isXMP(const tl_metadata_entry &entry) { return std::strncmp(entry.key, "Xmp.", 4) == 0; }

void addXMP(Exiv2::XmpData &xmp, const tl_metadata_entry *entries, size_t count) {
    std::set<std::string> cleared;
    for (size_t index = 0; index < count; index += 1) {
        if (!isXMP(entries[index])) continue;
        Exiv2::XmpKey key(entries[index].key);
        if (cleared.insert(key.key()).second) {
            auto found = xmp.findKey(key);
            if (found != xmp.end()) xmp.erase(found);
        }
        add(xmp, key, entries[index].value);
    }
}

void addIPTC(Exiv2::IptcData &iptc, const tl_metadata_entry *entries, size_t count) {
    makeUTF8(iptc);
    std::set<std::string> cleared;
    for (size_t index = 0; index < count; index += 1) {
        if (isXMP(entries[index])) continue;
        Exiv2::IptcKey key(entries[index].key);
        if (cleared.insert(key.key()).second) {
            auto found = iptc.findKey(key);
            while (found != iptc.end()) {
                iptc.erase(found);
                found = iptc.findKey(key);
            }
        }
        add(iptc, key, entries[index].value);
    }
}

void give(const uint8_t *bytes, size_t count, tl_metadata_bytes *result) {
    result->bytes = static_cast<uint8_t *>(std::malloc(count > 0 ? count : 1));
    if (result->bytes == nullptr) throw std::bad_alloc();
    std::memcpy(result->bytes, bytes, count);
    result->count = count;
}

int told(tl_metadata_problem *problem, const char *text) {
    std::strncpy(problem->text, text, sizeof(problem->text) - 1);
    problem->text[sizeof(problem->text) - 1] = '\0';
    return -1;
}

/// Nothing of C++ passes through C.
template <typename Body> int caught(tl_metadata_problem *problem, Body body) {
    problem->text[0] = '\0';
    try {
        // What it has to say comes as an exception; warnings on standard error are for no reader.
        Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
        body();
        return 0;
    } catch (const std::exception &error) {
        return told(problem, error.what());
    } catch (...) {
        return told(problem, "exiv2 ended without a reason");
    }
}

} // namespace

int tl_metadata_xmp(
    const uint8_t *old, size_t count, const tl_metadata_entry *entries, size_t entry_count, int is_sidecar,
    tl_metadata_bytes *result, tl_metadata_problem *problem) {
    return caught(problem, [&] {
        Exiv2::XmpData xmp;
        const std::string former(reinterpret_cast<const char *>(old), count);
        if (count > 0 && Exiv2::XmpParser::decode(xmp, former) != 0)
            throw std::runtime_error("the XMP that it has cannot be read");
        addXMP(xmp, entries, entry_count);
        std::string packet;
        uint16_t form = Exiv2::XmpParser::useCompactFormat;
        if (is_sidecar) form |= Exiv2::XmpParser::omitPacketWrapper;
        // Without room for later changes: a photo that is delivered is not written to again.
        if (Exiv2::XmpParser::encode(packet, xmp, form) != 0)
            throw std::runtime_error("exiv2 cannot write this as XMP");
        if (is_sidecar) packet = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + packet;
        give(reinterpret_cast<const uint8_t *>(packet.data()), packet.size(), result);
    });
}

int tl_metadata_resources(
    const uint8_t *old, size_t count, const tl_metadata_entry *entries, size_t entry_count,
    tl_metadata_bytes *result, tl_metadata_problem *problem) {
    return caught(problem, [&] {
        Exiv2::IptcData iptc;
        const Exiv2::byte *record = nullptr;
        uint32_t header = 0;
        uint32_t size = 0;
        const int found =
            count > 0 ? Exiv2::Photoshop::locateIptcIrb(old, static_cast<long>(count), &record, &header, &size)
                      : 3;
        // 3 is for resources without IPTC.
        if (found != 0 && found != 3) throw std::runtime_error("its Photoshop resources cannot be read");
        if (found == 0 && Exiv2::IptcParser::decode(iptc, record + header, size) != 0)
            throw std::runtime_error("the IPTC that it has cannot be read");
        addIPTC(iptc, entries, entry_count);
        const Exiv2::DataBuf resources =
            Exiv2::Photoshop::setIptcIrb(old, static_cast<long>(count), iptc);
        give(resources.pData_, static_cast<size_t>(resources.size_), result);
    });
}

void tl_metadata_free(tl_metadata_bytes bytes) { std::free(bytes.bytes); }
