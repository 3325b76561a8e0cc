/** A client and what its upgraded connection leads to: bytes both ways, to a clean end. */
import type { DuplexStream } from '../http.ts';

/**
 * Passes bytes until the client is gone; then the backend is let go as well. None of the protocols that we carry says anything
 * by closing half of a connection: they close their own streams, so a client whose bytes end has left (upstream's proxy takes
 * it so, too).
 *
 * A backend that ended does not end the client's connection: what the client still sends is thrown away until it closes. Were
 * we to close on bytes that nobody read, the kernel would reset the connection, and a slow reader would lose what it has not
 * read yet. `onBackendEnd` is told, to bound that wait. Never rejects.
 */
export async function relay(client: DuplexStream, backend: DuplexStream, onBackendEnd: () => void): Promise<void> {
  const output = passOn(backend, client).then((clientTakes) => {
    if (clientTakes) {
      client.end();
      onBackendEnd();
    } else {
      // Its input may be stuck on the way to the backend: nobody would look there.
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
    // It broke instead of ending: gone all the same.
  }
  backend.end();
  backend.destroy();
  await output;
  client.destroy();
}

/** @returns false when `to` takes no more */
async function passOn(from: DuplexStream, to: DuplexStream): Promise<boolean> {
  try {
    for await (const chunk of from.readable) if (!(await taken(to, chunk))) return false;
  } catch {
    // What came before the break has been passed on, and the protocol inside tells that something is missing.
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
