/**
 * A cluster in memory with objects of every kind in two namespaces and in none, each with a mark that no request contains. It
 * records all writes, and all requests to kubelets and pods.
 */
import { NAMESPACES, type ResourceRow } from '../../../src/api/index.ts';
import { createPlainTokenSigner } from '../../../src/apiserver/index.ts';
import { type Answer, startTestServer, type TestServer } from '../../../src/apiserver/test-server.ts';
import {
  type Connection,
  decodeText,
  encodeText,
  type HttpResponse,
  type UpgradeResponse,
  type UserInfo,
} from '../../../src/lib/index.ts';
import { createManualClock, settle } from '../../../src/lib/manual-clock.node.ts';
import { createMemoryStore, type Store } from '../../../src/store/index.ts';
import { ALL_ROWS, collectionOf, fullName, MAKEABLE, manifestOf } from './manifests.ts';

export const OWN = 't1';
export const OTHER = 't2';
/** The mark in every object outside `OWN`, and in kubelets' answers about others. */
export const MARK = 'of-somebody-else';
/** The mark in every object of `OWN`. */
export const OWN_MARK = 'of-our-own';

export interface Seen {
  /** Keys in the store, written or deleted. */
  readonly written: string[];
  /** "NODE METHOD URL", with " (upgrade)". */
  readonly kubelets: string[];
  readonly origins: string[];
}

export interface AccessWorld {
  readonly api: TestServer;
  readonly seen: Seen;
  /** UIDs of objects outside of `OWN`. */
  readonly strange: ReadonlySet<string>;
  /** Recreates objects that the last request deleted. */
  mend(): Promise<void>;
  send(user: UserInfo | undefined, request: Sent): Promise<Got>;
  close(): Promise<void>;
}

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly isUpgrade?: boolean;
}

export interface Got {
  readonly status: number;
  readonly text: string;
}

/** Kinds whose names are not free. */
const CLUSTER_NAMES: Readonly<Record<string, string>> = { nodes: 'n1', ipaddresses: '192.0.2.77' };

/** The names of objects, by place and kind. */
export const nameOf = {
  own: (row: ResourceRow): string => `own-${row.resource}`,
  other: (row: ResourceRow): string => `other-${row.resource}`,
  cluster: (row: ResourceRow): string => CLUSTER_NAMES[row.resource] ?? `cluster-${row.resource}`,
};

const IPS: Readonly<Record<string, string>> = { [OWN]: '10.1.1.1', [OTHER]: '10.2.2.2' };

export async function createAccessWorld(): Promise<AccessWorld> {
  const seen: Seen = { written: [], kubelets: [], origins: [] };
  const clock = createManualClock();
  const api = await startTestServer({
    clock,
    store: recording(createMemoryStore({ clock }), seen),
    tokens: createPlainTokenSigner('attack'),
    nodeConnection: (name) => kubeletOf(name, seen),
    originConnection: (origin) => ({ ...originOf(origin, seen), close: () => {} }),
  });
  const strange = new Set<string>();
  await seed(api, strange);
  seen.written.length = 0;
  const world: AccessWorld = {
    api,
    seen,
    strange,
    mend: () => fill(api),
    send: (user, request) => send(api, user, request),
    close: () => api.close(),
  };
  return world;
}

function recording(store: Store, { written }: Seen): Store {
  return {
    ...store,
    get: (key) => store.get(key),
    list: (prefix, options) => store.list(prefix, options),
    watch: (prefix, after, signal) => store.watch(prefix, after, signal),
    history: (prefix, after, options) => store.history(prefix, after, options),
    compact: (revision) => store.compact(revision),
    close: () => store.close(),
    put: async (key, ...rest) => {
      const result = await store.put(key, ...rest);
      if (result.ok) written.push(key);
      return result;
    },
    delete: async (key, revision) => {
      const result = await store.delete(key, revision);
      if (result.ok) written.push(key);
      return result;
    },
  };
}

function kubeletOf(node: string, { kubelets }: Seen): Connection {
  const answer = (url: string): HttpResponse => {
    const isOwn = url.includes(`/${OWN}/`) || url.includes(`namespace=${OWN}`);
    const isJson = url.startsWith('/mendlet') || url.startsWith('/stats');
    const text = isJson ? JSON.stringify({ items: [], mark: MARK }) : isOwn ? `log ${OWN_MARK}` : `log ${MARK}`;
    return { status: 200, headers: { 'content-type': 'text/plain' }, body: encodeText(text) };
  };
  return {
    request: async ({ method, url }) => {
      kubelets.push(`${node} ${method} ${url}`);
      return answer(url);
    },
    upgrade: async ({ method, url }) => {
      kubelets.push(`${node} ${method} ${url} (upgrade)`);
      return { upgraded: false, response: answer(url) };
    },
  };
}

