/**
 * The node's part for volumes of drivers alone, on simulated machines: its plan keeps the laws of storage whatever dies, hangs, fails
 * or lies, and each broken plan is found by them.
 */
import { setMaxListeners } from 'node:events';
import { expect, it } from 'vitest';
import { CsiVolumes, type VolumeToPublish } from '../../kubelet/csi/csi-volumes.ts';
import { Drivers } from '../../kubelet/csi/drivers.ts';
import { type Call, type Goal, nextStep, type Step } from '../../kubelet/csi/next-step.ts';
import type { Publication, Staging, VolumeNote } from '../../kubelet/csi/volume-note.ts';
import { NoteStore } from '../../kubelet/csi/note-store.ts';
import { blockStagingPath, blockTargetPath, stagingPath, targetPath } from '../../kubelet/csi/paths.ts';
import { Mounter } from '../../kubelet/volumes/mounter.ts';
import { type FileSystem, type Random, silentLogger } from '../../lib/index.ts';
import { realEventLoop } from '../event-loop.node.ts';
import { Facts } from '../facts.ts';
import { type RunAgent, SimNode } from '../sim-node.ts';
import { Sim } from '../sim.ts';
import { untilWell } from '../until-well.ts';
import { type DriverKind, noDriverFaults } from './sim-driver.ts';
import { capabilitiesOf } from './sim-plugins.ts';
import { StorageLaws } from './storage-laws.ts';

setMaxListeners(0);

type Plan = typeof nextStep;

/** What the agents go by. */
interface Mind {
  readonly plan: Plan;
  readonly disk: (fs: FileSystem) => FileSystem;
  /** The size that drivers are asked for, by the one that is wanted. */
  readonly bytes: (wanted: number) => number;
}

const KUBELET_DIR = '/var/lib/kubelet';
const ROOT_DIR = '/var/lib/mendlet/agent';
const NODES = 2;
const VOLUMES = 3;
const FAULTS_MS = 60_000;
const QUIET_MS = 60_000;
const LOOK_EVERY_MS = 300;

/** A pod that has, or had, a volume on a node. */
interface Wish {
  readonly uid: string;
  readonly driver: string;
  readonly handle: string;
  isWanted: boolean;
  isBusy: boolean;
  isThere: boolean;
}

/** What is wanted of a volume, and what the cluster knows that it has, bytes. */
interface Size {
  wanted: number;
  known: number;
}

/** Handle → its sizes. */
type Sizes = Map<string, Size>;

/** Node → its pods, as the API server would tell them. */
type Wishes = Map<string, Map<string, Wish>>;

