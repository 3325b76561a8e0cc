import { describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi } from '../../../test/support/in-memory-api.ts';
import { CONFIG_MAPS, type Container, type Pod, SECRETS, type Service } from '../../api/index.ts';
import { seededRandom, silentLogger } from '../../lib/index.ts';
import type { ContainerEnvironment } from '../types.ts';
import { createConfigCache } from './config-cache.ts';
import { createEnvironmentResolver } from './container-environment.ts';

interface World {
  readonly api: InMemoryApi;
  readonly events: string[];
  readonly services: Service[];
  /** Whether the node routes to the API server's service. */
  routed: boolean;
  resolve(container: Partial<Container>): Promise<ContainerEnvironment>;
}

async function world(): Promise<World> {
  const api = await createInMemoryApi();
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  await api.client.create(CONFIG_MAPS, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'cm', namespace: 'default' },
    data: { a: '1', 'b.c': '2', ref: '$(A)' },
  });
  await api.client.create(SECRETS, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default' },
    data: { user: base64('me'), a: base64('secret') },
  });
  const events: string[] = [];
  const services: Service[] = [];
  const resolver = createEnvironmentResolver({
    config: createConfigCache({
      clock: api.clock,
      random: seededRandom(1),
      logger: silentLogger,
      client: api.client,
    }),
    events: { pod: (_, type, reason, message) => events.push(`${type} ${reason} ${message}`), node: () => {} },
    apiServer: { host: '10.244.0.1', port: 6443, serviceRouteWorks: () => self.routed },
    services: { list: async () => services },
  });
  const self: World = {
    api,
    events,
    services,
    routed: false,
    resolve: (more) => {
      const container: Container = { name: 'app', image: 'i', ...more };
      const pod: Pod = {
        metadata: {
          name: 'p',
          namespace: 'default',
          uid: 'u',
          labels: { app: 'x', 'a.b/c': 'y' },
          annotations: { note: 'z' },
        },
        spec: { containers: [container, { name: 'other', image: 'i' }], serviceAccountName: 'sa' },
      };
      return resolver.resolve({
        pod,
        container,
        podIps: ['10.0.0.1', 'fd00::1'],
        hostIps: ['192.0.2.1'],
        nodeName: 'n',
        nodeAllocatable: { cpuCores: 2.5, memoryBytes: 8 * 1024 ** 3, ephemeralStorageBytes: 7e9 },
      });
    },
  };
  return self;
}

async function values(w: World, container: Partial<Container>): Promise<Record<string, string>> {
  const result = await w.resolve(container);
  if (!result.ok) throw new Error(result.message);
  return Object.fromEntries(result.env.map(({ name, value }) => [name, value]));
}

async function problem(w: World, container: Partial<Container>): Promise<string> {
  const result = await w.resolve(container);
  return result.ok ? 'none' : result.message;
}

