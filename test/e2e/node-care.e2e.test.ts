/** The node keeps itself well: runaway logs are bounded, pods beyond their disk limit are evicted, and so is one when memory is short. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet, mainContainer, until } from './harness.ts';

const LOG_BYTES = 256 * 1024;

describe('the node', () => {
  const mendlet = new Mendlet({ podNetwork: 160 });
  const settings = join(mendlet.folder, 'kubelet.yaml');
  const configure = (lines: readonly string[]): void =>
    writeFileSync(
      settings,
      ['apiVersion: kubelet.config.k8s.io/v1beta1', 'kind: KubeletConfiguration', ...lines].join('\n'),
    );
  const logFiles = (name: string): readonly string[] => {
    const [folder] = mendlet.podLogs('default', `${name}_`);
    return folder === undefined ? [] : readdirSync(join(folder, 'main')).map((file) => join(folder, 'main', file));
  };
  const events = (name: string): Promise<string> =>
    mendlet.kubectl([
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name}`,
      '-o',
      'custom-columns=R:.reason,M:.message',
    ]);
  afterAll(() => mendlet.down());

  beforeAll(async () => {
    configure([`containerLogMaxSize: ${LOG_BYTES}`, 'containerLogMaxFiles: 3', 'containerLogMonitorInterval: 3s']);
    await mendlet.up(['--kubelet-config', settings]);
    await mendlet.create(
      busyboxPod(
        'runaway',
        'n=0; while true; do n=$((n+1)); echo "line $n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; [ $((n % 1000)) = 0 ] && sleep 0.1; done',
      ),
      busyboxPod('greedy', 'head -c 4194304 /dev/zero >/scratch/data; exec sleep 36000', {
        spec: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
        container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      }),
      busyboxPod('hoarder', 'head -c 4194304 /dev/zero >/data; exec sleep 36000', {
        container: { resources: { limits: { 'ephemeral-storage': '1Mi' } } },
      }),
      busyboxPod('modest', 'head -c 4096 /dev/zero >/scratch/data; exec sleep 36000', {
        spec: { volumes: [{ name: 'scratch', emptyDir: { sizeLimit: '1Mi' } }] },
        container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      }),
    );
  });

  it('evicts pods that use more disk than they may, and says which limit it was', async () => {
    const greedy = await mendlet.untilPod('greedy', 'evicted', ({ status }) => status.phase === 'Failed');
    expect(greedy.status.reason).toBe('Evicted');
    expect(greedy.status.conditions?.find(({ type }) => type === 'DisruptionTarget')).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
    });
    expect(await events('greedy')).toContain('Usage of EmptyDir volume "scratch" exceeds the limit "1Mi"');
    const hoarder = await mendlet.untilPod('hoarder', 'evicted', ({ status }) => status.phase === 'Failed');
    expect(hoarder.status.reason).toBe('Evicted');
    expect(await events('hoarder')).toContain('ephemeral local storage');
    expect(mainContainer(await mendlet.pod('modest'))?.state.running).toBeDefined();
  });

  it('rotates a runaway log, compresses what is old and keeps no more files than it should', async () => {
    const files = await until<readonly string[]>('rotated logs', async () => {
      const found = logFiles('runaway');
      return found.some((file) => file.endsWith('.gz')) ? { value: found } : { last: found.join(' ') };
    });
    expect(files.length).toBeLessThanOrEqual(4);
    for (let look = 0; look < 20; look++) {
      // The log, its last rotation and one compressed; a fourth is there only while it is being exchanged.
      const names = logFiles('runaway').filter((file) => !file.endsWith('.tmp'));
      expect(names.length, names.join(' ')).toBeLessThanOrEqual(4);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // Just after a rotation the log is as good as empty.
    await until('its last lines', async () => {
      const tail = await mendlet.kubectl(['logs', 'runaway', '--tail', '2']);
      return tail.trim().split('\n').length >= 2 ? { value: true } : { last: tail };
    });
  });

  it('evicts the pod that uses most when memory is short, tells the node’s condition, and takes nobody new', async () => {
    await mendlet.kubectl(['delete', 'pod', 'runaway', 'greedy', 'hoarder', '--wait']);
    await mendlet.create(
      busyboxPod('hog', 'head -c 50331648 /dev/zero >/mem/x; exec sleep 36000', {
        spec: { volumes: [{ name: 'mem', emptyDir: { medium: 'Memory' } }] },
        container: { volumeMounts: [{ name: 'mem', mountPath: '/mem' }] },
      }),
    );
    await mendlet.untilPod('hog', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    await mendlet.end('SIGTERM');
    // More than the machine can ever have free: short of memory from the first look.
    configure(['evictionHard:', '  memory.available: "100%"']);
    await mendlet.up(['--kubelet-config', settings]);
    const evicted = await mendlet.untilPod('hog', 'evicted', ({ status }) => status.phase === 'Failed');
    expect(evicted.status.reason).toBe('Evicted');
    expect(await events('hog')).toMatch(
      /The node was low on resource: memory\. Threshold quantity: \d+Ki, available: \d+Ki/,
    );
    const node = JSON.parse(await mendlet.kubectl(['get', 'node', 'e2e', '-o', 'json'])) as {
      status: { conditions: { type: string; status: string }[] };
    };
    expect(node.status.conditions.find(({ type }) => type === 'MemoryPressure')?.status).toBe('True');
    await mendlet.create(busyboxPod('late', 'sleep 1', { spec: { nodeName: 'e2e' } }));
    const late = await mendlet.untilPod('late', 'rejected', ({ status }) => status.phase === 'Failed');
    expect(late.status.reason).toBe('Evicted');
  });
});