/** An agent that knows nothing but volumes. */
function volumeAgent(node: () => SimNode, { wishes, sizes }: Wanted, { plan, disk, bytes }: Mind): RunAgent {
  return async (ports, { nodeName }, signal) => {
    const fs = disk(ports.host.fs);
    const { plugins } = ports.cri;
    if (plugins === undefined) throw new Error('there are no plugins');
    const drivers = new Drivers();
    for (const { kind, socket } of node().drivers) {
      const info = { nodeId: nodeName, maxVolumes: 0, topology: {} };
      const capabilities = capabilitiesOf(kind);
      drivers.register({ name: kind.name, endpoint: socket, info, capabilities, calls: plugins.driver(socket) });
    }
    const mounts = new Mounter({ fs, process: ports.host.process, clock: ports.clock });
    const notes = new NoteStore(fs, ROOT_DIR, (text) => plugins.hash(text));
    const volumes = new CsiVolumes({ fs, logger: silentLogger, mounts, nextStep: plan }, drivers, notes);
    const own = wishes.get(nodeName) ?? new Map<string, Wish>();
    for (const wish of own.values()) Object.assign(wish, { isBusy: false, isThere: false });
    const tearDown = async (uid: string): Promise<void> => {
      await volumes.tearDown(uid);
      await volumes.removeFolders(`${KUBELET_DIR}/pods/${uid}`);
    };
    const setUp = async (wish: Wish): Promise<void> => {
      const { driver, handle, uid } = wish;
      const target = targetOf(wish);
      const isStaged = drivers.get(driver).capabilities.has('stage');
      const isBlock = isDevice(handle);
      const staging = isBlock
        ? blockStagingPath(KUBELET_DIR, handle)
        : stagingPath(KUBELET_DIR, driver, plugins.hash(handle));
      const known = sizeOf(sizes, handle);
      const size = drivers.get(driver).capabilities.has('expand')
        ? { bytes: known.wanted, known: known.known }
        : undefined;
      const build = async (): Promise<VolumeToPublish> => ({
        driver,
        handle,
        publication: { pod: uid, volume: 'data', target },
        ...(isStaged && { stagingPath: staging }),
        ...(size && {
          expansion: { size: { ...size, bytes: bytes(size.bytes) }, secrets: {}, begin: async () => {} },
        }),
        isBlock,
        readOnly: false,
        capability: { mode: 'single-node-writer', ...(!isBlock && { mount: { fsType: '', flags: [] } }) },
        asked: { publishContext: {}, volumeContext: {}, stageContext: {}, stageSecrets: {}, publishSecrets: {} },
      });
      await volumes.publish(wish, target, build, size);
      if (size !== undefined) known.known = Math.max(known.known, size.bytes);
      wish.isThere = true;
    };
    const care = (wish: Wish): void => {
      if (wish.isBusy) return;
      wish.isBusy = true;
      void look(wish).finally(() => void (wish.isBusy = false));
    };
    /** A pod keeps its volume, unless its mount vanished, or it is to grow. */
    const look = async (wish: Wish): Promise<void> => {
      const { known, wanted } = sizeOf(sizes, wish.handle);
      const isGrowing = drivers.get(wish.driver).capabilities.has('expand') && known < wanted;
      if (wish.isWanted && wish.isThere && !isGrowing && (await volumes.isPublished(wish, targetOf(wish)))) return;
      wish.isThere = false;
      await (wish.isWanted
        ? setUp(wish)
        : tearDown(wish.uid).then(() => void (wish.isWanted || own.delete(wish.uid)))
      ).catch(() => {});
    };
    while (!signal.aborted) {
      for (const wish of own.values()) care(wish);
      await new Promise<void>((resolve) => void ports.clock.setTimer(LOOK_EVERY_MS, () => resolve()));
    }
  };
}

/** Every third volume is a block device. */
function isDevice(handle: string): boolean {
  return handle === 'volume-1';
}

function targetOf({ uid, handle }: Wish): string {
  return isDevice(handle) ? blockTargetPath(KUBELET_DIR, uid, handle) : targetPath(KUBELET_DIR, uid, 'data');
}

function sizeOf(sizes: Sizes, handle: string): Size {
  const size = sizes.get(handle) ?? { wanted: 1, known: 1 };
  sizes.set(handle, size);
  return size;
}

interface Wanted {
  readonly wishes: Wishes;
  readonly sizes: Sizes;
}

interface World extends Wanted {
  readonly sim: Sim;
  readonly nodes: readonly SimNode[];
  readonly laws: StorageLaws;
}

function world(seed: number, mind: Mind): World {
  const sim = new Sim({ seed, loop: realEventLoop });
  const facts = new Facts(sim);
  const laws = new StorageLaws(facts);
  const random = sim.random.split('kinds');
  const kinds: readonly DriverKind[] = [
    {
      name: 'disks.sim',
      stages: true,
      mountsStaging: random.next() < 0.5,
      isForgetful: random.next() < 0.3,
      attaches: false,
      expands: true,
    },
    {
      name: 'shares.sim',
      stages: false,
      mountsStaging: false,
      isForgetful: random.next() < 0.3,
      attaches: false,
      expands: true,
    },
  ];
  const wishes: Wishes = new Map();
  const sizes: Sizes = new Map();
  const nodes: readonly SimNode[] = Array.from({ length: NODES }, (_, i) => {
    const name = `node${i + 1}`;
    wishes.set(name, new Map());
    return new SimNode({
      sim,
      facts,
      place: { name, address: `192.168.0.${i + 1}`, podPrefix: `10.${i + 1}` },
      server: () => undefined,
      runAgent: volumeAgent(() => nodes[i] ?? expect.fail('no node'), { wishes, sizes }, mind),
      logger: silentLogger,
      drivers: { kinds, laws },
    });
  });
  return { sim, nodes, laws, wishes, sizes };
}