describe('environment', () => {
  it('always tells where the API server is', async () => {
    expect(await values(await world(), {})).toEqual({
      KUBERNETES_SERVICE_HOST: '10.244.0.1',
      KUBERNETES_SERVICE_PORT: '6443',
      KUBERNETES_SERVICE_PORT_HTTPS: '6443',
      KUBERNETES_PORT: 'tcp://10.244.0.1:6443',
      KUBERNETES_PORT_6443_TCP: 'tcp://10.244.0.1:6443',
      KUBERNETES_PORT_6443_TCP_PROTO: 'tcp',
      KUBERNETES_PORT_6443_TCP_PORT: '6443',
      KUBERNETES_PORT_6443_TCP_ADDR: '10.244.0.1',
    });
  });

  it('expands what stands before, and lets the later and the nearer win', async () => {
    const w = await world();
    const env = await values(w, {
      envFrom: [
        { configMapRef: { name: 'cm' } },
        { secretRef: { name: 's' } },
        { configMapRef: { name: 'cm' }, prefix: 'P_' },
      ],
      env: [
        { name: 'A', value: 'a' },
        { name: 'B', value: '$(A)$(a)$(LATER)$$(A)' },
        { name: 'LATER', value: 'x' },
        { name: 'A', value: 'again' },
        { name: 'HOST', value: '$(KUBERNETES_SERVICE_HOST)' },
        { name: 'KUBERNETES_PORT', value: 'mine' },
        { name: 'FROM', valueFrom: { configMapKeyRef: { name: 'cm', key: 'ref' } } },
      ],
    });
    expect(env).toMatchObject({
      a: 'secret',
      'b.c': '2',
      P_a: '1',
      user: 'me',
      A: 'again',
      B: 'asecret$(LATER)$(A)',
      HOST: '10.244.0.1',
      KUBERNETES_PORT: 'mine',
      FROM: '$(A)',
    });
  });

  it('knows the pod, the node and the resources', async () => {
    const field = (fieldPath: string) => ({ valueFrom: { fieldRef: { fieldPath } } });
    const resource = (name: string, divisor?: string, containerName?: string) => ({
      valueFrom: {
        resourceFieldRef: { resource: name, ...(divisor && { divisor }), ...(containerName && { containerName }) },
      },
    });
    const cases: readonly (readonly [string, object, string])[] = [
      ['name', field('metadata.name'), 'p'],
      ['namespace', field('metadata.namespace'), 'default'],
      ['uid', field('metadata.uid'), 'u'],
      ['label', field("metadata.labels['a.b/c']"), 'y'],
      ['no_label', field("metadata.labels['none']"), ''],
      ['annotation', field("metadata.annotations['note']"), 'z'],
      ['node', field('spec.nodeName'), 'n'],
      ['account', field('spec.serviceAccountName'), 'sa'],
      ['ip', field('status.podIP'), '10.0.0.1'],
      ['ips', field('status.podIPs'), '10.0.0.1,fd00::1'],
      ['host', field('status.hostIP'), '192.0.2.1'],
      ['cpu', resource('limits.cpu'), '2'],
      ['milli', resource('limits.cpu', '1m'), '1500'],
      ['memory', resource('limits.memory', '1Mi'), '64'],
      ['request', resource('requests.cpu'), '0'],
      ['other_cpu', resource('limits.cpu', '1m', 'other'), '2500'],
      ['other_memory', resource('limits.memory', '1Gi', 'other'), '8'],
      ['disk', resource('limits.ephemeral-storage', '1M', 'other'), '7000'],
    ];
    const env = await values(await world(), {
      resources: { limits: { cpu: '1500m', memory: '64Mi' } },
      env: cases.map(([name, source]) => ({ name, ...source })),
    });
    for (const [name, , expected] of cases) expect([name, env[name]]).toEqual([name, expected]);
  });

  it('expands command and args, and subPathExpr only when every name is known', async () => {
    const w = await world();
    const result = await w.resolve({ env: [{ name: 'A', value: 'a' }], command: ['$(A)', '$(NO)'], args: ['x$(A)'] });
    expect(result).toMatchObject({ ok: true, command: ['a', '$(NO)'], args: ['xa'] });
    expect(result.ok && [result.expand('d/$(A)'), result.expand('$(NO)')]).toEqual(['d/a', undefined]);
  });

  it.each<[string, Partial<Container>, string]>([
    [
      'no ConfigMap',
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'no', key: 'k' } } }] },
      'configmap "no" not found',
    ],
    ['no Secret', { envFrom: [{ secretRef: { name: 'no' } }] }, 'secret "no" not found'],
    [
      'no key',
      { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'cm', key: 'k' } } }] },
      "couldn't find key k in ConfigMap default/cm",
    ],
    [
      'no key of a Secret',
      { env: [{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] },
      "couldn't find key k in Secret default/s",
    ],
    [
      'no such field',
      { env: [{ name: 'X', valueFrom: { fieldRef: { fieldPath: 'spec.x' } } }] },
      'unsupported fieldPath: spec.x',
    ],
  ])('%s: says so', async (_, container, message) => {
    expect(await problem(await world(), container)).toBe(message);
  });

  it('leaves out what is optional and missing', async () => {
    const env = await values(await world(), {
      envFrom: [{ configMapRef: { name: 'no', optional: true } }],
      env: [
        { name: 'X', valueFrom: { configMapKeyRef: { name: 'cm', key: 'no', optional: true } } },
        { name: 'Y', valueFrom: { secretKeyRef: { name: 'no', key: 'no', optional: true } } },
      ],
    });
    expect(Object.keys(env).every((name) => name.startsWith('KUBERNETES_'))).toBe(true);
  });

  it('skips keys that can be no names, with an event', async () => {
    const w = await world();
    await values(w, { envFrom: [{ configMapRef: { name: 'cm' }, prefix: 'a=' }] });
    expect(w.events).toEqual([
      'Warning InvalidEnvironmentVariableNames Keys [a=a, a=b.c, a=ref] from the EnvFrom configMap default/cm were skipped since they are considered invalid environment variable names.',
    ]);
  });

  it('sees a ConfigMap that comes later, soon', async () => {
    const w = await world();
    const container = { envFrom: [{ configMapRef: { name: 'late' } }] };
    expect(await problem(w, container)).toBe('configmap "late" not found');
    await w.api.client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'late', namespace: 'default' },
      data: { k: 'v' },
    });
    await w.api.clock.advance(10_000);
    expect((await values(w, container))['k']).toBe('v');
  });
});

