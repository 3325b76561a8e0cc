/** Relays bytes between a client and its backend in both directions, to a clean end. */
import type { DuplexStream } from '../http.ts';

/**
 * Relays bytes until the client is gone, and then closes the backend as well. The protocols that we carry never close half of a
 * connection, because they close their own streams, so a client whose bytes end has left (upstream's proxy assumes the same).
 *
 * The end of the backend does not end the client's connection: the client's further bytes are dropped until it closes. If we
 * closed with unread bytes, the kernel would reset the connection, and a slow reader would lose output that it has not read
 * yet. `onBackendEnd` is called so that the caller can bound that wait. Never rejects.
 */
export async function relay(client: DuplexStream, backend: DuplexStream, onBackendEnd: () => void): Promise<void> {
  const output = passOn(backend, client).then((clientTakes) => {
    if (clientTakes) {
      client.end();
      onBackendEnd();
    } else {
      // The client's input may be stuck on the way to the backend, where its end would not be noticed.
      client.destroy();
      backend.destroy();
    }
  });
  let backendTakes = true;
  try {
    for await (const chunk of client.readable) {
      if (backendTakes) backendTakes = await taken(backend, chunk);
    }
  } catch {
    // A client whose connection broke is gone, too.
  }
  backend.end();
  backend.destroy();
  await output;
  client.destroy();
}

/** @returns false when `to` accepts no more bytes */
async function passOn(from: DuplexStream, to: DuplexStream): Promise<boolean> {
  try {
    for await (const chunk of from.readable) if (!(await taken(to, chunk))) return false;
  } catch {
    // The bytes before the break have been relayed, and the inner protocol shows that something is missing.
  }
  return true;
}

async function taken(stream: DuplexStream, chunk: Uint8Array): Promise<boolean> {
  try {
    await stream.write(chunk);
    return true;
  } catch {
    return false;
  }
}
