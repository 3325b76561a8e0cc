/**
 * Tests services and DNS across three real nodes: who is reached from where, and what clients see while pods, nodes, agents and the
 * server end. The tests follow one another on one cluster.
 */
import { mkdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCondition, isConditionTrue, type Node, type Pod, type Service } from '../../src/api/index.ts';
import { ConnectionLoad } from '../support/connection-load.ts';
import { kill, serverAddress } from '../support/lab-network.ts';
import { Lab, type LabNode, toolInPod } from '../support/lab.ts';
import { ask, distinct } from '../support/net-tool.ts';
import type { Running } from '../support/running.ts';
import { webDeployment, webService } from '../support/web-deployment.ts';
import { inShort, itInWhole } from './extent.ts';
import { run, until } from './harness.ts';

const NAMES = ['n1', 'n2', 'n3'];
/** Different in each suite. */
const CLUSTER_CIDR = '10.184.0.0/16';
const UDP_PORT = 7007;
/** New connections a second; the promise of no lost request does not depend on it. */
const PER_SECOND = inShort(30, 60);

let lab: Lab;
let n1: LabNode;
let n2: LabNode;
let n3: LabNode;
let out: string;

const nodeOf = (name: string): LabNode => lab.nodes.find((node) => node.name === name) as LabNode;
const kubectl = (...args: string[]): Promise<string> => lab.kubectl(args);
const readPod = (name: string): Promise<Pod> => lab.read<Pod>(`pods/${name}`);
const isReady = (pod: Pod): boolean => isConditionTrue(pod.status?.conditions, 'Ready');
/** Finds a pod's processes on this machine by their command line. */
const markOf = (pod: string): string => `mark-${lab.names.id}-${pod}`;

/** What the last line that a tool prints says. */
async function told(tool: Running): Promise<unknown> {
  await tool.ended;
  const line = tool.out.trim().split('\n').at(-1) ?? '';
  if (line === '') throw new Error(`nothing was told: ${tool.log}`);
  return JSON.parse(line) as unknown;
}

/** All answers to `count` requests from a node's host, each once and in order. */
async function answersFrom(node: LabNode, host: string, count: number): Promise<readonly string[]> {
  return (await told(node.tool('ask', host, '80', String(count)))) as readonly string[];
}

/** All answers to requests from a pod, each once and in order; a failed request is "failed". */
async function answersToPod(pod: string, address: string, count = 40): Promise<readonly string[]> {
  const each = `timeout 5 wget -q -O - http://${address}/ || echo failed`;
  const text = await kubectl('exec', pod, '--', 'sh', '-c', `for i in $(seq ${count}); do ${each}; done | sort -u`);
  return text.trim().split('\n');
}

/** Waits until all answers of a round are as expected. */
async function untilAnswers(round: () => Promise<readonly string[]>, wanted: RegExp): Promise<void> {
  await until(`answers like ${wanted}`, async () => {
    const answers = await round();
    return answers.every((each) => wanted.test(each)) ? { value: true } : { last: answers.join() };
  });
}

/** A load from a node's host or, by a process of it, from a pod. */
class RemoteLoad {
  readonly #tool: Running;

  private constructor(tool: Running) {
    this.#tool = tool;
  }

  static async start(begin: (...args: readonly string[]) => Running, host: string, port = 80): Promise<RemoteLoad> {
    const tool = begin('load', JSON.stringify({ host, port, perSecond: PER_SECOND, seed: 11 }));
    await tool.ready('started');
    return new RemoteLoad(tool);
  }

  async stop(): Promise<{
    readonly sent: number;
    readonly failures: readonly string[];
    readonly answers: ReadonlyMap<string, number>;
  }> {
    await this.#tool.end('SIGTERM');
    const { sent, failures, answers } = (await told(this.#tool)) as {
      sent: number;
      failures: string[];
      answers: [string, number][];
    };
    return { sent, failures, answers: new Map(answers) };
  }
}

async function pidOf(pod: string): Promise<number> {
  return await until<number>(`a process of ${pod}`, async () => {
    const { stdout } = await run('pgrep', ['-f', markOf(pod)]);
    const pid = Number(stdout.trim().split('\n')[0]);
    return pid > 0 ? { value: pid } : { last: stdout };
  });
}

function busybox(
  name: string,
  script: string,
  more: { labels?: object; spec?: object; container?: object } = {},
): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: more.labels },
    spec: {
      terminationGracePeriodSeconds: 1,
      // They stay while their node is silent.
      tolerations: [{ key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' }],
      ...more.spec,
      containers: [
        {
          name: 'main',
          image: 'docker.io/library/busybox:latest',
          imagePullPolicy: 'IfNotPresent',
          command: ['sh', '-c', `${script} # ${markOf(name)}`],
          ...more.container,
        },
      ],
    },
  };
}

