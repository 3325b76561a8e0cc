/**
 * Tests kills of mendlet and containerd at bad moments: no container is disturbed or runs twice, and counts and back-off
 * continue.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inShort, itInWhole, onRuntimes } from './extent.ts';
import { busyboxPod, containerd2, mainContainer, Mendlet, outFolder, until } from './harness.ts';

const runtimes = [
  { name: "the distribution's containerd", podNetwork: 203 },
  { name: 'containerd 2', podNetwork: 204, containerdFolder: containerd2 },
];

const CROWD = inShort(12, 30);

describe.each(onRuntimes(runtimes, "the distribution's containerd"))('survival on $name', (runtime) => {
  const mendlet = new Mendlet(runtime);
  const out = outFolder(mendlet, 'survival');
  afterAll(() => mendlet.down());

  const withOut = { spec: out.spec, container: out.mount };
  /** The output of each life of the crash loop: "start T" and "end T" alternate, unless two ran at once. */
  const loops = () => out.lines('loop').map((line) => line.split(' ') as [string, string]);
  const expectOneAtATime = () => {
    for (const [n, [what]] of loops().entries())
      expect(what, out.lines('loop').join(' ')).toBe(n % 2 === 0 ? 'start' : 'end');
  };
  const containerId = async (name: string) => mainContainer(await mendlet.pod(name))?.containerID;
  const restarts = async (name: string) => mainContainer(await mendlet.pod(name))?.restartCount ?? 0;
  const untilTalks = async () => {
    const before = out.lines('talk').length;
    await until('the talker goes on', async () =>
      out.lines('talk').length > before + 3 ? { value: true } : { last: `${out.lines('talk').length} lines` },
    );
  };

  beforeAll(async () => {
    await mendlet.up();
    await mendlet.create(
      busyboxPod('steady', 'echo start >>/out/steady; exec sleep 36000', withOut),
      // The pod prints 1 MiB a second; without a reader it would block after 128 KiB.
      busyboxPod(
        'talker',
        'while true; do head -c 102400 /dev/zero | tr "\\0" "x" | fold -w 1023; echo .; echo $(cut -d" " -f1 /proc/uptime) >>/out/talk; sleep 0.1; done',
        withOut,
      ),
      busyboxPod(
        'loop',
        'echo start $(cut -d" " -f1 /proc/uptime) >>/out/loop; sleep 0.5; echo end $(cut -d" " -f1 /proc/uptime) >>/out/loop; exit 1',
        withOut,
      ),
      busyboxPod('done', 'echo once >>/out/done; exit 0', {
        ...withOut,
        spec: { ...out.spec, restartPolicy: 'Never' },
      }),
    );
    for (const name of ['steady', 'talker'])
      await mendlet.untilPod(name, 'ready', (pod) => mainContainer(pod)?.ready === true);
    await mendlet.untilPod('done', 'Succeeded', (pod) => pod.status.phase === 'Succeeded');
    await mendlet.untilPod(
      'loop',
      'in its second wait',
      (pod) =>
        mainContainer(pod)?.restartCount === 2 && mainContainer(pod)?.state.waiting?.reason === 'CrashLoopBackOff',
    );
  });

  it('SIGKILL of mendlet in the middle of a crash loop', async () => {
    const ids = {
      steady: await containerId('steady'),
      talker: await containerId('talker'),
      restarts: await restarts('loop'),
    };
    await mendlet.end('SIGKILL');
    await untilTalks();
    await mendlet.up();
    await untilTalks();
    await mendlet.untilPod(
      'loop',
      'restarted once more',
      (pod) => (mainContainer(pod)?.restartCount ?? 0) > ids.restarts,
    );
    expect(await containerId('steady')).toBe(ids.steady);
    expect(await containerId('talker')).toBe(ids.talker);
    expect(await restarts('steady')).toBe(0);
    expectOneAtATime();
    // The third wait is the curve's 20 s, so the agent's death did not reset it.
    const times = loops();
    expect(Number(times[6]?.[1]) - Number(times[5]?.[1])).toBeGreaterThan(19.9);
  });

  it('SIGKILL of containerd: it is back by itself', async () => {
    const ids = { steady: await containerId('steady'), talker: await containerId('talker') };
    const pid = mendlet.containerdPid();
    process.kill(pid, 'SIGKILL');
    await until('a new containerd', async () => {
      try {
        return mendlet.containerdPid() === pid ? { last: 'the old one' } : { value: true };
      } catch (error) {
        return { last: String(error) };
      }
    });
    await untilTalks();
    await mendlet.create(busyboxPod('after-containerd', 'exec sleep 36000'));
    await mendlet.untilPod('after-containerd', 'ready', (pod) => mainContainer(pod)?.ready === true);
    expect(await containerId('steady')).toBe(ids.steady);
    expect(await containerId('talker')).toBe(ids.talker);
    expect(out.lines('steady')).toEqual(['start']);
  });

  itInWhole('SIGKILL of both at once', async () => {
    const ids = {
      steady: await containerId('steady'),
      talker: await containerId('talker'),
      restarts: await restarts('loop'),
    };
    process.kill(mendlet.containerdPid(), 'SIGKILL');
    await mendlet.end('SIGKILL');
    await sleep(1000);
    await mendlet.up();
    await untilTalks();
    expect(await containerId('steady')).toBe(ids.steady);
    expect(await containerId('talker')).toBe(ids.talker);
    expect(await restarts('steady')).toBe(0);
    expect(await restarts('loop')).toBeGreaterThanOrEqual(ids.restarts);
    expect(out.lines('steady')).toEqual(['start']);
    expectOneAtATime();
  });

  it('SIGTERM leaves the pods running and says so; the next up takes them over', async () => {
    const id = await containerId('steady');
    expect(await mendlet.end('SIGTERM')).toBe(0);
    expect(mendlet.log).toMatch(/pods? (is|are|stay|left|keep)/i);
    await untilTalks();
    await mendlet.up();
    await mendlet.untilPod('steady', 'ready', (pod) => mainContainer(pod)?.ready === true);
    expect(await containerId('steady')).toBe(id);
  });

  it('a damaged object and a store that is gone: it is said, and the containers are left alone', async () => {
    const id = await containerId('talker');
    const backup = await mendlet.kubectl(['get', 'pod', 'talker', '-o', 'json']);
    const store = join(mendlet.dataDir, 'store/store.db');
    await mendlet.end('SIGTERM');
    spoilNewest(store, '/registry/pods/default/talker');
    await mendlet.up();
    const get = await mendlet.tryKubectl(['get', 'pod', 'talker']);
    expect([get.code, get.stderr]).toEqual([1, expect.stringContaining('/registry/pods/default/talker')]);
    expect((await mendlet.tryKubectl(['get', 'pods'])).stderr).toContain('default/talker');
    await until('the agent keeps it', async () =>
      mendlet.log.includes('it is kept') ? { value: true } : { last: mendlet.log.slice(-500) },
    );
    await untilTalks();
    await mendlet.kubectl(['replace', '-f', '-'], backup);
    await mendlet.untilPod('talker', 'ready again', (pod) => mainContainer(pod)?.ready === true);
    expect(await containerId('talker')).toBe(id);

    await mendlet.end('SIGTERM');
    renameSync(store, `${store}.away`);
    await expect(mendlet.up()).rejects.toThrow(/store\.db is missing.*mendlet store begin-anew/s);
    await untilTalks();
    renameSync(`${store}.away`, store);
    await mendlet.up();

    rmSync(store);
    await mendlet.tryKubectl(['create', 'configmap', 'late', '--request-timeout=10s']);
    await until('its end', async () =>
      mendlet.log.includes('saved in') ? { value: true } : { last: mendlet.log.slice(-500) },
    );
    await mendlet.end('SIGTERM');
    const rescued = /saved in (\S*rescued-\d+)/.exec(mendlet.log)?.[1] ?? '';
    await mendlet.command('store', 'restore', rescued);
    await mendlet.command('store', 'check');
    await mendlet.up();
    await untilTalks();
    await mendlet.untilPod('talker', 'ready', (pod) => mainContainer(pod)?.ready === true);
    expect(await containerId('talker')).toBe(id);
  });

  it('up again after all containers are lost, as by a reboot', async () => {
    const before = { restarts: await restarts('loop'), uid: (await mendlet.pod('steady')).metadata.uid };
    await mendlet.end('SIGKILL');
    loseEverything(mendlet);
    await mendlet.up();
    await mendlet.untilPod(
      'steady',
      'running again',
      (pod) => mainContainer(pod)?.ready === true && (mainContainer(pod)?.restartCount ?? 0) >= 1,
    );
    expect((await mendlet.pod('steady')).metadata.uid).toBe(before.uid);
    await until('a second start', async () =>
      out.lines('steady').length === 2 ? { value: true } : { last: out.lines('steady').join() },
    );
    expect(await restarts('loop')).toBeGreaterThanOrEqual(before.restarts);
    expect((await mendlet.pod('done')).status.phase).toBe('Succeeded');
    expect(out.lines('done')).toEqual(['once']);
  });

  it('SIGKILL of mendlet while pods start: each gets there once, and each goes again', async () => {
    const { spec, container } = withOut;
    for (const [round, delayMs] of inShort([1500], [700, 1500, 2500]).entries()) {
      const names = Array.from({ length: 12 }, (_, n) => `born-${round}-${n}`);
      const labels = { born: `${round}` };
      await mendlet.create(
        ...names.map((name) =>
          busyboxPod(name, 'echo start >>/out/$HOSTNAME; exec sleep 36000', { spec, container, metadata: { labels } }),
        ),
      );
      await sleep(delayMs);
      await mendlet.end('SIGKILL');
      await mendlet.up();
      await mendlet.kubectl(['wait', 'pod', '-l', `born=${round}`, '--for=condition=Ready', '--timeout=300s']);
      // An interrupted start may have taken effect, and is counted then. No other container starts twice.
      for (const name of names) expect(out.lines(name).length, name).toBeLessThanOrEqual(1 + (await restarts(name)));
      await mendlet.kubectl(['delete', 'pod', '-l', `born=${round}`, '--wait=true', '--timeout=300s']);
    }
    await until('nothing left of them', async () => {
      const left = mendlet.podLogs('default', 'born-');
      return left.length === 0 ? { value: true } : { last: left.join(' ') };
    });
  });

  it(`${CROWD} pods at once`, async () => {
    const names = Array.from({ length: CROWD }, (_, n) => `many-${n}`);
    await mendlet.create(
      ...names.map((name) => busyboxPod(name, 'exec sleep 36000', { metadata: { labels: { many: 'yes' } } })),
    );
    await mendlet.kubectl(['wait', 'pod', '-l', 'many=yes', '--for=condition=Ready', '--timeout=300s']);
    const pods = JSON.parse(await mendlet.kubectl(['get', 'pods', '-l', 'many=yes', '-o', 'json'])) as {
      items: { status: { podIP: string } }[];
    };
    expect(new Set(pods.items.map((pod) => pod.status.podIP)).size).toBe(CROWD);
    await mendlet.kubectl(['delete', 'pod', '-l', 'many=yes', '--grace-period=0', '--force', '--wait=true']);
  });

  it('down leaves nothing: no process, mount, bridge or cgroup', async () => {
    await mendlet.end('SIGTERM');
    await mendlet.down();
    expect(processesOf(mendlet)).toEqual([]);
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(mendlet.folder);
    expect(execFileSync('ip', ['-4', 'addr'], { encoding: 'utf8' })).not.toContain(`10.${runtime.podNetwork}.`);
  });
});

