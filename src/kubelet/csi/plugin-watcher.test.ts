import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createInMemoryApi, type InMemoryApi, until } from '../../../test/support/in-memory-api.ts';
import { CSI_NODES, NODES } from '../../api/index.ts';
import type { CsiDriver, CsiNodeInfo, CsiPlugins, NodeCapability, PluginInfo } from '../../csi/index.ts';
import { createMetrics, FileError, type FileSystem, silentLogger } from '../../lib/index.ts';
import { systemFileSystem } from '../../lib/file-system.node.ts';
import { settle } from '../../lib/manual-clock.node.ts';
import { CsiMetrics } from './csi-metrics.ts';
import { Drivers } from './drivers.ts';
import { PluginWatcher } from './plugin-watcher.ts';

interface Plugin {
  info: PluginInfo;
  node: CsiNodeInfo;
  capabilities: readonly NodeCapability[];
  /** Its registrar does not answer any more; its socket is there. */
  isDead: boolean;
  mtimeMs: number;
  asked: number;
  /** What its registrar was told. */
  readonly told: (string | undefined)[];
}

let api: InMemoryApi;
let stop: AbortController;
let drivers: Drivers;
let sockets: Map<string, Plugin>;
let events: string[];
let changed: () => void;
let turn = 0;
/** How often a file was looked at. */
let stats = 0;
/** A path that cannot be looked at. */
let broken = '';
let isAway = false;
let files: readonly string[] = [];

beforeEach(async () => {
  api = await createInMemoryApi();
  await api.client.create(NODES, { metadata: { name: 'n' } });
  stop = new AbortController();
  drivers = new Drivers();
  sockets = new Map();
  events = [];
  stats = 0;
  broken = '';
  isAway = false;
  files = [];
  const watcher = new PluginWatcher(
    {
      client: {
        ...api.client,
        get: (...given) => (isAway ? Promise.reject(new Error('the server is away')) : api.client.get(...given)),
      },
      clock: api.clock,
      fs: folder(),
      logger: silentLogger,
      plugins: plugins(),
      metrics: new CsiMetrics(createMetrics(), api.clock),
      events: { node: (type, reason, message) => void events.push(`${type} ${reason} ${message}`) },
    },
    { dir: '/r', nodeName: 'n' },
    drivers,
  );
  void watcher.run(stop.signal);
});
afterEach(() => stop.abort());

function folder(): FileSystem {
  return {
    ...systemFileSystem,
    readdir: async () => [...files, ...sockets.keys()],
    stat: async (path) => {
      stats += 1;
      if (path === broken) throw new FileError('EIO', path, 'i/o error');
      if (path.includes('junk')) return { type: 'file', size: 0, mode: 0, uid: 0, gid: 0, mtimeMs: 0 };
      const found = sockets.get(path.slice('/r/'.length));
      return found && { type: 'socket', size: 0, mode: 0, uid: 0, gid: 0, mtimeMs: found.mtimeMs };
    },
    watch: (_, told) => {
      changed = told;
      return { close: () => {} };
    },
  };
}

function plugins(): CsiPlugins {
  const at = (path: string): Plugin => {
    const found = sockets.get(path.slice('/r/'.length));
    if (found === undefined || found.isDead) throw new Error('ECONNREFUSED');
    return found;
  };
  const unasked = (): Promise<never> => Promise.reject(new Error('not asked'));
  return {
    hash: (text) => text,
    registrar: (path) => ({
      info: async () => {
        const found = at(path);
        found.asked += 1;
        return found.info;
      },
      notify: async (error) => void at(path).told.push(error),
      close: () => {},
    }),
    driver: (path): CsiDriver => ({
      info: async () => at(path).node,
      capabilities: async () => new Set(at(path).capabilities),
      stage: unasked,
      unstage: unasked,
      publish: unasked,
      unpublish: unasked,
      stats: unasked,
      expand: unasked,
      close: () => {},
    }),
  };
}

/** A plugin at the socket; in place of one that is there, it is another. */
function plug(socket: string, info: Partial<PluginInfo> = {}, node: Partial<CsiNodeInfo> = {}): Plugin {
  turn += 1;
  const plugin: Plugin = {
    info: { type: 'CSIPlugin', name: 'd', endpoint: '', supportedVersions: ['1.0.0'], ...info },
    node: { nodeId: 'id', maxVolumes: 0, topology: {}, ...node },
    capabilities: [],
    isDead: false,
    mtimeMs: turn,
    asked: 0,
    told: [],
  };
  sockets.set(socket, plugin);
  changed();
  return plugin;
}

async function unplug(socket: string): Promise<void> {
  sockets.delete(socket);
  changed();
  await settle();
}

const told = (plugin: Plugin): Promise<void> => until(() => plugin.told.length > 0, 'an answer to the registrar');
const named = async (): Promise<readonly string[]> => {
  const { spec } = await api.client.get(CSI_NODES, undefined, 'n');
  return (spec.drivers ?? []).map(({ name }) => name);
};