const READY_BY_PORT = { readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 } };
const SERVE = 'httpd -f -p 8080 -h /www & wait';

/** A web server on one node; it says its node's name, or at /cgi-bin/client whom it sees. */
function web(node: string): object {
  const cgi = '#!/bin/sh\\necho; echo $REMOTE_ADDR';
  const files = `mkdir -p /www/cgi-bin; echo ${node} >/www/index.html; printf '${cgi}' >/www/cgi-bin/client`;
  const script = `${files}; chmod +x /www/cgi-bin/client; ${SERVE}`;
  const labels = { app: 'web', on: node };
  return busybox(`web-${node}`, script, { labels, spec: { nodeName: node }, container: READY_BY_PORT });
}

/** Asks by name and by address all the time, and notes the answers. */
function asker(node: string, ip: string): object {
  const note = (file: string, host: string): string =>
    `timeout 12 wget -q -O - http://${host}/ >>/out/${file}-${node} 2>/dev/null || echo failed >>/out/${file}-${node}`;
  const script = `while :; do ${note('name', 'web.default.svc.cluster.local')}; ${note('ip', ip)}; sleep 0.1; done`;
  const spec = { nodeName: node, volumes: [{ name: 'out', hostPath: { path: out } }] };
  return busybox(`asker-${node}`, script, { spec, container: { volumeMounts: [{ name: 'out', mountPath: '/out' }] } });
}

const noted = (file: string): readonly string[] => {
  const path = join(out, file);
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [];
};

/** Waits for so many more answers of each asker. @returns those that were no answers */
async function moreNotes(count: number, of: readonly string[] = NAMES): Promise<readonly string[]> {
  const files = of.flatMap((node) => [`name-${node}`, `ip-${node}`]);
  const before = new Map(files.map((file) => [file, noted(file).length]));
  const since = (file: string): readonly string[] => noted(file).slice(before.get(file));
  await until('more answers', async () => {
    const counts = files.map((file) => since(file).length);
    return counts.every((each) => each >= count) ? { value: true } : { last: counts.join() };
  });
  return files.flatMap((file) =>
    since(file)
      .filter((line) => !NAMES.includes(line))
      .map((line) => `${file}: ${line}`),
  );
}

async function service(name: string, spec: object): Promise<Service> {
  const ports = [{ name: 'http', port: 80, targetPort: 8080 }];
  await lab.create({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports, ...spec } });
  return await lab.read<Service>(`services/${name}`);
}

async function untilReady(...pods: readonly string[]): Promise<readonly Pod[]> {
  return await Promise.all(
    pods.map((name) =>
      until<Pod>(`${name} ready`, async () => {
        const pod = await readPod(name).catch(() => undefined);
        return pod !== undefined && isReady(pod) ? { value: pod } : { last: JSON.stringify(pod?.status) };
      }),
    ),
  );
}

let webIp = '';

beforeAll(async () => {
  lab = await Lab.create({
    nodes: 3,
    clusterCidr: CLUSTER_CIDR,
    serverFlags: ['--node-monitor-grace-period', '6s', '--node-eviction-rate', '10', '--pod-eviction-timeout', '3s'],
    kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
  });
  [n1, n2, n3] = lab.nodes as [LabNode, LabNode, LabNode];
  out = join(lab.folder, 'out');
  mkdirSync(out);
  await lab.start();
  await lab.create(...NAMES.map(web));
  webIp = (await service('web', { selector: { app: 'web' } })).spec?.clusterIP ?? '';
  await untilReady(...NAMES.map((name) => `web-${name}`));
  for (const node of lab.nodes) await untilAnswers(() => answersFrom(node, webIp, 10), /^n/);
});
afterAll(() => lab?.down());

describe.each(NAMES)('on %s', (name) => {
  it('a cluster IP leads pods and the host to the pods of all nodes', async () => {
    expect(await answersToPod(`web-${name}`, webIp)).toEqual(NAMES);
    expect(await answersFrom(nodeOf(name), webIp, 40)).toEqual(NAMES);
  });
});

