/**
 * Tests how nodes join, fail and leave, with a server and three nodes on one machine, each with its own network and
 * containerd.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab, type LabNode } from '../support/lab.ts';
import { busyboxPod, kubectl136, mainContainer, type ObservedPod, until } from './harness.ts';
import { inShort, itInWhole } from './extent.ts';

interface ObservedNode {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: { readonly podCIDR?: string; readonly taints?: readonly { readonly key: string }[] };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

/** The grace period after which a lost node is noticed; its pods are evicted at once. */
const GRACE_SECONDS = 6;
let lab: Lab;
let n1: LabNode;
let n2: LabNode;
let n3: LabNode;

beforeAll(async () => {
  lab = await Lab.create({
    nodes: 3,
    clusterCidr: '10.239.0.0/16',
    serverFlags: [
      '--node-monitor-grace-period',
      `${GRACE_SECONDS}s`,
      '--node-eviction-rate',
      '10',
      '--pod-eviction-timeout',
      '0',
    ],
    kubelet: { nodeStatusUpdateFrequency: '1s', nodeLeaseDurationSeconds: 4 },
  });
  [n1, n2, n3] = lab.nodes as [LabNode, LabNode, LabNode];
  await lab.startServer();
  await Promise.all([
    n1.start(['--node-labels', 'disk=fast']),
    n2.start(),
    n3.start(['--register-with-taints', 'own=n3:NoSchedule']),
  ]);
});

afterAll(async () => lab?.down());

async function untilNode(name: string, what: string, wanted: (node: ObservedNode) => boolean): Promise<ObservedNode> {
  return until<ObservedNode>(`node ${name}: ${what}`, async () => {
    const node = await lab.read<ObservedNode>(`nodes/${name}`).catch((error: Error) => error.message);
    if (typeof node === 'string') return { last: node };
    return wanted(node) ? { value: node } : { last: JSON.stringify([node.spec, node.status.conditions]) };
  });
}

function readyStatus({ status }: ObservedNode): string | undefined {
  return status.conditions.find(({ type }) => type === 'Ready')?.status;
}

async function untilPods(
  what: string,
  selector: string,
  wanted: (pods: readonly ObservedPod[]) => boolean,
): Promise<readonly ObservedPod[]> {
  return until<readonly ObservedPod[]>(what, async () => {
    const found = await lab.read<{ items: ObservedPod[] }>('pods', { selector }).catch((error: Error) => error.message);
    if (typeof found === 'string') return { last: found };
    const last = JSON.stringify(
      found.items.map(({ metadata, spec, status }) => [metadata, spec.nodeName, status.phase]),
    );
    return wanted(found.items) ? { value: found.items } : { last };
  });
}

const isReady = ({ status, metadata }: ObservedPod): boolean =>
  metadata.deletionTimestamp === undefined &&
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;

async function pod(name: string): Promise<ObservedPod> {
  return lab.read<ObservedPod>(`pods/${name}`);
}

async function untilReady(name: string): Promise<ObservedPod> {
  const [found] = await untilPods(
    `pod ${name} ready`,
    `name=${name}`,
    (pods) => pods.length === 1 && pods.every(isReady),
  );
  if (found === undefined) throw new Error('no pod');
  return found;
}

/** A pod on that node that stays there whatever happens to the node. */
function podOn(node: LabNode, name: string, script: string, container: object = {}, more: object = {}): object {
  const spec = { ...more, nodeName: node.name, tolerations: [{ operator: 'Exists' }] };
  return busyboxPod(name, script, { spec, container, metadata: { labels: { name } } });
}

const web = (name: string): string =>
  `mkdir /www; echo ${name} > /www/index.html; echo started; exec httpd -f -vv -p 80 -h /www`;

