import { describe, expect, it } from 'vitest';
import { createSimulatedNode, type SimulatedNode } from '../../test/support/simulated-node.ts';
import { type Event, EVENTS, NODES, SECRETS } from '../api/index.ts';
import { encodeText } from '../lib/index.ts';
import { commandOf } from '../sim/runtime/behaviour.ts';

type Behaviour = Parameters<SimulatedNode['createPod']>[1];
const CRASHING: Behaviour = { exitAfterMs: [100, 100], exitCode: 1 };

const AGENT_DIR = '/var/lib/mendlet/agent';

const phaseIs = (node: SimulatedNode, name: string, phase: string) => () => node.pod(name)?.status?.phase === phase;
const main = (node: SimulatedNode, name: string) => node.pod(name)?.status?.containerStatuses?.[0];
const starts = (node: SimulatedNode) => node.happened('started').map(({ at }) => at);
const exits = (node: SimulatedNode) => node.happened('exited').map(({ at }) => at);
/** From each exit to the start that followed it, ms. */
const gaps = (node: SimulatedNode): number[] => {
  const after = starts(node).slice(1);
  return exits(node)
    .slice(0, after.length)
    .map((exit, i) => (after[i] ?? 0) - exit);
};
const gone = (node: SimulatedNode, name: string) => () => node.pod(name) === undefined;
/** What was done to containers and sandboxes. */
const deeds = (node: SimulatedNode): number =>
  node.facts.filter(({ fact }) => !/^(pod|agent|deletion)-/.test(fact.kind)).length;
const restartAgent = async (node: SimulatedNode): Promise<void> => {
  node.machine.killAgent();
  node.machine.startAgent();
  await node.run(500);
};
const events = async (node: SimulatedNode, name: string): Promise<string[]> => {
  const list = await node.during(node.client.list<Event>(EVENTS, { namespace: 'default' }));
  return list.items
    .filter(({ involvedObject }) => involvedObject.name === name)
    .map(({ reason, message }) => `${reason}: ${message}`);
};

describe('a pod', () => {
  it('runs, and its events tell how', async () => {
    const node = await createSimulatedNode('runs');
    await node.createPod('web', {});
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    await node.run(1000);
    expect(main(node, 'web')).toMatchObject({ ready: true, restartCount: 0, started: true });
    const told = await events(node, 'web');
    for (const text of ['Container created', 'Container started']) expect(told.join('\n')).toContain(text);
  });

  it('settles: nothing is written any more, nothing is done any more', async () => {
    const node = await createSimulatedNode('settles');
    const { metadata } = await node.createPod('web', {});
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    await node.run(3000);
    const before = node.pod('web')?.metadata?.resourceVersion;
    const facts = deeds(node);
    await node.run(120_000);
    expect(node.pod('web')?.metadata?.resourceVersion).toBe(before);
    expect(deeds(node)).toBe(facts);
    expect(node.kubelet().why(metadata?.uid ?? '')).toEqual([]);
  });

  it('sees what was written before it, though another one read that a moment ago', async () => {
    const node = await createSimulatedNode('reads');
    const command = commandOf({});
    const containers = [{ name: 'main', image: 'busybox:1', command, envFrom: [{ secretRef: { name: 'keys' } }] }];
    await node.createPod('early', {}, { containers });
    const isMissed = () => main(node, 'early')?.state?.waiting?.message === 'secret "keys" not found';
    await node.until('the early one has found none', isMissed);
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: 'default' } };
    await node.during(node.client.create(SECRETS, secret));
    await node.createPod('late', {}, { containers });
    await node.until('Running', phaseIs(node, 'late', 'Running'));
    await node.run(1000);
    expect((await events(node, 'late')).join('\n')).not.toContain('not found');
  });

  it("that does not fit fails with upstream's reason and runs nothing", async () => {
    const node = await createSimulatedNode('fits');
    await node.createPod(
      'big',
      {},
      { containers: [{ name: 'main', image: 'busybox:1', resources: { requests: { cpu: '64' } } }] },
    );
    await node.until('Failed', phaseIs(node, 'big', 'Failed'));
    expect(node.pod('big')?.status).toMatchObject({
      reason: 'OutOfcpu',
      message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 64000, used: 0, capacity: 8000",
    });
    expect(starts(node)).toEqual([]);
  });

  it('waits for one that was deleted by force, instead of failing', async () => {
    const node = await createSimulatedNode('dead');
    const command = ['sim', JSON.stringify({ ignoreTerm: true })];
    const resources = { requests: { cpu: '6' } };
    const containers = [{ name: 'main', image: 'busybox:1', command, resources }];
    await node.createPod('old', {}, { containers });
    await node.until('Running', phaseIs(node, 'old', 'Running'));
    await node.deletePod('old', 0);
    await node.createPod('new', {}, { containers });
    await node.until('Running', phaseIs(node, 'new', 'Running'), 10_000);
    const order = node.facts.map(({ fact }) => fact.kind).filter((kind) => kind === 'started' || kind === 'exited');
    expect(order).toEqual(['started', 'exited', 'started']);
  });

  it('is judged by the labels that the node has now', async () => {
    const node = await createSimulatedNode('labels');
    await node.run(5000);
    const name = node.machine.name;
    const labels = { metadata: { labels: { disk: 'ssd' } } };
    await node.during(node.client.patch(NODES, undefined, name, 'merge', labels));
    await node.createPod('fits', {}, { nodeSelector: { disk: 'ssd' } });
    await node.createPod('misfit', {}, { nodeSelector: { disk: 'hdd' } });
    await node.until('Running', phaseIs(node, 'fits', 'Running'), 2000);
    await node.until('Failed', phaseIs(node, 'misfit', 'Failed'), 2000);
    expect(node.pod('misfit')?.status?.reason).toBe('NodeAffinity');
  });

  it('that succeeds stays so, across a restart of the agent', async () => {
    const node = await createSimulatedNode('succeeds');
    await node.createPod('job', { exitAfterMs: [200, 200], exitCode: 0 }, { restartPolicy: 'OnFailure' });
    await node.until('Succeeded', phaseIs(node, 'job', 'Succeeded'));
    await node.run(2000);
    await restartAgent(node);
    await node.run(5000);
    expect(starts(node).length).toBe(1);
    expect(node.pod('job')?.status?.phase).toBe('Succeeded');
  });
});