describe('a node port, from another machine', () => {
  const portOf = ({ spec }: Service): number => spec?.ports?.[0]?.nodePort ?? 0;

  it('leads to the pods of all nodes, whichever node is asked', async () => {
    const port = portOf(await service('outside', { type: 'NodePort', selector: { app: 'web' } }));
    for (const { address } of lab.nodes) {
      await untilAnswers(() => distinct(() => ask(address, port), 5), /^n/);
      expect(await distinct(() => ask(address, port), 40)).toEqual(NAMES);
    }
    expect(await answersToPod('web-n1', `${n2.address}:${port}`)).toEqual(NAMES);
  });

  it('with policy Local leads to the node’s own pods, which see the client; the health check says where they are', async () => {
    const made = await service('near', {
      type: 'LoadBalancer',
      loadBalancerClass: 'example.com/none',
      selector: { app: 'web', on: 'n2' },
      externalTrafficPolicy: 'Local',
    });
    const port = portOf(made);
    await untilAnswers(() => distinct(() => ask(n2.address, port), 5), /^n2$/);
    // httpd writes it as an address of IPv6.
    expect(await ask(n2.address, port, '/cgi-bin/client')).toMatch(new RegExp(`\\b${serverAddress(lab.names)}\\b`));
    // Each node learns of the service by itself; what it does then stays.
    await untilAnswers(async () => [await ask(n1.address, port)], /^failed: timeout$/);
    expect(await ask(n1.address, port)).toBe('failed: timeout');
    const health = async ({ address }: LabNode): Promise<number> =>
      (await fetch(`http://${address}:${made.spec?.healthCheckNodePort}/`)).status;
    expect(await Promise.all(lab.nodes.map(health))).toEqual([503, 200, 503]);
    // A pod of a node without endpoints is led as by policy Cluster.
    expect(await answersToPod('web-n1', `${n1.address}:${port}`, 3)).toEqual(['n2']);
  });
});

it('session affinity holds for each client, across nodes', async () => {
  const sticky = await service('sticky', { selector: { app: 'web' }, sessionAffinity: 'ClientIP' });
  const ip = sticky.spec?.clusterIP ?? '';
  for (const node of lab.nodes) {
    await until('one endpoint alone', async () => {
      const answers = await answersToPod(`web-${node.name}`, ip, 15);
      return answers.length === 1 && answers[0] !== 'failed' ? { value: true } : { last: answers.join() };
    });
    expect(await answersFrom(node, ip, 15)).toHaveLength(1);
  }
});

it('UDP reaches the pods of all nodes', async () => {
  const ports = [{ name: 'udp', port: 7, protocol: 'UDP', targetPort: UDP_PORT }];
  const ip = (await service('udp', { selector: { app: 'web' }, ports })).spec?.clusterIP ?? '';
  const servers = await Promise.all(
    NAMES.map(async (name) => {
      const server = toolInPod(await pidOf(`web-${name}`), 'answer-udp', name, String(UDP_PORT));
      await server.ready('listening');
      return server;
    }),
  );
  try {
    for (const node of lab.nodes) {
      const from = async (count: number): Promise<readonly string[]> =>
        (await told(node.tool('ask-udp', ip, '7', String(count)))) as readonly string[];
      await untilAnswers(() => from(1), /^n/);
      expect(await from(40)).toEqual(NAMES);
    }
    const client = await pidOf('web-n1');
    expect(await told(toolInPod(client, 'ask-udp', ip, '7', '40'))).toEqual(NAMES);
  } finally {
    await Promise.all(servers.map((server) => server.end('SIGKILL')));
  }
});

