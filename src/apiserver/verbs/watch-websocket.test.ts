import { describe, expect, it } from 'vitest';
import {
  decodeText,
  type DuplexStream,
  type UpgradeResponse,
  WebSocketDecoder,
  encodeWebSocketClose,
  encodeWebSocketFrame,
  encodeText,
} from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { ADMIN, type Loose, startTestServer, type TestServer } from '../test-server.ts';

const maps = '/api/v1/namespaces/default/configmaps';
const MASK = new Uint8Array([1, 2, 3, 4]);
const HANDSHAKE = {
  upgrade: 'websocket',
  connection: 'Upgrade',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

async function withServer(run: (api: TestServer) => Promise<void>): Promise<void> {
  const api = await startTestServer({ clock: createManualClock() });
  try {
    await run(api);
  } finally {
    await api.close();
  }
}

function ask(
  api: TestServer,
  url: string,
  headers: Readonly<Record<string, string>> = {},
  user = ADMIN,
): Promise<UpgradeResponse> {
  return api.server.as(user).upgrade({ method: 'GET', url, headers: { ...HANDSHAKE, ...headers } });
}

/** The client's end of a socket: its messages, as they come. */
class Client {
  readonly messages: string[] = [];
  readonly control: string[] = [];
  readonly stream: DuplexStream;
  readonly ended: Promise<void>;

  constructor(stream: DuplexStream) {
    this.stream = stream;
    // A test that destroys its end breaks its own reading, too.
    this.ended = this.#read().catch(() => {});
  }

  async #read(): Promise<void> {
    const decoder = new WebSocketDecoder({ masked: false });
    let text = '';
    for await (const chunk of this.stream.readable) {
      for (const event of decoder.push(chunk)) {
        if (event.type === 'data') {
          text += decodeText(event.payload);
          if (!event.last) continue;
          this.messages.push(text);
          text = '';
        } else
          this.control.push(
            event.type === 'close' ? `close ${event.code}` : `${event.type} ${decodeText(event.payload)}`,
          );
      }
    }
  }

  get events(): string[] {
    return this.messages.map((text) => {
      const { type, object }: Loose = JSON.parse(text);
      return `${type} ${object.metadata?.name ?? object.reason}`;
    });
  }
}

async function open(api: TestServer, url: string, headers: Readonly<Record<string, string>> = {}): Promise<Client> {
  const answer = await ask(api, url, headers);
  if (!answer.upgraded) throw new Error(`status ${answer.response.status}`);
  const client = new Client(answer.stream);
  await settle();
  return client;
}

async function put(api: TestServer, name: string): Promise<void> {
  expect((await api.call('POST', maps, { metadata: { name } })).status).toBe(201);
}

describe('a watch over a WebSocket', () => {
  it('sends each event as one text message, also many that come at once', () =>
    withServer(async (api) => {
      await put(api, 'a');
      await put(api, 'b');
      const client = await open(api, `${maps}?watch=1&allowWatchBookmarks=1`);
      expect(client.events).toEqual(['ADDED a', 'ADDED b', 'BOOKMARK undefined']);
      await put(api, 'c');
      await api.call('DELETE', `${maps}/a`);
      await settle();
      expect(client.events.slice(3)).toEqual(['ADDED c', 'DELETED a']);
      await client.stream.write(encodeWebSocketFrame('ping', encodeText('hi'), MASK));
      await client.stream.write(encodeWebSocketFrame('text', encodeText('nobody reads this'), MASK));
      await settle();
      expect(client.control).toEqual(['pong hi']);
      client.stream.destroy();
    }));

  it('ends with its time, with a close', () =>
    withServer(async (api) => {
      const client = await open(api, `${maps}?watch=1&timeoutSeconds=5`);
      await api.clock.advance(5_000);
      await settle();
      expect(client.control).toEqual(['close 1000']);
      client.stream.destroy();
    }));

  it.each([
    ['closes', (client: Client) => client.stream.write(encodeWebSocketClose(1000, '', MASK))],
    ['breaks the protocol', (client: Client) => client.stream.write(encodeWebSocketFrame('text', encodeText('x')))],
    ['is gone', async (client: Client) => client.stream.destroy()],
  ])('holds nothing once its client %s', (_, leave) =>
    withServer(async (api) => {
      const timers = api.clock.pendingTimers;
      const client = await open(api, `${maps}?watch=1`);
      const gauge = (): string | undefined =>
        /apiserver_longrunning_requests\{[^}]*resource="configmaps"[^}]*\} (\d+)/.exec(api.server.metrics.text())?.[1];
      expect(gauge()).toBe('1');
      await leave(client);
      await settle();
      expect(gauge()).toBe('0');
      client.stream.destroy();
      await settle();
      expect(api.clock.pendingTimers).toBeLessThanOrEqual(timers);
    }),
  );

  it('tells 410 as an event, as a plain watch does', () =>
    withServer(async (api) => {
      await put(api, 'a');
      const { revision } = await api.store.get('/x');
      await put(api, 'b');
      await api.server.close();
      await api.store.compact(revision + 1);
      const next = await startTestServer({ clock: api.clock, store: api.store });
      const client = await open(next, `${maps}?watch=1&resourceVersion=${revision}`);
      expect(client.events).toEqual(['ERROR Expired']);
      expect(client.control).toEqual(['close 1000']);
      client.stream.destroy();
      await next.server.close();
    }));

  it.each([
    [`${maps}?watch=1`, {}, undefined],
    [`${maps}?watch=1`, { 'sec-websocket-protocol': 'anything' }, 'anything'],
    ['/api/v1/watch/configmaps', {}, undefined],
    [`${maps}/a?watch=true`, {}, undefined],
  ])('opens %s with %j', (url, headers, protocol) =>
    withServer(async (api) => {
      const answer = await ask(api, url, headers);
      if (!answer.upgraded) throw new Error('refused');
      expect(answer.headers['sec-websocket-accept']).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
      expect(answer.headers['sec-websocket-protocol']).toBe(protocol);
      answer.stream.destroy();
    }),
  );

  it.each([
    [`${maps}?watch=1`, { 'sec-websocket-protocol': 'a, b' }, ADMIN, 400],
    [`${maps}?watch=1`, { 'sec-websocket-version': '8' }, ADMIN, 426],
    [`${maps}?watch=1&labelSelector=a===b`, {}, ADMIN, 400],
    [`${maps}?watch=1`, {}, { name: 'eve', groups: ['system:authenticated'] }, 403],
    [`${maps}?watch=1`, {}, { name: 'system:anonymous', groups: ['system:unauthenticated'] }, 401],
  ])('refuses %s with %j', (url, headers, user, status) =>
    withServer(async (api) => {
      const answer = await ask(api, url, headers, user);
      if (answer.upgraded) throw new Error('opened');
      expect(answer.response.status).toBe(status);
    }),
  );

  it('waits for a client that does not read, and ends it as too slow', () =>
    withServer(async (api) => {
      await put(api, 'a');
      const answer = await ask(api, `${maps}?watch=1`);
      if (!answer.upgraded) throw new Error('refused');
      const text = 'x'.repeat(200_000);
      for (let i = 0; i < 150; i++)
        await api.call('PUT', `${maps}/a`, { metadata: { name: 'a' }, data: { text: `${i}${text}` } });
      const client = new Client(answer.stream);
      await settle();
      await settle();
      expect(client.control).toEqual(['close 1000']);
      expect(client.events.length).toBeLessThan(150);
      client.stream.destroy();
    }));
});
