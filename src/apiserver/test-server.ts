/** A server over the store in memory, for the tests of this room. */
import {
  type Clock,
  decodeText,
  encodeText,
  type HttpResponse,
  readAll,
  seededRandom,
  silentLogger,
  type Logger,
} from '../lib/index.ts';
import { createMemoryStore, type Store } from '../store/index.ts';
import { type ApiServer, type ApiServerOptions, type ApiServerPorts, createApiServer } from './index.ts';

/** Answers of every kind: tests look into them without proving first what is there. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Loose = any;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Loose;
}

/** A clock that the test moves. */
export interface TestClock extends Clock {
  advance(ms: number): Promise<void>;
  readonly pendingTimers: number;
}

export interface TestServer {
  readonly server: ApiServer;
  readonly store: Store;
  readonly clock: TestClock;
  /** Sends a request as a master; `body` is sent as JSON unless it is text. */
  call(method: string, url: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  raw(
    method: string,
    url: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<HttpResponse>;
  close(): Promise<void>;
}

export const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };

export interface TestServerOptions
  extends Partial<
    Pick<ApiServerPorts, 'nodeConnection' | 'originConnection' | 'breather'> &
      Pick<ApiServerOptions, 'eventTtlMs' | 'tokens' | 'serviceCidr'>
  > {
  readonly clock: TestClock;
  readonly store?: Store;
  readonly logger?: Logger;
  readonly seed?: number;
}

export async function startTestServer(options: TestServerOptions): Promise<TestServer> {
  const { clock, seed = 1, logger = silentLogger, store = createMemoryStore({ clock }) } = options;
  const { eventTtlMs, tokens, serviceCidr, ...ports } = options;
  const server = createApiServer(
    { ...ports, store, clock, random: seededRandom(seed), logger },
    {
      version: { gitVersion: 'v1.36.4+mendlet.test' },
      ...(eventTtlMs !== undefined && { eventTtlMs }),
      ...(tokens && { tokens }),
      ...(serviceCidr !== undefined && { serviceCidr }),
    },
  );
  await server.ready;
  const connection = server.as(ADMIN);
  const raw: TestServer['raw'] = (method, url, body, headers = {}, signal) => {
    const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
    return connection.request({
      method,
      url,
      headers,
      ...(text === undefined ? {} : { body: encodeText(text) }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  return {
    server,
    store,
    clock,
    raw,
    call: async (method, url, body, headers) => {
      const response = await raw(method, url, body, headers);
      const text = decodeText(await readAll(response.body, 64 * 1024 * 1024));
      const isJson = response.headers['content-type']?.startsWith('application/json') === true;
      return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
    },
    close: async () => {
      await server.close();
      await store.close();
    },
  };
}

/** A pod that passes validation. */
export function podManifest(name: string, more: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  const { metadata, spec, ...rest } = more;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...(metadata as object | undefined) },
    spec: { containers: [{ name: 'main', image: 'busybox' }], ...(spec as object | undefined) },
    ...rest,
  };
}