describe('joined', () => {
  it('each node has its own part of the network, its labels and its taints', async () => {
    const { items } = await lab.read<{ items: ObservedNode[] }>('nodes');
    expect(items.map(({ metadata }) => metadata.name).toSorted()).toEqual(['n1', 'n2', 'n3']);
    expect(items.map((node) => readyStatus(node))).toEqual(['True', 'True', 'True']);
    const cidrs = items.map(({ spec }) => spec.podCIDR);
    expect(new Set(cidrs).size).toBe(3);
    for (const cidr of cidrs) expect(cidr).toMatch(/^10\.239\.\d+\.0\/24$/);
    expect(items.find(({ metadata }) => metadata.name === 'n1')?.metadata.labels['disk']).toBe('fast');
    expect((await untilNode('n3', 'tainted', () => true)).spec.taints?.map(({ key }) => key)).toContain('own');
  });

  it('each keeps its own credentials, for nobody else to read', () => {
    for (const { dataDir, name } of lab.nodes) {
      const kubeconfig = readFileSync(join(dataDir, 'kubeconfig'), 'utf8');
      expect(kubeconfig).toContain(lab.server);
      expect(kubeconfig).not.toContain('lablab');
      expect(readFileSync(join(dataDir, 'up.json'), 'utf8')).toContain(`"nodeName":"${name}"`);
    }
  });

  it('refuses a name that a living agent has, a wrong token, and a server that is not the right one', async () => {
    const wrong = lab.token.replace('0123456789abcdef@', '0123456789abcdee@');
    const other = lab.token.replace(/sha256:./, (found) => (found.endsWith('0') ? 'sha256:1' : 'sha256:0'));
    const tries = [
      [['--node-name', 'n1', '--token', lab.token], 3, 'the name n1 is taken: its agent at'],
      [['--node-name', 'n9', '--token', wrong], 1, 'mendlet token create'],
      [['--node-name', 'n9', '--token', other], 1, 'is not the server that the token is for'],
      [['--node-name', 'n9'], 2, 'give --token TOKEN too'],
    ] as const;
    await Promise.all(
      tries.map(async ([flags, code, text], index) => {
        const dataDir = join(lab.folder, `try${index}`);
        const joining = n1.inside(['agent', '--data-dir', dataDir, '--server', lab.server, ...flags]);
        expect([await joining.ended, joining.log]).toEqual([code, expect.stringContaining(text)]);
      }),
    );
  });

  it('lists, makes and deletes tokens', async () => {
    const made = await lab.mendlet(['token', 'create', '--ttl', '1h', '--description', 'for a test']);
    const [, id = ''] = /--token ([a-z0-9]{6})\.[a-z0-9]{16}@sha256:[0-9a-f]{64}/.exec(made.stdout) ?? [];
    expect((await lab.mendlet(['token', 'list'])).stdout).toMatch(new RegExp(`^${id} .* for a test$`, 'm'));
    expect((await lab.mendlet(['token', 'delete', id])).stdout).toBe(`token ${id} deleted\n`);
    expect((await lab.mendlet(['token', 'delete', id])).code).toBe(1);
  });
});

