/** The attacks of `npm run bench:hostile`, each with at most the rights of a namespace's admin. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type AttackerClient, crowd } from './attacker-client.ts';
import { entries, listField, magic, message, nested } from './hostile-bodies.ts';

export interface Attack {
  readonly what: string;
  prepare?(client: AttackerClient): Promise<void>;
  /** Runs the attack. @param count notes each answer's code, or another result */
  run(client: AttackerClient, count: (code: number | string) => void): Promise<void>;
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const PODS = '/api/v1/namespaces/default/pods';

/** Where the attacks leave objects. Owners come before what they make. */
export const LEFT_BEHIND: readonly string[] = [
  '/apis/batch/v1/namespaces/default/cronjobs',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/namespaces/default/replicasets',
  PODS,
  MAPS,
  '/api/v1/namespaces/default/serviceaccounts',
  '/api/v1/namespaces/default/resourcequotas',
  '/api/v1/namespaces/default/secrets',
];
const MIB = 1024 * 1024;
const merge = { 'content-type': 'application/merge-patch+json' };
const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
const yaml = { accept: 'application/yaml' };

const map = (name: string, bytes: number, labels: object = {}): string =>
  JSON.stringify({ metadata: { name, labels }, data: { text: 'x'.repeat(bytes) } });
const pod = (name: string, spec: object = {}): string =>
  JSON.stringify({ metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } });

const fill =
  (count: number, bytes: number, labels: object = {}) =>
  async (client: AttackerClient): Promise<void> => {
    await crowd(count, 16, (i) => client.send('POST', MAPS, map(`m${i}`, bytes, labels)));
  };

/** An attack that sends each of `bodies` many times. */
const post =
  (path: string, times: number, bodies: () => readonly (string | Uint8Array)[], headers = {}): Attack['run'] =>
  async (client, count) => {
    const made = bodies();
    await crowd(times * made.length, 8, async (i) => {
      const { code } = await client.send('POST', path, made[i % made.length], headers);
      count(code);
    });
  };

const read =
  (path: string, times: number, atOnce: number, headers = {}): Attack['run'] =>
  async (client, count) => {
    await crowd(times, atOnce, async () => count((await client.send('GET', path, undefined, headers)).code));
  };

function watchers(client: AttackerClient, many: number, query: string): () => number {
  const counts = Array.from({ length: many }, () => client.watch(`${MAPS}?watch=1&${query}`));
  return () => counts.reduce((sum, each) => sum + each(), 0);
}

async function patchTimes(client: AttackerClient, times: number, body: (i: number) => object): Promise<void> {
  await crowd(times, 4, (i) => client.send('PATCH', `${MAPS}/m0`, JSON.stringify(body(i)), merge));
}

/** Waits until bytes have come and then stopped, or none came for long. */
async function settled(bytes: () => number): Promise<number> {
  const from = bytes();
  for (let waited = 0; bytes() === from && waited < 20_000; waited += 100) await sleep(100);
  for (let before = -1; before !== bytes(); await sleep(1000)) before = bytes();
  return bytes();
}

/** An attack with many watches, all of which get each change. */
const toldToAll = (many: number, times: number, change: (i: number) => object, query = 'resourceVersion=0'): Attack => {
  let bytes: () => number = () => 0;
  return {
    what: `${many} watchers, ${times} writes`,
    prepare: async (client) => {
      await fill(1, 100, { a0: 'x' })(client);
      bytes = watchers(client, many, query);
      await sleep(5000);
    },
    run: async (client, count) => {
      const before = bytes();
      const told = settled(bytes);
      await patchTimes(client, times, change);
      count(`${Math.round(((await told) - before) / many)} bytes to each`);
    },
  };
};

const SPEC_OF_15_000 = (): string =>
  pod('wide', { containers: Array.from({ length: 15_000 }, (_, i) => ({ name: `c${i}`, image: 'i' })) });

const selector = (bytes: number): string => {
  let text = 'a0';
  for (let i = 1; text.length < bytes; i++) text += `,!b${i}`;
  return encodeURIComponent(text);
};

async function makeQuota(client: AttackerClient): Promise<void> {
  const spec = { hard: { pods: '10000', 'requests.cpu': '10000' } };
  await client.send(
    'POST',
    '/api/v1/namespaces/default/resourcequotas',
    JSON.stringify({ metadata: { name: 'q' }, spec }),
  );
}