/** Now and then, until the faults end. */
function sometimes(sim: Sim, random: Random, everyMs: number, act: () => void): void {
  for (let at = 0; ; ) {
    at += -Math.log(1 - random.next()) * everyMs;
    if (at >= FAULTS_MS) return;
    sim.after(at, 'now and then', act);
  }
}

/** Pods come and go: each volume has pods on one node at a time. */
function comeAndGo({ sim, nodes, wishes, sizes }: World, random: Random): void {
  let made = 0;
  for (let i = 0; i < VOLUMES; i += 1) {
    const handle = `volume-${i}`;
    const driver = i === VOLUMES - 1 ? 'shares.sim' : 'disks.sim';
    sometimes(sim, random, 15_000, () => void (sizeOf(sizes, handle).wanted += 1));
    sometimes(sim, random, 2500, () => {
      const there = nodes.flatMap(({ name }) =>
        [...(wishes.get(name)?.values() ?? [])].flatMap((wish) => (wish.handle === handle ? { name, wish } : [])),
      );
      const [any] = there;
      const one = there[Math.floor(random.next() * there.length)];
      if (one !== undefined && random.next() < 0.6) {
        // A plan must come to any goal from any note, also to one that was given up before.
        one.wish.isWanted = !one.wish.isWanted && random.next() < 0.5;
        return;
      }
      if (there.length > 2) return;
      const node = any?.name ?? nodes[Math.floor(random.next() * nodes.length)]?.name ?? '';
      const uid = `uid-${(made += 1)}`;
      wishes.get(node)?.set(uid, { uid, driver, handle, isWanted: true, isBusy: false, isThere: false });
    });
  }
}

