import { describe, expect, it } from 'vitest';
import type { ExecSession } from '../../cri/index.ts';
import {
  createDuplexPair,
  decodeText,
  type DuplexStream,
  encodeText,
  encodeWebSocketFrame,
  WebSocketDecoder,
} from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { EXEC_PROTOCOLS } from './streaming-channels.ts';
import { serveOwnExec } from './streaming-own-exec.ts';

const V5 = EXEC_PROTOCOLS['v5.channel.k8s.io']!;
const MASK = new Uint8Array([9, 8, 7, 6]);
const END_OF_INPUT = new Uint8Array([255, 0]);

/** A command that waits for the end of its input, says something, and ends with `code`; it notes what it is told. */
function command(code: number): { readonly session: ExecSession; readonly told: string[] } {
  const told: string[] = [];
  const inputEnd = Promise.withResolvers<void>();
  const exit = Promise.withResolvers<number>();
  exit.promise.catch(() => {});
  inputEnd.promise.catch(() => {});
  async function* said(text: string): AsyncGenerator<Uint8Array, void> {
    await inputEnd.promise;
    yield encodeText(text);
    exit.resolve(code);
  }
  const session: ExecSession = {
    write: async (chunk) => {
      if (decodeText(chunk) === 'refuse') throw new Error('takes no more');
      told.push(decodeText(chunk));
    },
    endInput: () => {
      told.push('end');
      inputEnd.resolve();
    },
    stdout: said('out'),
    stderr: said('err'),
    resize: async (columns, rows) => void told.push(`${columns}x${rows}`),
    exit: exit.promise,
    close: () => {
      told.push('close');
      inputEnd.reject(new Error('closed'));
      exit.reject(new Error('closed'));
    },
  };
  return { session, told };
}

async function heard(client: DuplexStream): Promise<readonly string[]> {
  const decoder = new WebSocketDecoder({ masked: false });
  const said: string[] = [];
  for await (const chunk of client.readable) {
    for (const event of decoder.push(chunk)) {
      if (event.type === 'data') said.push(`${event.payload[0]} ${decodeText(event.payload.subarray(1))}`);
      else if (event.type === 'close') said.push(`close ${event.code}`);
    }
  }
  client.destroy();
  return said;
}

function serve(code: number, more: { readonly signal?: AbortSignal; readonly tty?: boolean } = {}) {
  const [client, clientEnd] = createDuplexPair();
  const { session, told } = command(code);
  const { tty = false, ...signal } = more;
  const streams = { stdin: true, stdout: true, stderr: true, tty };
  const clock = createManualClock();
  const done = serveOwnExec({
    clock,
    protocol: V5,
    command: ['x', '-y'],
    streams,
    client: clientEnd,
    session,
    ...signal,
  });
  const send = (channel: number, text: string): Promise<void> =>
    client.write(encodeWebSocketFrame('binary', encodeText(`${String.fromCharCode(channel)}${text}`), MASK));
  const endInput = (): Promise<void> => client.write(encodeWebSocketFrame('binary', END_OF_INPUT, MASK));
  return { client, told, done, send, endInput };
}

describe('serveOwnExec', () => {
  it('carries input with its end, outputs, status and close', async () => {
    const { client, told, done, send, endInput } = serve(0);
    const said = heard(client);
    await send(0, 'in');
    await endInput();
    expect(await said).toEqual(['1 ', '1 out', '2 err', '3 {"metadata":{},"status":"Success"}', 'close 1000']);
    await done;
    expect(told.slice(0, 3)).toEqual(['in', 'end', 'close']);
  });

  it('tells an exit code', async () => {
    const { client, done, endInput } = serve(7);
    const said = heard(client);
    await endInput();
    expect((await said).at(-2)).toMatch(/"reason":"NonZeroExitCode".*\{"reason":"ExitCode","message":"7"\}/);
    await done;
  });

  it('throws input away that the command does not take, and goes on', async () => {
    const { client, told, done, send } = serve(0, { tty: true });
    const said = heard(client);
    await send(0, 'refuse');
    await send(0, 'more');
    await send(4, '{"Width":77,"Height":33}');
    client.end();
    await done;
    expect(told.slice(0, 2)).toEqual(['77x33', 'close']);
    await said.catch(() => {});
  });

  it('closes the streams when the request is given up', async () => {
    const aborting = new AbortController();
    const { client, told, done } = serve(0, { signal: aborting.signal });
    const said = heard(client);
    aborting.abort();
    expect((await said).at(-2)).toMatch(/^3 .*"reason":"InternalError"/);
    await done;
    expect(told).toContain('close');
  });
});