const review = JSON.stringify({
  spec: { user: 'somebody', resourceAttributes: { verb: 'get', resource: 'pods', namespace: 'default' } },
});

const deployment = (annotation: string): string =>
  JSON.stringify({
    metadata: { name: 'd' },
    spec: {
      replicas: 20,
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' }, annotations: { annotation } },
        spec: { containers: [{ name: 'c', image: 'i' }] },
      },
    },
  });

export const ATTACKS: Readonly<Record<string, Attack>> = {
  idle: { what: 'nothing, for comparison', run: () => sleep(5000) },
  watchers: toldToAll(2000, 20, (i) => ({ data: { i: `${i}`.padEnd(1000) } })),
  'watchers-large': toldToAll(100, 20, (i) => ({ data: { i: `${i}`.padEnd(900_000) } })),
  'watchers-selector': toldToAll(
    500,
    50,
    (i) => ({ data: { i: `${i}` } }),
    `resourceVersion=0&labelSelector=${selector(12_000)}`,
  ),
  'watch-initial': {
    what: '2000 watchers that begin with 1,000 objects',
    prepare: fill(1000, 100),
    run: async (client, count) => count(`${await settled(watchers(client, 2000, ''))} bytes`),
  },
  'watch-old': {
    what: '2000 watchers that resume 900 changes ago',
    prepare: async (client) => {
      await fill(1, 100)(client);
      await patchTimes(client, 900, (i) => ({ data: { i: `${i}` } }));
    },
    run: async (client, count) => count(`${await settled(watchers(client, 2000, 'resourceVersion=400'))} bytes`),
  },
  lists: { what: 'eight lists of 31 MB at once, three times', prepare: fill(31, MIB - 200), run: read(MAPS, 24, 8) },
  'lists-yaml': { what: 'lists of 31 MB as YAML', prepare: fill(31, MIB - 200), run: read(MAPS, 4, 4, yaml) },
  'lists-many': { what: 'lists of 5,000 objects', prepare: fill(5000, 300), run: read(MAPS, 200, 50) },
  'lists-table': {
    what: 'lists of 5,000 objects as tables that include them',
    prepare: fill(5000, 300),
    run: read(`${MAPS}?includeObject=Object`, 100, 50, table),
  },
  'lists-yaml-many': { what: 'lists of 5,000 objects as YAML', prepare: fill(5000, 300), run: read(MAPS, 16, 8, yaml) },
  'lists-selector': {
    what: 'lists of 5,000 objects by selectors of 12 kB',
    prepare: fill(5000, 100, { a0: 'x' }),
    run: read(`${MAPS}?labelSelector=${selector(12_000)}`, 50, 25),
  },
  'lists-limit': { what: 'pages of one object', prepare: fill(5000, 100), run: read(`${MAPS}?limit=1`, 20_000, 100) },
  brackets: { what: '2 MB of [', run: post(MAPS, 8, () => ['['.repeat(2e6), '{"a":'.repeat(4e5)]) },
  'brackets-yaml': {
    what: '1 MB of [ and of flow maps, as YAML',
    run: post(MAPS, 4, () => ['['.repeat(1e6), '{a: '.repeat(2.5e5), '- '.repeat(5e5)], {
      'content-type': 'application/yaml',
    }),
  },
  'yaml-wide': {
    what: '1 MB of YAML with short entries',
    run: post(MAPS, 4, () => [`data:\n${Array.from({ length: 60_000 }, (_, i) => `  k${i}: v`).join('\n')}\n`], {
      'content-type': 'application/yaml',
    }),
  },
  'pod-wide': { what: 'a pod of 15,000 containers', run: post(PODS, 8, () => [SPEC_OF_15_000()]) },
  'entries-many': {
    what: 'bodies of 3 MiB in tiny entries',
    run: post(MAPS, 8, () => [entries(300_000), entries(90_000), entries(19_000), `{"a":[${'{},'.repeat(9e5)}{}]}`]),
  },
  'deep-valid': { what: 'nested 400 deep, many times', run: post(MAPS, 8, () => [nested(400, 2 * MIB)]) },
  'long-texts': {
    what: 'keys, names, quantities and numbers of megabytes',
    run: post(PODS, 4, () => [
      JSON.stringify({ metadata: { name: 'a'.repeat(2 * MIB) }, spec: {} }),
      JSON.stringify({ metadata: { name: 'p', labels: { [`${'a.'.repeat(MIB / 2)}/x`]: 'y' } }, spec: {} }),
      pod('q', { containers: [{ name: 'c', image: 'i', resources: { limits: { cpu: '9'.repeat(2 * MIB) } } }] }),
      `{"metadata":{"name":"n"},"spec":{"terminationGracePeriodSeconds":${'9'.repeat(2 * MIB)}}}`,
      `{"metadata":{"name":"n"},"spec":{"priority":1e309,"containers":[{"name":"c","image":"${'a/'.repeat(MIB)}"}]}}`,
      pod('n', { nodeSelector: { a: '\u0344'.repeat(MIB / 2) } }),
    ]),
  },
  protobuf: {
    what: 'Protobuf of a million fields, nested and packed',
    run: post(
      PODS,
      6,
      () => [magic('v1', 'Pod', listField(3 * MIB - 100)), magic('v1', 'Pod', message(3 * MIB - 100))],
      {
        'content-type': 'application/vnd.kubernetes.protobuf',
      },
    ),
  },
  'json-patch': {
    what: 'JSON patches of 10,000 operations, and copies of copies',
    prepare: fill(1, 500_000),
    run: async (client, count) => {
      const headers = { 'content-type': 'application/json-patch+json' };
      const adds = Array.from({ length: 10_000 }, (_, i) => ({ op: 'add', path: `/data/k${i}`, value: 'v' }));
      const copies = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/c${i}` }));
      const tests = Array.from({ length: 10_000 }, () => ({ op: 'test', path: '/data', value: {} }));
      const bodies = [adds, copies, tests].map((each) => JSON.stringify(each));
      await crowd(24, 8, async (i) => count((await client.send('PATCH', `${MAPS}/m0`, bodies[i % 3], headers)).code));
    },
  },
  'strategic-patch': {
    what: 'strategic merges of lists of 10,000',
    prepare: async (client) => {
      const secrets = Array.from({ length: 10_000 }, (_, i) => ({ name: `s${i}` }));
      const body = JSON.stringify({ metadata: { name: 'sa' }, secrets });
      await client.send('POST', '/api/v1/namespaces/default/serviceaccounts', body);
    },
    run: async (client, count) => {
      const headers = { 'content-type': 'application/strategic-merge-patch+json' };
      const secrets = Array.from({ length: 10_000 }, (_, i) => ({ name: `t${i}` }));
      const body = JSON.stringify({ secrets });
      const path = '/api/v1/namespaces/default/serviceaccounts/sa';
      await crowd(8, 4, async () => count((await client.send('PATCH', path, body, headers)).code));
    },
  },
  'delete-collection': {
    what: 'deletion of a collection of 5,000',
    prepare: fill(5000, 300),
    run: async (client, count) => count((await client.send('DELETE', MAPS)).code),
  },
  reviews: {
    what: '20,000 subject access reviews',
    run: async (client, count) => {
      const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
      await crowd(20_000, 1000, async () => count((await client.send('POST', path, review)).code));
    },
  },
  discovery: {
    what: 'OpenAPI and discovery by 200 at once',
    run: async (client, count) => {
      const paths = ['/openapi/v2', '/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1', '/api', '/apis', '/api/v1'];
      await crowd(1200, 200, async (i) => count((await client.send('GET', paths[i % paths.length] ?? '/')).code));
    },
  },
  rollout: {
    what: 'a Deployment of 20 with an annotation of 250 kB, rolled ten times',
    prepare: async (client) => {
      await client.send('POST', '/apis/apps/v1/namespaces/default/deployments', deployment('x'.repeat(250_000)));
    },
    run: async (client, count) => {
      for (let i = 0; i < 10; i++) {
        const path = '/apis/apps/v1/namespaces/default/deployments/d';
        count((await client.send('PUT', path, deployment(`${i}`.padEnd(250_000)))).code);
        await sleep(500);
      }
    },
  },
  quota: {
    what: '3,000 pods in a namespace with a quota',
    prepare: makeQuota,
    run: async (client, count) => {
      await crowd(3000, 64, async (i) => count((await client.send('POST', PODS, pod(`p${i}`))).code));
    },
  },
  cron: {
    what: 'schedules that never come',
    run: post('/apis/batch/v1/namespaces/default/cronjobs', 100, () => [
      JSON.stringify({
        metadata: { generateName: 'never-' },
        spec: {
          schedule: '0 0 30 2 *',
          jobTemplate: {
            spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } },
          },
        },
      }),
    ]),
  },
};
