#include "api/timestamp.hpp"

#include <chrono>

namespace headway::api {
namespace {

void digits(char* at, unsigned value, int count) {
    for (int i = count - 1; i >= 0; --i) {
        at[i] = static_cast<char>('0' + value % 10);
        value /= 10;
    }
}

}  // namespace

void append_timestamp(std::string& out, core::Timestamp at) {
    const auto day = std::chrono::floor<std::chrono::days>(at);
    const std::chrono::year_month_day date{day};
    const auto ms = static_cast<unsigned>((at - day).count());
    char text[] = "0000-00-00T00:00:00.000Z";
    digits(text, static_cast<unsigned>(static_cast<int>(date.year())), 4);
    digits(text + 5, static_cast<unsigned>(date.month()), 2);
    digits(text + 8, static_cast<unsigned>(date.day()), 2);
    digits(text + 11, ms / 3'600'000, 2);
    digits(text + 14, ms / 60'000 % 60, 2);
    digits(text + 17, ms / 1000 % 60, 2);
    digits(text + 20, ms % 1000, 3);
    out.append(text, sizeof text - 1);
}

}  // namespace headway::api
