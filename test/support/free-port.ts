/** Ports for servers that a test starts. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Above what programs commonly listen on. */
const FIRST = 20_000;
/**
 * Below node ports (30000-32767), and below the ports that Linux gives to outgoing connections (32768-60999): one of those, free when
 * a test asks, may belong to any client of the machine before the test's server listens on it, or while that server is restarted.
 */
const END = 30_000;
const MAX_TRIES = 100;
/** Those of this process, which may not listen on them yet. */
const given = new Set<number>();

/** A TCP port of 127.0.0.1 on which nobody listens, and that no client is given. @throws when there is none */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const port = randomInt(FIRST, END);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`of ${MAX_TRIES} ports of 127.0.0.1 between ${FIRST} and ${END} none is free`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer();
    server.on('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });
}