describe('a plugin', () => {
  it('is registered, forgotten with its socket, and registered again', async () => {
    await told(plug('a.sock'));
    expect(drivers.has('d')).toBe(true);
    expect(await named()).toEqual(['d']);
    await unplug('a.sock');
    expect(drivers.has('d')).toBe(false);
    await until(async () => (await named()).length === 0, 'a CSINode without drivers');
    await told(plug('a.sock'));
    expect(drivers.has('d')).toBe(true);
    expect(events).toEqual([]);
  });

  it.each([
    [{ type: 'DevicePlugin' }, {}, 'no handler registered for plugin type: DevicePlugin at this node'],
    [{ name: '../etc' }, {}, 'invalid name of a CSI driver: "../etc"'],
    [{ name: `${'x'.repeat(5000)}\u001b[2J` }, {}, 'invalid name of a CSI driver: "xxx'],
    [{ supportedVersions: ['0.3.0'] }, {}, 'none of the versions ["0.3.0"] is supported'],
    [{}, { nodeId: '' }, 'driverNodeID must not be empty'],
    [
      {},
      { topology: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, 'v'])) },
      'topology must have at most 64 keys',
    ],
    [{}, { nodeId: 'x'.repeat(193) }, 'driverNodeID must have at most 192 characters'],
    [
      {},
      { topology: { 'no key': 'x'.repeat(100_000) } },
      'RegisterPlugin error -- plugin registration failed with err:',
    ],
  ])('that is none for us is told so, once, and named: %#', async (info, node, problem) => {
    const plugin = plug('bad.sock', info, node);
    await told(plugin);
    await until(() => events.length > 0, 'an event');
    expect(plugin.told[0]).toContain(problem);
    expect(events[0]).toMatch(/^Warning CSIDriverNotRegistered Plugin at \/r\/bad.sock: /);
    expect(events[0]).toContain(problem);
    expect(events[0]?.length).toBeLessThan(1300);
    expect(events[0]).not.toContain('\u001b');
    await api.clock.advance(3000);
    expect(plugin.told.length).toBeGreaterThan(1);
    expect(events).toHaveLength(1);
    expect(drivers.count).toBe(0);
  });

  it('does not take the name of a driver that is there, and gets it when that one goes', async () => {
    await told(plug('a.sock'));
    const first = drivers.get('d').endpoint;
    const thief = plug('b.sock');
    await told(thief);
    expect(thief.told).toEqual(['another driver with the name d is already registered at /r/a.sock']);
    expect(drivers.get('d').endpoint).toBe(first);
    await until(() => events.length > 0, 'an event');
    expect(events).toEqual([
      'Warning CSIDriverNotRegistered Plugin at /r/b.sock: another driver with the name d is already registered at /r/a.sock',
    ]);
    await unplug('a.sock');
    await until(() => drivers.has('d') && drivers.get('d').endpoint === '/r/b.sock', 'the next driver');
  });

  it('takes the name of one whose registrar was killed', async () => {
    const killed = plug('a.sock');
    await told(killed);
    killed.isDead = true;
    const next = plug('b.sock');
    await told(next);
    expect(next.told).toEqual([undefined]);
    expect(drivers.get('d').endpoint).toBe('/r/b.sock');
  });

  it('that comes in the place of another ends that one', async () => {
    await told(plug('a.sock'));
    await told(plug('a.sock', { name: 'e' }));
    expect([drivers.has('d'), drivers.has('e')]).toEqual([false, true]);
    await until(async () => (await named()).join() === 'e', 'the CSINode of the other');
  });

  it('that registers without end costs a registration now and then, and no other plugin', async () => {
    const asked: Plugin[] = [];
    for (let times = 0; times < 100; times++) {
      asked.push(plug('churn.sock'));
      await settle();
    }
    expect(asked.filter(({ asked: count }) => count > 0).length).toBeLessThan(10);
    await told(plug('good.sock', { name: 'good' }));
    expect(drivers.has('good')).toBe(true);
    // When it comes to rest it is registered.
    await api.clock.advance(60_000);
    await told(asked.at(-1) as Plugin);
    expect(drivers.has('d')).toBe(true);
  });

  it('that is registered stays so while another floods the folder', async () => {
    const plugin = plug('z.sock');
    await told(plugin);
    const { isDead, ...rest } = plugin;
    const flood = new Map(
      Array.from({ length: 300 }, (_, i) => [`bad${i}.sock`, { ...rest, isDead: !isDead, told: [] }]),
    );
    sockets = new Map([...flood, ...sockets]);
    changed();
    await settle();
    await settle();
    expect(drivers.has('d')).toBe(true);
    expect(await named()).toEqual(['d']);
  });

  it('that is registered stays so in a folder of 10,000 files, of which few are looked at', async () => {
    await told(plug('z.sock'));
    files = Array.from({ length: 10_000 }, (_, i) => `junk${i}`);
    stats = 0;
    changed();
    await until(() => stats > 0, 'a look');
    for (let turns = 0; turns < 50; turns++) await settle();
    expect(stats).toBeLessThan(2000);
    expect(drivers.has('d')).toBe(true);
  });

  it('beside a file that cannot be looked at is registered', async () => {
    files = ['a-bad'];
    broken = '/r/a-bad';
    await told(plug('b.sock'));
    expect(drivers.has('d')).toBe(true);
  });

  it('that is gone while the API server is away is forgotten there when it is back', async () => {
    await told(plug('a.sock'));
    isAway = true;
    await unplug('a.sock');
    expect(drivers.has('d')).toBe(false);
    isAway = false;
    expect(await named()).toEqual(['d']);
    await api.clock.advance(3000);
    await until(async () => (await named()).length === 0, 'a CSINode without drivers');
  });

  it('that is back before the API server is stays in the CSINode', async () => {
    await told(plug('a.sock'));
    isAway = true;
    await unplug('a.sock');
    isAway = false;
    await told(plug('a.sock'));
    await api.clock.advance(60_000);
    await settle();
    expect(await named()).toEqual(['d']);
  });

  it('that is well needs no timer', async () => {
    const before = api.clock.pendingTimers;
    await told(plug('a.sock'));
    await settle();
    expect(api.clock.pendingTimers).toBe(before);
  });
});
