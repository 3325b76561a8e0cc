/** Tests restarts in place on real containers, requested by an annotation, on every containerd that we support. */
import { closeSync, openSync, readdirSync, readlinkSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Job, Pod } from '../../src/api/index.ts';
import { itConcurrentInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, type ObservedPod, outFolder, run, until } from './harness.ts';

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 172 },
  { name: 'containerd 2', podNetwork: 173, containerdFolder: containerd2 },
];

/** A script that ends at SIGTERM, and records its start and its stop. */
const polite = (name: string): string =>
  `trap "echo ${name} term >>/out/log; exit 0" TERM; echo ${name} start >>/out/log; sleep 36000 & wait`;
const namespaces = 'echo $(readlink /proc/self/ns/net) $(readlink /proc/self/ns/ipc) >>/out/namespaces; ';

interface Outcome {
  readonly id: string;
  readonly phase: string;
  readonly reason?: string;
  readonly message?: string;
}

describe.each(onRuntimes(runtimes, "the distribution's containerd"))('restarts in place on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  const held: number[] = [];
  beforeAll(() => mendlet.up());
  afterAll(async () => {
    for (const handle of held) closeSync(handle);
    await mendlet.down();
  });

  const ask = (pod: string, request: { readonly id: string; readonly [field: string]: unknown }) =>
    mendlet.kubectl(['annotate', '--overwrite', 'pod', pod, `mendlet.dev/restart-request=${JSON.stringify(request)}`]);
  const outcomes = async (pod: string): Promise<readonly Outcome[]> => {
    const { metadata } = await mendlet.read<Pod>(`pods/${pod}`);
    const text = metadata?.annotations?.['mendlet.dev/healing'] ?? '';
    return text === '' ? [] : ((JSON.parse(text) as { restarts?: Outcome[] }).restarts ?? []);
  };
  const over = (pod: string, id: string): Promise<Outcome> =>
    until<Outcome>(`the end of restart ${id} of ${pod}`, async () => {
      const all = await outcomes(pod);
      const found = all.find((each) => each.id === id && each.phase !== 'Running');
      return found === undefined ? { last: JSON.stringify(all) } : { value: found };
    });
  const restart = async (pod: string, request: { readonly id: string; readonly [field: string]: unknown }) => {
    await ask(pod, request);
    return await over(pod, request.id);
  };
  const ready = (pod: string): Promise<ObservedPod> =>
    mendlet.untilPod(
      pod,
      'ready',
      ({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    );
  const events = (pod: string): Promise<string> => mendlet.kubectl(['events', '--for', `pod/${pod}`]);
  /** Waits until `main` has recorded `count` starts; a ready container may need a moment for that. */
  const mainStarts = (out: ReturnType<typeof outFolder>, count: number): Promise<readonly string[]> =>
    until<readonly string[]>(`start ${count} of main`, async () => {
      const log = out.lines('log');
      const starts = log.filter((line) => line === 'main start').length;
      return starts >= count ? { value: log } : { last: log.join() };
    });
  const exec = (pod: string, script: string): Promise<string> =>
    mendlet.kubectl(['exec', pod, '-c', 'main', '--', 'sh', '-c', script]);

  /** Keeps the namespaces of a pod's process alive, so that their numbers are not reused. */
  const holdNamespaces = (net: string): void => {
    const pid = readdirSync('/proc').find((name) => /^\d+$/.test(name) && linkOf(`/proc/${name}/ns/net`) === net);
    held.push(openSync(`/proc/${pid}/ns/net`, 'r'), openSync(`/proc/${pid}/ns/ipc`, 'r'));
  };

  const wholePod = (name: string, restartPolicy: string): { pod: object; out: ReturnType<typeof outFolder> } => {
    const out = outFolder(mendlet, name);
    const image = { image: 'docker.io/library/busybox:latest', imagePullPolicy: 'IfNotPresent' };
    const volumeMounts = ['out', 'scratch', 'memory', 'kept'].map((volume) => ({
      name: volume,
      mountPath: `/${volume}`,
    }));
    const pod = busyboxPod(
      name,
      `${namespaces}echo x >>/scratch/f; echo x >>/memory/f; echo x >>/kept/f; echo $(ls /dev/shm) >>/out/shm; touch /dev/shm/mark; ${polite('main')}`,
      {
        spec: {
          restartPolicy,
          terminationGracePeriodSeconds: 30,
          initContainers: [
            { name: 'init', ...image, command: ['sh', '-c', 'echo init >>/out/log'], volumeMounts },
            { name: 'side', ...image, restartPolicy: 'Always', command: ['sh', '-c', polite('side')], volumeMounts },
          ],
          volumes: [
            { name: 'out', hostPath: { path: out.path } },
            { name: 'scratch', emptyDir: {} },
            { name: 'memory', emptyDir: { medium: 'Memory' } },
            { name: 'kept', emptyDir: {} },
          ],
        },
        container: { volumeMounts },
      },
    );
    return { pod, out };
  };

  it.concurrent('scope pod: all that was shared is fresh, and it is the same pod', async () => {
    const { pod, out } = wholePod('whole', 'Never');
    await mendlet.create(pod);
    const before = await ready('whole');
    await mainStarts(out, 1);
    const [net = '', ipc = ''] = out.lines('namespaces')[0]?.split(' ') ?? [];
    holdNamespaces(net);
    const cgroup = await podCgroup(before.metadata.uid);
    const notBefore = new Date().toISOString();
    const request = { id: 'r1', scope: 'pod', by: 'alice', reason: 'config changed', emptyDirs: ['scratch', 'memory'] };
    expect(await restart('whole', request)).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    const after = await ready('whole');
    await mainStarts(out, 2);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(after.status.podIP).not.toBe(before.status.podIP);
    expect(after.status.phase).toBe('Running');
    const [newNet, newIpc] = out.lines('namespaces')[1]?.split(' ') ?? [];
    expect(newNet).not.toBe(net);
    expect(newIpc).not.toBe(ipc);
    expect(out.lines('shm')).toEqual([]);
    expect(await podCgroup(before.metadata.uid)).not.toBe(cgroup);
    expect(out.lines('log')).toEqual([
      'init',
      'side start',
      'main start',
      'main term',
      'side term',
      'init',
      'side start',
      'main start',
    ]);
    expect(await exec('whole', 'cat /scratch/f; echo; cat /memory/f; echo; cat /kept/f')).toBe('x\n\nx\n\nx\nx\n');
    expect(mainContainer(after)?.restartCount).toBe(1);
    const told = await until<string>('its events', async () => {
      const text = await events('whole');
      return /PodRestarted .*Restarted the pod in \d/.test(text) ? { value: text } : { last: text };
    });
    expect(told).toContain('Restarting the pod (requested by alice: config changed)');
    expect(told).not.toContain('SandboxChanged');
    expect(told).not.toContain('Warning');
    // The same request again, after the new start, has no effect.
    await ask('whole', { ...request, reason: 'twice' });
    const again = await restart('whole', { id: 'r2', scope: 'containers', notBefore });
    expect(again).toMatchObject({ phase: 'Succeeded', reason: 'NotNeeded' });
    expect(out.lines('log')).toHaveLength(8);
  });

  it.concurrent('scope containers: sandbox and address stay, sidecars end last, init containers run again', async () => {
    const { pod, out } = wholePod('all', 'OnFailure');
    await mendlet.create(pod);
    const before = await ready('all');
    await mainStarts(out, 1);
    const cgroup = await podCgroup(before.metadata.uid);
    await restart('all', { id: 'r1', scope: 'containers' });
    const after = await ready('all');
    await mainStarts(out, 2);
    expect(after.status.podIP).toBe(before.status.podIP);
    expect(new Set(out.lines('namespaces')).size).toBe(1);
    expect(out.lines('shm')).toEqual(['mark']);
    expect(await podCgroup(before.metadata.uid)).toBe(cgroup);
    expect(out.lines('log').slice(3)).toEqual(['main term', 'side term', 'init', 'side start', 'main start']);
    expect(await exec('all', 'cat /scratch/f; cat /memory/f')).toBe('x\nx\nx\nx\n');
  });

  itConcurrentInWhole('scope container: under Never, too, and when it had ended for good', async () => {
    const out = outFolder(mendlet, 'one');
    const other = {
      name: 'other',
      image: 'docker.io/library/busybox:latest',
      imagePullPolicy: 'IfNotPresent',
      command: ['sh', '-c', 'echo other >>/out/other; [ $(wc -l </out/other) -gt 1 ] && exec sleep 3600; exit 0'],
      ...out.mount,
    };
    const pod = busyboxPod('one', polite('main'), {
      spec: { ...out.spec, restartPolicy: 'Never' },
      container: out.mount,
    }) as {
      spec: { containers: object[] };
    };
    pod.spec.containers.push(other);
    await mendlet.create(pod);
    const otherOf = ({ status }: ObservedPod) => status.containerStatuses?.find(({ name }) => name === 'other');
    await mendlet.untilPod('one', 'other done', (p) => otherOf(p)?.state.terminated !== undefined);
    expect(await restart('one', { id: 'r1', scope: 'container', container: 'main' })).toMatchObject({
      reason: 'Restarted',
    });
    const first = await mendlet.untilPod('one', 'main again', (p) => mainContainer(p)?.restartCount === 1);
    expect(mainContainer(first)?.state.running).toBeDefined();
    expect(otherOf(first)).toMatchObject({ restartCount: 0 });
    await restart('one', { id: 'r2', scope: 'container', container: 'other' });
    const second = await mendlet.untilPod('one', 'other again', (p) => otherOf(p)?.state.running !== undefined);
    expect(otherOf(second)?.restartCount).toBe(1);
    expect(second.status.phase).toBe('Running');
    expect(await restart('one', { id: 'r3', scope: 'container', container: 'nobody' })).toMatchObject({
      phase: 'Failed',
      reason: 'Refused',
    });
  });

  itConcurrentInWhole('is no failure to the Job that the pod belongs to', async () => {
    const { spec } = busyboxPod('of-job', 'sleep 3600', { spec: { restartPolicy: 'OnFailure' } }) as { spec: object };
    const job = { backoffLimit: 0, template: { spec } };
    await mendlet.create({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'patient' }, spec: job });
    const name = await until<string>('the pod of the job', async () => {
      const { items } = await mendlet.read<{ items: { metadata: { name: string } }[] }>('pods', {
        selector: 'job-name=patient',
      });
      return items[0] === undefined ? { last: 'none' } : { value: items[0].metadata.name };
    });
    await ready(name);
    expect(await restart(name, { id: 'r1', scope: 'pod' })).toMatchObject({ reason: 'Restarted' });
    await mendlet.untilPod(name, 'restarted', (pod) => mainContainer(pod)?.restartCount === 1);
    const { metadata } = JSON.parse(await mendlet.kubectl(['get', 'pod', name, '-o', 'json'])) as Pod;
    expect(metadata?.annotations?.['mendlet.dev/healing']).toContain('"cleanRestarts":1');
    await ready(name);
    const { status } = JSON.parse(await mendlet.kubectl(['get', 'job', 'patient', '-o', 'json'])) as Job;
    expect(status).toMatchObject({ active: 1 });
    expect(status?.conditions).toBeUndefined();
    await mendlet.kubectl(['delete', 'job', 'patient', '--wait=false']);
  });

  itConcurrentInWhole('a back-off holds, unless the restart is forced', async () => {
    // The wait is too long to end during the test.
    const policy = { backOff: { initial: '1h', cap: '1h' }, rungs: [{ scope: 'container', attempts: 50 }] };
    const pod = busyboxPod('crashing', 'exit 3', {
      metadata: { annotations: { 'mendlet.dev/healing-policy': JSON.stringify(policy) } },
    }) as { spec: { containers: object[] } };
    const other = { name: 'other', command: ['sleep', '3600'] };
    pod.spec.containers.push({ ...pod.spec.containers[0], ...other });
    await mendlet.create(pod);
    const counts = ({ status }: ObservedPod) =>
      status.containerStatuses?.map(({ restartCount }) => restartCount).join();
    const inBackOff = (wanted: string) =>
      mendlet.untilPod('crashing', `${wanted} restarts, and in back-off`, (p) => {
        const waits = mainContainer(p)?.state.waiting?.reason === 'CrashLoopBackOff';
        return waits && counts(p) === wanted && p.status.containerStatuses?.[1]?.state.running !== undefined;
      });
    await inBackOff('1,0');
    await ask('crashing', { id: 'patient', scope: 'pod' });
    await inBackOff('1,1');
    expect(await outcomes('crashing')).toMatchObject([{ id: 'patient', phase: 'Running' }]);
    expect(await restart('crashing', { id: 'now', scope: 'pod', force: true })).toMatchObject({ reason: 'Restarted' });
    // The back-off was reset, so one more restart comes at once.
    await inBackOff('3,2');
    await restart('crashing', { id: 'one', scope: 'container', container: 'main', force: true });
    await inBackOff('5,2');
  });

  itConcurrentInWhole('a restart for a time to come waits for it', async () => {
    await mendlet.create(busyboxPod('later', 'exec sleep 3600'));
    await ready('later');
    const notBefore = new Date(Math.ceil(Date.now() / 1000) * 1000 + 3000).toISOString();
    await restart('later', { id: 'r1', scope: 'container', container: 'main', notBefore });
    const pod = await mendlet.untilPod('later', 'restarted', (p) => mainContainer(p)?.restartCount === 1);
    expect(Date.parse(mainContainer(pod)?.state.running?.startedAt ?? '')).toBeGreaterThanOrEqual(
      Date.parse(notBefore),
    );
  });

  itConcurrentInWhole('who does not heed SIGTERM is killed when the grace of the restart ends', async () => {
    await mendlet.create(
      busyboxPod('wedged', 'trap "" TERM; exec sleep 36000', {
        spec: { terminationGracePeriodSeconds: 3600 },
      }),
    );
    await ready('wedged');
    await ask('wedged', { id: 'slow', scope: 'pod' });
    await mendlet.untilPod(
      'wedged',
      'restarting',
      ({ status }) =>
        status.conditions?.some(({ type, status: is }) => type === 'mendlet.dev/Restarting' && is === 'True') === true,
    );
    expect(await restart('wedged', { id: 'fast', scope: 'pod', gracePeriodSeconds: 1 })).toMatchObject({
      reason: 'Restarted',
    });
    const pod = await ready('wedged');
    expect(mainContainer(pod)).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 137 } } });
    expect(await outcomes('wedged')).toMatchObject([{ id: 'fast' }, { id: 'slow', reason: 'Superseded' }]);
    // The clean-up does not wait for this pod.
    await mendlet.kubectl(['delete', 'pod', 'wedged', '--grace-period=1', '--wait=false']);
  });

  itConcurrentInWhole('files of ConfigMaps are up to date, by subPath too, and so is the environment', async () => {
    await mendlet.kubectl(['create', 'configmap', 'settings', '--from-literal=mode=old']);
    await mendlet.create(
      busyboxPod('configured', 'exec sleep 3600', {
        spec: { hostNetwork: true, volumes: [{ name: 'settings', configMap: { name: 'settings' } }] },
        container: {
          volumeMounts: [{ name: 'settings', mountPath: '/mode', subPath: 'mode' }],
          env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'settings', key: 'mode' } } }],
        },
      }),
    );
    await ready('configured');
    expect(await exec('configured', 'cat /mode; echo " $MODE"')).toBe('old old\n');
    await mendlet.kubectl(['patch', 'configmap', 'settings', '--patch', '{"data":{"mode":"new"}}']);
    await restart('configured', { id: 'r1', scope: 'pod' });
    await ready('configured');
    expect(await exec('configured', 'cat /mode; echo " $MODE"')).toBe('new new\n');
  });

  it.concurrent('a pod that has ended stays so, and what cannot be read is told', async () => {
    await mendlet.create(busyboxPod('done', 'exit 0', { spec: { restartPolicy: 'Never' } }));
    await mendlet.untilPod('done', 'Succeeded', ({ status }) => status.phase === 'Succeeded');
    expect(await restart('done', { id: 'r1', scope: 'pod' })).toMatchObject({ phase: 'Failed', reason: 'PodFinished' });
    expect((await mendlet.pod('done')).status.phase).toBe('Succeeded');
    await mendlet.create(busyboxPod('misread', 'exec sleep 3600'));
    await ready('misread');
    await ask('misread', { id: 'r1', scope: 'planet' });
    await until('the event', async () => {
      const told = await events('misread');
      return told.includes('InvalidRestartRequest') ? { value: true } : { last: told };
    });
    // Until the corrected request is read, the outcome of the same id is the refusal of the first.
    await ask('misread', { id: 'r1', scope: 'pod' });
    await until('the outcome of the corrected request', async () => {
      const outcome = await over('misread', 'r1');
      return outcome.reason === 'Restarted' ? { value: true } : { last: JSON.stringify(outcome) };
    });
  });

  it('goes on, once, when the agent is killed in the middle', async () => {
    const { pod, out } = wholePod('survivor', 'Never');
    await mendlet.create(pod);
    const { status } = await ready('survivor');
    // The agent is killed each time as soon as the log shows this line once more.
    for (const [index, line] of ['main term', 'side term', 'init', 'side start'].entries()) {
      const count = () => out.lines('log').filter((each) => each === line).length;
      await mainStarts(out, index + 1);
      const before = count();
      await ask('survivor', { id: `r${index}`, scope: index === 1 ? 'containers' : 'pod' });
      await until(line, async () => (count() > before ? { value: true } : { last: out.lines('log').join(', ') }));
      await mendlet.end('SIGKILL');
      await mendlet.up();
      expect(await over('survivor', `r${index}`)).toMatchObject({ phase: 'Succeeded', reason: 'Restarted' });
    }
    const after = await ready('survivor');
    await mainStarts(out, 5);
    expect(after.status.phase).toBe('Running');
    expect(after.status.podIP).not.toBe(status.podIP);
    const life = ['init', 'side start', 'main start'];
    const end = ['main term', 'side term'];
    expect(out.lines('log')).toEqual([...life, ...[1, 2, 3, 4].flatMap(() => [...end, ...life])]);
  });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

/** The inode of a pod's cgroup, which distinguishes it from another of the same name. */
async function podCgroup(uid: string): Promise<number> {
  const names = ['-name', `*pod${uid}*`, '-o', '-name', `*pod${uid.replaceAll('-', '_')}*`];
  const found = await run('find', ['/sys/fs/cgroup', '-maxdepth', '6', '-type', 'd', '(', ...names, ')']);
  const [first] = found.stdout.split('\n').toSorted().filter(Boolean);
  if (first === undefined) throw new Error(`pod ${uid} has no cgroup`);
  return statSync(first).ino;
}
