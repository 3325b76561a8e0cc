import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../api/index.ts';
import { encodeText } from '../lib/index.ts';
import { parseWatchStream } from './watch-stream.ts';

async function* pieces(bytes: Uint8Array, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  let start = 0;
  for (const cut of [...at, bytes.length]) {
    yield bytes.slice(start, cut);
    start = cut;
  }
}

async function collect(text: string, cuts: readonly number[] = []): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const event of parseWatchStream(pieces(encodeText(text), cuts))) events.push(event);
  return events;
}

const added = { type: 'ADDED', object: { metadata: { name: 'naïve 𝄞', resourceVersion: '5' } } };

describe('parseWatchStream', () => {
  it('gives the same events however the bytes are cut', async () => {
    const deleted = { type: 'DELETED', object: { metadata: { name: 'b' } } };
    const bookmark = { type: 'BOOKMARK', object: { kind: 'Pod', metadata: { resourceVersion: '17' } } };
    const text = [added, deleted, bookmark].map((event) => `${JSON.stringify(event)}\n`).join('');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 12 }), async (cuts) => {
        expect(await collect(text, cuts)).toEqual([added, deleted, { type: 'BOOKMARK', resourceVersion: '17' }]);
      }),
    );
  });

  it('rejects with the status of an ERROR event', async () => {
    const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old resource version' };
    const error: unknown = await collect(`${JSON.stringify({ type: 'ERROR', object: status })}\n`).catch(
      (e: unknown) => e,
    );
    expect(error).toBeInstanceOf(StatusError);
    expect(error).toMatchObject({ code: 410, reason: 'Expired' });
  });

  it.each([
    ['an event cut in its middle', JSON.stringify(added).slice(0, 20), 'cut in the middle'],
    ['an unknown type', '{"type":"WHAT","object":{}}\n', 'unknown type "WHAT"'],
    ['no JSON', '<html>\n', 'cut in the middle'],
  ])('rejects with ConnectionError for %s', async (_, text, message) => {
    await expect(collect(text)).rejects.toThrow(message);
  });
});