it('tells of the services of the namespace, which everything else overrules', async () => {
  const w = await world();
  w.services.push({
    metadata: { name: 'db', namespace: 'default' },
    spec: { clusterIP: '10.96.0.7', ports: [{ port: 5432 }] },
  });
  const env = [
    { name: 'URL', value: '$(DB_PORT)' },
    { name: 'DB_SERVICE_PORT', value: '1' },
  ];
  const found = await values(w, { env });
  expect(found).toMatchObject({ DB_SERVICE_HOST: '10.96.0.7', URL: 'tcp://10.96.0.7:5432', DB_SERVICE_PORT: '1' });
});

describe('the API server', () => {
  const kubernetes: Service = {
    metadata: { namespace: 'default', name: 'kubernetes' },
    spec: { clusterIP: '10.96.0.1', ports: [{ name: 'https', port: 443, targetPort: 6443, protocol: 'TCP' }] },
  };
  const told = async (given: World): Promise<string[]> => {
    const result = await given.resolve({});
    if (!result.ok) throw new Error(result.message);
    return result.env.map(({ name, value }) => `${name}=${value}`);
  };

  it('is told by the address of its service once the route works, under the names of upstream', async () => {
    const given = await world();
    given.services.push(kubernetes);
    expect(await told(given)).toContain('KUBERNETES_SERVICE_HOST=10.244.0.1');
    given.routed = true;
    expect(await told(given)).toEqual([
      'KUBERNETES_SERVICE_HOST=10.96.0.1',
      'KUBERNETES_SERVICE_PORT=443',
      'KUBERNETES_SERVICE_PORT_HTTPS=443',
      'KUBERNETES_PORT=tcp://10.96.0.1:443',
      'KUBERNETES_PORT_443_TCP=tcp://10.96.0.1:443',
      'KUBERNETES_PORT_443_TCP_PROTO=tcp',
      'KUBERNETES_PORT_443_TCP_PORT=443',
      'KUBERNETES_PORT_443_TCP_ADDR=10.96.0.1',
    ]);
  });

  it('is told by its own address while the service is not known', async () => {
    const given = await world();
    given.routed = true;
    expect(await told(given)).toContain('KUBERNETES_SERVICE_HOST=10.244.0.1');
    given.services.push({ ...kubernetes, metadata: { namespace: 'other', name: 'kubernetes' } });
    expect(await told(given)).toContain('KUBERNETES_SERVICE_HOST=10.244.0.1');
  });
});

