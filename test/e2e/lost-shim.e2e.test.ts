/** Tests what is told of pods whose shim was killed: that is the end of their sandbox, and nobody asked for it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ContainerHistory, PodHistoryList } from '../../src/api/index.ts';
import { busyboxPod, Mendlet, type ObservedContainer, root, run, until } from './harness.ts';

const side = {
  name: 'side',
  image: 'docker.io/library/busybox:latest',
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', 'exec sleep 36002'],
};

describe('a shim that was killed', () => {
  const mendlet = new Mendlet({ podNetwork: 241 });
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  const cli = (...args: readonly string[]) =>
    run(process.execPath, [join(root, 'dist/mendlet.js'), ...args], {
      env: { ...process.env, KUBECONFIG: mendlet.kubeconfig },
    });

  it.each([
    ['one container', 'lonely', ['main']],
    ['two containers, which die together', 'pair', ['main', 'side']],
  ])('a pod of %s: told in history and why, and nobody asked for it', async (_, name, containers) => {
    const count = 36_100 + containers.length;
    const pod = busyboxPod(name, `exec sleep ${count}`) as { spec: { containers: object[] } };
    if (containers.includes('side')) pod.spec.containers.push(side);
    await mendlet.create(pod);
    await mendlet.untilPod(name, 'ready', ({ status }) => areReady(status.containerStatuses));
    process.kill(parentOf(`sleep\u0000${count}\u0000`), 'SIGKILL');
    await mendlet.untilPod(
      name,
      'running again',
      ({ status }) =>
        areReady(status.containerStatuses) &&
        status.containerStatuses?.every(({ restartCount }) => restartCount === 1) === true,
    );
    const found = await until<readonly ContainerHistory[]>('the deaths with their cause', async () => {
      const raw = await mendlet.kubectl(['get', '--raw', `/api/v1/namespaces/default/pods/${name}/history`]);
      const each = (JSON.parse(raw) as PodHistoryList).items[0]?.containers ?? [];
      const isKnown = each.length === containers.length && each.every(({ deaths }) => deaths[0]?.sandboxLost);
      return isKnown ? { value: each } : { last: raw };
    });
    for (const { total, deaths } of found) {
      expect(total).toBe(1);
      expect(deaths[0]).toMatchObject({ exitCode: 255, sandboxLost: 'the sandbox is not ready' });
      expect(deaths[0]).not.toHaveProperty('requested');
    }
    const history = (await cli('history', `pod/${name}`)).stdout;
    expect(history.match(/its shim was lost, and its end was not seen/g)?.length).toBe(containers.length);
    expect(history).not.toContain('asked for');
    const why = await cli('why', `pod/${name}`, '-o', 'json');
    const { findings } = JSON.parse(why.stdout) as { findings: { id: string; says: string }[] };
    expect(findings.map(({ id }) => id)).toEqual(['sandbox-lost']);
    expect(findings[0]?.says).toContain(containers.join(' and '));
    expect(findings[0]?.says).toContain('its shim, was killed');
  });
});

const areReady = (statuses: readonly ObservedContainer[] | undefined): boolean =>
  statuses !== undefined && statuses.length > 0 && statuses.every(({ ready }) => ready);

/** The parent of the process with this command line: the shim of its pod. */
function parentOf(commandLine: string): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      if (readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== commandLine) continue;
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
    } catch {
      // It has ended meanwhile.
    }
  }
  throw new Error(`no process ${commandLine}`);
}