function disturb({ sim, nodes }: World, random: Random): void {
  const any = (): SimNode => nodes[Math.floor(random.next() * nodes.length)] ?? expect.fail('no node');
  const driverOf = (node: SimNode) => node.drivers[random.next() < 0.8 ? 0 : 1] ?? expect.fail('no driver');
  sometimes(sim, random, 3000, () => {
    const node = any();
    node.killAgent();
    sim.after(50 + random.next() * 1000, 'agent', () => node.startAgent());
  });
  sometimes(sim, random, 6000, () => {
    const driver = driverOf(any());
    driver.die();
    sim.after(random.next() * 2000, 'driver', () => driver.start());
  });
  sometimes(sim, random, 4000, () => {
    const { faults } = driverOf(any());
    const [kind] = (['fail', 'failAfter', 'lie', 'hang'] as const).toSorted(() => random.next() - 0.5);
    faults[kind ?? 'fail'] = random.next() * (kind === 'hang' ? 0.2 : 0.7);
    sim.after(random.next() * 5000, 'faults end', () => void Object.assign(faults, noDriverFaults()));
  });
  sometimes(sim, random, 8000, () => {
    const isTarget = random.next() < 0.7;
    driverOf(any()).loseMounts((path) => isTarget === /\/(?:pods|publish)\//.test(path) && random.next() < 0.7);
  });
  sometimes(sim, random, 30_000, () => {
    const node = any();
    node.losePower();
    sim.after(random.next() * 3000, 'boot', () => {
      node.boot();
      node.startAgent();
    });
  });
}

/** @returns what was wrong, and how many calls there were */
async function play(
  seed: number,
  mind: Partial<Mind> = {},
): Promise<{ readonly problem?: string; readonly calls: number }> {
  const all = world(seed, { plan: nextStep, disk: (fs) => fs, bytes: (wanted) => wanted, ...mind });
  const { sim, nodes, laws, wishes, sizes } = all;
  const each = (): readonly Wish[] => [...wishes.values()].flatMap((own) => [...own.values()]);
  try {
    for (const node of nodes) node.startAgent();
    comeAndGo(all, sim.random.split('pods'));
    disturb(all, sim.random.split('faults'));
    await sim.run(FAULTS_MS + 4000);
    for (const node of nodes) {
      for (const driver of node.drivers) {
        Object.assign(driver.faults, noDriverFaults());
        driver.die();
        driver.start();
      }
      node.startAgent();
    }
    const pending = (): string | undefined => {
      const wish = each().find(({ isWanted, isThere }) => !isWanted || !isThere);
      if (wish !== undefined)
        return `${wish.uid} with ${wish.handle} ${wish.isWanted ? 'has no volume' : 'is still there'}`;
      for (const { handle } of each()) {
        const { wanted } = sizeOf(sizes, handle);
        const grown = Math.max(1, ...nodes.map(({ name }) => laws.sizeAt(name, handle)));
        if (grown < wanted) return `${handle} has ${grown} bytes, and should have ${wanted}`;
      }
      return nodes.map((node) => notMounted(node, wishes)).find((text) => text !== undefined);
    };
    await untilWell(sim, pending, { withinMs: QUIET_MS, lookEveryMs: 1000 });
    for (const wish of each()) wish.isWanted = false;
    const left = (): string | undefined =>
      pending() ?? laws.left() ?? nodes.map((node) => node.leftovers()).find((text) => text !== undefined);
    await untilWell(sim, left, { withinMs: QUIET_MS, lookEveryMs: 1000 });
    return { calls: laws.calls };
  } catch (error) {
    return { problem: String(error), calls: laws.calls };
  }
}

/** A pod that should have its volume, and at whose target nothing is mounted; undefined: there is none. */
function notMounted(node: SimNode, wishes: Wishes): string | undefined {
  const wish = [...(wishes.get(node.name)?.values() ?? [])].find((each) => !node.isMounted(targetOf(each)));
  return wish && `nothing is mounted for ${wish.uid} with ${wish.handle}`;
}

const SEEDS_OF_BROKEN = 3;

it.each([1, 2, 3, 4])('the plan keeps the laws (seed %i)', async (seed) => {
  const { problem, calls } = await play(seed);
  expect(problem).toBeUndefined();
  expect(calls).toBeGreaterThan(50);
});

const isCall = (step: Step): step is Call => 'before' in step;
const isStage = (step: Step): step is Call => step.kind === 'stage';

/** The note as it was is what stands before each call. */
const writesNothingBefore: Plan = (note, volume, goal, facts) => {
  const step = nextStep(note, volume, goal, facts);
  return isCall(step) ? { ...step, before: note ?? { ...volume, boot: facts.boot, publications: [] } } : step;
};

/** Steps that stand in a note count as something else. */
const reads =
  (change: (note: VolumeNote, goal: Goal) => VolumeNote | undefined): Plan =>
  (note, volume, goal, facts) =>
    nextStep(note && change(note, goal), volume, goal, facts);

const stepped = (note: VolumeNote, from: Publication['step'], to: Publication['step']): VolumeNote => ({
  ...note,
  publications: note.publications.map((each) => (each.step === from ? { ...each, step: to } : each)),
});

const staged = (note: VolumeNote, from: Staging['step'], to: Staging['step']): VolumeNote => {
  const { staging } = note;
  return staging?.step === from ? { ...note, staging: { ...staging, step: to } } : note;
};

/** What is broken, and the first seed to play; absent: 1. */
const broken: readonly (readonly [string, Partial<Mind>, number?])[] = [
  ['writes no note before a call', { plan: writesNothingBefore }],
  ['takes a staging that was begun as done', { plan: reads((note) => staged(note, 'staging', 'staged')) }],
  [
    'takes an unstaging that was begun as done',
    {
      plan: reads(({ staging, ...note }) =>
        staging?.step === 'unstaging' ? note : { ...note, ...(staging && { staging }) },
      ),
    },
  ],
  ['stages again what was begun to be unstaged', { plan: reads((note) => staged(note, 'unstaging', 'staging')) }, 24],
  ['takes a publishing that was begun as nothing', { plan: reads((note) => stepped(note, 'publishing', 'planned')) }],
  [
    'takes an unpublishing that was begun as nothing',
    { plan: reads((note) => stepped(note, 'unpublishing', 'planned')) },
  ],
  [
    'publishes again what was begun to be unpublished',
    { plan: reads((note) => stepped(note, 'unpublishing', 'publishing')) },
    9,
  ],
  [
    'believes notes of another boot',
    { plan: (note, volume, goal, facts) => nextStep(note, volume, goal, { ...facts, boot: note?.boot ?? facts.boot }) },
    6,
  ],
  [
    'unstages without a look at other pods',
    {
      plan: reads((note, goal) =>
        goal.kind === 'gone'
          ? { ...note, publications: note.publications.filter((each) => each.target === goal.target) }
          : note,
      ),
    },
  ],
  [
    'forgets the staging with the last pod',
    {
      plan: (note, volume, goal, facts) => {
        const step = nextStep(note, volume, goal, facts);
        return step.kind === 'unstage' && goal.kind === 'gone' ? { kind: 'forget' } : step;
      },
    },
  ],
  [
    'lets no pod answer for the staging',
    {
      plan: (note, volume, goal, facts) => {
        const step = nextStep(note, volume, goal, facts);
        if (step.kind !== 'unpublish' || step.after === undefined) return step;
        return {
          ...step,
          after: { ...step.after, publications: step.after.publications.filter(({ step: at }) => at !== 'planned') },
        };
      },
    },
    9,
  ],
  [
    'stages for each pod at its own path',
    {
      plan: (note, volume, goal, facts) => {
        const step = nextStep(note, volume, goal, facts);
        if (!isStage(step) || goal.kind !== 'published') return step;
        const path = `${step.path}-${goal.publication.pod}`;
        const at = (of: VolumeNote): VolumeNote => ({ ...of, ...(of.staging && { staging: { ...of.staging, path } }) });
        return { ...step, path, before: at(step.before), ...(step.after && { after: at(step.after) }) };
      },
    },
  ],
  [
    'publishes before it stages',
    {
      plan: (note, volume, goal, facts) => {
        const step = nextStep(note, volume, goal, facts);
        if (!isStage(step) || goal.kind !== 'published') return step;
        const before = {
          ...step.before,
          publications: [
            ...step.before.publications.filter(({ target }) => target !== goal.publication.target),
            { ...goal.publication, step: 'publishing' as const },
          ],
        };
        return { kind: 'publish', path: goal.publication.target, before, after: before };
      },
    },
  ],
  [
    'takes a mount that vanished as there',
    { plan: (note, volume, goal, facts) => nextStep(note, volume, goal, { ...facts, isMounted: true }) },
  ],
  [
    'expands what is not staged yet',
    {
      plan: (note, volume, goal, facts) => {
        const step = nextStep(note, volume, goal, facts);
        if (!isStage(step) || goal.kind !== 'published' || goal.size === undefined) return step;
        const size = { bytes: goal.size.bytes, step: 'expanded' as const };
        if (note?.size?.bytes === size.bytes || goal.size.known >= size.bytes) return step;
        const after: VolumeNote = { ...(note ?? { ...volume, boot: facts.boot, publications: [] }), size };
        return { kind: 'expand', path: step.path, before: after, after, refused: after };
      },
    },
  ],
  [
    'never expands',
    {
      plan: (note, volume, goal, facts) => {
        if (goal.kind !== 'published') return nextStep(note, volume, goal, facts);
        const { size: _, ...rest } = goal;
        return nextStep(note, volume, rest, facts);
      },
    },
  ],
  [
    'takes an expansion that was begun as done',
    {
      plan: reads((note) =>
        note.size?.step === 'expanding' ? { ...note, size: { ...note.size, step: 'expanded' } } : note,
      ),
    },
  ],
  ['asks for less than before', { bytes: (wanted) => (wanted % 2 === 0 ? wanted : 1) }],
  [
    'leaves the files of devices',
    {
      disk: (fs) => ({
        ...fs,
        remove: (path, options) => (path.includes('/publish/') ? Promise.resolve() : fs.remove(path, options)),
      }),
    },
  ],
  [
    'does not sync its notes',
    {
      disk: (fs) => ({
        ...fs,
        writeFile: (path, data, options) => fs.writeFile(path, data, { ...options, sync: false }),
      }),
    },
  ],
  ['does not sync what it removes', { disk: (fs) => ({ ...fs, remove: (path) => fs.remove(path) }) }],
];

it.each(broken.map(([what, mind, from = 1]) => [what, mind, from] as const))(
  'a node that %s is found',
  async (_, mind, from) => {
    const found: string[] = [];
    for (let seed = from; seed < from + SEEDS_OF_BROKEN && found.length === 0; seed += 1) {
      const { problem } = await play(seed, mind);
      if (problem !== undefined) found.push(problem);
    }
    expect(found).toEqual([expect.stringMatching(/^(InvariantViolation|LivenessFailure): /)]);
  },
);