/** Simulates a reboot: kills every process of the pods and of containerd, and clears /run. The disk stays. */
function loseEverything(mendlet: Mendlet): void {
  for (let round = 0; round < 5; round++)
    for (const pid of processesOf(mendlet)) spawnSync('kill', ['-9', String(pid)]);
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').toReversed()) {
    const target = line.split(' ')[4];
    if (target?.startsWith('/run/mendlet/') && line.includes(mendlet.folder)) spawnSync('umount', ['-l', target]);
  }
  const instance = readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
  for (const line of readFileSync('/proc/self/mountinfo', 'utf8').split('\n').toReversed()) {
    const target = line.split(' ')[4];
    if (target?.startsWith(`/run/mendlet/${instance}/`)) spawnSync('umount', ['-l', target]);
  }
  rmSync(join('/run/mendlet', instance), { recursive: true, force: true });
}

/** containerd, its shims and the containers' processes of this data folder. */
function processesOf(mendlet: Mendlet): number[] {
  const instance = spawnSync('cat', [join(mendlet.dataDir, 'instance')], { encoding: 'utf8' }).stdout.trim();
  const ours: number[] = [];
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    try {
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const cgroup = readFileSync(`/proc/${pid}/cgroup`, 'utf8');
      const named =
        commandLine.includes(mendlet.folder) || (instance !== '' && commandLine.includes(`/run/mendlet/${instance}`));
      if (named || (instance !== '' && cgroup.includes(instance))) ours.push(pid);
    } catch {
      // The process has ended meanwhile.
    }
  }
  return ours;
}

/** Damages the newest value of `key`, as a bad disk would. */
function spoilNewest(store: string, key: string): void {
  const db = new DatabaseSync(store);
  db.prepare(
    'UPDATE log SET value = zeroblob(length(value)) WHERE revision = (SELECT max(revision) FROM log WHERE key = ?)',
  ).run(key);
  db.close();
}
