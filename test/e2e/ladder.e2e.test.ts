/** Tests the healing ladder on real containers, rung by rung, with real sandboxes, addresses, probes and out-of-memory kills. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet, type ObservedPod, outFolder, until } from './harness.ts';
import { itConcurrentInWhole } from './extent.ts';

const POLICY = 'mendlet.dev/healing-policy';
const STATE = 'mendlet.dev/healing';

function policy(spec: object): { readonly annotations: Readonly<Record<string, string>> } {
  return { annotations: { [POLICY]: JSON.stringify(spec) } };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function condition(pod: ObservedPod, type: string): Condition | undefined {
  const conditions: readonly Condition[] = pod.status.conditions ?? [];
  return conditions.find((each) => each.type === `mendlet.dev/${type}`);
}

function state(pod: ObservedPod): Record<string, unknown> {
  const { annotations = {} } = pod.metadata as { annotations?: Record<string, string> };
  return JSON.parse(annotations[STATE] ?? '{}') as Record<string, unknown>;
}

const isStopped = (pod: ObservedPod): boolean => condition(pod, 'HealingStopped')?.status === 'True';
const container = (pod: ObservedPod, name = 'main') => pod.status.containerStatuses?.find((each) => each.name === name);

/** The containers beside the one that dies: an init container that leaves a trace, and a neighbour. */
function neighbours(mount: object): object {
  const image = { image: 'docker.io/library/busybox:latest', imagePullPolicy: 'IfNotPresent', ...mount };
  return {
    init: { name: 'first', command: ['/bin/sh', '-c', 'echo init $(hostname -i) >>/out/log'], ...image },
    helper: { name: 'helper', command: ['/bin/sh', '-c', 'echo helper >>/out/log; exec sleep 3600'], ...image },
  };
}

function climber(name: string, script: string, out: ReturnType<typeof outFolder>, healing: object): object {
  const pod = busyboxPod(name, script, { spec: out.spec, container: out.mount, metadata: policy(healing) }) as {
    spec: { initContainers?: object[]; containers: object[] };
  };
  const { init, helper } = neighbours(out.mount) as { init: object; helper: object };
  pod.spec.initContainers = [init];
  pod.spec.containers.push(helper);
  return pod;
}