describe('through the server', () => {
  it('logs, exec, cp, port-forward and figures reach pods on other machines', async () => {
    await lab.create(podOn(n1, 'web1', web('one')), podOn(n2, 'web2', web('two')));
    await Promise.all([untilReady('web1'), untilReady('web2')]);
    // The kubelet's certificate is issued a moment after its node is registered.
    await until('logs', async () => {
      const { code, stdout, stderr } = await lab.tryKubectl(['logs', 'web2']);
      return code === 0 && stdout.includes('started') ? { value: stdout } : { last: stderr };
    });
    expect(await lab.kubectl(['exec', 'web2', '--', 'cat', '/www/index.html'])).toBe('two\n');
    const file = join(lab.folder, 'copied');
    writeFileSync(file, 'there and back');
    await lab.kubectl(['cp', file, 'web2:/tmp/copied']);
    expect(await lab.kubectl(['exec', 'web2', '--', 'cat', '/tmp/copied'])).toBe('there and back');
    expect(await lab.kubectl(['get', '--raw', '/api/v1/nodes/n2/proxy/healthz'])).toBe('ok');
    expect(await lab.kubectl(['get', '--raw', '/api/v1/namespaces/default/pods/web2/proxy/'])).toBe('two\n');
    expect(await forwarded('web2')).toContain('two');
    await until('figures', async () => {
      const { code, stdout, stderr } = await lab.tryKubectl(['top', 'node']);
      return code === 0 && /^n3 /m.test(stdout) ? { value: stdout } : { last: stdout + stderr };
    });
  });

  it('pods of different nodes reach each other, each from its own address', async () => {
    const [one, two] = await Promise.all([pod('web1'), pod('web2')]);
    const address = two.status.podIP ?? '';
    expect(await lab.kubectl(['exec', 'web1', '--', 'wget', '-qO-', `http://${address}/`])).toBe('two\n');
    expect(await lab.kubectl(['logs', 'web2'])).toContain(one.status.podIP ?? 'nobody');
  });

  it('a service leads to a pod of another node', async () => {
    const spec = { selector: { name: 'web2' }, ports: [{ port: 80 }] };
    await lab.create({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'across' }, spec });
    const made = await lab.read<{ spec: { clusterIP: string } }>('services/across');
    await until('the other node’s pod', async () => {
      const ask = ['exec', 'web1', '--', 'timeout', '3', 'wget', '-qO-', `http://${made.spec.clusterIP}/`];
      const { code, stdout, stderr } = await lab.tryKubectl(ask);
      return code === 0 && stdout === 'two\n' ? { value: stdout } : { last: stdout + stderr };
    });
    await lab.kubectl(['delete', 'service', 'across']);
  });
});

async function forwarded(name: string): Promise<string> {
  const child = spawn(kubectl136, ['--kubeconfig', lab.kubeconfig, 'port-forward', name, ':80']);
  try {
    const port = await new Promise<number>((done, fail) => {
      let out = '';
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString();
        const found = /127\.0\.0\.1:(\d+)/.exec(out)?.[1];
        if (found !== undefined) done(Number(found));
      });
      child.on('exit', (code) => fail(new Error(`port-forward ended: ${code}\n${out}`)));
    });
    return await new Promise<string>((done, fail) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET / HTTP/1.0\r\n\r\n'));
      let text = '';
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      socket.on('end', () => done(text));
      socket.on('error', fail);
    });
  } finally {
    child.kill();
  }
}

describe('an agent', () => {
  it('that was killed takes its pods over again, and a server that is away changes nothing for them', async () => {
    const before = mainContainer(await pod('web1'))?.containerID;
    await Promise.all([n1.stop('SIGKILL'), lab.stopServer('SIGKILL')]);
    const agent = n1.begin();
    await until('the server missed', async () =>
      agent.log.includes('not registered yet') || agent.log.includes('list-watch failed')
        ? { value: true }
        : { last: agent.log },
    );
    await lab.startServer();
    await agent.ready('mendlet agent ready:');
    await until('all nodes back', async () => {
      const { items } = await lab.read<{ items: ObservedNode[] }>('nodes');
      const states = items.map((node) => readyStatus(node));
      return states.every((state) => state === 'True') ? { value: states } : { last: states.join() };
    });
    expect(mainContainer(await pod('web1'))?.containerID).toBe(before);
    await lab.create(podOn(n2, 'after', 'sleep 100000'));
    await untilReady('after');
  });

  it('that is cut off goes on restarting its pods, and tells of it when it is back', async () => {
    const out = join(lab.folder, 'out');
    mkdirSync(out, { recursive: true });
    const script = 'while [ ! -e /out/end ]; do sleep 0.1; done; rm /out/end; exit 3';
    const mount = { volumeMounts: [{ name: 'out', mountPath: '/out' }] };
    await lab.create(podOn(n2, 'restless', script, mount, { volumes: [{ name: 'out', hostPath: { path: out } }] }));
    const before = await untilReady('restless');
    n2.partition();
    await until('the agent misses its server', async () =>
      /list-watch failed|lease not renewed/.test(n2.log) ? { value: true } : { last: n2.log.slice(-500) },
    );
    await untilNode('n2', 'lost', (node) => readyStatus(node) === 'Unknown');
    // The container ends by itself while its node is cut off, and only the node restarts it.
    writeFileSync(join(out, 'end'), '');
    await until('the end', async () => (existsSync(join(out, 'end')) ? { last: 'still there' } : { value: true }));
    const dialing = await lab.tryKubectl(['exec', 'restless', '--', 'true']);
    expect([dialing.code, dialing.stderr]).toEqual([1, expect.stringContaining('error dialing backend')]);
    n2.heal();
    await untilNode('n2', 'back', (node) => readyStatus(node) === 'True');
    const [after] = await untilPods(
      'the restart is told',
      'name=restless',
      ([found]) => found !== undefined && (mainContainer(found)?.restartCount ?? 0) >= 1 && isReady(found),
    );
    expect(after?.metadata.uid).toBe(before.metadata.uid);
    expect(mainContainer(after as ObservedPod)?.lastState.terminated?.exitCode).toBe(3);
  });
});

