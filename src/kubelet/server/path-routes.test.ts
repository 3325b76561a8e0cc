import { describe, expect, it } from 'vitest';
import type { ServicePath } from '../../api/index.ts';
import { decodeText, type HttpResponse, readAll } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import type { KnownService, PathOutcome, PathProbe, PathTry } from '../ports.ts';
import type { PodView } from '../types.ts';
import { MAX_PATHS_WAITING, MAX_PODS_LOOKED_AT } from './limits.ts';
import { type PathInputs, pathRoutes } from './path-routes.ts';
import { parseCall } from './routes.ts';

const service: KnownService = {
  clusterIP: '10.96.0.9',
  ports: [{ port: 80, protocol: 'TCP', endpoints: [{ ip: '10.244.0.7', port: 8080 }] }],
};

function view(name: string, state = 'running'): PodView {
  const pod = { metadata: { namespace: 'shop', name, uid: name }, spec: { containers: [] } };
  const container = { name: 'c', id: name, state, startedAt: 1, logPath: '', labels: {}, annotations: {} };
  return { pod, observation: { containers: [container] } } as unknown as PodView;
}

interface Machine {
  readonly pods?: readonly PodView[];
  readonly enter?: (pid: number | undefined) => Promise<void> | { readonly problem: string };
  readonly find?: () => Promise<KnownService | undefined>;
}

function node({ pods = [view('client')], enter, find = async () => service }: Machine = {}) {
  const tried: { readonly pid: number | undefined; readonly tries: readonly PathTry[] }[] = [];
  const pathProbe: PathProbe = {
    inOwnNetwork: ([pid]) => pid,
    nameServers: async () => ['10.244.0.1'],
    tryAll: async (pid, tries) => {
      tried.push({ pid, tries });
      const refused = await enter?.(pid);
      if (refused !== undefined) return refused;
      return tries.map(({ kind }): PathOutcome => (kind === 'lookup' ? { addresses: ['10.96.0.9'] } : {}));
    },
  };
  const inputs: PathInputs = {
    clock: createManualClock(),
    directory: { pods: () => pods, find: () => undefined },
    cgroups: { processes: async ({ containerId }) => (containerId === 'client' ? [7] : []) },
    services: { routing: async () => undefined, dns: () => ({ address: '10.244.0.1' }), find },
    pathProbe,
    node: { nodeName: 'n1', clusterDomain: 'cluster.local' },
  };
  const [route] = pathRoutes(inputs);
  const get = async (query: string, signal?: AbortSignal): Promise<ServicePath> => {
    const request = { method: 'GET', url: `/mendlet/v1/path${query}`, headers: {}, ...(signal && { signal }) } as const;
    const answer = (await Promise.resolve(route?.answer?.(parseCall(request)))) as HttpResponse;
    return JSON.parse(decodeText(await readAll(answer.body, 100_000))) as ServicePath;
  };
  return { get, tried };
}

const WEB = '?namespace=shop&service=web';
const results = ({ steps }: ServicePath) => steps.map(({ stage, result }) => `${stage} ${result}`);