describe('a crash', () => {
  it('is followed by the ladder 0, 10, 20, 40 s, measured from the exit', async () => {
    const node = await createSimulatedNode('ladder');
    await node.createPod('crash', CRASHING);
    await node.until('five starts', () => starts(node).length >= 5, 90_000);
    const ladder = gaps(node);
    const nominal = [0, 10_000, 20_000, 40_000];
    for (const [i, gap] of ladder.slice(0, 4).entries()) {
      expect(gap).toBeGreaterThanOrEqual(nominal[i] ?? 0);
      expect(gap).toBeLessThan((nominal[i] ?? 0) + 500);
    }
    await node.run(2000);
    const pod = node.pod('crash');
    expect(pod?.status?.phase).toBe('Running');
    expect(pod?.status?.containerStatuses?.[0]).toMatchObject({
      restartCount: 4,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
    expect(
      (await events(node, 'crash')).some((text) =>
        text.startsWith('BackOff: Back-off restarting failed container main'),
      ),
    ).toBe(true);
  });

  it("is healed at once the first time: nothing but the runtime's own calls lies between", async () => {
    const node = await createSimulatedNode('fast');
    await node.createPod('crash', { exitAfterMs: [5000, 5000], exitCode: 1 });
    await node.until('two starts', () => starts(node).length >= 2);
    // The status lags its exit event by up to 125 ms in this runtime; create and start take up to 70 ms, a note up to 2 ms.
    expect(gaps(node)[0]).toBeLessThan(125 + 70 + 30);
  });

  it.each([
    ['its note', async (_node: SimulatedNode) => {}],
    [
      'the annotations alone, the data folder lost',
      async (node: SimulatedNode) => node.machine.disk.remove(`${AGENT_DIR}/pods-memory`),
    ],
    [
      'the annotations alone, the note torn',
      async (node: SimulatedNode) => {
        for (const name of node.machine.disk.names(`${AGENT_DIR}/pods-memory`))
          node.machine.disk.writeFile(`${AGENT_DIR}/pods-memory/${name}`, encodeText('{"form'), 0o600, true);
      },
    ],
  ])('goes on counting and waiting after the agent was killed, by %s', async (_name, damage) => {
    const node = await createSimulatedNode(`killed ${_name}`);
    await node.createPod('crash', CRASHING);
    await node.until('four exits', () => exits(node).length >= 4, 60_000);
    await node.run(1000);
    node.machine.killAgent();
    await damage(node);
    await node.run(3000);
    node.machine.startAgent();
    await node.run(500);
    await node.until('five starts', () => starts(node).length >= 5, 60_000);
    expect(gaps(node)[3]).toBeGreaterThanOrEqual(40_000);
    expect(gaps(node)[3]).toBeLessThan(41_000);
    expect(node.happened('started').map(({ fact }) => fact.attempt)).toEqual([0, 1, 2, 3, 4]);
  });

  it('by OOM is told as OOMKilled 137', async () => {
    const node = await createSimulatedNode('oom');
    await node.createPod('oom', { exitAfterMs: [300, 300], oom: true });
    await node.until('two exits', () => exits(node).length >= 2);
    await node.run(500);
    expect(main(node, 'oom')?.lastState?.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  it('keeps one dead container for --previous, and removes the older ones', async () => {
    const node = await createSimulatedNode('dead');
    await node.createPod('crash', CRASHING);
    await node.until('four exits', () => exits(node).length >= 4, 60_000);
    await node.run(3000);
    expect(node.machine.runtime.listContainers().length).toBe(1);
  });
});

describe('the agent', () => {
  it('takes running pods over without touching one', async () => {
    const node = await createSimulatedNode('takeover');
    for (const name of ['a', 'b', 'c']) await node.createPod(name, {});
    await node.until('all run', () => starts(node).length === 3);
    await node.run(1000);
    const before = deeds(node);
    for (let i = 0; i < 3; i += 1) {
      await restartAgent(node);
      await node.run(3000);
    }
    expect(deeds(node)).toBe(before);
    expect(main(node, 'a')).toMatchObject({ ready: true, restartCount: 0 });
  });

  it('starts everything again, counted, when the runtime has lost all it had', async () => {
    const node = await createSimulatedNode('lost');
    await node.createPod('web', {});
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    node.machine.killAgent();
    for (const { id } of node.machine.runtime.listSandboxes()) node.machine.runtime.removeSandbox(id);
    node.machine.startAgent();
    await node.run(500);
    await node.until('two starts', () => starts(node).length === 2);
    await node.run(1000);
    expect(main(node, 'web')).toMatchObject({ ready: true, restartCount: 1 });
  });

  it('ends pods that were deleted while it was away, and leaves nothing of them', async () => {
    const node = await createSimulatedNode('orphan');
    await node.createPod('web', {});
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    node.machine.killAgent();
    await node.deletePod('web', 0);
    node.machine.startAgent();
    await node.run(500);
    await node.until(
      'nothing left',
      () => node.machine.runtime.listSandboxes().length === 0 && node.machine.runtime.listContainers().length === 0,
    );
    await node.run(3000);
    expect(node.machine.disk.names(`${AGENT_DIR}/pods-memory`)).toEqual([]);
    expect(node.machine.disk.names(`${AGENT_DIR}/pods`)).toEqual([]);
    expect(node.machine.disk.names('/var/log/pods')).toEqual([]);
  });

  it('heals although its disk is full', async () => {
    const node = await createSimulatedNode('full');
    await node.createPod('crash', { exitAfterMs: [5000, 5000], exitCode: 1 });
    await node.until('one start', () => starts(node).length === 1);
    await node.run(1000);
    node.machine.disk.setFull(true);
    await node.until('a second exit', () => exits(node).length >= 1);
    await node.run(2000);
    node.machine.disk.setFull(false);
    await node.until('a second start', () => starts(node).length >= 2, 20_000);
  });

  it('makes a new sandbox when the old one dies, and counts on', async () => {
    const node = await createSimulatedNode('sandbox');
    await node.createPod('web', {});
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    const [sandbox] = node.machine.runtime.listSandboxes();
    node.machine.runtime.stopSandbox(sandbox?.id ?? '');
    await node.until('two starts', () => starts(node).length === 2);
    await node.run(3000);
    expect(main(node, 'web')).toMatchObject({ ready: true, restartCount: 1 });
    expect((await events(node, 'web')).join('\n')).toContain('SandboxChanged');
    expect(node.machine.runtime.listSandboxes().map(({ metadata }) => metadata.attempt)).toContain(1);
  });
});

describe('a deletion', () => {
  it('stops with the grace, then removes the pod from the API server and all that was left', async () => {
    const node = await createSimulatedNode('delete');
    await node.createPod('web', { stopMs: 2000 });
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    await node.deletePod('web');
    await node.until('gone', gone(node, 'web'), 20_000);
    await node.until('nothing left', () => node.machine.runtime.listSandboxes().length === 0);
    await node.run(2000);
    expect(node.happened('exited').map(({ fact }) => fact.cause)).toEqual(['term']);
    expect(node.kubelet().pods.pods()).toEqual([]);
    expect(node.machine.disk.names(`${AGENT_DIR}/pods-memory`)).toEqual([]);
    expect(node.machine.disk.names('/var/log/pods')).toEqual([]);
  });

  it('kills only when the grace is over', async () => {
    const node = await createSimulatedNode('stubborn');
    await node.createPod('web', { ignoreTerm: true }, { terminationGracePeriodSeconds: 7 });
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    const before = node.sim.mono;
    await node.deletePod('web');
    await node.until('dead', () => exits(node).length === 1, 20_000);
    expect((exits(node)[0] ?? 0) - before).toBeGreaterThanOrEqual(7000);
    expect((exits(node)[0] ?? 0) - before).toBeLessThan(8500);
  });

  it('with a shorter grace overtakes one with a longer', async () => {
    const node = await createSimulatedNode('overtake');
    await node.createPod('web', { ignoreTerm: true }, { terminationGracePeriodSeconds: 300 });
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    await node.deletePod('web');
    await node.run(5000);
    expect(exits(node)).toEqual([]);
    const before = node.sim.mono;
    await node.deletePod('web', 1);
    await node.until('dead', () => exits(node).length === 1, 5000);
    expect((exits(node)[0] ?? 0) - before).toBeGreaterThanOrEqual(1000);
    await node.until('gone', gone(node, 'web'), 5000);
  });

  it.each(['at once', 'of one that is ending'])('by force (%s) leaves only a small grace', async (when) => {
    const node = await createSimulatedNode('force');
    await node.createPod('web', { ignoreTerm: true }, { terminationGracePeriodSeconds: 300 });
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    if (when !== 'at once') await node.deletePod('web');
    await node.run(1000);
    const before = node.sim.mono;
    await node.deletePod('web', 0);
    await node.until('dead', () => exits(node).length === 1, 5000);
    expect((exits(node)[0] ?? 0) - before).toBeGreaterThanOrEqual(1000);
    await node.until('nothing left', () => node.machine.runtime.listSandboxes().length === 0);
  });

  it('goes on with what is left of the grace after the agent was killed', async () => {
    const node = await createSimulatedNode('resume');
    await node.createPod('web', { ignoreTerm: true }, { terminationGracePeriodSeconds: 20 });
    await node.until('Running', phaseIs(node, 'web', 'Running'));
    const before = node.sim.mono;
    await node.deletePod('web');
    await node.run(2000);
    node.machine.killAgent();
    await node.run(3000);
    node.machine.startAgent();
    await node.run(500);
    await node.until('dead', () => exits(node).length === 1, 40_000);
    const took = (exits(node)[0] ?? 0) - before;
    expect(took).toBeGreaterThanOrEqual(20_000);
    expect(took).toBeLessThan(22_500);
  });

  it('of a pod that has not started starts nothing', async () => {
    const node = await createSimulatedNode('never');
    node.machine.images.registryDown = true;
    await node.createPod('web', {});
    await node.run(1000);
    await node.deletePod('web');
    await node.until('gone', gone(node, 'web'), 5000);
    expect(starts(node)).toEqual([]);
  });
});

describe('a liveness probe', () => {
  it('that fails restarts the container', async () => {
    const node = await createSimulatedNode('liveness');
    const livenessProbe = { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 1 };
    await node.createPod(
      'web',
      {},
      {
        containers: [
          {
            name: 'main',
            image: 'busybox:1',
            command: ['sim', JSON.stringify({ frozenAfterMs: 5000 })],
            livenessProbe,
          },
        ],
        terminationGracePeriodSeconds: 2,
      },
    );
    await node.until('two starts', () => starts(node).length >= 2, 30_000);
    await node.run(500);
    const told = (await events(node, 'web')).join('\n');
    expect(told).toContain('Killing: Container main failed liveness probe, will be restarted');
    expect(main(node, 'web')?.restartCount).toBe(1);
  });
});
