import { describe, expect, it } from 'vitest';
import type { PathStep } from '../../api/index.ts';
import { createKubeClient } from '../../client/index.ts';
import { type Connection, encodeText } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { ClusterSession } from '../cluster-session.ts';
import { UsageError } from '../usage-error.ts';
import { MAX_STEPS } from './limits.ts';
import { runDoctor } from './run-doctor.ts';
import { parseDoctorSource, parseDoctorTarget } from './target.ts';

describe('which service', () => {
  it.each([
    [[], undefined],
    [['svc/web'], 'web'],
    [['service', 'web'], 'web'],
    [['web'], 'web'],
    [['Services/web'], 'web'],
  ])('%j', (args, name) => {
    expect(parseDoctorTarget(args)).toBe(name);
  });

  it.each([
    [['pod/web'], '"pod" cannot be tried'],
    [['svc'], 'Name the svc'],
    [['svc/'], 'is not the name'],
    [['svc/Web'], 'is not the name'],
    [['svc/a.b'], 'is not the name'],
    [['svc/a/b'], 'names nothing'],
    [['svc/a', 'b'], 'One service'],
    [['svc', 'a', 'b'], 'One service'],
  ])('%j is refused', (args, problem) => {
    expect(() => parseDoctorTarget(args)).toThrow(UsageError);
    expect(() => parseDoctorTarget(args)).toThrow(problem);
  });
});

interface Served {
  readonly status: number;
  readonly body: unknown;
}

/** A cluster that answers these paths, and "page not found" for all else. */
function cluster(served: Readonly<Record<string, Served>>) {
  const said = { out: '' };
  const asked: string[] = [];
  const clock = createManualClock();
  const connection: Connection = {
    request: async ({ url }) => {
      asked.push(url);
      const { status, body } = served[url] ?? { status: 404, body: '404 page not found' };
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      return { status, headers: { 'content-type': 'application/json' }, body: encodeText(text) };
    },
    upgrade: () => Promise.reject(new Error('no upgrades here')),
  };
  const session: ClusterSession = {
    client: createKubeClient(connection),
    connection,
    namespace: 'shop',
    clock,
    signal: new AbortController().signal,
    out: (text) => void (said.out += text),
    err: () => {},
    outRaw: (data) => void (said.out += String(data)),
    isTerminal: false,
    columns: undefined,
  };
  return { session, asked, out: () => said.out };
}

const node = (name: string, ready = 'True') => ({
  metadata: { name },
  status: { conditions: [{ type: 'Ready', status: ready }] },
});
const nodes = (...names: readonly string[]): Served => ({
  status: 200,
  body: { kind: 'NodeList', items: names.map((name) => node(name)) },
});
const NODES = '/api/v1/nodes';
const at = (name: string, query = 'namespace=shop&service=web') =>
  `/api/v1/nodes/${name}/proxy/mendlet/v1/path?${query}`;
const path = (...steps: readonly PathStep[]): Served => ({
  status: 200,
  body: {
    kind: 'ServicePath',
    apiVersion: 'mendlet.dev/v1alpha1',
    service: { namespace: 'shop', name: 'web' },
    steps,
  },
});
const good: PathStep = { stage: 'service', result: 'ok', says: '10.96.0.9, TCP 80: 1 endpoint' };
const off: PathStep = { stage: 'routing', result: 'skipped', says: 'mendlet does not route services here' };
const bad: PathStep = { stage: 'connection', result: 'broken', says: 'TCP 10.96.0.9:80: refused', help: 'mendlet why' };
const worse: PathStep = { stage: 'endpoint', result: 'broken', says: 'TCP 10.244.0.9:80: refused', help: 'not told' };

