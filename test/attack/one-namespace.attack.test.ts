/**
 * Tests a user with all rights in one namespace and none elsewhere, who tries every kind, verb, subresource and spelling of path:
 * all that he reads or changes is in that namespace, whatever the answer is.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ResourceRow } from '../../src/api/index.ts';
import { METRICS_ROWS } from '../../src/apiserver/metrics-api/rows.ts';
import type { UserInfo } from '../../src/lib/index.ts';
import { ALL_ROWS, collectionOf, fullName, manifestOf } from './access/manifests.ts';
import { SPELLINGS } from './access/spellings.ts';
import {
  type AccessWorld,
  createAccessWorld,
  type Got,
  MARK,
  nameOf,
  OTHER,
  OWN,
  OWN_MARK,
  type Sent,
} from './access/world.ts';
import { inShort } from './extent.ts';

const TESS: UserInfo = { name: 'tess', groups: ['system:authenticated'] };
const KINDS: readonly ResourceRow[] = [...ALL_ROWS, ...METRICS_ROWS];
const SUBRESOURCES: readonly string[] = [
  ...new Set(ALL_ROWS.flatMap(({ subresources }) => subresources.map(({ name }) => name))),
  'nothing',
];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const MERGE = { 'content-type': 'application/merge-patch+json' };

let world: AccessWorld;
let sent = 0;
/** The path of the last request. */
let before = '';
const seenStatus = new Map<number, number>();
beforeAll(async () => {
  world = await createAccessWorld();
});
afterAll(() => world.close());

/** Sends a request, and throws with it if anything outside the namespace was read or changed. */
async function attack(request: Sent): Promise<Got> {
  const { seen } = world;
  const got = await world.send(TESS, request);
  sent += 1;
  seenStatus.set(got.status, (seenStatus.get(got.status) ?? 0) + 1);
  const problems = [
    ...(got.status >= 500 && got.status !== 503 ? [`answered ${got.status}: ${got.text}`] : []),
    ...(got.text.includes(MARK) ? [`shows what is not there: ${got.text.slice(0, 500)}`] : []),
    ...[...world.strange].filter((uid) => got.text.includes(uid)).map((uid) => `tells uid ${uid}`),
    ...seen.written.filter((key) => !isOwnKey(key)).map((key) => `wrote ${key}`),
    ...seen.kubelets.filter((line) => !isOwnKubeletCall(line)).map((line) => `asked a kubelet ${line}`),
    ...seen.origins.filter((origin) => !origin.startsWith('http://10.1.1.1:')).map((origin) => `reached ${origin}`),
  ];
  const written = seen.written.join(' ');
  for (const list of [seen.written, seen.kubelets, seen.origins]) list.length = 0;
  expect(problems, JSON.stringify(request)).toEqual([]);
  if (written !== '') await mend(request, written);
  before = request.url;
  return got;
}

/** The request before counts, too: what follows from it may be written after its answer. */
async function mend(request: Sent, written: string): Promise<void> {
  // The user may delete his namespace, after which the world must be made again.
  const { body } = await world.api.call('GET', `/api/v1/namespaces/${OWN}`);
  if (body.metadata?.deletionTimestamp !== undefined || body.kind !== 'Namespace') {
    await world.close();
    world = await createAccessWorld();
  } else await world.mend();
  expect(`${before} ${request.url}`, `wrote ${written}`).toContain(OWN);
  world.seen.written.length = 0;
}

function isOwnKey(key: string): boolean {
  return (
    key === `/registry/namespaces/${OWN}` || (key.split('/').includes(OWN) && !key.startsWith('/registry/minions/'))
  );
}

/** Whether a kubelet's call is for a pod of the namespace. Figures come for all pods of a node, and only its own are returned. */
function isOwnKubeletCall(line: string): boolean {
  const [, , url = ''] = line.split(' ');
  if (url === '/stats/summary?only_cpu_and_memory=true') return true;
  if (new RegExp(`^/(containerLogs|exec|attach|portForward)/${OWN}/own-pods(/|\\?|$)`).test(url)) return true;
  return url.startsWith('/mendlet/v1/history?') && new URLSearchParams(url.split('?')[1]).get('namespace') === OWN;
}

/** All ways to write a place into a path: none, the own namespace, another one, and both at once. */
function collectionsOf(row: ResourceRow): readonly string[] {
  const root = row.group === '' ? `/api/${row.version}` : `/apis/${row.group}/${row.version}`;
  const places = ['', `/namespaces/${OWN}`, `/namespaces/${OTHER}`, `/namespaces/${OWN}/namespaces/${OTHER}`];
  return ['', '/watch'].flatMap((old) => places.map((place) => `${root}${old}${place}/${row.resource}`));
}