describe('the way to a service', () => {
  it('is tried from the pod that is asked for, and from no other', async () => {
    const pods = [view('client'), view('other')];
    const one = node({ pods });
    expect(await one.get(`${WEB}&fromNamespace=shop&fromPod=client`)).toMatchObject({ pod: { name: 'client' } });
    const path = await node({ pods }).get(`${WEB}&fromNamespace=shop&fromPod=other`);
    expect(path.pod).toBeUndefined();
    expect(path.steps.find(({ stage }) => stage === 'pod')?.says).toContain('pod shop/other');
    await expect(one.get(`${WEB}&fromPod=client`)).rejects.toThrow('fromNamespace');
  });

  it('is tried from a pod', async () => {
    const { get, tried } = node({ pods: [view('ended'), view('client')] });
    const path = await get(WEB);
    expect(path).toMatchObject({ kind: 'ServicePath', nodeName: 'n1', pod: { namespace: 'shop', name: 'client' } });
    expect(results(path)).toEqual(['service ok', 'routing skipped', 'DNS ok', 'pod ok', 'lookup ok', 'connection ok']);
    expect(tried.map(({ pid, tries }) => [pid, ...tries.map(({ kind }) => kind)])).toEqual([
      [undefined, 'lookup'],
      [7, 'lookup', 'connect'],
    ]);
  });

  it('is tried from the pod that runs, however many have ended', async () => {
    const ended = Array.from({ length: 2 * MAX_PODS_LOOKED_AT }, (_, number) => view(`a-job-${number}`, 'exited'));
    const { get } = node({ pods: [...ended, view('client')] });
    expect(await get(WEB)).toMatchObject({ pod: { name: 'client' } });
  });

  it('is tried from the node alone where there is no such pod', async () => {
    const { get, tried } = node({ pods: [view('ended')] });
    const path = await get(WEB);
    expect(path).not.toHaveProperty('pod');
    expect(results(path)).toEqual(['service ok', 'routing skipped', 'DNS ok', 'pod skipped', 'connection ok']);
    expect(tried.map(({ pid }) => pid)).toEqual([undefined, undefined]);
  });

  it('is tried from the node where the pod cannot be entered, and says so', async () => {
    const { get } = node({ enter: (pid) => (pid === 7 ? { problem: 'nsenter is not installed' } : Promise.resolve()) });
    const path = await get(WEB);
    expect(path.steps.find(({ stage }) => stage === 'pod')?.says).toBe(
      'the network of pod shop/client cannot be entered (nsenter is not installed): tried from the node alone',
    );
    expect(path).not.toHaveProperty('pod');
    expect(results(path).at(-1)).toBe('connection ok');
  });

  it('says why nothing could be tried', async () => {
    const path = await node({ enter: () => ({ problem: 'no memory' }) }).get(WEB);
    expect(path.steps.at(-1)).toEqual({ stage: 'connection', result: 'skipped', says: 'no memory' });
  });

  it.each<[string, Machine['find'], string]>([
    ['there is none', async () => undefined, 'there is no service shop/web'],
    ['nobody knows', () => Promise.reject(new Error('away')), 'whether there is such a service is not known: away'],
  ])('is not tried where %s', async (_, find, says) => {
    const { get, tried } = node({ find: find! });
    expect((await get(WEB)).steps[0]).toMatchObject({ stage: 'service', result: 'broken', says });
    expect(tried.flatMap(({ tries }) => tries)).toEqual([]);
  });

  it.each([
    ['', 'a service needs its name and namespace'],
    ['?namespace=shop', 'a service needs its name and namespace'],
    ['?service=web', 'a service needs its name and namespace'],
    ['?namespace=Shop&service=web', 'not the name of a namespace'],
    ['?namespace=..&service=web', 'not the name of a namespace'],
    ['?namespace=shop&service=a.b', 'not the name of a service'],
    ['?namespace=shop&service=-e', 'not the name of a service'],
    [`?namespace=shop&service=${'a'.repeat(64)}`, 'not the name of a service'],
    ['?namespace=shop&service=a%0ab', 'not the name of a service'],
  ])('is refused for %j', async (query, text) => {
    const { get, tried } = node();
    await expect(get(query)).rejects.toMatchObject({ status: 400, message: expect.stringContaining(text) });
    expect(tried).toEqual([]);
  });

  it('is tried for one caller at a time, and only few may wait', async () => {
    const gate = Promise.withResolvers<void>();
    let [inside, most] = [0, 0];
    const { get } = node({
      enter: async (pid) => {
        if (pid === undefined) return;
        inside += 1;
        most = Math.max(most, inside);
        await gate.promise;
        inside -= 1;
      },
    });
    const answers = Array.from({ length: 1 + MAX_PATHS_WAITING }, () => get(WEB));
    await expect(get(WEB)).rejects.toMatchObject({ status: 429 });
    gate.resolve();
    await Promise.all(answers);
    expect(most).toBe(1);
    await expect(get(WEB)).resolves.toMatchObject({ kind: 'ServicePath' });
  });

  it('is not tried for a caller who has left', async () => {
    const { get, tried } = node();
    await expect(get(WEB, AbortSignal.abort(new Error('left')))).rejects.toThrow('left');
    expect(tried).toEqual([]);
  });

  it('is no path where nothing can be tried', () => {
    const inputs = { clock: createManualClock(), directory: { pods: () => [], find: () => undefined } };
    const rest = { cgroups: { processes: async () => [] }, node: { nodeName: 'n1', clusterDomain: '' } };
    expect(pathRoutes({ ...inputs, ...rest })).toEqual([]);
  });
});
