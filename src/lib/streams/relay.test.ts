import { describe, expect, it } from 'vitest';
import { concatBytes, decodeText, encodeText } from '../bytes.ts';
import type { DuplexStream } from '../http.ts';
import { createManualClock, settle } from '../manual-clock.node.ts';
import { createDuplexPair } from './duplex-pair.ts';
import { withIdleTimeout } from './idle-timeout.ts';
import { relay } from './relay.ts';

async function textOf({ readable }: DuplexStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of readable) chunks.push(chunk);
  } catch (error) {
    return `${decodeText(concatBytes(chunks))} (${error instanceof Error ? error.message : ''})`;
  }
  return decodeText(concatBytes(chunks));
}

function world() {
  const [client, clientEnd] = createDuplexPair();
  const [backend, backendEnd] = createDuplexPair();
  let backendEnded = false;
  const done = relay(clientEnd, backendEnd, () => {
    backendEnded = true;
  });
  return { client, backend, done, backendEnded: () => backendEnded };
}

describe('relay', () => {
  it('passes on, and lets a client read the rest and go on writing when the backend has ended', async () => {
    const { client, backend, done, backendEnded } = world();
    const read = textOf(client);
    await Promise.all([client.write(encodeText('hello')), backend.readable[Symbol.asyncIterator]().next()]);
    await backend.write(encodeText('output'));
    backend.destroy();
    expect(await read).toBe('output');
    expect(backendEnded()).toBe(true);
    await client.write(encodeText('a ping'));
    await client.write(encodeText('another'));
    client.end();
    await done;
  });

  it('lets the backend go when the client has', async () => {
    const { client, backend, done } = world();
    const read = textOf(backend);
    await client.write(encodeText('bye'));
    client.end();
    await done;
    expect(await read).toMatch(/^bye/);
    await expect(backend.write(encodeText('x'))).rejects.toThrow('connection broke');
  });

  it('notices a client that broke while its input is stuck', async () => {
    const { client, backend, done } = world();
    const stuck = client.write(encodeText('one')).then(() => client.write(encodeText('two')));
    stuck.catch(() => {});
    await settle();
    // The backend does not read "one", and its output cannot reach the client, which is gone.
    const output = backend.write(encodeText('output'));
    client.destroy();
    await output;
    await done;
    await expect(backend.write(encodeText('x'))).rejects.toThrow('connection broke');
  });
});

describe('idle timeout', () => {
  it('ends a connection on which nothing passes, and only such a one', async () => {
    const clock = createManualClock();
    const [near, far] = createDuplexPair();
    const stream = withIdleTimeout(near, clock, 1000);
    const read = textOf(far);
    for (let i = 0; i < 5; i += 1) {
      await clock.advance(900);
      await stream.write(encodeText('.'));
    }
    await clock.advance(900);
    await clock.suspend(3_600_000);
    await clock.advance(900);
    await stream.write(encodeText('!'));
    await clock.advance(1100);
    expect(await read).toBe('.....! (connection broke: idle for 1000 ms)');
    await expect(stream.write(encodeText('x'))).rejects.toThrow('idle');
    expect(clock.pendingTimers).toBe(0);
  });
});