describe('what is more than can be passed', () => {
  const bigService = (name: string, ports: number, created: string): Service => ({
    metadata: { name, namespace: 'default', creationTimestamp: created },
    spec: {
      clusterIP: '10.96.0.7',
      ports: Array.from({ length: ports }, (_, i) => ({ name: `port-${i}`, port: i + 1 })),
    },
  });
  const bytesOf = (of: Record<string, string>) =>
    Object.entries(of).reduce((sum, [name, value]) => sum + name.length + value.length + 10, 0);

  it('is not made of services: the newest that do not fit are left out, and said once', async () => {
    const w = await world();
    w.services.push(bigService('vast', 15_000, '2026-01-03T00:00:00Z'));
    for (let i = 0; i < 9; i++) w.services.push(bigService(`many-${i}`, 1000, `2026-01-0${i + 1}T00:00:00Z`));
    w.services.push(bigService('small', 1, '2026-02-01T00:00:00Z'));
    const all = await values(w, {});
    expect(bytesOf(all)).toBeLessThan(1.1 * 1024 * 1024);
    expect(all['MANY_0_SERVICE_HOST']).toBe('10.96.0.7');
    expect(all['SMALL_SERVICE_HOST']).toBe('10.96.0.7');
    expect(all['VAST_SERVICE_HOST']).toBeUndefined();
    expect(all['KUBERNETES_SERVICE_HOST']).toBe('10.244.0.1');
    w.services.reverse();
    expect(await values(w, {})).toEqual(all);
    expect(w.events).toHaveLength(1);
    expect(w.events[0]).toMatch(
      /^Warning ServiceEnvironmentTruncated Container "app" is started without the environment variables of services many-\d, .*vast, which .*enableServiceLinks: false/,
    );
  });

  it('leaves fewer services where the own variables are many', async () => {
    const w = await world();
    for (let i = 0; i < 3; i++) w.services.push(bigService(`many-${i}`, 1000, `2026-01-0${i + 1}T00:00:00Z`));
    const own = Array.from({ length: 13 }, (_, i) => ({ name: `OWN${i}`, value: 'x'.repeat(100_000) }));
    const all = await values(w, { env: own });
    expect(bytesOf(all)).toBeLessThan(1536 * 1024 + 1000);
    expect(all['OWN12']).toHaveLength(100_000);
  });

  it('is told with its field where the kernel may refuse it', async () => {
    const w = await world();
    await w.api.client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'big', namespace: 'default' },
      data: { BIG: 'x'.repeat(1_000_000) },
    });
    expect((await values(w, { envFrom: [{ configMapRef: { name: 'big' } }] }))['BIG']).toHaveLength(1_000_000);
    expect(w.events.at(-1)).toMatch(
      /^Warning EnvironmentTooLarge .*131072 bytes a string.*: variable BIG of envFrom\[0\] \(configMap default\/big\) has 1000013 bytes$/,
    );
    await values(w, { args: ['y'.repeat(140_000)] });
    expect(w.events.at(-1)).toContain('args[0] has 140009 bytes');
  });

  it('never fills our own memory by variables that repeat each other', async () => {
    const w = await world();
    const env = [{ name: 'V0', value: 'x'.repeat(1000) }];
    for (let i = 1; i < 40; i++) env.push({ name: `V${i}`, value: `$(V${i - 1})`.repeat(20) });
    expect(await problem(w, { env })).toMatch(/^env\[3\] \(V3\): it is longer than \d+ characters once expanded$/);
    const wide = [{ name: 'A', value: 'x'.repeat(1_900_000) }];
    for (let i = 0; i < 5; i++) wide.push({ name: `B${i}`, value: '$(A)' });
    expect(await problem(w, { env: wide })).toMatch(
      /variable B2 of env\[3\] the environment has more than 6291456 bytes/,
    );
    const args = Array.from({ length: 10 }, () => '$(A)');
    expect(await problem(w, { env: wide.slice(0, 1), args })).toMatch(/^args is longer than/);
  });

  it('reads a text of openings alone in one go', async () => {
    const w = await world();
    const value = '$('.repeat(500_000);
    expect((await values(w, { env: [{ name: 'A', value }] }))['A']).toBe(value);
  });
});
