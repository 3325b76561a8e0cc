/** Tests volumes that are folders of a node: made and removed on request, lost, exclusive, and kept by a careless purge. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itInWhole } from './extent.ts';
import type { NodeVolume, NodeVolumeList, NodeVolumeSpace } from '../../src/api/index.ts';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, until } from './harness.ts';

const MEBIBYTE = 1024 * 1024;

interface ObservedNode {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
  readonly status: {
    readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

interface ObservedEvents {
  readonly items: readonly {
    readonly reason: string;
    readonly message: string;
    readonly involvedObject: { readonly name: string };
  }[];
}

describe('volumes of a node', () => {
  const disk = join(process.env['TMPDIR'] ?? '/tmp', `mendlet-e2e-volumes-${process.pid}`);
  const volumesDir = join(disk, 'volumes');
  const flags = ['--service-cidr', '10.92.0.0/16', '--volumes-dir', volumesDir];
  const mendlet = new Mendlet({ podNetwork: 228, flags });
  let route = '';

  /** A small disk of its own, which a test can fill and make read-only. */
  const mountDisk = (): void => {
    mkdirSync(disk, { recursive: true });
    expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', disk]).status).toBe(0);
  };
  /** The same disk, read-only, in front of it: mendlet has a file open on it, so that it cannot be remounted itself. */
  const mountReadOnly = (): void => {
    for (const args of [
      ['--bind', volumesDir],
      ['-o', 'remount,bind,ro'],
    ]) {
      const { status, stderr } = spawnSync('mount', [...args, volumesDir], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    }
  };
  const node = async (): Promise<ObservedNode> => {
    const { items } = await mendlet.read<{ readonly items: readonly ObservedNode[] }>('nodes', {});
    const [only] = items;
    if (only === undefined) throw new Error('there is no node');
    return only;
  };
  const list = async (): Promise<NodeVolumeList> =>
    JSON.parse(await mendlet.kubectl(['get', '--raw', route])) as NodeVolumeList;
  const volumeOf = async (name: string): Promise<NodeVolume | undefined> =>
    (await list()).items.find((each) => each.name === name);
  /** kubectl sends no PUT to a raw path: curl does. */
  const ask = (
    method: 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): { code: number; answer: Record<string, unknown> } => {
    const server = /server: "?(https:[^\s"]+)/.exec(readFileSync(mendlet.kubeconfig, 'utf8'))?.[1] ?? '';
    const pem = (field: string): string => {
      const found =
        new RegExp(`${field}: "?([A-Za-z0-9+/=]+)`).exec(readFileSync(mendlet.kubeconfig, 'utf8'))?.[1] ?? '';
      const file = join(mendlet.folder, field);
      writeFileSync(file, Buffer.from(found, 'base64'), { mode: 0o600 });
      return file;
    };
    const credentials = [
      '--cacert',
      pem('certificate-authority-data'),
      '--cert',
      pem('client-certificate-data'),
      '--key',
      pem('client-key-data'),
    ];
    const data = body === undefined ? [] : ['--data', JSON.stringify(body)];
    const args = ['-sS', '-X', method, '-w', '\n%{http_code}', ...credentials, ...data, `${server}${route}${path}`];
    const { stdout, stderr } = spawnSync('curl', args, { encoding: 'utf8' });
    const cut = stdout.lastIndexOf('\n');
    if (cut < 0) throw new Error(stderr);
    return { code: Number(stdout.slice(cut)), answer: JSON.parse(stdout.slice(0, cut)) as Record<string, unknown> };
  };
  /** What the controller does for a claim. */
  const claim = async (name: string, { mode = 'ReadWriteOnce' } = {}): Promise<string> => {
    const { code, answer } = ask('PUT', `/pv-${name}`, { handle: `uid-${name}`, capacityBytes: MEBIBYTE });
    expect(code).toBe(200);
    const size = { storage: '1Mi' };
    await mendlet.create(
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: `pv-${name}`, annotations: { 'pv.kubernetes.io/provisioned-by': 'mendlet.dev/local' } },
        spec: {
          capacity: size,
          accessModes: [mode],
          storageClassName: 'by-hand',
          persistentVolumeReclaimPolicy: 'Retain',
          local: { path: answer['path'] },
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] }],
            },
          },
        },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name },
        spec: {
          accessModes: [mode],
          storageClassName: 'by-hand',
          volumeName: `pv-${name}`,
          resources: { requests: size },
        },
      },
    );
    return String(answer['path']);
  };
  const podOf = (name: string, claimName: string, script: string, spec: object = {}): object =>
    busyboxPod(name, script, {
      spec: {
        terminationGracePeriodSeconds: 0,
        ...spec,
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
      },
      container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
    });
  const isReady = (pod: ObservedPod): boolean => mainContainer(pod)?.ready === true;
  const untilEvent = (reason: string, object: string, text: string): Promise<string> =>
    until<string>(`event ${reason} of ${object} with ${text}`, async () => {
      const { items } = await mendlet.read<ObservedEvents>('events', { namespace: 'default' });
      const mine = items.filter((each) => each.involvedObject.name === object);
      const found = mine.find((each) => each.reason === reason && each.message.includes(text));
      return found === undefined
        ? { last: mine.map((each) => `${each.reason} ${each.message}`).join('\n') }
        : { value: found.message };
    });
  const untilDisk = (status: string, reason: string): Promise<ObservedNode> =>
    until<ObservedNode>(`condition VolumeDiskProblem ${status} ${reason}`, async () => {
      const value = await node();
      const found = value.status.conditions.find(({ type }) => type === 'VolumeDiskProblem');
      return found?.status === status && found.reason === reason ? { value } : { last: JSON.stringify(found) };
    });
  const spaceOf = ({ metadata }: ObservedNode): NodeVolumeSpace =>
    JSON.parse(metadata.annotations?.['mendlet.dev/volume-space'] ?? '{}') as NodeVolumeSpace;

  beforeAll(async () => {
    mountDisk();
    await mendlet.up();
    route = `/api/v1/nodes/${(await node()).metadata.name}/proxy/mendlet/v1/volumes`;
  });
  afterAll(async () => {
    await mendlet.down();
    spawnSync('umount', ['-l', disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  it('says in its Node how much space its disk has for them', async () => {
    const { capacityBytes } = spaceOf(await untilDisk('False', 'VolumeDiskWorks'));
    expect(capacityBytes).toBe((await list()).capacityBytes);
    expect(capacityBytes).toBe(Math.floor((64 * MEBIBYTE * 9) / 10));
  });

  it('makes a volume once, refuses what does not fit and what is no name', async () => {
    const request = { handle: 'uid-1', capacityBytes: MEBIBYTE };
    expect(ask('PUT', '/pv-1', request)).toEqual({ code: 200, answer: { path: join(volumesDir, 'pv-1/data') } });
    expect(ask('PUT', '/pv-1', request).code).toBe(200);
    expect(ask('PUT', '/pv-1', { ...request, handle: 'uid-2' })).toMatchObject({
      code: 409,
      answer: { reason: 'Conflict' },
    });
    expect(ask('PUT', '/pv-2', { handle: 'uid-2', capacityBytes: 60 * MEBIBYTE })).toMatchObject({
      code: 507,
      answer: { reason: 'NotEnoughSpace' },
    });
    expect(ask('PUT', '/.pv', request)).toMatchObject({ code: 400, answer: { reason: 'BadRequest' } });
    expect(ask('PUT', '/pv-3', { capacityBytes: -1 })).toMatchObject({ code: 400 });
    expect(ask('DELETE', '/pv-1?handle=uid-2')).toMatchObject({ code: 409 });
    expect(ask('DELETE', '/pv-1?handle=uid-1').code).toBe(200);
    expect(ask('DELETE', '/pv-1?handle=uid-1').code).toBe(200);
    expect((await list()).items).toEqual([]);
  });

  it('keeps what pods write over their deaths and an agent’s, and gives it to their group', async () => {
    const path = await claim('kept');
    const script = 'echo $(id -u) >>/data/lines; exec sleep 36000';
    const spec = { securityContext: { runAsUser: 1234, fsGroup: 4711 } };
    await mendlet.create(podOf('first', 'kept', script, spec));
    await mendlet.untilPod('first', 'ready', isReady);
    expect(statSync(join(path, 'lines'))).toMatchObject({ uid: 1234, gid: 4711 });
    expect(ask('DELETE', '/pv-kept?handle=uid-kept')).toMatchObject({ code: 409, answer: { reason: 'VolumeInUse' } });
    await mendlet.end('SIGKILL');
    await mendlet.up();
    expect(ask('DELETE', '/pv-kept?handle=uid-kept')).toMatchObject({ code: 409, answer: { reason: 'VolumeInUse' } });
    await mendlet.kubectl(['delete', 'pod', 'first', '--wait']);
    await mendlet.create(podOf('second', 'kept', script, spec));
    await mendlet.untilPod('second', 'ready', isReady);
    await until('two lines', async () => {
      const last = readFileSync(join(path, 'lines'), 'utf8');
      return last === '1234\n1234\n' ? { value: true } : { last };
    });
    expect(await volumeOf('pv-kept')).toMatchObject({ state: 'ready', wasUsed: true });
    await mendlet.kubectl(['delete', 'pod', 'second', '--wait']);
    await until('the volume can be removed', async () => {
      const { code, answer } = ask('DELETE', '/pv-kept?handle=uid-kept');
      return code === 200 ? { value: true } : { last: JSON.stringify(answer) };
    });
    expect(existsSync(join(volumesDir, 'pv-kept'))).toBe(false);
  });

  it('lets one pod alone have a volume of mode ReadWriteOncePod', async () => {
    await claim('alone', { mode: 'ReadWriteOncePod' });
    const { name: nodeName } = (await node()).metadata;
    await mendlet.create(podOf('has', 'alone', 'exec sleep 36000'));
    await mendlet.untilPod('has', 'ready', isReady);
    await mendlet.create(podOf('wants', 'alone', 'exec sleep 36000', { nodeName }));
    await untilEvent('FailedMount', 'wants', 'volume uses the ReadWriteOncePod access mode and is already in use');
    await mendlet.kubectl(['delete', 'pod', 'has', '--wait']);
    await mendlet.untilPod('wants', 'ready', isReady);
    await mendlet.kubectl(['delete', 'pod', 'wants', '--wait']);
  });

  it('says that a volume is lost, and makes none in its place', async () => {
    const path = await claim('gone');
    await mendlet.create(podOf('had', 'gone', 'exec sleep 36000'));
    await mendlet.untilPod('had', 'ready', isReady);
    rmSync(join(volumesDir, 'pv-gone'), { recursive: true });
    await untilEvent('VolumeLost', 'had', `volume pv-gone is lost: its folder ${path} is not there any more`);
    await mendlet.kubectl(['delete', 'pod', 'had', '--wait']);
    await mendlet.create(podOf('finds', 'gone', 'exec sleep 36000'));
    await untilEvent('VolumeLost', 'finds', 'volume pv-gone is lost');
    expect(existsSync(join(volumesDir, 'pv-gone'))).toBe(false);
    expect(await volumeOf('pv-gone')).toMatchObject({ state: 'lost' });
    expect(ask('PUT', '/pv-gone', { handle: 'uid-gone', capacityBytes: MEBIBYTE })).toMatchObject({
      code: 410,
      answer: { reason: 'VolumeLost' },
    });
    await mendlet.kubectl(['delete', 'pod', 'finds', '--wait']);
  });

  it('says that its disk is read-only, and that it works again', async () => {
    await claim('read');
    const begun = Date.now();
    mountReadOnly();
    expect(spaceOf(await untilDisk('True', 'VolumeDiskReadOnly')).capacityBytes).toBe(0);
    console.log(`a read-only disk was said after ${Date.now() - begun} ms`);
    expect(spawnSync('umount', [volumesDir]).status).toBe(0);
    await untilDisk('False', 'VolumeDiskWorks');
  });

  it('names the claims that fill its disk', async () => {
    await claim('greedy');
    await mendlet.create(podOf('greedy', 'greedy', 'dd if=/dev/zero of=/data/all bs=1M; exec sleep 36000'));
    const { name } = (await node()).metadata;
    const message = await untilEvent('VolumeDiskFull', name, 'pv-greedy of claim default/greedy has');
    expect(message).toContain('more than its 1024Ki');
    await mendlet.kubectl(['delete', 'pod', 'greedy', '--wait']);
  });

  itInWhole('keeps them when the data folder is purged by a slip, and lets no second mendlet in', async () => {
    const claims = ['greedy', 'alone'].map((name) => `pv-${name}`);
    const second = new Mendlet({
      podNetwork: 229,
      flags: ['--service-cidr', '10.93.0.0/16', '--volumes-dir', volumesDir],
    });
    await expect(second.up()).rejects.toThrow('belongs to another mendlet');
    await second.down();
    await mendlet.end('SIGTERM');
    await expect(mendlet.command('down', '--purge')).rejects.toThrow('claims have data in');
    await expect(mendlet.command('down', '--purge', '--with-claims', '7')).rejects.toThrow('and not 7');
    for (const name of claims) expect(existsSync(join(volumesDir, name, 'data'))).toBe(true);
    await mendlet.command('down', '--purge', '--with-claims', '2');
    for (const name of claims) expect(existsSync(join(volumesDir, name))).toBe(false);
  });
});
