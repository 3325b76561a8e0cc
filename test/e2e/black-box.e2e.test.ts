/**
 * Tests a node's memory of deaths with real containers, the real program and the real kubectl, on every containerd that we
 * support.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type {
  ContainerHistory,
  DeathRecord,
  PodHistory,
  PodHistoryList,
  WorkloadDay,
  WorkloadDayList,
} from '../../src/api/index.ts';
import { itConcurrentInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, outFolder, root, run, until } from './harness.ts';

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 177 },
  { name: 'containerd 2', podNetwork: 178, containerdFolder: containerd2 },
];
/** With cgroup v2 the kernel kills a whole container for one of its processes. */
const cgroupV2 = existsSync('/sys/fs/cgroup/cgroup.controllers');

/** A script that counts its lives, prints the present one, and exits with its number. */
const COUNTED =
  'n=$(($(cat /s/n 2>/dev/null || echo 0) + 1)); echo $n >/s/n; echo "words of life $n"; echo "error of life $n" >&2; exit $n';
/** A policy with short waits, and after the third life one that outlasts the test, so that no further death disturbs it. */
const SLOW_AT_LAST = {
  'mendlet.dev/healing-policy': JSON.stringify({
    rungs: [{ scope: 'container', attempts: 100 }],
    backOff: { initial: '100ms' },
    rules: [
      {
        onExitCodes: { operator: 'In', values: [3] },
        action: 'BackOff',
        backOff: { initial: '20m', factor: 1, cap: '20m' },
      },
    ],
  }),
};
/** A policy whose first wait outlasts the test. */
const SLOW_AT_FIRST = {
  'mendlet.dev/healing-policy': JSON.stringify({
    rungs: [{ scope: 'container', attempts: 100 }],
    backOff: { initial: '20m', factor: 1, cap: '20m' },
  }),
};
const state = { spec: { volumes: [{ name: 's', emptyDir: {} }] }, mount: [{ name: 's', mountPath: '/s' }] };