function originOf(origin: string, { origins }: Seen): Connection {
  const response: HttpResponse = { status: 200, headers: {}, body: encodeText('hello') };
  return {
    request: async () => {
      origins.push(origin);
      return response;
    },
    upgrade: async (): Promise<UpgradeResponse> => {
      origins.push(origin);
      return { upgraded: false, response };
    },
  };
}

async function seed(api: TestServer, strange: Set<string>): Promise<void> {
  const mark = { mark: MARK };
  for (const namespace of [OWN, OTHER]) {
    const own = namespace === OWN ? { mark: OWN_MARK } : mark;
    keep(
      strange,
      namespace,
      await made(api, collectionOf(NAMESPACES), manifestOf(NAMESPACES, namespace, undefined, own)),
    );
  }
  for (const row of MAKEABLE) {
    if (row === NAMESPACES) continue;
    const namespace = row.namespaced ? OTHER : undefined;
    const name = row.namespaced ? nameOf.other(row) : nameOf.cluster(row);
    keep(strange, '', await made(api, collectionOf(row, namespace), manifestOf(row, name, namespace, mark)));
  }
  await fill(api);
  await running(api, OTHER, 'other-pods');
}

function keep(strange: Set<string>, namespace: string, { body }: Answer): void {
  if (namespace !== OWN) strange.add(String(body.metadata.uid));
}

async function made(api: TestServer, url: string, body: object): Promise<Answer> {
  const answer = await api.call('POST', url, body);
  if (answer.status !== 201) throw new Error(`${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** Creates the objects that are missing in `OWN`. */
async function fill(api: TestServer): Promise<void> {
  for (const row of MAKEABLE) {
    if (!row.namespaced) continue;
    const url = collectionOf(row, OWN);
    const { status } = await api.call('GET', `${url}/${nameOf.own(row)}`);
    if (status === 404) await made(api, url, manifestOf(row, nameOf.own(row), OWN, { mark: OWN_MARK }));
  }
  await running(api, OWN, 'own-pods');
  await api.call('POST', collectionOf(rowOf('rolebindings.rbac.authorization.k8s.io'), OWN), {
    metadata: { name: 'all-of-it', labels: { mark: OWN_MARK } },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'tess' }],
  });
}

export function rowOf(name: string): ResourceRow {
  const row = ALL_ROWS.find((each) => fullName(each) === name);
  if (row === undefined) throw new Error(`no kind ${name}`);
  return row;
}

async function running(api: TestServer, namespace: string, name: string): Promise<void> {
  const podIP = IPS[namespace] ?? '';
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] };
  const type = { 'content-type': 'application/merge-patch+json' };
  await api.call('PATCH', `/api/v1/namespaces/${namespace}/pods/${name}/status`, { status }, type);
}

/** Sends a request, and reads the part of the answer that comes at once; an endless watch is aborted. */
async function send(api: TestServer, user: UserInfo | undefined, sent: Sent): Promise<Got> {
  const { method, url, body, headers = {}, isUpgrade = false } = sent;
  const abort = new AbortController();
  const request = {
    method,
    url,
    headers: isUpgrade ? { ...headers, ...HANDSHAKE } : headers,
    signal: abort.signal,
    ...(user !== undefined && { user }),
    ...(body !== undefined && { body: encodeText(body) }),
  };
  const { connection } = api.server;
  const answer = isUpgrade ? await inTime(api, connection.upgrade(request)) : undefined;
  if (answer?.upgraded === true) {
    answer.stream.destroy();
    return { status: 101, text: '' };
  }
  const response = answer?.response ?? (await inTime(api, connection.request(request)));
  return { status: response.status, text: JSON.stringify(response.headers) + (await readSome(response, abort)) };
}

/** Moves the clock until the answer comes, for requests that wait for a time-out (of a future revision). */
async function inTime<T>(api: TestServer, answer: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const over = (): void => {
    state.isOver = true;
  };
  answer.then(over, over);
  for (let turn = 0; !state.isOver; turn += 1) {
    await settle();
    if (turn > 50) await api.clock.advance(1000);
  }
  return answer;
}

const HANDSHAKE = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol': 'v5.channel.k8s.io',
};

async function readSome({ body }: HttpResponse, abort: AbortController): Promise<string> {
  if (body instanceof Uint8Array) return decodeText(body);
  let text = '';
  const state = { isOver: false };
  const reading = (async () => {
    for await (const chunk of body) text += decodeText(chunk);
  })()
    .catch(() => {})
    .finally(() => {
      state.isOver = true;
    });
  for (let turn = 0; turn < 3 && !state.isOver; turn += 1) await settle();
  abort.abort(new Error('seen enough'));
  await reading;
  return text;
}
