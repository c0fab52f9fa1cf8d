/* Escape: looks for the Docker engine and for other ways to whatever started its container. */
#include "attack.h"

static void attack(void)
{
    static const char *const paths[] = {"/var/run/docker.sock", "/run/docker.sock", "/run/containerd/containerd.sock",
                                        "/run/podman/podman.sock", "/.dockerenv/x", "/proc/1/root", "/proc/1/cwd",
                                        "/run/systemd/private", "/run/dbus/system_bus_socket"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        strcpy(address.sun_path, paths[i]);
        MUST_FAIL(connect(fd, (const struct sockaddr *)&address, sizeof address));
        close(fd);
        MUST_FAIL(open(paths[i], O_RDWR));
    }
    must_not_open("/proc/1/root/etc/shadow");
    must_not_open("/etc/shadow");
}