describe.each(onRuntimes(runtimes, 'containerd 2'))('the black box on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  const cli = (...args: readonly string[]) =>
    run(process.execPath, [join(root, 'dist/mendlet.js'), ...args], {
      env: { ...process.env, KUBECONFIG: mendlet.kubeconfig },
    });

  /** A node that is busy may be given up on: that is an answer, too, and not the one that was asked for. */
  async function tryHistories(pod: string): Promise<readonly PodHistory[] | string> {
    const path = `/api/v1/namespaces/default/pods/${pod}/history`;
    return mendlet.get<PodHistoryList>(path).then(({ items }) => items, String);
  }

  const histories = (pod: string): Promise<readonly PodHistory[]> =>
    until<readonly PodHistory[]>(`the history of ${pod}`, async () => {
      const answer = await tryHistories(pod);
      return typeof answer === 'string' ? { last: answer } : { value: answer };
    });

  /** Waits until a container's history is `wanted`. */
  function untilHistory(
    pod: string,
    container: string,
    what: string,
    wanted: (history: ContainerHistory) => boolean,
  ): Promise<ContainerHistory> {
    return until<ContainerHistory>(`the history of ${pod}: ${what}`, async () => {
      const items = await histories(pod);
      const found = items[0]?.containers.find(({ name }) => name === container);
      return found !== undefined && wanted(found) ? { value: found } : { last: JSON.stringify(items) };
    });
  }

  const untilDeaths = (pod: string, count: number, container = 'main') =>
    untilHistory(pod, container, `${count} deaths`, ({ total }) => total >= count);

  it.concurrent('three crashes: all three, with their own words, also after the pod is gone', async () => {
    await mendlet.create(
      busyboxPod('crash', COUNTED, {
        metadata: { annotations: SLOW_AT_LAST },
        spec: state.spec,
        container: { volumeMounts: state.mount },
      }),
    );
    const { deaths } = await untilHistory('crash', 'main', 'three deaths and their back-offs', (history) =>
      history.deaths.some((death) => death.number === 3 && death.backOffSeconds !== undefined),
    );
    expect(
      deaths.map(({ number, exitCode, reason, backOffSeconds }) => [number, exitCode, reason, backOffSeconds]),
    ).toEqual([
      [1, 1, 'Error', 0],
      [2, 2, 'Error', 0.1],
      [3, 3, 'Error', 1200],
    ]);
    const words = (n: number) => [`error of life ${n}`, `words of life ${n}`];
    for (const [asked, life] of [
      ['1', 1],
      ['2', 2],
      ['-1', 3],
    ] as const) {
      const { stdout, stderr, code } = await cli('logs', 'pod/crash', '--death', asked);
      expect([code, stdout.trim().split('\n').toSorted(), stderr]).toEqual([0, words(life), '']);
    }
    expect(await mendlet.kubectl(['logs', 'crash', '--previous'])).not.toContain('life 1');
    const none = await cli('logs', 'pod/crash', '--death', '9');
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('container main: 1-3')]);

    await mendlet.kubectl(['delete', 'pod', 'crash', '--wait']);
    expect((await cli('logs', 'crash', '--death', '1')).stdout).toContain('words of life 1');
    const table = await cli('history', 'pod/crash');
    expect(table.stdout).toMatch(
      /^pod\/crash \(uid .*\) on node e2e, gone \d+s ago:\n#\s+CONTAINER\s+WHEN\s+RAN\s+EXIT/,
    );
    expect(table.stdout.split('\n').filter((line) => /^\d/.test(line)).length).toBe(3);
    expect(await histories('crash')).toMatchObject([{ goneAt: expect.any(String), containers: [{ total: 3 }] }]);
    expect((await cli('logs', 'crash')).stderr).toContain('pods "crash" not found');
    // The node may need a moment to notice the deletion.
    const noted = await until<{ total: number }>('the node knows that it is gone', async () => {
      const { items } = await mendlet.get<{
        items: { metadata: { name: string }; goneAt?: string; total: number }[];
      }>('/api/v1/nodes/e2e/proxy/mendlet/v1/history');
      const found = items.find(({ metadata }) => metadata.name === 'crash');
      return found?.goneAt === undefined ? { last: JSON.stringify(items) } : { value: found };
    });
    expect(noted.total).toBe(3);

    await mendlet.create(busyboxPod('crash', 'exec sleep 3600'));
    await mendlet.untilPod('crash', 'running', (pod) => mainContainer(pod)?.ready === true);
    const both = (await cli('history', 'pod/crash')).stdout;
    expect(both).toMatch(
      /^pod\/crash \(uid .*\) on node e2e:\nNo death of it is known\.\n\npod\/crash \(uid .*, gone .* ago:\n#/,
    );
    expect(await histories('crash')).toMatchObject([{ containers: [] }, { goneAt: expect.any(String) }]);
  });

  it.concurrent('what a container said is one line, wherever it is told, and no secret is in it', async () => {
    await mendlet.create({
      kind: 'Secret',
      apiVersion: 'v1',
      metadata: { name: 'ledger' },
      stringData: { pin: 'violet-tractor-77' },
    });
    const said = 'ERROR ledger at db:6400 refused violet-tractor-77 and http://u:quiet-moon-3@db/';
    const env = [{ name: 'PIN', valueFrom: { secretKeyRef: { name: 'ledger', key: 'pin' } } }];
    const slow = { metadata: { annotations: SLOW_AT_FIRST }, container: { env } };
    await mendlet.create(busyboxPod('says', `echo "${said}"; echo "Shutting down"; exit 4`, slow));
    await untilDeaths('says', 1);
    const line = 'ledger at db:6400 refused *** and http://***@db/';
    await until('the event', async () => {
      const events = await mendlet.events('says');
      return events.includes(`Container main ended with exit code 4: ${line}`) ? { value: events } : { last: events };
    });
    const told = [
      (await cli('history', 'pod/says', '-o', 'wide')).stdout,
      (await cli('history', 'pod/says', '--death', '1')).stdout,
      (await cli('why', 'pod/says')).stdout,
    ];
    for (const text of told) {
      expect(text).toContain(line);
      expect(text).not.toMatch(/violet|quiet-moon/);
    }
    expect(JSON.stringify(await histories('says'))).not.toContain('violet');
  });

  it.concurrent('out of memory: proved by what was counted while it lived', async () => {
    await mendlet.create(
      busyboxPod('oom', 'echo eats; exec tail /dev/zero', { container: { resources: { limits: { memory: '24Mi' } } } }),
    );
    const { deaths } = await untilDeaths('oom', 2);
    for (const death of deaths.slice(0, 2)) {
      expect(death).toMatchObject({ exitCode: 137, signal: 'SIGKILL', reason: 'OOMKilled', log: { tail: 'eats\n' } });
      expect(death.oom).toMatchObject({ limitBytes: 24 * 1024 * 1024 });
      // The runtime's report alone would be no proof.
      expect(death.oom?.sources.some((source) => source === 'cgroup' || source === 'kernel-log')).toBe(true);
      if (death.oom?.sources.includes('kernel-log') === true) {
        expect(death.oom.processes).toMatchObject([{ name: 'tail', rssBytes: expect.any(Number) }]);
      }
    }
    const page = (await cli('history', 'pod/oom', '--death', '1')).stdout;
    expect(page).toMatch(/Memory: +out of memory.* of 24Mi.*told by: /);
    expect(page).toContain('Exit code:      137 (SIGKILL)');
  });

  it.skipIf(cgroupV2).concurrent('a child that is killed for memory is seen, and its container lives on', async () => {
    await mendlet.create(
      busyboxPod('survivor', 'while true; do (exec tail /dev/zero); sleep 1; done', {
        container: { resources: { limits: { memory: '24Mi' } } },
      }),
    );
    const { deaths } = await untilHistory(
      'survivor',
      'main',
      'several losses',
      (history) => (history.deaths[0]?.oom?.kills ?? 0) >= 3,
    );
    expect(deaths.length).toBe(1);
    expect(deaths[0]).toMatchObject({ survived: true, reason: 'OOMKilled' });
    expect(deaths[0]?.message).toMatch(/processes were killed for memory \(limit 24Mi\).*; the container lives on/);
    expect(mainContainer(await mendlet.pod('survivor'))).toMatchObject({ restartCount: 0, ready: true });
    const told = /OOMKilledProcess.*container main: .*killed for memory \(limit 24Mi\).*lives on/;
    await until('the event', async () => {
      const events = await mendlet.events('survivor');
      return told.test(events) ? { value: true } : { last: events };
    });
    const metrics = await mendlet.kubectl(['get', '--raw', '/api/v1/nodes/e2e/proxy/metrics']);
    expect(metrics).toMatch(/mendlet_container_oom_kills_total\{survived="true"\} [1-9]/);
    expect((await cli('history', 'pod/survivor')).stdout).toContain('OOMKilled (survived)');
  });

  it.concurrent('a failed liveness probe: its outputs, and what changed before', async () => {
    await mendlet.create(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'app' }, data: { mode: 'good' } },
      busyboxPod('live', 'trap exit TERM; echo serving; sleep 36000 & wait', {
        spec: { volumes: [{ name: 'c', configMap: { name: 'app' } }] },
        container: {
          volumeMounts: [{ name: 'c', mountPath: '/c' }],
          livenessProbe: {
            exec: { command: ['sh', '-c', 'grep -q good /c/mode || { echo "mode is $(cat /c/mode)"; exit 1; }'] },
            periodSeconds: 1,
            timeoutSeconds: 60,
            failureThreshold: 2,
          },
        },
      }),
    );
    await mendlet.untilPod('live', 'ready', (pod) => mainContainer(pod)?.ready === true);
    await mendlet.kubectl(['patch', 'configmap', 'app', '-p', '{"data":{"mode":"bad"}}']);
    const { deaths } = await untilDeaths('live', 1);
    const [death] = deaths as readonly [DeathRecord];
    expect(death.probe?.type).toBe('liveness');
    const outputs = death.probe?.outputs.map(({ output }) => output.trim()) ?? [];
    expect(outputs.length).toBeGreaterThanOrEqual(2);
    expect(new Set(outputs)).toEqual(new Set(['mode is bad']));
    expect(death.requested).toBeUndefined();
    expect(death.changes?.map(({ what }) => what)).toEqual([
      expect.stringMatching(/^ConfigMap app changed \(resourceVersion \d+ → \d+\)$/),
    ]);
    expect(death.log?.tail).toBe('serving\n');
    const row = (await cli('history', 'pod/live', '-o', 'wide')).stdout;
    expect(row).toMatch(/liveness probe: mode is bad; after: ConfigMap app changed/);
  });

  itConcurrentInWhole('a liveness probe that is refused: where the pod listened instead', async () => {
    await mendlet.create(
      busyboxPod('deaf', 'exec httpd -f -p 8080', {
        container: { livenessProbe: { tcpSocket: { port: 9090 }, periodSeconds: 1, failureThreshold: 5 } },
      }),
    );
    const isTold = ({ probe }: DeathRecord) => (probe?.listening ?? []).length > 0;
    const { deaths } = await untilHistory('deaf', 'main', 'where it listened', (history) =>
      history.deaths.some(isTold),
    );
    const death = deaths.find(isTold);
    expect(death?.probe).toMatchObject({ type: 'liveness', listening: [{ port: 8080, own: true }] });
    const page = (await cli('history', 'pod/deaf', '--death', `${death?.number}`)).stdout;
    expect(page).toContain('  Ports listened on then: 8080\n');
  });

  it.concurrent('init containers and sidecars die, too, and so does what is deleted', async () => {
    const container = {
      image: 'docker.io/library/busybox:latest',
      imagePullPolicy: 'IfNotPresent',
      volumeMounts: state.mount,
    };
    const sh = (script: string) => ['/bin/sh', '-c', script];
    await mendlet.create(
      busyboxPod('kinds', 'trap "echo told to end; exit 0" TERM; sleep 36000 & wait', {
        spec: {
          ...state.spec,
          terminationGracePeriodSeconds: 120,
          initContainers: [
            { ...container, name: 'setup', command: sh('[ -f /s/up ] && exit 0; touch /s/up; echo not yet; exit 4') },
            {
              ...container,
              name: 'side',
              restartPolicy: 'Always',
              command: sh('[ -f /s/side ] && { trap exit TERM; sleep 36000 & wait; }; touch /s/side; exit 5'),
            },
          ],
        },
      }),
    );
    await mendlet.untilPod('kinds', 'ready', (pod) => mainContainer(pod)?.ready === true);
    const exits = ({ deaths }: ContainerHistory) => deaths.map(({ exitCode }) => exitCode);
    expect(exits(await untilDeaths('kinds', 2, 'setup'))).toEqual([4, 0]);
    expect(exits(await untilDeaths('kinds', 1, 'side'))).toEqual([5]);
    expect((await cli('logs', 'kinds', '-c', 'setup', '--death', '1')).stdout).toBe('not yet\n');
    await mendlet.kubectl(['delete', 'pod', 'kinds', '--wait']);
    const main = await untilDeaths('kinds', 1);
    expect(main.deaths[0]).toMatchObject({
      exitCode: 0,
      requested: { scope: 'pod', reason: expect.stringContaining('Deleted') },
      log: { tail: 'told to end\n' },
    });
  });

  it('outlives kill -9 of the agent: each death once, also of those who died meanwhile', async () => {
    const out = outFolder(mendlet, 'away');
    const script = (name: string) =>
      `echo life of ${name}; trap exit TERM; while [ ! -f /out/${name} ]; do sleep 0.1; done; rm /out/${name}; echo end of ${name}; exit 7`;
    await mendlet.create(
      busyboxPod('away', script('away'), { spec: out.spec, container: out.mount }),
      busyboxPod('later', script('later'), { spec: out.spec, container: out.mount }),
    );
    for (const name of ['away', 'later']) {
      await mendlet.untilPod(name, 'running', (pod) => mainContainer(pod)?.ready === true);
    }
    await untilDeaths('oom', 1);
    const before = await histories('oom');
    await mendlet.end('SIGKILL');
    writeFileSync(join(out.path, 'away'), '');
    await until('its death', async () => (existsSync(join(out.path, 'away')) ? { last: 'it lives' } : { value: true }));
    await mendlet.up();
    const away = await untilDeaths('away', 1);
    expect(away).toMatchObject({ total: 1, deaths: [{ exitCode: 7, log: { tail: 'life of away\nend of away\n' } }] });
    writeFileSync(join(out.path, 'later'), '');
    const later = await untilDeaths('later', 1);
    expect(later.deaths[0]?.changes?.map(({ what }) => what)).toContain('the node agent was restarted');
    // The old records are unchanged; only new deaths were added.
    const after = await histories('oom');
    const known = before[0]?.containers[0]?.deaths ?? [];
    const ids = after[0]?.containers[0]?.deaths.map(({ containerId }) => containerId) ?? [];
    expect(ids.slice(0, known.length)).toEqual(known.map(({ containerId }) => containerId));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('remembers the day of its workloads: deaths, how long they took, and what an agent before it saw', async () => {
    const flag = outFolder(mendlet, 'day');
    const script = 'while [ ! -f /out/day ]; do sleep 0.1; done; rm /out/day; exit 3';
    await mendlet.create(busyboxPod('day', script, { spec: flag.spec, container: flag.mount }));
    await mendlet.untilPod('day', 'running', (pod) => mainContainer(pod)?.ready === true);
    const days = '/apis/mendlet.dev/v1alpha1/namespaces/default/workloaddays?kind=Pod&name=day';
    const sum = (counts: WorkloadDay['deaths']) => counts.reduce((all, [, count]) => all + count, 0);
    const untilDay = (what: string, wanted: (day: WorkloadDay) => boolean) =>
      until<WorkloadDay>(what, async () => {
        const { items, notAsked } = await mendlet.get<WorkloadDayList>(days);
        const [day] = items;
        return day !== undefined && wanted(day) ? { value: day } : { last: JSON.stringify({ items, notAsked }) };
      });
    await untilDay('well', ({ states }) => states.endsWith('o'));
    writeFileSync(join(flag.path, 'day'), '');
    const healed = await untilDay('healed', ({ recoveries }) => recoveries.length > 0);
    expect([sum(healed.deaths), sum(healed.restarts)]).toEqual([1, 1]);
    expect(healed.recoveries[0]).toMatchObject({ healed: 1, alone: 1 });
    // It was dead at least until its status could have said so.
    expect(healed.recoveries[0]?.totalMs).toBeGreaterThan(0);
    expect(healed.states).toContain('h');

    await mendlet.end('SIGTERM');
    await mendlet.up();
    const after = await untilDay('seen again', ({ states }) => states.length > 0);
    expect([sum(after.deaths), sum(after.restarts), after.recoveries]).toEqual([1, 1, healed.recoveries]);
    expect(after.states).toMatch(/h[?]*$/);
    const node = await mendlet.get<WorkloadDayList>('/api/v1/nodes/e2e/proxy/mendlet/v1/days?namespace=default');
    expect(node.nodeName).toBe('e2e');
    expect(node.items.map(({ name }) => name)).toContain('day');
  });
});
