/**
 * Tests that pods on real containers fail and come back, each in a different way. `npm run e2e` uses every containerd that we
 * support.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itConcurrentInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, outFolder, until } from './harness.ts';

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 201 },
  { name: 'containerd 2', podNetwork: 202, containerdFolder: containerd2 },
];

describe.each(onRuntimes(runtimes, 'containerd 2'))('healing on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  it.concurrent('exit 1: restarted, counted, and --previous shows the log of the dead one', async () => {
    await mendlet.create(
      busyboxPod(
        'exit-1',
        'echo life $(cat /proc/uptime); [ -f /state/done ] && exec sleep 3600; touch /state/done; echo last words; exit 1',
        {
          spec: { volumes: [{ name: 'state', emptyDir: {} }] },
          container: { volumeMounts: [{ name: 'state', mountPath: '/state' }] },
        },
      ),
    );
    const pod = await mendlet.untilPod(
      'exit-1',
      'running again',
      (p) => mainContainer(p)?.restartCount === 1 && mainContainer(p)?.state.running !== undefined,
    );
    expect(mainContainer(pod)?.lastState.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
    expect(pod.status.phase).toBe('Running');
    expect(await mendlet.kubectl(['logs', 'exit-1', '--previous'])).toContain('last words');
    expect(await mendlet.kubectl(['logs', 'exit-1'])).not.toContain('last words');
  });

  itConcurrentInWhole('exit 0 under OnFailure: it succeeded and stays so', async () => {
    await mendlet.create(busyboxPod('exit-0', 'exit 0', { spec: { restartPolicy: 'OnFailure' } }));
    const pod = await mendlet.untilPod('exit-0', 'Succeeded', (p) => p.status.phase === 'Succeeded');
    expect(mainContainer(pod)).toMatchObject({
      restartCount: 0,
      state: { terminated: { exitCode: 0, reason: 'Completed' } },
    });
  });

  it.concurrent('out of memory: OOMKilled with exit code 137, and restarted', async () => {
    await mendlet.create(
      busyboxPod('oom', 'tail /dev/zero', { container: { resources: { limits: { memory: '16Mi' } } } }),
    );
    const pod = await mendlet.untilPod(
      'oom',
      'killed and counted',
      (p) => (mainContainer(p)?.restartCount ?? 0) >= 1 && mainContainer(p)?.lastState.terminated !== undefined,
    );
    expect(mainContainer(pod)?.lastState.terminated).toMatchObject({ exitCode: 137, reason: 'OOMKilled' });
  });

  // containerd reads the counter of a cgroup, which is gone before that when several end together.
  it.concurrent('several out of memory at once: each says OOMKilled', async () => {
    const names = Array.from({ length: 8 }, (_, n) => `oom-together-${n}`);
    const hungry = { container: { resources: { limits: { memory: '16Mi' } } }, spec: { restartPolicy: 'Never' } };
    await Promise.all(names.map((name) => mendlet.create(busyboxPod(name, 'tail /dev/zero', hungry))));
    const pods = await Promise.all(
      names.map((name) => mendlet.untilPod(name, 'killed', (p) => mainContainer(p)?.state.terminated !== undefined)),
    );
    const ends = pods.map((pod) => mainContainer(pod)?.state.terminated);
    expect(ends.map((end) => `${end?.exitCode} ${end?.reason}`)).toEqual(names.map(() => '137 OOMKilled'));
  });

  it.concurrent('a frozen server behind a liveness probe is restarted', async () => {
    const out = outFolder(mendlet, 'frozen');
    await mendlet.create(
      busyboxPod(
        'frozen',
        'echo start >>/out/starts; mkdir -p /www; echo ok >/www/index.html; httpd -p 8080 -h /www; [ $(wc -l </out/starts) -gt 1 ] && exec sleep 3600; sleep 3; killall -STOP httpd; exec sleep 3600',
        {
          spec: out.spec,
          container: {
            ...out.mount,
            livenessProbe: { httpGet: { port: 8080, path: '/' }, periodSeconds: 1, failureThreshold: 2 },
          },
        },
      ),
    );
    const pod = await mendlet.untilPod(
      'frozen',
      'restarted',
      (p) => mainContainer(p)?.restartCount === 1 && mainContainer(p)?.state.running !== undefined,
    );
    expect(mainContainer(pod)?.lastState.terminated?.exitCode).toBe(137);
    const events = await mendlet.kubectl(['events', '--for', 'pod/frozen']);
    expect(events).toContain('Liveness probe failed');
    expect(events).toContain('Container main failed liveness probe, will be restarted');
  });

  it.concurrent('a slow start behind a startup probe is left in peace', async () => {
    const probe = { exec: { command: ['cat', '/tmp/up'] }, periodSeconds: 1, timeoutSeconds: 60 };
    await mendlet.create(
      busyboxPod('slow-start', 'sleep 6; touch /tmp/up; exec sleep 3600', {
        container: {
          startupProbe: { ...probe, failureThreshold: 60 },
          livenessProbe: { ...probe, failureThreshold: 1 },
        },
      }),
    );
    const pod = await mendlet.untilPod('slow-start', 'started', (p) => mainContainer(p)?.started === true);
    expect(mainContainer(pod)).toMatchObject({ restartCount: 0, ready: true });
  });

  it.concurrent('the crash-loop ladder: 0, 10, 20, 40 seconds, and kubectl says CrashLoopBackOff', async () => {
    const out = outFolder(mendlet, 'ladder');
    await mendlet.create(
      busyboxPod(
        'ladder',
        'echo start $(cut -d" " -f1 /proc/uptime) >>/out/times; echo end $(cut -d" " -f1 /proc/uptime) >>/out/times; exit 3',
        { spec: out.spec, container: out.mount },
      ),
    );
    await mendlet.untilPod(
      'ladder',
      'in back-off',
      (p) => mainContainer(p)?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    expect(await mendlet.kubectl(['get', 'pod', 'ladder'])).toMatch(/CrashLoopBackOff/);
    await until('five starts', async () =>
      out.lines('times').filter((line) => line.startsWith('start')).length >= 5
        ? { value: true }
        : { last: out.lines('times').join(' ') },
    );
    const times = out.lines('times').map((line) => line.split(' '));
    const starts = times.filter(([what]) => what === 'start').map(([, at]) => Number(at));
    const ends = times.filter(([what]) => what === 'end').map(([, at]) => Number(at));
    const waits = [1, 2, 3, 4].map((n) => starts[n]! - ends[n - 1]!);
    // Lower limits only: the clock of FinishedAt and ours may differ by a few hundredths.
    expect(waits[1]).toBeGreaterThan(9.9);
    expect(waits[2]).toBeGreaterThan(19.9);
    expect(waits[3]).toBeGreaterThan(39.9);
    expect(waits[0]).toBeLessThan(waits[1]!);
    expect(waits[1]).toBeLessThan(waits[2]!);
    expect(waits[2]).toBeLessThan(waits[3]!);
    expect(await mendlet.kubectl(['events', '--for', 'pod/ladder'])).toContain(
      'Back-off restarting failed container main in pod ladder',
    );
  });

  it.concurrent('deletion is graceful, and a shorter grace overtakes a longer one', async () => {
    const out = outFolder(mendlet, 'grace');
    const script = 'trap "echo term >>/out/$HOSTNAME" TERM; touch /out/$HOSTNAME; while true; do sleep 0.2; done';
    await mendlet.create(
      busyboxPod('stubborn', script, {
        spec: { ...out.spec, terminationGracePeriodSeconds: 600 },
        container: {
          ...out.mount,
          lifecycle: { preStop: { exec: { command: ['/bin/sh', '-c', 'echo prestop >>/out/$HOSTNAME'] } } },
        },
      }),
    );
    await mendlet.untilPod('stubborn', 'running', (p) => mainContainer(p)?.ready === true);
    await mendlet.kubectl(['delete', 'pod', 'stubborn', '--wait=false']);
    await until('preStop, then SIGTERM', async () =>
      out.lines('stubborn').join(' ') === 'prestop term' ? { value: true } : { last: out.lines('stubborn').join(' ') },
    );
    expect((await mendlet.pod('stubborn')).metadata.deletionTimestamp).toBeDefined();
    await mendlet.kubectl(['delete', 'pod', 'stubborn', '--grace-period=1']);
    expect((await mendlet.tryKubectl(['get', 'pod', 'stubborn'])).stderr).toContain('NotFound');
  });

  itConcurrentInWhole('environment and volumes are what the manifest says', async () => {
    await mendlet.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings' },
        data: { colour: 'green', 'app.conf': 'a=1\n' },
      },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData: { token: 's3cret' } },
      busyboxPod(
        'filled',
        'echo "$COLOUR $TOKEN $NAME $LIMIT $HELLO"; cat /etc/app/app.conf; cat /etc/keys/token; echo; ls -d /scratch; exec sleep 3600',
        {
          spec: {
            volumes: [
              { name: 'settings', configMap: { name: 'settings' } },
              { name: 'keys', secret: { secretName: 'keys' } },
              { name: 'scratch', emptyDir: {} },
            ],
          },
          container: {
            resources: { limits: { memory: '64Mi' } },
            env: [
              { name: 'COLOUR', valueFrom: { configMapKeyRef: { name: 'settings', key: 'colour' } } },
              { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'keys', key: 'token' } } },
              { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
              { name: 'LIMIT', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Mi' } } },
              { name: 'HELLO', value: 'hello-$(COLOUR)' },
            ],
            volumeMounts: [
              { name: 'settings', mountPath: '/etc/app' },
              { name: 'keys', mountPath: '/etc/keys' },
              { name: 'scratch', mountPath: '/scratch' },
            ],
          },
        },
      ),
    );
    await mendlet.untilPod('filled', 'running', (p) => mainContainer(p)?.ready === true);
    await until('its whole log', async () => {
      const log = await mendlet.kubectl(['logs', 'filled']);
      return log === 'green s3cret filled 64 hello-green\na=1\ns3cret\n/scratch\n' ? { value: true } : { last: log };
    });
  });

  itConcurrentInWhole('a missing ConfigMap is named, and the pod starts once it is there', async () => {
    await mendlet.create(
      busyboxPod('wanting', 'echo $X; exec sleep 3600', {
        container: { env: [{ name: 'X', valueFrom: { configMapKeyRef: { name: 'later', key: 'x' } } }] },
      }),
    );
    const pod = await mendlet.untilPod(
      'wanting',
      'refused',
      (p) => mainContainer(p)?.state.waiting?.reason === 'CreateContainerConfigError',
    );
    expect(mainContainer(pod)?.state.waiting?.message).toBe('configmap "later" not found');
    await mendlet.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'later' }, data: { x: 'now' } });
    await mendlet.untilPod('wanting', 'running', (p) => mainContainer(p)?.ready === true);
  });

  it.concurrent('a pod has an address of its own and reaches another pod, the host and the API server', async () => {
    await mendlet.create(
      busyboxPod('server', 'mkdir /www; echo hello >/www/index.html; exec httpd -f -p 80 -h /www', {
        container: { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } },
      }),
    );
    const server = await mendlet.untilPod('server', 'ready', (p) => mainContainer(p)?.ready === true);
    expect(server.status.podIP).toMatch(/^10\.20[12]\./);
    await mendlet.create(
      busyboxPod(
        'visitor',
        `wget -qO- http://${server.status.podIP}/; nc -w 5 $KUBERNETES_SERVICE_HOST $KUBERNETES_SERVICE_PORT </dev/null && echo api; ping -c1 -W5 $(ip route | awk '/default/{print $3}') >/dev/null && echo host`,
        { spec: { restartPolicy: 'Never' } },
      ),
    );
    await mendlet.untilPod('visitor', 'done', (p) => p.status.phase === 'Succeeded');
    expect(await mendlet.kubectl(['logs', 'visitor'])).toBe('hello\napi\nhost\n');
  });

  it.concurrent('an image that cannot be had is ErrImagePull, then ImagePullBackOff', async () => {
    await mendlet.create(busyboxPod('no-image', 'true', { container: { image: 'localhost:1/none:1' } }));
    await mendlet.untilPod(
      'no-image',
      'backing off',
      (p) => mainContainer(p)?.state.waiting?.reason === 'ImagePullBackOff',
    );
    const events = await mendlet.kubectl(['events', '--for', 'pod/no-image']);
    expect(events).toContain('Error: ErrImagePull');
    expect(events).toContain('Back-off pulling image "localhost:1/none:1"');
  });
});
