/* Escape: opens sockets of every kind that leads out of the machine or into its kernel. */
#include "attack.h"

#include <linux/netlink.h>

static void attack(void)
{
    static const int families[] = {AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK, AF_BLUETOOTH, AF_CAN,
                                   AF_TIPC, AF_RDS, AF_XDP, AF_KEY, AF_APPLETALK, AF_X25};
    int ends[2];
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        MUST_FAIL(socket(families[i], SOCK_STREAM, 0));
        MUST_FAIL(socket(families[i], SOCK_DGRAM, 0));
        MUST_FAIL(socket(families[i], SOCK_RAW, 0));
        MUST_FAIL(socketpair(families[i], SOCK_STREAM, 0, ends));
    }
}