describe('doctor', () => {
  it('asks each node, and says that all is well', async () => {
    const { session, out } = cluster({
      [NODES]: nodes('n2', 'n1'),
      [at('n1')]: path(good),
      [at('n2')]: path(good, off),
    });
    expect(await runDoctor(session, { target: 'web', output: 'text' })).toBe(0);
    expect(out()).toBe(
      [
        'from node n1',
        '  ✓ service     10.96.0.9, TCP 80: 1 endpoint',
        '',
        'from node n2',
        '  ✓ service     10.96.0.9, TCP 80: 1 endpoint',
        '  - routing     mendlet does not route services here',
        '',
        'svc/web (shop): the way is whole from n1, n2',
        '',
      ].join('\n'),
    );
  });

  it('says what would help with the first step that is broken', async () => {
    const { session, out } = cluster({ [NODES]: nodes('n1'), [at('n1')]: path(good, bad, worse) });
    expect(await runDoctor(session, { target: 'web', output: 'text' })).toBe(1);
    expect(out()).toContain('  ✗ connection  TCP 10.96.0.9:80: refused\n    try: mendlet why\n  ✗ endpoint');
    expect(out()).not.toContain('not told');
    expect(out()).toContain('svc/web (shop): the way is broken from n1 (connection)');
  });

  it('asks for the API server where no service is named', async () => {
    const { session, asked } = cluster({ [NODES]: nodes('n1') });
    await runDoctor(session, { target: undefined, output: 'text' });
    expect(asked).toContain(at('n1', 'namespace=default&service=kubernetes'));
  });

  it('asks one node alone', async () => {
    const served = { [`${NODES}/n2`]: { status: 200, body: node('n2') }, [at('n2')]: path(good) };
    const { session, asked } = cluster(served);
    expect(await runDoctor(session, { target: 'web', node: 'n2', output: 'text' })).toBe(0);
    expect(asked).toEqual([`${NODES}/n2`, at('n2')]);
  });

  it('asks the node of a pod to try from that pod', async () => {
    const pod = (nodeName?: string): Served => ({
      status: 200,
      body: { metadata: { namespace: 'shop', name: 'web-0' }, spec: { ...(nodeName && { nodeName }), containers: [] } },
    });
    const url = '/api/v1/namespaces/shop/pods/web-0';
    const tried = at('n2', 'namespace=shop&service=web&fromNamespace=shop&fromPod=web-0');
    const served = { [url]: pod('n2'), [`${NODES}/n2`]: { status: 200, body: node('n2') }, [tried]: path(good) };
    const { session, asked } = cluster(served);
    const options = { target: 'web', from: { namespace: 'shop', name: 'web-0' }, output: 'text' } as const;
    expect(await runDoctor(session, options)).toBe(0);
    expect(asked).toEqual([url, `${NODES}/n2`, tried]);
    await expect(runDoctor(session, { ...options, node: 'n1' })).rejects.toThrow('is on node n2, not on n1');
    await expect(runDoctor(cluster({ [url]: pod() }).session, options)).rejects.toThrow('is on no node yet');
  });

  it.each([
    ['web-0', 'shop/web-0'],
    ['other/web-0', 'other/web-0'],
  ])('reads the pod %s as %s', (text, expected) => {
    const { namespace, name } = parseDoctorSource(text, 'shop');
    expect(`${namespace}/${name}`).toBe(expected);
    expect(() => parseDoctorSource(`${text}/x/y`, 'shop')).toThrow('is not the name of a pod');
  });

  it('prints JSON', async () => {
    const { session, out } = cluster({ [NODES]: nodes('n1', 'n2'), [at('n1')]: path(good, bad) });
    expect(await runDoctor(session, { target: 'web', output: 'json' })).toBe(1);
    expect(JSON.parse(out())).toMatchObject({
      service: { namespace: 'shop', name: 'web' },
      well: false,
      nodes: [
        { node: 'n1', path: { steps: [good, bad] } },
        { node: 'n2', isForeign: true },
      ],
    });
  });

  it.each<[string, Served, number, string]>([
    ['of another make', { status: 404, body: '404 page not found' }, 1, '- its agent is none of mendlet’s'],
    ['that answers something else', { status: 200, body: { kind: 'Odd' } }, 1, '- its agent is none of mendlet’s'],
    ['that is busy', { status: 429, body: 'other ways are being tried' }, 1, '✗ other ways are being tried'],
    ['that cannot be reached', { status: 502, body: { message: 'no way\u001b[2J there' } }, 1, '✗ no way\\u001b[2J'],
    ['that says nothing', { status: 500, body: '' }, 1, '✗ it answers 500'],
  ])('with a node %s', async (_, served, code, text) => {
    const { session, out } = cluster({ [NODES]: nodes('n1'), [at('n1')]: served });
    expect(await runDoctor(session, { target: 'web', output: 'text' })).toBe(code);
    expect(out()).toContain(text);
  });

  it('a node of another make beside a whole way is nothing wrong', async () => {
    const { session } = cluster({ [NODES]: nodes('n1', 'n2'), [at('n1')]: path(good) });
    expect(await runDoctor(session, { target: 'web', output: 'text' })).toBe(0);
  });

  it('says which right is missing', async () => {
    const refused = { kind: 'Status', code: 403, reason: 'Forbidden', message: 'may not get nodes/proxy' };
    const { session } = cluster({ [NODES]: nodes('n1'), [at('n1')]: { status: 403, body: refused } });
    await expect(runDoctor(session, { target: 'web', output: 'text' })).rejects.toThrow('may not get nodes/proxy');
  });

  it('believes no node more steps, or other ones, than there are', async () => {
    const odd = { stage: 7, result: 'ok', says: 'x' } as unknown as PathStep;
    const many = Array.from({ length: 2 * MAX_STEPS }, () => good);
    const { session, out } = cluster({ [NODES]: nodes('n1'), [at('n1')]: path(odd, ...many) });
    await runDoctor(session, { target: 'web', output: 'json' });
    const told = JSON.parse(out()) as { nodes: { path: { steps: PathStep[] } }[] };
    expect(told.nodes[0]?.path.steps).toHaveLength(MAX_STEPS - 1);
  });
});
