/** Tests owner references, endpoints of services and disruption budgets, with both kubectls and real pods. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inShort, itInWhole } from './extent.ts';
import {
  busyboxPod,
  type CommandResult,
  kubectl120,
  kubectl136,
  mainContainer,
  Mendlet,
  type ObservedPod,
  until,
} from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 168 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

interface ObservedSlice {
  readonly metadata: { readonly name: string };
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly conditions: { readonly ready: boolean; readonly serving: boolean; readonly terminating: boolean };
    readonly targetRef?: { readonly name: string };
  }[];
}

interface OwnedPod extends ObservedPod {
  readonly metadata: ObservedPod['metadata'] & { readonly ownerReferences?: readonly { readonly name: string }[] };
}

/** A ReplicaSet whose pods are ready while /ready exists. */
function replicaSet(name: string, replicas: number): object {
  const readinessProbe = { exec: { command: ['test', '-f', '/ready'] }, periodSeconds: 1 };
  const ports = [{ name: 'http', containerPort: 8080 }];
  const { spec } = busyboxPod('', 'touch /ready; exec sleep 36000', {
    container: { readinessProbe, ports },
  }) as { spec: object };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name, labels: { app: name } },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec },
    },
  };
}

const newest = { version: '1.36', binary: kubectl136, namespace: 'new' };
const versions = inShort([newest], [newest, { version: '1.20', binary: kubectl120, namespace: 'old' }]);