describe('a node', () => {
  // `cluster-workloads` shows both with more kinds of workloads.
  itInWhole('that dies loses its pods to the others, and takes none twice when it returns', async () => {
    await lab.kubectl(['taint', 'node', 'n3', 'own-']);
    await lab.create(deployment('shop', 3));
    const first = await untilPods('shop is whole', 'app=shop', (pods) => pods.filter(isReady).length === 3);
    const victims = first.filter(({ spec }) => spec.nodeName === 'n3');
    expect(victims.length).toBeGreaterThan(0);
    await n3.die();
    const later = await untilPods('shop is whole without n3', 'app=shop', (pods) => {
      const well = pods.filter((each) => isReady(each) && each.spec.nodeName !== 'n3');
      return well.length === 3;
    });
    expect(
      later.filter(({ metadata }) =>
        victims.some((each) => each.metadata.uid === metadata.uid && metadata.deletionTimestamp === undefined),
      ),
    ).toEqual([]);
    await n3.start();
    await untilNode('n3', 'back', (node) => readyStatus(node) === 'True' && (node.spec.taints ?? []).length === 0);
    await untilPods('nothing of the old life', 'app=shop', (pods) => pods.length === 3 && pods.every(isReady));
  });

  itInWhole('is drained', async () => {
    await lab.kubectl(['drain', 'n1', '--ignore-daemonsets', '--force', '--delete-emptydir-data', '--timeout=60s']);
    const pods = await untilPods(
      'shop is whole without n1',
      'app=shop',
      (found) => found.length === 3 && found.every(isReady),
    );
    expect(pods.filter(({ spec }) => spec.nodeName === 'n1')).toEqual([]);
    await lab.kubectl(['uncordon', 'n1']);
  });

  it('leaves', async () => {
    const { code, stderr } = await n3.down();
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('kubectl delete node')]);
    await until('n3 is gone', async () => {
      const { stdout } = await lab.tryKubectl(['get', 'nodes', '-o', 'name']);
      return stdout.includes('node/n3') ? { last: stdout } : { value: true };
    });
    const replicas = inShort(0, 3);
    await untilPods('shop is whole on two', 'app=shop', (pods) => pods.length === replicas && pods.every(isReady));
  });
});

function deployment(name: string, replicas: number): object {
  const { spec } = busyboxPod(name, 'trap "exit 0" TERM; sleep 100000 & wait') as { spec: object };
  const affinity = {
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        {
          weight: 100,
          podAffinityTerm: { labelSelector: { matchLabels: { app: name } }, topologyKey: 'kubernetes.io/hostname' },
        },
      ],
    },
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { ...spec, affinity } },
    },
  };
}
