/**
 * Tests pods with more than one plain container on real containers: ephemeral containers, sidecars, hooks, restarts of all,
 * resizes.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itConcurrentInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, type ObservedPod, outFolder, until } from './harness.ts';

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 214 },
  { name: 'containerd 2', podNetwork: 215, containerdFolder: containerd2 },
];

const IMAGE = { image: 'docker.io/library/busybox:latest', imagePullPolicy: 'IfNotPresent' };
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  ...IMAGE,
  command: ['/bin/sh', '-c', script],
  ...more,
});
const FOREVER = 'trap "exit 0" TERM; while :; do sleep 0.1; done';
/** Writes a line to the one log file of all containers of a pod, whose lines show the order of events. */
const say = (text: string) => `echo ${text} >>/out/log`;
const ended = (pod: ObservedPod) => pod.status.phase === 'Succeeded' || pod.status.phase === 'Failed';
const condition = (pod: ObservedPod, type: string) => pod.status.conditions?.find((each) => each.type === type);

describe.each(onRuntimes(runtimes, 'containerd 2'))('pod shapes on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  it.concurrent('kubectl debug looks at the processes of a running container', async () => {
    await mendlet.create(busyboxPod('patient', 'exec sleep 12345'));
    await mendlet.untilPod('patient', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    const flags = ['--image', IMAGE.image, '--image-pull-policy=IfNotPresent', '--target=main', '-c', 'doctor'];
    await mendlet.kubectl(['debug', 'patient', ...flags, '--', 'sh', '-c', 'ps; exit 3']);
    const statusOf = (pod: ObservedPod) =>
      (pod.status as { ephemeralContainerStatuses?: ObservedPod['status']['containerStatuses'] })
        .ephemeralContainerStatuses?.[0];
    const pod = await mendlet.untilPod(
      'patient',
      'looked at',
      (each) => statusOf(each)?.state.terminated !== undefined,
    );
    expect(statusOf(pod)).toMatchObject({ name: 'doctor', restartCount: 0, state: { terminated: { exitCode: 3 } } });
    expect(pod.status.phase).toBe('Running');
    expect(condition(pod, 'Ready')?.status).toBe('True');
    expect(await mendlet.kubectl(['logs', 'patient', '-c', 'doctor'])).toContain('sleep 12345');
    expect(await mendlet.kubectl(['describe', 'pod', 'patient'])).toContain('Ephemeral Containers:');
  });

  itConcurrentInWhole('an ephemeral container starts beside an init container that hangs', async () => {
    const initContainers = [shell('init', FOREVER)];
    await mendlet.create(busyboxPod('stuck', FOREVER, { spec: { initContainers } }));
    await mendlet.untilPod('stuck', 'initializing', (pod) => condition(pod, 'Initialized')?.status === 'False');
    const flags = ['--image', IMAGE.image, '--image-pull-policy=IfNotPresent', '-c', 'doctor'];
    await mendlet.kubectl(['debug', 'stuck', ...flags, '--', 'sh', '-c', 'echo here; sleep 3600']);
    await until('the words of the ephemeral container', async () => {
      const { stdout, stderr } = await mendlet.tryKubectl(['logs', 'stuck', '-c', 'doctor']);
      return stdout.includes('here') ? { value: stdout } : { last: stdout + stderr };
    });
    await mendlet.kubectl(['delete', 'pod', 'stuck']);
  });

  it.concurrent('sidecars start in order, stop in reverse after the rest, and do not keep a pod from ending', async () => {
    const out = outFolder(mendlet, 'sidecars');
    const sidecar = (name: string, more: object = {}) =>
      shell(name, `${say(`${name} start`)}; trap "${say(`${name} stop`)}; exit 7" TERM; while :; do sleep 0.1; done`, {
        restartPolicy: 'Always',
        ...out.mount,
        ...more,
      });
    const initContainers = [
      sidecar('a', { lifecycle: { postStart: { exec: { command: ['sh', '-c', `sleep 1; ${say('a hook')}`] } } } }),
      sidecar('b', { startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 } }),
      shell('init', say('init'), out.mount),
    ];
    const spec = { ...out.spec, initContainers, restartPolicy: 'Never', terminationGracePeriodSeconds: 30 };
    await mendlet.create(
      busyboxPod('sidecars', `${say('main')}; sleep 1; ${say('main end')}`, { spec, container: out.mount }),
    );
    const pod = await mendlet.untilPod('sidecars', 'over', ended);
    expect(pod.status.phase).toBe('Succeeded');
    expect(out.lines('log')).toEqual(['a start', 'a hook', 'b start', 'init', 'main', 'main end', 'b stop', 'a stop']);
  });

  it.concurrent('RestartAllContainers begins the pod anew in its sandbox, and backs off', async () => {
    const out = outFolder(mendlet, 'restart-all');
    const rules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const spec = {
      ...out.spec,
      restartPolicy: 'Never',
      initContainers: [shell('init', say('init'), out.mount), shell('side', FOREVER, { restartPolicy: 'Always' })],
    };
    const container = { ...out.mount, restartPolicy: 'Never', restartPolicyRules: rules };
    await mendlet.create(busyboxPod('restart-all', `${say('main')}; exit 42`, { spec, container }));
    const pod = await mendlet.untilPod(
      'restart-all',
      'in its second back-off',
      (each) =>
        mainContainer(each)?.restartCount === 2 && mainContainer(each)?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    expect(mainContainer(pod)?.state.waiting?.message).toContain('back-off 20s');
    expect(condition(pod, 'AllContainersRestarting')?.status).toBe('True');
    expect(out.lines('log')).toEqual(['init', 'main', 'init', 'main', 'init', 'main']);
    await mendlet.kubectl(['delete', 'pod', 'restart-all']);
  });

  it.concurrent('hooks: the next container waits for postStart, preStop runs first, and failures are told', async () => {
    const out = outFolder(mendlet, 'hooks');
    const hooked = {
      ...out.mount,
      lifecycle: {
        postStart: { exec: { command: ['sh', '-c', `sleep 1; ${say('post')}`] } },
        preStop: { exec: { command: ['sh', '-c', say('pre')] } },
      },
    };
    const script = `trap '${say('term')}; exit 0' TERM; while :; do sleep 0.1; done`;
    const pod = busyboxPod('hooks', script, {
      spec: { ...out.spec, terminationGracePeriodSeconds: 20 },
      container: hooked,
    });
    const { spec } = pod as { spec: { containers: object[] } };
    spec.containers.push(shell('second', `${say('second')}; ${FOREVER}`, out.mount));
    await mendlet.create(
      pod,
      busyboxPod('bad-hook', FOREVER, { container: { lifecycle: { postStart: { exec: { command: ['false'] } } } } }),
    );
    await mendlet.untilPod('hooks', 'ready', (each) => condition(each, 'Ready')?.status === 'True');
    await mendlet.kubectl(['delete', 'pod', 'hooks']);
    expect(out.lines('log')).toEqual(['post', 'second', 'pre', 'term']);
    await mendlet.untilPod('bad-hook', 'restarted', (each) => (mainContainer(each)?.restartCount ?? 0) > 0);
    expect(await mendlet.kubectl(['events', '--for', 'pod/bad-hook'])).toContain('FailedPostStartHook');
    await mendlet.kubectl(['delete', 'pod', 'bad-hook']);
  });

  itConcurrentInWhole('activeDeadlineSeconds may be set while the pod runs', async () => {
    await mendlet.create(busyboxPod('deadline', FOREVER));
    await mendlet.untilPod('deadline', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    await mendlet.kubectl(['patch', 'pod', 'deadline', '-p', '{"spec":{"activeDeadlineSeconds":1}}']);
    const pod = await mendlet.untilPod('deadline', 'over', ended);
    expect(pod.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it.concurrent('a resize is done in place, or by a restart where the policy says so', async () => {
    const resources = { requests: { cpu: '100m', memory: '32Mi' }, limits: { cpu: '200m', memory: '64Mi' } };
    const resizePolicy = [{ resourceName: 'memory', restartPolicy: 'RestartContainer' }];
    await mendlet.create(busyboxPod('resize', FOREVER, { container: { resources, resizePolicy } }));
    await mendlet.untilPod('resize', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    const resize = (change: object) =>
      mendlet.kubectl([
        'patch',
        'pod',
        'resize',
        '--subresource=resize',
        '-p',
        JSON.stringify({ spec: { containers: [{ name: 'main', resources: change }] } }),
      ]);
    const limits = (pod: ObservedPod) =>
      (mainContainer(pod) as { resources?: { limits?: { cpu?: string; memory?: string } } } | undefined)?.resources
        ?.limits;
    await resize({ limits: { cpu: '300m' } });
    const bigger = await mendlet.untilPod('resize', 'more CPU', (pod) => limits(pod)?.cpu === '300m');
    expect(mainContainer(bigger)?.restartCount).toBe(0);
    await resize({ limits: { memory: '128Mi' } });
    const restarted = await mendlet.untilPod(
      'resize',
      'more memory',
      (pod) => mainContainer(pod)?.restartCount === 1 && mainContainer(pod)?.state.running !== undefined,
    );
    expect(limits(restarted)).toEqual({ cpu: '300m', memory: '128Mi' });
    await resize({ requests: { cpu: '900' }, limits: { cpu: '900' } });
    const pending = await mendlet.untilPod(
      'resize',
      'refused',
      (pod) => condition(pod, 'PodResizePending') !== undefined,
    );
    expect(condition(pending, 'PodResizePending')).toMatchObject({ status: 'True', reason: 'Infeasible' });
  });
});
