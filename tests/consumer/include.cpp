// The public header in C++, linked: names must not be mangled.
#include <cstring>

#include <tendril/tendril.h>

int main() {
    return std::strcmp(td_version(), TD_VERSION) == 0 ? 0 : 1;
}
