import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CsiDriver, CsiError, type NodeCapability, type VolumeStats } from '../../csi/index.ts';
import { encodeText, type FileSystem, silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { sha256Hex } from '../../lib/sha256.node.ts';
import { CsiVolumes, type VolumeToPublish } from './csi-volumes.ts';
import { Drivers } from './drivers.ts';
import { NoteStore } from './note-store.ts';
import { parentOf, podDir, stagingPath, targetPath } from './paths.ts';

let root = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'mendlet-csi-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

/** The machine and its driver: they live on when an agent dies. */
class Machine {
  readonly mounts = new Set<string>();
  readonly calls: string[] = [];
  /** How many more effects (writes, calls) there are until the agent dies. */
  left = Number.POSITIVE_INFINITY;
  boot = 'one';
  /** Of the volume. */
  bytes = 1;
  /** Calls that say that they succeeded, and do nothing. */
  lies = new Set<string>();
  fails = new Set<string>();
  /** Paths for which no call ends. */
  hangs = new Set<string>();
  stats: (handle: string) => Promise<VolumeStats> = () => Promise.reject(new Error('not asked'));

  /** Every effect of an agent goes through here; a dead agent has none. */
  async effect<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.left <= 0) throw new Error('the agent is dead');
    this.left -= 1;
    return await work();
  }

  agent(): CsiVolumes {
    const fs: FileSystem = {
      ...systemFileSystem,
      readFile: async (path, options) =>
        path.endsWith('boot_id') ? encodeText(`${this.boot}\n`) : await systemFileSystem.readFile(path, options),
      // No machine fails here: what was written need not be waited for.
      writeFile: (path, data, options) =>
        this.effect(() => systemFileSystem.writeFile(path, data, { ...options, sync: false })),
      mkdir: (...given) => this.effect(() => systemFileSystem.mkdir(...given)),
      remove: (path) => this.effect(() => systemFileSystem.remove(path)),
    };
    const mounts = {
      isMounted: async (path: string) => this.mounts.has(path),
      mountedUnder: async (path: string) =>
        [...this.mounts].filter((point) => point === path || point.startsWith(`${path}/`)),
      unmountAll: (path: string) => this.effect(() => void this.mounts.delete(path)),
    };
    const drivers = new Drivers();
    const capabilities: ReadonlySet<NodeCapability> = new Set(['stage', 'stats']);
    const info = { nodeId: 'n', maxVolumes: 0, topology: {} };
    drivers.register({ name: 'd', endpoint: '/d.sock', info, capabilities, calls: this.#driver() });
    return new CsiVolumes({ fs, logger: silentLogger, mounts }, drivers, new NoteStore(fs, root, sha256Hex));
  }

  #driver(): CsiDriver {
    const call = (method: string, path: string, work: () => void): Promise<void> =>
      this.effect(async () => {
        if (this.hangs.has(path)) await new Promise(() => {});
        this.calls.push(`${method} ${path.includes('globalmount') ? 'staging' : (path.split('/').at(-5) ?? '')}`);
        if (this.fails.has(method)) throw new CsiError('Internal', 'rpc error: code = Internal desc = told to');
        if (!this.lies.has(method)) work();
      });
    const { mounts } = this;
    return {
      info: () => Promise.reject(new Error('not asked')),
      capabilities: () => Promise.reject(new Error('not asked')),
      stats: (handle) => this.stats(handle),
      expand: async ({ volumePath: path, requiredBytes }) => {
        await call('expand', path, () => {
          if (!mounts.has(path)) throw new Error('expanded where nothing is mounted');
          this.bytes = requiredBytes;
        });
        return requiredBytes;
      },
      stage: ({ stagingPath: path }) => call('stage', path, () => mounts.add(path)),
      unstage: (_, path) =>
        call('unstage', path, () => {
          if ([...mounts].some((each) => each !== path)) throw new Error('unstaged while it is published');
          mounts.delete(path);
        }),
      publish: ({ targetPath: path, stagingPath: from }) =>
        call('publish', path, () => {
          if (!mounts.has(from)) throw new Error('published before it was staged');
          mounts.add(path);
        }),
      unpublish: (_, path) => call('unpublish', path, () => mounts.delete(path)),
      close: () => {},
    };
  }

  async files(): Promise<readonly string[]> {
    const all = await readdir(root, { recursive: true, withFileTypes: true });
    return all.filter((entry) => entry.isFile()).map((entry) => entry.name);
  }
}

