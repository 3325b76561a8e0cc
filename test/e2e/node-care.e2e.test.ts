/** Tests that a node protects itself: logs are bounded, and pods beyond their disk limit or under memory pressure are evicted. */
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet, mainContainer, root, run, until } from './harness.ts';

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
    // The pod's folder exists before its container's.
    const folders = mendlet.podLogs('default', `${name}_`).map((folder) => join(folder, 'main'));
    return folders.filter(existsSync).flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
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
      // The log, its last rotation and a compressed one; a fourth exists only during a rotation.
      const names = logFiles('runaway').filter((file) => !file.endsWith('.tmp'));
      expect(names.length, names.join(' ')).toBeLessThanOrEqual(4);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    // Just after a rotation the log is almost empty.
    await until('its last lines', async () => {
      const tail = await mendlet.kubectl(['logs', 'runaway', '--tail', '2']);
      return tail.trim().split('\n').length >= 2 ? { value: true } : { last: tail };
    });
  });

  it('shows no other file, loses no volume and says what is too large, whatever hostile pods try', async () => {
    const secret = join(mendlet.folder, 'secret');
    writeFileSync(secret, 'root:x:secret');
    const logs = { name: 'logs', hostPath: { path: '/var/log/pods' } };
    const withLogs = (name: string, script: string): object =>
      busyboxPod(name, `cd /pods/default_${name}_*/main && ${script}; exec sleep 36000`, {
        spec: { volumes: [logs] },
        container: { volumeMounts: [{ name: 'logs', mountPath: '/pods' }] },
      });
    const flood =
      'echo mine; i=0; while [ $i -lt 8000 ]; do echo "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"; i=$((i+1)); done';
    const litter = [
      'cd /scratch && touch "$(printf \'a\\377b\')" && mkdir "$(printf \'\\300\')" && mkfifo pipe',
      'ln -s / root; ln -s .. up; truncate -s 1T sparse; i=0',
      'while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; touch end',
      'head -c 20000000 /dev/zero >/dev/termination-log; exit 3',
    ].join('; ');
    await mendlet.create(
      withLogs('linker', `mv 0.log aside && ln -s ${secret} 0.log`),
      withLogs('piper', 'mv 0.log aside && mkfifo 0.log'),
      withLogs('planter', `ln -s ${secret} 0.log.20200101-000000; ${flood}`),
      busyboxPod('litterer', litter, {
        spec: { volumes: [{ name: 'scratch', emptyDir: {} }], restartPolicy: 'Never' },
        container: { volumeMounts: [{ name: 'scratch', mountPath: '/scratch' }] },
      }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'big' }, data: { BIG: 'x'.repeat(1_000_000) } },
      busyboxPod('bomb', 'exec sleep 36000', { container: { envFrom: [{ configMapRef: { name: 'big' } }] } }),
    );
    const ports = Array.from({ length: 15_000 }, (_, i) => ({ name: `p${i}`, port: i + 1 }));
    const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'vast' }, spec: { ports } };
    const refused = await mendlet.tryKubectl(['create', '-f', '-'], JSON.stringify(service));
    expect(refused.stderr).toContain('spec.ports: Too many: 15000: must have at most 3000 items');
    for (const [name, said] of [
      ['linker', 'symbolic link'],
      ['piper', 'not a regular file'],
    ] as const) {
      await until(`no log of ${name}`, async () => {
        const { code, stdout, stderr } = await mendlet.tryKubectl(['logs', name]);
        expect(stdout).not.toContain('secret');
        return code !== 0 && stderr.includes(said) ? { value: true } : { last: `${stdout}${stderr}` };
      });
    }
    await until('a rotation beside the planted link', async () => {
      const files = logFiles('planter');
      return files.some((file) => /\.\d{8}-\d{6}/.test(file) && !file.includes('20200101'))
        ? { value: true }
        : { last: files.join(' ') };
    });
    const found = await mendlet.kubectl([
      'exec',
      'planter',
      '--',
      'sh',
      '-c',
      'cd /pods/default_planter_*/main; zcat -f *.gz 2>/dev/null; true',
    ]);
    expect(found).not.toContain('secret');
    const litterer = await mendlet.untilPod('litterer', 'failed', ({ status }) => status.phase === 'Failed');
    expect(mainContainer(litterer)?.state.terminated?.message?.length).toBeLessThanOrEqual(4096);
    await until('the event of the large environment', async () => {
      const text = await events('bomb');
      return text.includes('EnvironmentTooLarge') ? { value: true } : { last: text };
    });
    const why = await until('why', async () => {
      const args = ['why', 'pod/bomb', '--kubeconfig', mendlet.kubeconfig];
      const { stdout, stderr } = await run(process.execPath, [join(root, 'dist/mendlet.js'), ...args]);
      return stdout.includes('more than the kernel passes') ? { value: stdout } : { last: `${stdout}${stderr}` };
    });
    expect(why).toContain('envFrom[0] (configMap default/big)');
    expect(why).toContain('enableServiceLinks: false');
    const hostile = ['litterer', 'linker', 'piper', 'planter', 'bomb'];
    await mendlet.kubectl(['delete', 'pod', ...hostile, '--wait']);
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
    // The threshold is more than the machine can ever have free, so memory is short from the first measurement.
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