function namesOf(row: ResourceRow): readonly string[] {
  if (row.resource === 'namespaces') return [OWN, OTHER];
  return row.namespaced ? [nameOf.own(row), nameOf.other(row)] : [nameOf.cluster(row)];
}

function bodyOf(row: ResourceRow, method: string, name: string, namespace: string): Pick<Sent, 'body' | 'headers'> {
  const mark = { touched: 'yes' };
  if (method === 'PATCH') {
    return { body: JSON.stringify({ metadata: { labels: mark, namespace, name } }), headers: MERGE };
  }
  if (method !== 'POST' && method !== 'PUT') return {};
  return { body: JSON.stringify(manifestOf(row, method === 'POST' ? `new-${sent}` : name, namespace, mark)) };
}

/** The namespaces for bodies of the method. */
function placesOf(method: string): readonly string[] {
  return method === 'POST' || method === 'PUT' || method === 'PATCH' ? [OTHER, OWN] : [OWN];
}

const QUERIES = [
  '',
  '?watch=true',
  `?fieldSelector=metadata.namespace%3D${OTHER}`,
  '?fieldSelector=metadata.name%3Dn1',
];

describe('all rights in one namespace', () => {
  it.each(KINDS.map((row) => [fullName(row), row] as const))('reach nothing else by %s', async (_, row) => {
    for (const collection of collectionsOf(row)) {
      for (const method of METHODS) {
        const queries = method === 'GET' ? QUERIES : inShort([''], ['', '?fieldManager=x']);
        for (const query of queries) {
          for (const place of placesOf(method)) {
            await attack({ method, url: `${collection}${query}`, ...bodyOf(row, method, 'x', place) });
          }
        }
      }
    }
    for (const collection of collectionsOf(row)) {
      for (const name of namesOf(row)) {
        for (const method of METHODS) {
          for (const place of placesOf(method)) {
            await attack({ method, url: `${collection}/${name}`, ...bodyOf(row, method, name, place) });
          }
          if (method === 'GET') await attack({ method, url: `${collection}/${name}?watch=1` });
        }
      }
    }
  });

  it.each(KINDS.map((row) => [fullName(row), row] as const))(
    'reach nothing else by subresources of %s',
    async (_, row) => {
      const own = row.subresources.map(({ name }) => name);
      for (const collection of collectionsOf(row).filter((path) => inShort(!path.includes('/watch/'), true))) {
        for (const name of namesOf(row)) {
          for (const subresource of inShort([...new Set([...own, 'proxy', 'exec'])], SUBRESOURCES)) {
            for (const method of inShort<readonly string[]>(['GET', 'POST', 'PUT'], METHODS)) {
              const tail = subresource === 'proxy' ? '/run/t2/other-pods/c?cmd=id' : '?command=id&container=c';
              const url = `${collection}/${name}/${subresource}${tail}`;
              await attack({ method, url, ...bodyOf(row, method, name, OTHER) });
              await attack({ method, url, isUpgrade: true });
            }
          }
        }
      }
    },
  );

  it('reach nothing else, however a path is spelled', async () => {
    const kind = fc.constantFrom(...KINDS);
    const request = kind.chain((row) =>
      fc.record({
        path: fc.constantFrom(
          ...collectionsOf(row),
          ...collectionsOf(row).flatMap((path) => namesOf(row).map((name) => `${path}/${name}`)),
          ...collectionsOf(row).flatMap((path) => namesOf(row).map((name) => `${path}/${name}/proxy/pods`)),
          ...collectionsOf(row).flatMap((path) => namesOf(row).map((name) => `${path}/${name}/status`)),
        ),
        method: fc.constantFrom(...METHODS),
        spelling: fc.constantFrom(...SPELLINGS),
        at: fc.nat(12),
        query: fc.constantFrom(...QUERIES),
        isUpgrade: fc.boolean(),
        row: fc.constant(row),
      }),
    );
    await fc.assert(
      fc.asyncProperty(request, async ({ path, method, spelling, at, query, isUpgrade, row }) => {
        const body = bodyOf(row, method, 'x', OTHER);
        await attack({
          method,
          url: `${spelling(path, at)}${query}`,
          isUpgrade: isUpgrade && method === 'GET',
          ...body,
        });
      }),
      { numRuns: inShort(1500, 60_000), seed: 42 },
    );
  });

  it('cannot be turned on others by what a request says of itself', async () => {
    const secrets = `/api/v1/namespaces/${OTHER}/secrets`;
    const tries: Sent[] = [
      { method: 'GET', url: secrets, headers: { 'x-http-method-override': 'OPTIONS' } },
      { method: 'GET', url: `/api/v1/namespaces/${OWN}/secrets`, headers: { 'x-original-url': secrets } },
      { method: 'GET', url: secrets, headers: { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' } },
      { method: 'GET', url: secrets, headers: { 'impersonate-user': 'admin', 'impersonate-group': 'system:masters' } },
      { method: 'GET', url: secrets, headers: { 'impersonate-user': `system:serviceaccount:${OTHER}:default` } },
      {
        method: 'GET',
        url: secrets,
        headers: {
          'impersonate-user': `system:serviceaccount:${OWN}:own-serviceaccounts`,
          'impersonate-group': 'system:masters',
        },
      },
      { method: 'GET', url: `${secrets}?namespace=${OWN}` },
      { method: 'GET', url: `${secrets}#/api/v1/namespaces/${OWN}` },
      {
        method: 'POST',
        url: `/api/v1/namespaces/${OWN}/bindings`,
        body: '{"metadata":{"name":"other-pods","namespace":"t2"},"target":{"name":"n1"}}',
      },
      {
        method: 'POST',
        url: `/api/v1/namespaces/${OWN}/bindings`,
        body: '{"metadata":{"name":"../t2/other-pods"},"target":{"name":"n1"}}',
      },
      {
        method: 'POST',
        url: `/api/v1/namespaces/${OWN}/pods/own-pods/eviction`,
        body: '{"metadata":{"name":"own-pods","namespace":"t2"}}',
      },
      {
        method: 'POST',
        url: `/api/v1/namespaces/${OWN}/pods/own-pods/restart`,
        body: '{"metadata":{"namespace":"t2"},"spec":{"podName":"other-pods"}}',
      },
      {
        method: 'POST',
        url: `/api/v1/namespaces/${OWN}/serviceaccounts/own-serviceaccounts/token`,
        body: '{"spec":{"boundObjectRef":{"kind":"Secret","apiVersion":"v1","name":"other-secrets"}}}',
      },
      { method: 'POST', url: `/api/v1/namespaces/${OWN}/serviceaccounts/other-serviceaccounts/token`, body: '{}' },
      { method: 'POST', url: '/apis/authentication.k8s.io/v1/tokenreviews', body: '{"spec":{"token":"x"}}' },
      {
        method: 'POST',
        url: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: '{"spec":{"user":"x","resourceAttributes":{"verb":"get","resource":"pods"}}}',
      },
      {
        method: 'POST',
        url: `/apis/authorization.k8s.io/v1/namespaces/${OTHER}/localsubjectaccessreviews`,
        body: '{"spec":{"user":"x","resourceAttributes":{"namespace":"t2","verb":"get","resource":"pods"}}}',
      },
    ];
    const answers: string[] = [];
    for (const request of tries) {
      const { status } = await attack(request);
      answers.push(`${status} ${request.method} ${request.url} ${request.body ?? ''}`);
    }
    expect(answers.filter((line) => line.startsWith('2') && !line.includes(`namespaces/${OWN}/secrets`))).toEqual([]);
  });

  it('show no change elsewhere to a watch', async () => {
    const watches = KINDS.filter(({ verbs }) => (verbs as readonly string[]).includes('watch'));
    for (const row of watches) {
      for (const path of [collectionOf(row, OWN), collectionOf(row)]) {
        const answer = world.send(TESS, { method: 'GET', url: `${path}?watch=1&resourceVersion=0` });
        const touched = row.namespaced ? collectionOf(row, OTHER) : collectionOf(row);
        const name = namesOf(row).at(-1) ?? '';
        await world.api.call('PATCH', `${touched}/${name}`, { metadata: { labels: { again: `${sent}` } } }, MERGE);
        expect((await answer).text).not.toContain(MARK);
      }
    }
    world.seen.written.length = 0;
  });

  it('are rights indeed', async () => {
    const { text } = await attack({ method: 'GET', url: `/api/v1/namespaces/${OWN}/secrets` });
    expect(text).toContain(OWN_MARK);
    expect((await attack({ method: 'GET', url: `/api/v1/namespaces/${OWN}` })).status).toBe(200);
    expect((await attack({ method: 'GET', url: `/api/v1/namespaces/${OWN}/pods/own-pods/log` })).text).toContain(
      OWN_MARK,
    );
    expect((await attack({ method: 'GET', url: `/api/v1/namespaces/${OWN}/pods/own-pods/proxy/x` })).status).toBe(200);
    expect(sent).toBeGreaterThan(1000);
    // Reads and writes must have been both allowed and refused.
    for (const status of [200, 201, 403, 404, 405])
      expect(seenStatus.get(status) ?? 0, `${status}`).toBeGreaterThan(20);
  });
});