const VOLUME = { driver: 'd', handle: 'h' };
const target = (pod: string): string => targetPath(root, pod, 'v');

const wish = (pod: string): VolumeToPublish => ({
  ...VOLUME,
  publication: { pod, volume: 'v', target: target(pod) },
  stagingPath: stagingPath(root, 'd', sha256Hex('h')),
  isBlock: false,
  readOnly: false,
  capability: { mode: 'single-node-writer', mount: { fsType: '', flags: [] } },
  asked: { publishContext: {}, stageContext: {}, volumeContext: {}, stageSecrets: {}, publishSecrets: {} },
});

const publish = (agent: CsiVolumes, pod: string): Promise<unknown> =>
  agent.publish(VOLUME, target(pod), async () => wish(pod));

/** With a size that it does not have yet. */
function grow(agent: CsiVolumes, pod: string): Promise<unknown> {
  const size = { bytes: 2, known: 1 };
  const expansion = { size, secrets: {}, begin: async () => {} };
  return agent.publish(VOLUME, target(pod), async () => ({ ...wish(pod), expansion }), size);
}

describe('a volume of a driver', () => {
  it('is staged once, published for each pod, and unstaged after the last', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    await publish(agent, 'b');
    await publish(agent, 'b');
    await agent.tearDown('a');
    expect(await agent.pods()).toEqual(['b']);
    await agent.tearDown('b');
    expect(machine.calls).toEqual([
      'stage staging',
      'publish a',
      'publish b',
      'unpublish a',
      'unpublish b',
      'unstage staging',
    ]);
    expect(await machine.files()).toEqual([]);
    expect(await agent.pods()).toEqual([]);
  });

  it('is known to the next agent, which asks no driver for it', async () => {
    const machine = new Machine();
    await publish(machine.agent(), 'a');
    const calls = machine.calls.length;
    const next = machine.agent();
    expect(await next.isPublished(VOLUME, target('a'))).toBe(true);
    await publish(next, 'a');
    expect(machine.calls).toHaveLength(calls);
  });

  it('is staged and published anew after a boot', async () => {
    const machine = new Machine();
    await publish(machine.agent(), 'a');
    machine.mounts.clear();
    machine.boot = 'two';
    const next = machine.agent();
    expect(await next.isPublished(VOLUME, target('a'))).toBe(false);
    await publish(next, 'a');
    expect(machine.calls.slice(2)).toEqual(['stage staging', 'publish a']);
  });

  it('survives an agent that dies before any of its effects', async () => {
    const whole = new Machine();
    whole.left = 1000;
    const first = whole.agent();
    await grow(first, 'a');
    await first.tearDown('a');
    const effects = 1000 - whole.left;
    expect(effects).toBeGreaterThan(12);
    for (let dies = 0; dies < effects; dies++) {
      const machine = new Machine();
      machine.left = dies;
      const dying = machine.agent();
      await expect(grow(dying, 'a').then(() => dying.tearDown('a'))).rejects.toThrow('the agent is dead');
      machine.left = Number.POSITIVE_INFINITY;
      // One pod goes on, or ends: nothing is left in either case.
      const next = machine.agent();
      if (dies % 2 === 0) {
        await grow(next, 'a');
        expect(machine.bytes, `died before effect ${dies}`).toBe(2);
      }
      await next.tearDown('a');
      expect([...machine.mounts], `died before effect ${dies}`).toEqual([]);
      expect(await machine.files(), `died before effect ${dies}`).toEqual([]);
      expect(await next.pods()).toEqual([]);
    }
  });
});

