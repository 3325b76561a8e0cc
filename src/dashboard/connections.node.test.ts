import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { beforeEach, expect, test } from 'vitest';
import { Connections } from './connections.node.ts';
import { MAX_CONNECTIONS } from './limits.ts';

class Line extends EventEmitter {
  static last = 0;
  readonly remoteAddress = '127.0.0.1';
  readonly remotePort = (Line.last += 1);
  readonly localAddress = '127.0.0.1';
  readonly localPort = 1;
  isOpen = true;

  destroy(): void {
    this.isOpen = false;
    this.emit('close');
  }

  /** The TLS upon it is another object. */
  get secured(): Socket {
    const { remoteAddress, remotePort, localAddress, localPort } = this;
    return { remoteAddress, remotePort, localAddress, localPort } as Socket;
  }
}

let open: Connections;

beforeEach(() => {
  open = new Connections();
});

function accept(): Line {
  const line = new Line();
  open.accept(line as unknown as Socket);
  return line;
}

function serve(line: Line): EventEmitter {
  const outgoing = new EventEmitter();
  open.serving(line.secured, outgoing as ServerResponse);
  return outgoing;
}

test('a new connection takes the place of the oldest stranger, also of one that is busy or in its handshake', () => {
  const known = accept();
  open.known(known.secured);
  const strangers = Array.from({ length: MAX_CONNECTIONS - 1 }, accept);
  serve(strangers[0] as Line);
  const next = accept();
  expect(strangers.map(({ isOpen }) => isOpen)).toEqual(strangers.map((_, at) => at > 0));
  expect([known.isOpen, next.isOpen]).toEqual([true, true]);
});

test('without strangers one that is idle gives way, and none that is busy', () => {
  const lines = Array.from({ length: MAX_CONNECTIONS }, accept);
  const answers = lines.map(serve);
  for (const line of lines) open.known(line.secured);
  expect(accept().isOpen).toBe(false);
  answers[7]?.emit('close');
  expect([accept().isOpen, lines[7]?.isOpen, lines[6]?.isOpen]).toEqual([true, false, true]);
});

test('places of connections that are closed are free', () => {
  const lines = Array.from({ length: MAX_CONNECTIONS }, accept);
  for (const line of lines) open.known(line.secured);
  for (const line of lines.slice(0, 5)) line.destroy();
  for (let count = 0; count < 5; count += 1) expect(accept().isOpen).toBe(true);
  expect(lines.filter(({ isOpen }) => isOpen)).toHaveLength(MAX_CONNECTIONS - 5);
});
