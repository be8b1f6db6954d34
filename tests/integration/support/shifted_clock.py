# SPDX-License-Identifier: Apache-2.0
"""A wall clock of programs that is ahead by so many seconds, also while they run; their steady clock is true, unless it is
asked for."""
import struct
import subprocess
from pathlib import Path

# The file is mapped and the kernel's fast clock is used: some agents read the time a hundred thousand times a second.
SOURCE = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
extern char* program_invocation_short_name;
static const volatile long* ahead;
static int steady;
static int (*fast)(clockid_t, struct timespec*);
__attribute__((constructor)) static void begin(void) {
    const char* program = getenv("SHIFTED_PROGRAM");
    const char* path = getenv("SHIFTED_CLOCK");
    steady = getenv("SHIFTED_STEADY") != NULL;
    fast = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
    if (!path || (program && strcmp(program, program_invocation_short_name) != 0)) return;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    void* const mapped = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (mapped != MAP_FAILED) ahead = mapped;
    close(file);
}
int clock_gettime(clockid_t clock, struct timespec* now) {
    const int done = fast ? fast(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
    if (done == 0 && ahead && (clock == CLOCK_REALTIME || (steady && clock == CLOCK_MONOTONIC))) now->tv_sec += *ahead;
    return done;
}
int gettimeofday(struct timeval* restrict to, void* restrict zone) {
    struct timespec now;
    const int done = clock_gettime(CLOCK_REALTIME, &now);
    if (zone) memset(zone, 0, sizeof(struct timezone));
    if (to) *to = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
    return done;
}
time_t time(time_t* to) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}
'''


class ShiftedClock:
    def __init__(self, folder: Path, program: str = "", steady: bool = False):
        """`program`: the only one that is shifted, by its name; else all. `steady`: its steady clock too."""
        self.steady = steady
        self.file = folder / "ahead"
        self.library = folder / "shifted.so"
        self.program = program
        self.set(0)
        source = folder / "shifted.c"
        source.write_text(SOURCE)
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", self.library, source, "-ldl"], check=True)

    def set(self, seconds: int):
        """In place: programs have the file mapped."""
        self.file.touch()
        with open(self.file, "r+b") as file:
            file.write(struct.pack("l", seconds))

    def environment(self) -> dict:
        one = {"SHIFTED_PROGRAM": self.program} if self.program else {}
        if self.steady:
            one["SHIFTED_STEADY"] = "1"
        return {"LD_PRELOAD": str(self.library), "SHIFTED_CLOCK": str(self.file), **one}
