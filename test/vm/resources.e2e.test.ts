/** Tests resources of pods on cgroup v2 under systemd: slices, scopes, limits, OOM kills, eviction, figures. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeathRecord } from '../../src/api/index.ts';
import type { Summary } from '../../src/kubelet/stats/summary.ts';
import { busyboxPod, mainContainer } from '../e2e/harness.ts';
import { MendletOnGuest, until } from './mendlet-on-guest.ts';

const MIB = 1024 * 1024;
const POD_PIDS = 200;
const FOREVER = 'exec sleep 360000';

const pods = {
  guaranteed: busyboxPod('guaranteed', FOREVER, {
    container: { resources: { limits: { cpu: '500m', memory: '64Mi' } } },
  }),
  burstable: busyboxPod('burstable', FOREVER, {
    container: { resources: { requests: { cpu: '200m', memory: '32Mi' }, limits: { memory: '100Mi' } } },
  }),
  besteffort: busyboxPod('besteffort', FOREVER),
};

interface Limits {
  readonly qos: string;
  readonly cpuMax: string;
  readonly cpuWeight: string;
  readonly memoryMax: string;
}

const expected: Readonly<Record<keyof typeof pods, Limits>> = {
  guaranteed: { qos: '', cpuMax: '50000 100000', cpuWeight: '20', memoryMax: String(64 * MIB) },
  burstable: { qos: '-burstable', cpuMax: 'max 100000', cpuWeight: '8', memoryMax: String(100 * MIB) },
  besteffort: { qos: '-besteffort', cpuMax: 'max 100000', cpuWeight: '1', memoryMax: 'max' },
};

const mendlet = new MendletOnGuest();

beforeAll(() => mendlet.up({ podPidsLimit: POD_PIDS, evictionHard: { 'memory.available': '500Mi' } }));
afterAll(() => mendlet.remove());

const uidOf = async (name: string): Promise<string> => (await mendlet.pod(name)).metadata.uid;
const sliceOf = (uid: string): string => `**/*-pod${uid.replaceAll('-', '_')}.slice`;
/** The scope of the pod's container, as a pattern for `cgroupFiles`. */
const scopeOf = async (name: string): Promise<string> => {
  const id = mainContainer(await mendlet.pod(name))?.containerID?.replace('containerd://', '');
  return `**/cri-containerd-${id}.scope`;
};
const read = async (group: string, file: string): Promise<string> => {
  const found = [...(await mendlet.cgroupFiles(`${group}/${file}`)).values()];
  if (found.length !== 1) throw new Error(`${found.length} files match ${group}/${file}`);
  return found[0] ?? '';
};

describe('under systemd', () => {
  it('kubectl sees a node that is ready', async () => {
    expect(await mendlet.kubectl('get nodes --no-headers')).toMatch(/^vm +Ready +/m);
    expect(await mendlet.guest.sh('stat -f -c %T /sys/fs/cgroup')).toBe('cgroup2fs\n');
  });

  it('pods run, each in a slice of its class', async () => {
    await mendlet.create(...Object.values(pods));
    for (const name of Object.keys(pods)) await mendlet.untilRunning(name);
    for (const [name, { qos }] of Object.entries(expected)) {
      const [path] = [...(await mendlet.cgroupFiles(`${await scopeOf(name)}/cgroup.procs`)).keys()];
      const uid = (await uidOf(name)).replaceAll('-', '_');
      const root = 'mendlet_[0-9a-z]{6}';
      const classes = qos === '' ? '' : `${root}-kubepods${qos}\\.slice/`;
      expect(path).toMatch(
        new RegExp(`^${root}\\.slice/${root}-kubepods\\.slice/${classes}${root}-kubepods${qos}-pod${uid}\\.slice/cri-`),
      );
    }
    // The groups are systemd's: each is a running unit.
    const units = await mendlet.guest.sh('systemctl list-units --no-legend --plain "mendlet_*" "cri-containerd-*"');
    const states = units.split('\n').filter(Boolean);
    expect(states.length).toBeGreaterThanOrEqual(3 + 3 * 3);
    expect(states.filter((line) => !/ loaded +active +/.test(line))).toEqual([]);
  });

  it('the classes weigh what upstream gives them', async () => {
    expect(await read('*-kubepods.slice', 'cpu.weight')).toBe('79');
    expect(await read('*-kubepods.slice/*-burstable.slice', 'cpu.weight')).toBe('39');
    expect(await read('*-kubepods.slice/*-besteffort.slice', 'cpu.weight')).toBe('1');
  });

  it.each(Object.entries(expected))('limits of a %s pod', async (name, { cpuMax, cpuWeight, memoryMax }) => {
    for (const group of [sliceOf(await uidOf(name)), await scopeOf(name)]) {
      expect(await read(group, 'cpu.max')).toBe(cpuMax);
      expect(await read(group, 'cpu.weight')).toBe(cpuWeight);
      expect(await read(group, 'memory.max')).toBe(memoryMax);
    }
    expect(await read(await scopeOf(name), 'memory.oom.group')).toBe('1');
    // Only the pod has a limit; systemd's default would set one for each container.
    expect(await read(sliceOf(await uidOf(name)), 'pids.max')).toBe(String(POD_PIDS));
    expect(await read(await scopeOf(name), 'pids.max')).toBe('max');
  });

  it('a resize in place changes the groups, not the container, and systemd keeps it', async () => {
    const before = mainContainer(await mendlet.pod('guaranteed'));
    const resources = { limits: { cpu: '1', memory: '128Mi' }, requests: { cpu: '1', memory: '128Mi' } };
    await mendlet.request('PATCH', '/api/v1/namespaces/default/pods/guaranteed/resize', {
      spec: { containers: [{ name: 'main', resources }] },
    });
    const groups = [sliceOf(await uidOf('guaranteed')), await scopeOf('guaranteed')];
    const shown = async (): Promise<string> => {
      const files = groups.flatMap((group) => [read(group, 'cpu.max'), read(group, 'memory.max')]);
      return (await Promise.all(files)).join();
    };
    const wanted = `100000 100000,${128 * MIB},100000 100000,${128 * MIB}`;
    await until('the new limits', async () => {
      const last = await shown();
      return last === wanted ? { value: undefined } : { last };
    });
    await mendlet.guest.sh('systemctl daemon-reload');
    expect(await shown()).toBe(wanted);
    expect(await read(await scopeOf('guaranteed'), 'memory.oom.group')).toBe('1');
    const after = mainContainer(await mendlet.pod('guaranteed'));
    expect([after?.containerID, after?.restartCount]).toEqual([before?.containerID, 0]);
  });
});

describe('heals', () => {
  it('a container that ends', async () => {
    await mendlet.create(busyboxPod('ends', 'sleep 2; exit 7'));
    const pod = await mendlet.untilPod('ends', 'was restarted', (each) => (mainContainer(each)?.restartCount ?? 0) > 0);
    expect(mainContainer(pod)?.lastState.terminated).toMatchObject({ exitCode: 7, reason: 'Error' });
    await mendlet.request('DELETE', '/api/v1/namespaces/default/pods/ends');
  });

  it('a container whose liveness probe fails', async () => {
    const probe = { exec: { command: ['test', '!', '-e', '/sick'] }, periodSeconds: 5, timeoutSeconds: 120 };
    await mendlet.create(
      busyboxPod('sick', 'sleep 10; touch /sick; exec sleep 360000', {
        container: { livenessProbe: { ...probe, failureThreshold: 1 } },
      }),
    );
    await mendlet.untilPod('sick', 'was restarted', (each) => (mainContainer(each)?.restartCount ?? 0) > 0);
    const events = await mendlet.kubectl('events --for pod/sick');
    expect(events).toContain('Unhealthy');
    expect(events).toContain('Killing');
    await mendlet.request('DELETE', '/api/v1/namespaces/default/pods/sick');
  });

  it('a container that runs out of memory, which dies as a whole', async () => {
    await mendlet.create(
      busyboxPod('oom', 'sleep 360000 & tail -c 200000000 /dev/zero; echo survived; sleep 360000', {
        container: { resources: { limits: { memory: '48Mi' } } },
      }),
    );
    // The runtime may miss the kernel's report of one death, but not of all.
    const pod = await mendlet.untilPod(
      'oom',
      'OOMKilled',
      (each) => mainContainer(each)?.lastState.terminated?.reason === 'OOMKilled',
    );
    expect(mainContainer(pod)?.lastState.terminated?.exitCode).toBe(137);
    const events = await read(sliceOf(pod.metadata.uid), 'memory.events');
    expect(events).toMatch(/\boom_kill [1-9]/);
    expect(events).toMatch(/\boom_group_kill [1-9]/);
    const [death] = await deathsWithProcesses(pod.metadata.uid);
    expect(death).toMatchObject({ exitCode: 137, oom: { limitBytes: 48 * MIB } });
    const pids = (death?.oom?.processes ?? []).map(({ pid }) => pid);
    expect(pids).toEqual([...new Set(pids)]);
    expect(pids.length).toBeGreaterThanOrEqual(2);
    await mendlet.request('DELETE', '/api/v1/namespaces/default/pods/oom');
  });

  it('nothing by a pod that forks without end: its own limit stops it', async () => {
    await mendlet.create(busyboxPod('forks', `for i in $(seq 400); do sleep 360000 & done; ${FOREVER}`));
    const slice = sliceOf((await mendlet.untilPod('forks', 'is known', () => true)).metadata.uid);
    await until('a fork that was refused', async () => {
      const events = [...(await mendlet.cgroupFiles(`${slice}/pids.events`)).values()];
      return events.some((text) => /\bmax [1-9]/.test(text)) ? { value: undefined } : { last: events.join() };
    });
    expect(Number(await read(slice, 'pids.peak'))).toBeLessThanOrEqual(POD_PIDS);
    await mendlet.request('DELETE', '/api/v1/namespaces/default/pods/forks');
    expect(mainContainer(await mendlet.pod('burstable'))?.restartCount).toBe(0);
  });

  async function deathsWithProcesses(uid: string): Promise<readonly DeathRecord[]> {
    return await until<readonly DeathRecord[]>('a death with its processes', async () => {
      const text = await mendlet.guest.sh(`cat /var/lib/mendlet/agent/deaths/${uid}.json`);
      const books = text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { deaths?: DeathRecord[] });
      const found = books.flatMap(({ deaths = [] }) => deaths).filter(({ oom }) => oom?.processes !== undefined);
      return found.length > 0 ? { value: found } : { last: text };
    });
  }
});

describe('figures', () => {
  it('kubectl top', async () => {
    const nodes = await until<string>('kubectl top node', async () => {
      const { code, stdout, stderr } = await mendlet.tryKubectl('top node');
      return code === 0 ? { value: stdout } : { last: stderr };
    });
    const [, cores, memory] = /^vm +(\d+)m +\d+% +(\d+)Mi +\d+%/m.exec(nodes) ?? [];
    expect(Number(cores)).toBeLessThanOrEqual(2100);
    expect(Number(memory)).toBeGreaterThan(100);
    expect(Number(memory)).toBeLessThan(2048);
    const [, used] = /^burstable +\d+m +(\d+)Mi/m.exec(await mendlet.kubectl('top pod')) ?? [];
    expect(Number(used)).toBeLessThanOrEqual(100);
  });

  it('the summary has pressure of the node and of containers', async () => {
    const summary = await mendlet.request<Summary>('GET', '/api/v1/nodes/vm/proxy/stats/summary');
    const pod = summary?.pods.find(({ podRef }) => podRef.name === 'burstable');
    const main = pod?.containers.find(({ name }) => name === 'main');
    for (const psi of [summary?.node.cpu?.psi, summary?.node.memory?.psi, main?.cpu?.psi, main?.memory?.psi]) {
      expect(psi?.some.total).toBeGreaterThanOrEqual(0);
    }
    expect(main?.memory?.workingSetBytes).toBeGreaterThan(0);
    expect(main?.memory?.workingSetBytes).toBeLessThanOrEqual(100 * MIB);
    expect(main?.memory?.availableBytes).toBe(100 * MIB - (main?.memory?.workingSetBytes ?? 0));
  });
});

it('who takes the memory of all is evicted, and nobody else', async () => {
  await mendlet.create(
    busyboxPod('hog', `dd if=/dev/zero of=/mem/hog bs=1M count=1500; ${FOREVER}`, {
      spec: { volumes: [{ name: 'mem', emptyDir: { medium: 'Memory' } }] },
      container: { volumeMounts: [{ name: 'mem', mountPath: '/mem' }] },
    }),
  );
  const pod = await mendlet.untilPod('hog', 'is evicted', ({ status }) => status.phase === 'Failed');
  expect(pod.status.reason).toBe('Evicted');
  expect(JSON.stringify(pod.status)).toContain('memory');
  const node = await mendlet.request<{ status: { conditions: { type: string; status: string }[] } }>(
    'GET',
    '/api/v1/nodes/vm',
  );
  expect(node?.status.conditions.find(({ type }) => type === 'MemoryPressure')?.status).toBe('True');
  const others = await Promise.all(['guaranteed', 'burstable'].map((name) => mendlet.pod(name)));
  expect(others.map((each) => [each.status.phase, mainContainer(each)?.restartCount])).toEqual([
    ['Running', 0],
    ['Running', 0],
  ]);
});