it('figures of one volume do not depend on the driver of another', async () => {
  const machine = new Machine();
  const agent = machine.agent();
  machine.stats = async (handle) => {
    if (handle === 'h') throw new CsiError('Internal', 'rpc error: code = Internal desc = told to');
    return { bytes: { available: 1, total: 3, used: 2 } };
  };
  await publish(agent, 'a');
  await agent.publish({ driver: 'd', handle: 'other' }, targetPath(root, 'a', 'w'), async () => ({
    ...wish('a'),
    handle: 'other',
    publication: { pod: 'a', volume: 'w', target: targetPath(root, 'a', 'w') },
  }));
  expect([...(await agent.stats('a'))]).toEqual([['w', { bytes: { available: 1, total: 3, used: 2 } }]]);
});

describe('a driver that', () => {
  it('says that it published and did not is named, and asked to unpublish', async () => {
    const machine = new Machine();
    machine.lies.add('publish');
    const agent = machine.agent();
    await expect(publish(agent, 'a')).rejects.toThrow(
      `CSI driver d says that it has published volume h, but nothing is mounted at ${target('a')}`,
    );
    await agent.tearDown('a');
    expect(machine.calls).toEqual(['stage staging', 'publish a', 'unpublish a', 'unstage staging']);
  });

  it('fails to stage leaves a note of that, and is asked to unstage when the pod goes', async () => {
    const machine = new Machine();
    machine.fails.add('stage');
    const agent = machine.agent();
    await expect(publish(agent, 'a')).rejects.toMatchObject({
      call: 'stage',
      message: 'rpc error: code = Internal desc = told to',
    });
    expect(await agent.pods()).toEqual(['a']);
    await agent.tearDown('a');
    expect(machine.calls).toEqual(['stage staging', 'unstage staging']);
    expect(await machine.files()).toEqual([]);
  });

  it('hangs holds up no other volume of the pod that ends', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    // What does not stage has nothing staged.
    machine.mounts.add('');
    const other = { driver: 'd', handle: 'other' };
    const place = targetPath(root, 'a', 'w');
    const { stagingPath: _, ...unstaged } = wish('a');
    await agent.publish(other, place, async () => ({
      ...unstaged,
      handle: 'other',
      publication: { pod: 'a', volume: 'w', target: place },
    }));
    machine.hangs.add(target('a'));
    const ended: string[] = [];
    void agent.tearDown('a', (driver, isDone) => ended.push(`${driver} ${isDone}`));
    await expect.poll(() => ended).toEqual(['d true']);
    expect(machine.mounts.has(place)).toBe(false);
    expect(machine.mounts.has(target('a'))).toBe(true);
  });

  it('says that it unpublished and left the mount: it is unmounted here', async () => {
    const machine = new Machine();
    machine.lies.add('unpublish').add('unstage');
    const agent = machine.agent();
    await publish(agent, 'a');
    await agent.tearDown('a');
    expect([...machine.mounts]).toEqual([]);
  });

  it('says that it does not stage any more is still asked to unstage', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    const { stagingPath: _, ...unstaged } = wish('b');
    await agent.publish(VOLUME, target('b'), async () => unstaged);
    await agent.tearDown('a');
    await agent.tearDown('b');
    expect(machine.calls.slice(2)).toEqual(['publish b', 'unpublish a', 'unpublish b', 'unstage staging']);
    expect([...machine.mounts]).toEqual([]);
  });

  it('says that it stages from now on does not disturb the pods that have its volume', async () => {
    const machine = new Machine();
    machine.mounts.add('');
    const agent = machine.agent();
    const { stagingPath: _, ...unstaged } = wish('a');
    await agent.publish(VOLUME, target('a'), async () => unstaged);
    await publish(agent, 'a');
    await publish(agent, 'b');
    expect(machine.calls).toEqual(['publish a', 'stage staging', 'publish b']);
    await agent.tearDown('a');
    await agent.tearDown('b').catch(() => {});
    expect(machine.calls.slice(3)).toEqual(['unpublish a', 'unpublish b', 'unstage staging']);
  });

  it('left files where no mount is: they stay, and the volume waits', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    const file = join(target('a'), 'data');
    await systemFileSystem.mkdir(parentOf(file));
    await systemFileSystem.writeFile(file, 'precious');
    await expect(agent.tearDown('a')).rejects.toThrow('is not mounted any more, but is not empty');
    expect((await stat(file)).size).toBe(8);
    expect(await agent.pods()).toEqual(['a']);
  });
});