describe('DNS', () => {
  let addresses: readonly string[] = [];
  beforeAll(async () => {
    await lab.create(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'db' },
        spec: { selector: { app: 'db' }, clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] },
      },
      database(),
      ...NAMES.map((name) =>
        busybox(`host-${name}`, 'while :; do sleep 100; done', {
          spec: { nodeName: name, hostNetwork: true, dnsPolicy: 'ClusterFirstWithHostNet' },
        }),
      ),
    );
    const pods = await untilReady('db-0', 'db-1', 'db-2');
    addresses = pods.map(({ status }) => status?.podIP ?? '');
    await untilReady(...NAMES.map((name) => `host-${name}`));
  });

  /** All addresses that a pod is told, in order. */
  const lookUp = async (pod: string, name: string, ...server: string[]): Promise<string> => {
    const { stdout } = await lab.tryKubectl(['exec', pod, '--', 'nslookup', '-type=a', name, ...server]);
    const found = [...stdout.matchAll(/^Address: (\S+)$/gm)].map(([, ip = '']) => ip);
    return found.toSorted().join();
  };
  const pings = async (pod: string, name: string): Promise<string> =>
    /\(([\d.]+)\)/.exec((await lab.tryKubectl(['exec', pod, '--', 'ping', '-c', '1', '-W', '1', name])).stdout)?.[1] ??
    '';

  const ASKING = NAMES.flatMap((name) => [`web-${name}`, `host-${name}`]);
  // The hosts of all nodes ask below, too.
  it.each(inShort(['web-n1', 'host-n3'], ASKING))('answers %s', async (pod) => {
    const all = addresses.toSorted().join();
    await until('all members', async () => {
      const found = await lookUp(pod, 'db.default.svc.cluster.local');
      return found === all ? { value: true } : { last: found };
    });
    expect(await lookUp(pod, 'web.default.svc.cluster.local')).toBe(webIp);
    for (const at of [0, 1, 2]) expect(await pings(pod, `db-${at}.db`)).toBe(addresses[at]);
    expect(await pings(pod, 'web')).toBe(webIp);
    // At the address of kube-dns, too, which each node routes to its own server.
    expect(await lookUp(pod, 'web.default.svc.cluster.local', '10.96.0.10')).toBe(webIp);
  });

  it('answers the host of each node at the address of kube-dns', async () => {
    for (const node of lab.nodes) {
      expect(await told(node.tool('resolve', '10.96.0.10', 'db-0.db.default.svc.cluster.local'))).toEqual([
        addresses[0],
      ]);
    }
  });

  it('answers nobody else', async () => {
    const gateway = (await readPod('web-n1')).status?.podIP?.replace(/\.\d+$/, '.1') ?? '';
    expect(await told(n1.tool('resolve', gateway, 'web.default.svc.cluster.local'))).toEqual([webIp]);
    const { stdout } = await run('ip', ['route', 'add', `${gateway}/32`, 'via', n1.address]);
    expect(stdout).toBe('');
    const outside = await run(process.execPath, [
      join(import.meta.dirname, '../support/net-tool.ts'),
      'resolve',
      gateway,
      'web.default.svc.cluster.local',
    ]);
    await run('ip', ['route', 'del', `${gateway}/32`, 'via', n1.address]);
    expect(JSON.parse(outside.stdout)).toMatch(/^failed/);
  });
});

function database(): object {
  const labels = { app: 'db' };
  const antiAffinity = {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: labels }, topologyKey: 'kubernetes.io/hostname' },
      ],
    },
  };
  const { spec } = busybox('db', 'while :; do sleep 100; done', { spec: { affinity: antiAffinity } }) as {
    spec: object;
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'db' },
    spec: {
      replicas: 3,
      serviceName: 'db',
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
    },
  };
}

it('a balancer’s addresses are those of the nodes, and each answers', async () => {
  const ports = [{ port: 8088, targetPort: 8080 }];
  await service('balanced', { type: 'LoadBalancer', selector: { app: 'web' }, ports });
  const wanted = lab.nodes.map(({ address }) => address).join();
  await until('the addresses', async () => {
    const { status } = await lab.read<Service>('services/balanced');
    const found = (status?.loadBalancer?.ingress ?? []).map(({ ip = '' }) => ip).toSorted((a, b) => (a < b ? -1 : 1));
    return found.join() === wanted ? { value: true } : { last: found.join() };
  });
  for (const { address } of lab.nodes) {
    await untilAnswers(() => distinct(() => ask(address, 8088), 5), /^n/);
    expect(await distinct(() => ask(address, 8088), 40)).toEqual(NAMES);
  }
});

