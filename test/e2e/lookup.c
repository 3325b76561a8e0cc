/* Prints what the libc that it is built with finds for each name: "NAME ADDRESS", or "NAME" and why not. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

int main(int count, char **names) {
  for (int at = 1; at < count; at++) {
    struct addrinfo wanted, *found;
    memset(&wanted, 0, sizeof wanted);
    wanted.ai_socktype = SOCK_STREAM;
    int code = getaddrinfo(names[at], NULL, &wanted, &found);
    if (code != 0) {
      printf("%s %s\n", names[at], gai_strerror(code));
      continue;
    }
    for (struct addrinfo *each = found; each != NULL; each = each->ai_next) {
      char text[INET6_ADDRSTRLEN] = "";
      const void *address = each->ai_family == AF_INET6
          ? (const void *)&((struct sockaddr_in6 *)each->ai_addr)->sin6_addr
          : (const void *)&((struct sockaddr_in *)each->ai_addr)->sin_addr;
      inet_ntop(each->ai_family, address, text, sizeof text);
      printf("%s %s\n", names[at], text);
    }
    freeaddrinfo(found);
  }
  return 0;
}