describe('the healing ladder', () => {
  const mendlet = new Mendlet({ podNetwork: 174 });
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  it.concurrent('container, all containers, the whole pod, stop; and by force again, until all is well', async () => {
    const out = outFolder(mendlet, 'climber');
    // The container waits for its neighbour, so that both run in each life.
    const script = `echo main >>/out/log; [ -f /out/well ] && exec sleep 3600
      while [ $(grep -c helper /out/log) -lt $(grep -c init /out/log) ]; do sleep 0.1; done; exit 7`;
    await mendlet.create(
      climber('climber', script, out, {
        rungs: [
          { scope: 'container', attempts: 2, window: '10m' },
          { scope: 'containers', attempts: 1 },
          { scope: 'pod', attempts: 1 },
        ],
        backOff: { initial: '200ms', factor: 2, cap: '400ms' },
      }),
    );
    const stopped = await mendlet.untilPod(
      'climber',
      'stopped',
      (pod) => isStopped(pod) && container(pod, 'helper')?.ready === true,
    );
    const log = out.lines('log');
    expect(log.filter((line) => line === 'main')).toHaveLength(5);
    expect(log.filter((line) => line === 'helper')).toHaveLength(3);
    const addresses = log.filter((line) => line.startsWith('init')).map((line) => line.split(' ')[1]);
    expect(addresses).toHaveLength(3);
    expect(addresses[1]).toBe(addresses[0]);
    expect(addresses[2]).not.toBe(addresses[0]);
    expect(stopped.status).toMatchObject({ phase: 'Running', podIP: addresses[2] });
    expect(container(stopped)?.state.waiting?.reason).toBe('HealingStopped');
    expect(container(stopped, 'helper')?.ready).toBe(true);
    expect(state(stopped)).toMatchObject({ rung: 'stopped', podRestarts: 1, cause: 'container main exited with 7' });
    expect(condition(stopped, 'HealingStopped')).toMatchObject({
      reason: 'AttemptsExhausted',
      message:
        'container main exited with 7; tried restarts: 2 of the container, 1 of all containers, 1 of the whole pod. To go on: mendlet restart pod/climber --force',
    });
    await until('the event of the stop', async () => {
      const text = await mendlet.events('climber');
      return text.includes('HealingStopped: ') ? { value: text } : { last: text };
    });
    const describe = await mendlet.kubectl(['describe', 'pod', 'climber']);
    expect(describe).toContain('Warning  HealingStopped');
    expect(describe).toMatch(/mendlet.dev\/HealingStopped +True/);
    expect(describe).toContain('container main died 3 times within 10m0s: restarting all containers (1 of 1)');
    expect(describe).toContain('restarting the whole pod (1 of 1)');
    const metrics = await mendlet.kubectl(['get', '--raw', '/api/v1/nodes/e2e/proxy/metrics']);
    expect(metrics).toMatch(/mendlet_healing_attempts_total\{rung="containers"\} [1-9]/);
    expect(metrics).toMatch(/mendlet_healing_stopped_pods [1-9]/);

    writeFileSync(join(out.path, 'well'), '');
    const request = (id: string, force: boolean): string =>
      `mendlet.dev/restart-request=${JSON.stringify({ id, scope: 'pod', force, reason: 'mended' })}`;
    await mendlet.kubectl(['annotate', 'pod', 'climber', '--overwrite', request('a', false)]);
    await mendlet.untilPod('climber', 'refused', (pod) => JSON.stringify(state(pod)).includes('Refused'));
    await mendlet.kubectl(['annotate', 'pod', 'climber', '--overwrite', request('b', true)]);
    const healed = await mendlet.untilPod('climber', 'ready', (pod) => container(pod)?.ready === true);
    expect(condition(healed, 'HealingStopped')?.status).toBe('False');
    expect(condition(healed, 'Healing')).toMatchObject({ status: 'False', reason: 'Well' });
  });

  it.concurrent('an episode ends when all has been well for long enough', async () => {
    const out = outFolder(mendlet, 'better');
    await mendlet.create(
      busyboxPod('better', 'echo x >>/out/log; [ $(wc -l </out/log) -gt 2 ] && exec sleep 3600; exit 1', {
        spec: out.spec,
        // The container recovers only after the test has seen the episode.
        container: {
          ...out.mount,
          readinessProbe: { exec: { command: ['cat', '/out/well'] }, periodSeconds: 1, timeoutSeconds: 60 },
        },
        metadata: policy({ rungs: [{ scope: 'pod', attempts: 5 }], backOff: { initial: '100ms' }, resetAfter: '3s' }),
      }),
    );
    await mendlet.untilPod('better', 'in an episode', (pod) => state(pod)['rung'] === 'pod');
    writeFileSync(join(out.path, 'well'), '');
    const well = await mendlet.untilPod(
      'better',
      'well again',
      (pod) => condition(pod, 'Healing')?.reason === 'Well' && state(pod)['podRestarts'] === 2,
    );
    expect(state(well)).toEqual({ podRestarts: 2 });
    await until('HealingReset', async () => {
      const text = await mendlet.events('better');
      return text.includes('HealingReset') ? { value: true } : { last: text };
    });
  });

  itConcurrentInWhole('exit code 0 has a curve of its own', async () => {
    const out = outFolder(mendlet, 'worker');
    await mendlet.create(
      busyboxPod('worker', 'echo x >>/out/log; [ $(wc -l </out/log) -ge 6 ] && exit 1; exit 0', {
        spec: out.spec,
        container: out.mount,
        metadata: policy({
          rungs: [{ scope: 'container', attempts: 100 }],
          backOff: { initial: '30m', cap: '1h', factor: 1 },
          backOffAfterSuccess: { initial: '100ms', cap: '100ms' },
        }),
      }),
    );
    const pod = await mendlet.untilPod(
      'worker',
      'in the long back-off',
      (each) => container(each)?.state.waiting?.message?.includes('back-off 30m0s') === true,
    );
    expect(container(pod)).toMatchObject({ restartCount: 5, state: { waiting: { reason: 'CrashLoopBackOff' } } });
    expect(out.lines('log')).toHaveLength(6);
  });

  it.concurrent('a rule stops what ran out of memory, and that alone', async () => {
    const out = outFolder(mendlet, 'greedy');
    const pod = climber('greedy', 'tail /dev/zero', out, { rules: [{ onOutOfMemory: true, action: 'Stop' }] }) as {
      spec: { containers: { resources?: object }[] };
    };
    Object.assign(pod.spec.containers[0] ?? {}, { resources: { limits: { memory: '16Mi' } } });
    await mendlet.create(pod);
    const stopped = await mendlet.untilPod(
      'greedy',
      'stopped',
      (each) => isStopped(each) && container(each, 'helper')?.state.running !== undefined,
    );
    expect(condition(stopped, 'HealingStopped')).toMatchObject({ reason: 'RuleStop' });
    expect(condition(stopped, 'HealingStopped')?.message).toContain('container main exited with 137 (OOMKilled)');
    expect(container(stopped)?.restartCount).toBe(0);
  });

  it.concurrent('a rule takes a failed liveness probe to the whole pod at once', async () => {
    const out = outFolder(mendlet, 'frozen');
    const pod = climber('frozen', 'touch /tmp/alive; exec sleep 3600', out, {
      rungs: [
        { scope: 'container', attempts: 50 },
        { scope: 'pod', attempts: 3 },
      ],
      rules: [{ onProbeFailure: ['Liveness'], action: 'Escalate', rung: 'pod' }],
      backOff: { initial: '100ms' },
    }) as { spec: { containers: object[] } };
    const probe = { exec: { command: ['cat', '/tmp/alive'] }, periodSeconds: 1, timeoutSeconds: 60 };
    Object.assign(pod.spec.containers[0] ?? {}, {
      startupProbe: { ...probe, failureThreshold: 600 },
      livenessProbe: { ...probe, failureThreshold: 1 },
    });
    await mendlet.create(pod);
    const before = await mendlet.untilPod('frozen', 'running', (each) => container(each)?.ready === true);
    await mendlet.kubectl(['exec', 'frozen', '-c', 'main', '--', 'rm', '/tmp/alive']);
    const after = await mendlet.untilPod(
      'frozen',
      'restarted as a whole',
      (each) =>
        state(each)['podRestarts'] === 1 && container(each)?.ready === true && container(each)?.restartCount === 1,
    );
    expect(after.status.podIP).not.toBe(before.status.podIP);
    expect(state(after)).toMatchObject({ rung: 'pod', cause: 'container main failed its liveness probe' });
    expect(out.lines('log').filter((line) => line.startsWith('init'))).toHaveLength(2);
  });

  it.concurrent('a policy that cannot be read is said to be so, and one that can is taken at once', async () => {
    await mendlet.create(
      busyboxPod('unread', 'exec sleep 3600', { metadata: { annotations: { [POLICY]: 'rungs: [{scope: planet}]' } } }),
    );
    const pod = await mendlet.untilPod('unread', 'told', (each) => condition(each, 'Healing')?.status === 'Unknown');
    expect(condition(pod, 'Healing')).toMatchObject({ reason: 'InvalidPolicy' });
    expect(condition(pod, 'Healing')?.message).toMatch(/^rungs\[0\]\.scope: /);
    await until('InvalidHealingPolicy', async () => {
      const text = await mendlet.events('unread');
      return text.includes('InvalidHealingPolicy') ? { value: true } : { last: text };
    });
    await mendlet.kubectl(['annotate', 'pod', 'unread', '--overwrite', `${POLICY}=rungs: [{scope: pod}]`]);
    await mendlet.untilPod('unread', 'taken', (each) => condition(each, 'Healing')?.reason === 'Well');
  });

  it.concurrent('without another node the pod of a ReplicaSet stops where it is', async () => {
    const rungs = [{ scope: 'container', attempts: 1 }, { scope: 'node' }];
    const { metadata, spec } = busyboxPod('lonely', 'exit 3', {
      metadata: { labels: { app: 'lonely' }, ...policy({ rungs, backOff: { initial: '100ms' } }) },
    }) as { metadata: object; spec: object };
    const template = { metadata: { ...metadata, name: undefined }, spec };
    await mendlet.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: 'lonely' },
      spec: { replicas: 1, selector: { matchLabels: { app: 'lonely' } }, template },
    });
    const pod = await until<ObservedPod>('the pod to stop', async () => {
      const { items } = await mendlet.read<{ items: ObservedPod[] }>('pods', { selector: 'app=lonely' });
      const found = items.find(isStopped);
      return found === undefined ? { last: JSON.stringify(items.map(({ status }) => status)) } : { value: found };
    });
    expect(condition(pod, 'HealingStopped')).toMatchObject({ reason: 'NoOtherNode' });
    expect(condition(pod, 'MoveRequested')?.status).toBe('False');
    const fields = `involvedObject.name=${pod.metadata.name},reason=HealingStopped`;
    const counts = async (): Promise<readonly number[]> =>
      (await mendlet.read<{ items: { count: number }[] }>('events', { fields })).items.map(({ count }) => count);
    await until('the event of the stop', async () => {
      const found = await counts();
      return found.length === 0 ? { last: 'none' } : { value: found };
    });
    // Long enough for a repeated request to show.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    expect(await counts()).toEqual([1]);
  });

  it('goes on at its rung after mendlet was killed in the middle', async () => {
    const out = outFolder(mendlet, 'survivor');
    await mendlet.create(
      // The third life, which is the first after a restart of the whole pod, lasts until it is stopped.
      climber(
        'survivor',
        `echo main >>/out/log
        while [ $(grep -c main /out/log) -ge 3 ] && [ ! -f /out/go ]; do sleep 0.1; done; exit 9`,
        out,
        {
          rungs: [
            { scope: 'container', attempts: 1 },
            { scope: 'pod', attempts: 2 },
          ],
          backOff: { initial: '1s', factor: 1, cap: '1s' },
        },
      ),
    );
    await mendlet.untilPod('survivor', 'before its restart as a whole', (pod) => state(pod)['rung'] === 'pod');
    await mendlet.end('SIGKILL');
    await mendlet.up();
    writeFileSync(join(out.path, 'go'), '');
    const stopped = await mendlet.untilPod('survivor', 'stopped', isStopped);
    expect(state(stopped)).toMatchObject({ rung: 'stopped', podRestarts: 2, attempts: 2, of: 2 });
    const log = out.lines('log');
    expect(log.filter((line) => line === 'main')).toHaveLength(4);
    expect(log.filter((line) => line.startsWith('init'))).toHaveLength(3);
    await mendlet.end('SIGKILL');
    await mendlet.up();
    await mendlet.untilPod('climber', 'still well', (pod) => container(pod)?.ready === true);
    expect(isStopped(await mendlet.pod('survivor'))).toBe(true);
    expect(isStopped(await mendlet.pod('greedy'))).toBe(true);
    expect(out.lines('log').filter((line) => line === 'main')).toHaveLength(4);
  });
});