describe('a pod’s folder', () => {
  it('loses what a driver mounted at a place that it was not asked for', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    const elsewhere = `${podDir(root, 'a')}/volumes/kubernetes.io~csi/v/elsewhere`;
    await systemFileSystem.mkdir(elsewhere);
    machine.mounts.add(elsewhere);
    await agent.tearDown('a');
    await agent.removeFolders(podDir(root, 'a'));
    expect([...machine.mounts]).toEqual([]);
    expect(await machine.files()).toEqual([]);
  });

  it('loses a link that a driver left at the target, and never what the link names', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    const precious = join(root, 'precious');
    await mkdir(precious);
    machine.fails.add('publish');
    await expect(publish(agent, 'a')).rejects.toThrow('told to');
    await symlink(precious, target('a'));
    machine.fails.clear();
    await agent.tearDown('a');
    await agent.removeFolders(podDir(root, 'a'));
    expect(await readdir(root)).toContain('precious');
    expect(await agent.pods()).toEqual([]);
  });

  it('that is a link is not gone into', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    const precious = join(root, 'precious');
    await mkdir(join(precious, 'mount'), { recursive: true });
    await writeFile(join(precious, 'vol_data.json'), 'precious');
    machine.fails.add('publish');
    await expect(publish(agent, 'a')).rejects.toThrow('told to');
    const folder = parentOf(target('a'));
    await rm(folder, { recursive: true });
    await symlink(precious, folder);
    machine.fails.clear();
    await expect(publish(agent, 'a')).rejects.toThrow(
      / is a link: CSI driver d must not put one in the place of a folder/,
    );
    expect(await readFile(join(precious, 'vol_data.json'), 'utf8')).toBe('precious');
    await agent.tearDown('a');
    expect((await readdir(precious)).toSorted()).toEqual(['mount', 'vol_data.json']);
  });

  it('is not forgotten while a note is damaged and something is in it', async () => {
    const machine = new Machine();
    await publish(machine.agent(), 'a');
    const [name = ''] = await readdir(join(root, 'csi'));
    await writeFile(join(root, 'csi', name), 'no note');
    const next = machine.agent();
    await next.tearDown('a');
    await expect(next.removeFolders(podDir(root, 'a'))).rejects.toThrow(
      `the note ${root}/csi/${name} of a volume is damaged, and may be of this pod`,
    );
    expect(machine.mounts.size).toBe(2);
  });
});

describe('a volume that does not work any more', () => {
  const dead = async (): Promise<boolean> => true;

  it('of one pod is unpublished and unstaged, and staged anew', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    machine.calls.length = 0;
    await agent.letGo('a', 'v', dead);
    await publish(agent, 'a');
    expect(machine.calls.map((each) => each.split(' ')[0])).toEqual(['unpublish', 'unstage', 'stage', 'publish']);
  });

  it('of two pods is staged anew when both have let it go, also after a kill of the agent', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    await publish(agent, 'b');
    await agent.letGo('a', 'v', dead);
    const next = machine.agent();
    await expect(publish(next, 'a')).rejects.toThrow(/staged anew when no pod has it any more: pods b do/);
    machine.calls.length = 0;
    await next.letGo('b', 'v', dead);
    await publish(next, 'b');
    await publish(next, 'a');
    expect(machine.calls).toEqual(['unpublish b', 'unstage staging', 'stage staging', 'publish b', 'publish a']);
  });

  it('of two pods keeps its staging where that works', async () => {
    const machine = new Machine();
    const agent = machine.agent();
    await publish(agent, 'a');
    await publish(agent, 'b');
    machine.calls.length = 0;
    await agent.letGo('a', 'v', async () => false);
    await publish(agent, 'a');
    expect(machine.calls).toEqual(['unpublish a', 'publish a']);
  });
});