it('a service that prefers its client’s zone follows the labels of the nodes', async () => {
  const near = await service('zonal', { selector: { app: 'web' }, trafficDistribution: 'PreferSameZone' });
  const ip = near.spec?.clusterIP ?? '';
  const untilAll = (node: LabNode, wanted: readonly string[]): Promise<boolean> =>
    until<boolean>(`${node.name} comes to ${wanted.join()}`, async () => {
      const answers = await answersFrom(node, ip, 40);
      return answers.join() === wanted.join() ? { value: true } : { last: answers.join() };
    });
  await untilAll(n1, NAMES);
  for (const name of NAMES)
    await kubectl('label', 'node', name, `topology.kubernetes.io/zone=${name === 'n1' ? 'east' : 'west'}`);
  await untilAll(n1, ['n1']);
  await untilAll(n2, ['n2', 'n3']);
  await untilAll(n3, ['n2', 'n3']);
});

describe('no request is lost', () => {
  let shopIp = '';
  let shopPort = 0;
  beforeAll(async () => {
    await lab.create(webDeployment('shop', 4), webService('shop', { type: 'NodePort' }));
    await kubectl('rollout', 'status', 'deploy/shop', '--timeout=300s');
    const { spec } = await lab.read<Service>('services/shop');
    shopIp = spec?.clusterIP ?? '';
    shopPort = spec?.ports?.[0]?.nodePort ?? 0;
    for (const node of lab.nodes) await untilAnswers(() => answersFrom(node, shopIp, 20), /^shop/);
  });

  /** From a host, from a pod on another node, and from outside. */
  async function underLoad(act: () => Promise<void>): Promise<void> {
    const pid = await pidOf('web-n3');
    const loads = {
      host: await RemoteLoad.start((...args) => n1.tool(...args), shopIp),
      pod: await RemoteLoad.start((...args) => toolInPod(pid, ...args), shopIp),
      outside: new ConnectionLoad({ host: n1.address, port: shopPort, perSecond: PER_SECOND, seed: 13 }),
    };
    await act();
    for (const [from, load] of Object.entries(loads)) {
      const { sent, failures } = await load.stop();
      expect({ from, failures }).toEqual({ from, failures: [] });
      expect(sent).toBeGreaterThan(0);
    }
  }

  it('in a rolling update', () =>
    underLoad(async () => {
      await kubectl('rollout', 'restart', 'deploy/shop');
      await kubectl('rollout', 'status', 'deploy/shop', '--timeout=300s');
    }));

  it('while a node is drained', async () => {
    const pods = async (): Promise<readonly Pod[]> =>
      (await lab.read<{ items: readonly Pod[] }>('pods', { selector: 'app=shop' })).items;
    const victim = (await pods()).map(({ spec }) => spec?.nodeName ?? '').find((name) => name !== 'n1') ?? '';
    await underLoad(async () => {
      await kubectl('drain', victim, '--pod-selector=app=shop', '--timeout=300s');
      await kubectl('rollout', 'status', 'deploy/shop', '--timeout=300s');
    });
    expect((await pods()).map(({ spec }) => spec?.nodeName)).not.toContain(victim);
    await kubectl('uncordon', victim);
    await kubectl('delete', 'deploy/shop', 'svc/shop');
  });
});

/** A server that is not ready again after its first life until a file comes. */
function mortal(node: string): object {
  const second = `[ -e /life/first ] && until [ -e /out/live-${node} ]; do sleep 0.1; done`;
  const files = `mkdir -p /www; echo ${node} >/www/index.html`;
  return busybox(`mortal-${node}`, `${second}; touch /life/first; ${files}; ${SERVE}`, {
    labels: { app: 'mortal' },
    spec: {
      nodeName: node,
      volumes: [
        { name: 'life', emptyDir: {} },
        { name: 'out', hostPath: { path: out } },
      ],
    },
    container: {
      ...READY_BY_PORT,
      volumeMounts: [
        { name: 'life', mountPath: '/life' },
        { name: 'out', mountPath: '/out' },
      ],
    },
  });
}

