/** Tests very many streamed answers at once: the cost of one does not grow with their number, and all end with the server. */
import { afterEach, expect, it, vi } from 'vitest';
import { memoryHeld, startUnderAttack } from './edge/edge-under-attack.ts';
import { openTls, type Wire } from './edge/hostile-client.ts';
import { framesIn, PREFACE, request, settings, settingsAck, TYPES } from './edge/http2-frames.ts';
import { inShort } from './extent.ts';

const WATCH = '/api/v1/namespaces/default/configmaps?watch=1';
/** Streams of one connection: as many as it may have before it is authenticated. */
const STREAMS = 80;
const CONNECTIONS = inShort(3, 40);

afterEach(() => {
  vi.restoreAllMocks();
});

/** Counts listeners per signal, because adding and removing a listener takes time in proportion to their number. */
function countListeners(): { most(): number } {
  const counts = new Map<AbortSignal, number>();
  let most = 0;
  const count = (signal: AbortSignal, by: number): void => {
    const now = (counts.get(signal) ?? 0) + by;
    counts.set(signal, now);
    most = Math.max(most, now);
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with its own signal
  const { addEventListener: add, removeEventListener: remove } = AbortSignal.prototype;
  vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (this: AbortSignal, ...given) {
    count(this, 1);
    add.apply(this, given);
  });
  vi.spyOn(AbortSignal.prototype, 'removeEventListener').mockImplementation(function (this: AbortSignal, ...given) {
    count(this, -1);
    remove.apply(this, given);
  });
  return { most: () => most };
}

it('hang on no signal that all share, and end with the server', { timeout: 300_000 }, async () => {
  const target = await startUnderAttack();
  const listeners = countListeners();
  const wires: Wire[] = [];
  for (let n = 0; n < CONNECTIONS; n += 1) {
    const wire = await openTls(target.admin, ['h2']);
    wires.push(wire);
    await wire.send(Buffer.concat([PREFACE, settings(), settingsAck]));
    for (let stream = 0; stream < STREAMS; stream += 1) await wire.send(request(2 * stream + 1, 'GET', WATCH));
  }
  const answered = (): number =>
    wires.reduce(
      (sum, { received }) => sum + framesIn(received).filter(({ type }) => type === TYPES.headers).length,
      0,
    );
  await expect.poll(answered, { timeout: 60_000 }).toBe(STREAMS * CONNECTIONS);
  expect(target.edge.usage.underWay).toBe(STREAMS * CONNECTIONS);
  // A signal of one stream has a few listeners; a shared one would have one per stream.
  expect(listeners.most()).toBeLessThan(STREAMS / 5);
  await target.close();
  expect(target.edge.usage.underWay).toBe(0);
  for (const wire of wires) wire.close();
});

const MIB = 1024 * 1024;

it('keep nothing of what they have sent, however long they are', { timeout: 300_000 }, async () => {
  const pieces = inShort(100, 600);
  const held: number[] = [];
  let read = 0;
  const body = async function* (): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = 0; piece < pieces; piece += 1) {
      // The client has read everything that was sent, so the memory is held by the server.
      await vi.waitUntil(() => read >= piece * MIB, { timeout: 60_000, interval: 1 });
      held.push(memoryHeld());
      yield new Uint8Array(MIB).fill(piece);
    }
  };
  const target = await startUnderAttack({
    connection: {
      readsBodies: true,
      request: async () => ({ status: 200, headers: {}, body: body() }),
      upgrade: async () => ({ upgraded: false, response: { status: 200, headers: {}, body: new Uint8Array() } }),
    },
  });
  const answer = await target.honest().request({ method: 'GET', url: WATCH, headers: {} });
  if (answer.body instanceof Uint8Array) throw new Error('it is a stream');
  for await (const chunk of answer.body) read += chunk.length;
  expect(read).toBe(pieces * MIB);
  const [first = 0] = held;
  expect((Math.max(...held) - first) / MIB).toBeLessThan(pieces / 3);
  await target.close();
});
