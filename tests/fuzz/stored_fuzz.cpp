#include <string>

#include "storage/codec.hpp"
#include "tests/fuzz/bytes.hpp"

// Rows of a damaged database: read, or refused; and what was read is written back as the same.

using namespace headway;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    tests::Bytes bytes{data, size};
    const std::size_t what = bytes.choose(3);
    if (what == 0) {
        const auto events = storage::decode_events(bytes.rest(), 1);
        const auto count = storage::count_events(bytes.rest());
        if (!events) return 0;
        tests::require(count && *count == events->size());
        std::string row;
        storage::encode_events(*events, row);
        const auto again = storage::decode_events(row, 1);
        tests::require(again && again->size() == events->size());
    } else if (what == 1) {
        const auto state = storage::decode_state(bytes.rest());
        if (!state) return 0;
        const std::string snapshot = storage::encode_state(*state);
        const auto again = storage::decode_state(snapshot);
        tests::require(again && storage::encode_state(*again) == snapshot);
    } else {
        const auto approval = storage::decode_approval(bytes.rest());
        if (!approval) return 0;
        tests::require(storage::decode_approval(storage::encode_approval(*approval)).has_value());
    }
    return 0;
}