describe('a process that dies', () => {
  let ip = '';
  const fromHost =
    (node: LabNode, count = 30) =>
    (): Promise<readonly string[]> =>
      answersFrom(node, ip, count);
  beforeAll(async () => {
    await lab.create(...NAMES.map(mortal));
    ip = (await service('mortal', { selector: { app: 'mortal' } })).spec?.clusterIP ?? '';
    await untilReady(...NAMES.map((name) => `mortal-${name}`));
    for (const node of lab.nodes) await untilAnswers(fromHost(node), /^n/);
    const askers = NAMES.map((name) => asker(name, webIp));
    await lab.create(...askers);
    await untilReady(...NAMES.map((name) => `asker-${name}`));
  });

  it('is left by the rules of all nodes', async () => {
    kill(await pidOf('mortal-n3'));
    for (const node of lab.nodes) await untilAnswers(fromHost(node), /^n[12]$/);
  });

  it('is left by its own node’s rules without the server, too; routing and DNS go on', async () => {
    await moreNotes(3);
    await lab.stopServer('SIGKILL');
    expect(await moreNotes(10)).toEqual([]);
    kill(await pidOf('mortal-n2'));
    await untilAnswers(fromHost(n2), /^n1$/);
    // Other nodes know by the slice alone.
    expect(await fromHost(n1, 40)()).toEqual(['failed: ECONNREFUSED', 'n1']);
    await lab.startServer();
    await untilAnswers(fromHost(n1), /^n1$/);
    expect(await moreNotes(3)).toEqual([]);
  });

  it('gets traffic from all nodes again when it serves again', async () => {
    await run('touch', [join(out, 'live-n2'), join(out, 'live-n3')]);
    for (const node of lab.nodes) {
      await until('all endpoints', async () => {
        const answers = await fromHost(node, 40)();
        return answers.join() === NAMES.join() ? { value: true } : { last: answers.join() };
      });
    }
  });
});

it('an agent that is killed leaves the rules; its pods’ lookups are answered when it is back', async () => {
  await n1.stop('SIGKILL');
  expect(await answersFrom(n1, webIp, 40)).toEqual(NAMES);
  expect(await moreNotes(5, ['n2', 'n3'])).toEqual([]);
  const notes = moreNotes(10);
  await n1.start();
  expect(await notes).toEqual([]);
});

describe('a node that is lost', () => {
  let held: Running[] = [];
  let ip = '';

  const untilNotReady = (name: string): Promise<boolean> =>
    until<boolean>(`${name} not Ready`, async () => {
      const { status } = await lab.read<Node>(`nodes/${name}`);
      const ready = findCondition(status?.conditions, 'Ready')?.status;
      return ready === 'True' ? { last: ready } : { value: true };
    });

  /** Connections of a host and of a pod on n1 to a pod on n3, on which both go on sending. */
  async function holdConnections(): Promise<void> {
    await untilReady('web-n3');
    await untilAnswers(() => answersFrom(n1, ip, 5), /^n3$/);
    const pid = await pidOf('web-n1');
    held = [n1.tool('hold', ip, '80'), toolInPod(pid, 'hold', ip, '80')];
    for (const each of held) await each.ready('connected');
  }

  /** It died, and everybody knows; its connections only hang. */
  async function loseIt(): Promise<void> {
    await n3.die();
    await untilNotReady('n3');
    await untilAnswers(() => answersFrom(n2, webIp, 20), /^n[12]$/);
    await sleep(1000);
    expect(held.map((each) => each.pid === undefined)).toEqual([false, false]);
  }

  async function expectResets(): Promise<void> {
    for (const each of held) expect(await told(each)).toBe('ended: ECONNRESET');
  }

  beforeAll(async () => {
    ip = (await service('far', { selector: { app: 'web', on: 'n3' } })).spec?.clusterIP ?? '';
  });

  // They are in groups of their own, which outlive a failed test.
  afterAll(async () => {
    await Promise.all(held.map((each) => each.end('SIGKILL')));
  });

  it('has no endpoints any more; connections to its pods are reset when it is said to be out of service', async () => {
    await holdConnections();
    await loseIt();
    await kubectl('taint', 'node', 'n3', 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute');
    await expectResets();
  });

  itInWhole('is reached as before when it is back', async () => {
    await kubectl('taint', 'node', 'n3', 'node.kubernetes.io/out-of-service-');
    await n3.start();
    // The taint had its pods deleted, which nobody makes anew.
    await until('the old pod gone', async () => {
      const { items } = await lab.read<{ items: readonly Pod[] }>('pods', { selector: 'on=n3' });
      return items.length === 0 ? { value: true } : { last: JSON.stringify(items.map(({ metadata }) => metadata)) };
    });
    await lab.create(web('n3'));
    await holdConnections();
    expect(await answersFrom(n1, ip, 10)).toEqual(['n3']);
    if (inShort(true, false)) for (const each of held) await each.end('SIGKILL');
  });

  itInWhole('has its connections reset when its object is deleted', async () => {
    await loseIt();
    await kubectl('delete', 'node', 'n3');
    await expectResets();
  });
});