describe.each(versions)('kubectl $version', ({ binary, namespace }) => {
  const ask = (args: readonly string[], input?: string): Promise<CommandResult> =>
    mendlet.tryKubectl(['-n', namespace, ...args], input, binary);
  const kubectl = async (...args: string[]): Promise<string> => {
    const result = await ask(args);
    if (result.code !== 0)
      throw new Error(`kubectl ${args.join(' ')}: exit ${result.code}\n${result.stdout}${result.stderr}`);
    return result.stdout;
  };
  const create = (object: object): Promise<void> => {
    const { metadata } = object as { readonly metadata: object };
    return mendlet.create({ ...object, metadata: { ...metadata, namespace } });
  };
  const list = async <T>(what: string, selector?: string): Promise<readonly T[]> =>
    (await mendlet.read<{ items: readonly T[] }>(what, { namespace, ...(selector !== undefined && { selector }) }))
      .items;
  // kubectl 1.20 uses a version of the budgets' API that does not exist any more.
  const createBudget = (name: string, spec: object): Promise<void> =>
    create({
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: { name },
      spec: { selector: { matchLabels: { app: name } }, ...spec },
    });
  const pods = (): Promise<readonly OwnedPod[]> => list<OwnedPod>('pods');
  const podNames = async (): Promise<string[]> => (await pods()).map(({ metadata }) => metadata.name).toSorted();
  const readyPods = async (count: number): Promise<string[]> =>
    until<string[]>(`${count} ready pods`, async () => {
      const all = await pods();
      const ready = all.filter((pod) => pod.metadata.deletionTimestamp === undefined && mainContainer(pod)?.ready);
      if (all.length === count && ready.length === count) return { value: ready.map(({ metadata }) => metadata.name) };
      return { last: JSON.stringify(all.map(({ metadata, status }) => [metadata.name, status])) };
    });
  const slices = (service: string): Promise<readonly ObservedSlice[]> =>
    list<ObservedSlice>('endpointslices', `kubernetes.io/service-name=${service}`);
  const readyEndpoints = (service: string, count: number): Promise<string[]> =>
    until<string[]>(`${count} ready endpoints`, async () => {
      const all = (await slices(service)).flatMap(({ endpoints = [] }) => endpoints);
      const ready = all.filter(({ conditions }) => conditions.ready).flatMap(({ addresses }) => addresses);
      return ready.length === count ? { value: ready } : { last: JSON.stringify(all) };
    });

  beforeAll(async () => {
    await kubectl('create', 'namespace', namespace);
  });

  it('finds the pods behind a service, and loses those that are not ready', async () => {
    await create(replicaSet('web', 2));
    const [first = '', second = ''] = await readyPods(2);
    await kubectl('expose', 'rs', 'web', '--port', '80', '--target-port', 'http');
    const addresses = await readyEndpoints('web', 2);
    expect(addresses.every((address) => address.startsWith('10.168.'))).toBe(true);
    for (const address of addresses) expect(await kubectl('describe', 'service', 'web')).toContain(`${address}:8080`);
    await kubectl('exec', first, '--', 'rm', '/ready');
    await readyEndpoints('web', 1);
    expect((await kubectl('get', 'endpoints', 'web', '--no-headers')).split(/ +/)[1]).toMatch(
      /^10\.168\.\d+\.\d+:8080$/,
    );
    await kubectl('exec', first, '--', 'touch', '/ready');
    await readyEndpoints('web', 2);
    await kubectl('delete', 'pod', second, '--wait=false');
    await until('it is ending, or gone', async () => {
      const endpoints = (await slices('web')).flatMap((slice) => slice.endpoints ?? []);
      const left = endpoints.filter(({ targetRef }) => targetRef?.name === second);
      const isOver = left.every(({ conditions }) => !conditions.ready && conditions.terminating);
      return isOver ? { value: true } : { last: JSON.stringify(left) };
    });
    await readyEndpoints('web', 2);
  });

  it('lets dependents stay, or go with their owner, or before it', async () => {
    await readyPods(2);
    await kubectl('delete', 'rs', 'web', '--cascade=orphan');
    expect(await podNames()).toHaveLength(2);
    expect((await pods()).flatMap(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([]);
    await create(replicaSet('web', 2));
    await until<string>('adoption', async () => {
      const owners = (await pods()).map(({ metadata }) =>
        (metadata.ownerReferences ?? []).map(({ name }) => name).join(),
      );
      return owners.join(' ') === 'web web' ? { value: 'web web' } : { last: owners.join(' ') };
    });
    // kubectl waits only for the owner, whose end implies the end of its pods.
    await kubectl('delete', 'rs', 'web', '--cascade=foreground');
    expect(await podNames()).toEqual([]);
    await create(replicaSet('web', 2));
    await readyPods(2);
    await kubectl('delete', 'rs', 'web');
    await until('the end of its pods', async () => {
      const names = await podNames();
      return names.length === 0 ? { value: names } : { last: names.join() };
    });
    // The slice exists without endpoints; upstream writes null for none.
    expect((await slices('web')).map(({ endpoints }) => endpoints ?? [])).toEqual([[]]);
    await kubectl('delete', 'service', 'web');
    await until('the end of its slices and endpoints', async () => {
      const left = [...(await list('endpointslices')), ...(await list('endpoints'))];
      return left.length === 0 ? { value: left } : { last: JSON.stringify(left) };
    });
  });

  itInWhole('drains no further than a budget allows', async () => {
    await create(replicaSet('db', 2));
    await readyPods(2);
    await createBudget('db', { minAvailable: 1 });
    await until('its count', async () => {
      const { status } = await mendlet.read<{ status?: { disruptionsAllowed?: number } }>('pdb/db', { namespace });
      return status?.disruptionsAllowed === 1 ? { value: status } : { last: JSON.stringify(status) };
    });
    expect(await kubectl('get', 'pdb', 'db', '--no-headers')).toMatch(/^db +1 +N\/A +1 /);
    const drain = ['drain', 'e2e', '--pod-selector', 'app=db', '--force'];
    const refused = await ask([...drain, '--timeout', '3s']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain("Cannot evict pod as it would violate the pod's disruption budget.");
    const running = (await kubectl('get', 'pods', '--no-headers'))
      .split('\n')
      .filter((line) => line.includes('Running'));
    expect(running).toHaveLength(1);
    expect(await mendlet.kubectl(['-n', namespace, 'describe', 'pdb', 'db'])).toMatch(
      /Allowed disruptions: +0\s+Current: +1\s+Desired: +1\s+Total: +2/,
    );
    await kubectl(...drain, '--disable-eviction');
    expect(await kubectl('get', 'pods', '--no-headers')).not.toContain('Running');
    await kubectl('uncordon', 'e2e');
    await readyPods(2);
    // One eviction is allowed, and the other must wait until the replacement is ready.
    await kubectl('scale', 'rs', 'db', '--replicas', '1');
    await readyPods(1);
    await kubectl('patch', 'pdb', 'db', '--type=merge', '-p', '{"spec":{"minAvailable":0}}');
    await kubectl(...drain);
    await kubectl('uncordon', 'e2e');
    await kubectl('delete', 'rs/db', 'pdb/db');
  });

  it('a namespace goes with all of this in it', async () => {
    await create(replicaSet('all', 1));
    await readyPods(1);
    await kubectl('expose', 'rs', 'all', '--port', '80', '--target-port', 'http');
    await createBudget('all', { maxUnavailable: 0 });
    await kubectl('delete', 'rs', 'all', '--cascade=foreground', '--wait=false');
    await mendlet.kubectl(['delete', 'namespace', namespace]);
    expect((await mendlet.tryKubectl(['get', 'namespace', namespace])).stderr).toContain('not found');
  });
});

itInWhole('a circle of owners is no trap', async () => {
  const names = ['pod1', 'pod2', 'pod3'];
  for (const name of names) await mendlet.create(busyboxPod(name, 'exec sleep 36000'));
  const uids = new Map<string, string>();
  for (const name of names) uids.set(name, (await mendlet.pod(name)).metadata.uid);
  for (const [position, name] of names.entries()) {
    const owner = names[(position + 2) % 3] ?? '';
    const reference = { apiVersion: 'v1', kind: 'Pod', name: owner, uid: uids.get(owner), controller: true };
    const metadata = { ownerReferences: [{ ...reference, blockOwnerDeletion: true }] };
    await mendlet.kubectl(['patch', 'pod', name, '--type=merge', '-p', JSON.stringify({ metadata })]);
  }
  await mendlet.kubectl(['delete', 'pod', 'pod1', '--cascade=foreground']);
  await until('the end of all three', async () => {
    const { items } = await mendlet.read<{ items: readonly OwnedPod[] }>('pods');
    return items.length === 0 ? { value: items } : { last: JSON.stringify(items) };
  });
});

it('mirrors what somebody wrote for a service without a selector', async () => {
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'far' }, spec: { ports: [{ port: 80 }] } };
  const subsets = [{ addresses: [{ ip: '192.0.2.7' }], ports: [{ port: 8080 }] }];
  await mendlet.create(service, { apiVersion: 'v1', kind: 'Endpoints', metadata: { name: 'far' }, subsets });
  const label = 'kubernetes.io/service-name=far';
  const mirrored = (count: number): Promise<unknown> =>
    until(`${count} slices`, async () => {
      const { items } = await mendlet.read<{ items: readonly ObservedSlice[] }>('endpointslices', { selector: label });
      return items.length === count ? { value: items } : { last: JSON.stringify(items) };
    });
  await mirrored(1);
  expect(await mendlet.kubectl(['get', 'endpointslices', '-l', label, '--no-headers'])).toMatch(
    /^far-\w+ +IPv4 +8080 +192\.0\.2\.7 /,
  );
  await mendlet.kubectl(['delete', 'endpoints', 'far']);
  await mirrored(0);
});

it('the lease of a node goes with it, and both come back', async () => {
  const lease = async (): Promise<string> => {
    const { items } = await mendlet.read<{ items: readonly OwnedPod[] }>('leases', { namespace: 'kube-node-lease' });
    return items.find(({ metadata }) => metadata.name === 'e2e')?.metadata.uid ?? '';
  };
  const before = await lease();
  await mendlet.kubectl(['delete', 'node', 'e2e']);
  await until('another lease of another node', async () => {
    const last = await lease();
    return last !== '' && last !== before ? { value: last } : { last };
  });
  await until('a ready node', async () => {
    const { items } = await mendlet.read<{ items: readonly ObservedPod[] }>('nodes');
    const ready = items.flatMap(({ status }) => status.conditions ?? []).find(({ type }) => type === 'Ready');
    return ready?.status === 'True' ? { value: true } : { last: JSON.stringify(items) };
  });
});
