/** Reads the lines of `conntrack -L` about UDP and TCP. Pure. */
import type { TrackedConnection } from './router-machine.ts';

const LINE =
  /^(?:udp|tcp)\s.*?\bsrc=(\S+) dst=(\S+) sport=(\d+) dport=(\d+)(?: packets=\d+ bytes=\d+)?(?: \[UNREPLIED\])? src=(\S+) dst=\S+ sport=(\d+) dport=\d+/;

/** Lines that are cut off, or of another protocol, are left out. */
export function parseConnections(text: string): readonly TrackedConnection[] {
  return text.split('\n').flatMap((line) => {
    const found = LINE.exec(line);
    if (found === null) return [];
    const [, from = '', to = '', fromPort, toPort, answeredBy = '', answeredByPort] = found;
    return [
      {
        from,
        to,
        fromPort: Number(fromPort),
        toPort: Number(toPort),
        answeredBy,
        answeredByPort: Number(answeredByPort),
      },
    ];
  });
}
