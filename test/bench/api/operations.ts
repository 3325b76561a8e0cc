/** What is measured of an API server: each operation as clients do it, on bodies of their usual size. */
import { decodeText, encodeText, type HttpRequest, type HttpResponse } from '../../../src/lib/index.ts';
import { configMap, customObject, DEFINITION, deployment, pod, podStatus } from './bodies.ts';

/** The server under measurement. */
export interface Target {
  request(request: HttpRequest): Promise<HttpResponse>;
}

export interface Operation {
  /** Operations of a round when all are measured. */
  readonly count: number;
  /** Once for a server. */
  prepare?(target: Target): Promise<'not served' | void>;
  /** Before and after each round; not measured. */
  before?(target: Target, count: number, round: number): Promise<void>;
  run(target: Target, count: number, round: number): Promise<void>;
  after?(target: Target, count: number, round: number): Promise<void>;
}

/** Objects of the lists that are measured. */
const LISTED = 10_000;
const PODS = '/api/v1/namespaces/default/pods';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const CUSTOM = '/apis/bench.example.com/v1/namespaces/default/widgets';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const NO_GRACE = '?gracePeriodSeconds=0';

const STRATEGIC = 'application/strategic-merge-patch+json';
const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

async function ask(target: Target, method: string, url: string, body?: unknown, type?: string): Promise<HttpResponse> {
  const headers = { 'user-agent': 'kubelet/v1.36', ...(type === undefined ? {} : { 'content-type': type }) };
  return target.request({
    method,
    url,
    headers,
    ...(body === undefined ? {} : { body: encodeText(JSON.stringify(body)) }),
  });
}

/** Throws for an answer that is no success: a refusal must not be taken for a quick answer. */
async function done(answer: Promise<HttpResponse>): Promise<Uint8Array> {
  const { status, body } = await answer;
  const chunks: Uint8Array[] = [];
  if (body instanceof Uint8Array) chunks.push(body);
  else if (body !== undefined) for await (const chunk of body) chunks.push(chunk);
  if (status >= 300) throw new Error(`${status}: ${chunks.map(decodeText).join('').slice(0, 500)}`);
  return chunks[0] ?? new Uint8Array();
}

async function create(target: Target, path: string, count: number, make: (n: number) => object): Promise<void> {
  for (let n = 0; n < count; n++) await done(ask(target, 'POST', path, make(n)));
}

/** Creations in rounds: what a round has made is gone before the next. */
function creations(path: string, count: number, make: (name: string) => object): Operation {
  return {
    count,
    run: (target, n, round) => create(target, path, n, (at) => make(`new-${round}-${at}`)),
    after: async (target) => {
      await done(ask(target, 'DELETE', `${path}${NO_GRACE}`));
    },
  };
}

async function define(target: Target): Promise<'not served' | void> {
  const { status } = await ask(target, 'POST', DEFINITIONS, DEFINITION);
  if (status === 404 || status === 405) return 'not served';
  for (let tries = 0; tries < 200; tries++) {
    if ((await ask(target, 'GET', CUSTOM)).status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error('the definition is not served');
}

interface Kind {
  readonly path: string;
  readonly make: (name: string) => object;
  readonly define?: (target: Target) => Promise<'not served' | void>;
}
const podKind: Kind = { path: '/api/v1/namespaces/full/pods', make: (name) => pod(name) };
const configMapKind: Kind = { path: '/api/v1/namespaces/full/configmaps', make: configMap };
const customKind: Kind = { path: '/apis/bench.example.com/v1/namespaces/full/widgets', make: customObject, define };

async function fill(target: Target, { path, make, define: prepare }: Kind): Promise<'not served' | void> {
  if ((await prepare?.(target)) === 'not served') return 'not served';
  await ask(target, 'POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'full' } });
  if ((await ask(target, 'GET', `${path}/full-0`)).status === 404)
    await create(target, path, LISTED, (n) => make(`full-${n}`));
}

/** Whole lists. `isChanged`: one object of them changes before each. */
function lists(kind: Kind, isChanged: boolean, count: number): Operation {
  return {
    count,
    prepare: (target) => fill(target, kind),
    run: async (target, n, round) => {
      for (let at = 0; at < n; at++) {
        if (isChanged) await annotate(target, `${kind.path}/full-${at}`, `${round}-${at}`);
        await done(ask(target, 'GET', kind.path));
      }
    },
  };
}

function annotate(target: Target, url: string, value: string): Promise<Uint8Array> {
  return done(ask(target, 'PATCH', url, { metadata: { annotations: { bench: value } } }, MERGE));
}

/** Writes that a number of watchers see; measured until all have seen all. */
function fanOut(kind: Kind, watchers: number, count: number): Operation {
  const aborts: AbortController[] = [];
  const path = kind.path.replace('/full/', '/default/');
  let seen = 0;
  let wanted = 0;
  let reached: (() => void) | undefined;
  const follow = async (target: Target): Promise<void> => {
    const abort = new AbortController();
    aborts.push(abort);
    const { body } = await target.request({
      method: 'GET',
      url: `${path}?watch=true`,
      headers: {},
      signal: abort.signal,
    });
    if (body === undefined || body instanceof Uint8Array) throw new Error('no watch');
    const read = async (): Promise<void> => {
      for await (const chunk of body) {
        // Not byte by byte: the clients' own work is not what is measured.
        for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) seen += 1;
        if (seen >= wanted) reached?.();
      }
    };
    void read().catch(() => {});
  };
  return {
    count,
    ...(kind.define && { prepare: kind.define }),
    before: async (target) => {
      seen = 0;
      await done(ask(target, 'POST', path, kind.make('watched')));
      for (let n = 0; n < watchers; n++) await follow(target);
      await settled(() => seen >= watchers);
    },
    run: async (target, n, round) => {
      wanted = seen + n * watchers;
      const all = new Promise<void>((resolve) => {
        reached = resolve;
      });
      for (let at = 0; at < n; at++) await annotate(target, `${path}/watched`, `${round}-${at}`);
      await all;
    },
    after: async (target) => {
      for (const abort of aborts.splice(0)) abort.abort();
      await done(ask(target, 'DELETE', `${path}/watched${NO_GRACE}`));
    },
  };
}

async function settled(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Changes of one object of each name, which is there before. */
function changes(
  path: string,
  count: number,
  make: (name: string) => object,
  change: (target: Target, url: string, turn: number) => Promise<unknown>,
): Operation {
  const OBJECTS = 20;
  return {
    count,
    before: (target) => create(target, path, OBJECTS, (n) => make(`changed-${n}`)),
    run: async (target, n, round) => {
      for (let at = 0; at < n; at++) await change(target, `${path}/changed-${at % OBJECTS}`, round * n + at);
    },
    after: async (target) => {
      await done(ask(target, 'DELETE', `${path}${NO_GRACE}`));
    },
  };
}

async function appliesOnServer(target: Target): Promise<'not served' | void> {
  const url = `${DEPLOYMENTS}/first?fieldManager=bench`;
  const { status } = await ask(target, 'PATCH', url, deployment('first', 1), APPLY);
  return status < 300 ? undefined : 'not served';
}

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'pod create': creations(PODS, 60, (name) => pod(name)),
  'pod status patch': changes(PODS, 60, pod, (target, url, turn) =>
    done(ask(target, 'PATCH', `${url}/status`, { status: podStatus(turn) }, STRATEGIC)),
  ),
  'pod merge patch': changes(PODS, 60, pod, (target, url, turn) => annotate(target, url, String(turn))),
  'pod get': changes(PODS, 600, pod, (target, url) => done(ask(target, 'GET', url))),
  'config map create': creations(CONFIG_MAPS, 200, configMap),
  'config map update': changes(CONFIG_MAPS, 200, configMap, (target, url, turn) =>
    done(ask(target, 'PUT', url, { ...configMap(url.slice(url.lastIndexOf('/') + 1)), data: { turn: String(turn) } })),
  ),
  'deployment create': creations(DEPLOYMENTS, 60, (name) => deployment(name, 1)),
  'deployment apply': {
    ...changes(
      DEPLOYMENTS,
      60,
      (name) => deployment(name, 1),
      (target, url, turn) => {
        const name = url.slice(url.lastIndexOf('/') + 1);
        return done(ask(target, 'PATCH', `${url}?fieldManager=bench&force=true`, deployment(name, turn % 9), APPLY));
      },
    ),
    prepare: appliesOnServer,
  },
  'list of 10000 pods': lists(podKind, false, 1),
  'list of 10000 pods, changed': lists(podKind, true, 1),
  'list of 10000 config maps, changed': lists(configMapKind, true, 1),
  'list of 10000 custom objects, changed': lists(customKind, true, 1),
  'write to 100 watchers': fanOut(podKind, 100, 20),
  'write to 1000 watchers': fanOut(podKind, 1000, 5),
  'config map to 100 watchers': fanOut(configMapKind, 100, 20),
  'custom object to 100 watchers': fanOut(customKind, 100, 20),
  'custom object create': {
    ...creations(CUSTOM, 200, customObject),
    prepare: define,
  },
};
