import { describe, expect, it } from 'vitest';
import { type Call, type ExpandCall, type Goal, isTooSmall, nextStep, noteAfterFailure } from './next-step.ts';
import { parseVolumeNote, type VolumeNote } from './volume-note.ts';

const VOLUME = { driver: 'd', handle: 'h' };
const STAGING = '/staging';
const TARGETS = ['/a', '/b'] as const;

/** What is true on the machine, beside the note on the disk. */
interface World {
  readonly note: VolumeNote | undefined;
  readonly boot: number;
  readonly isStaged: boolean;
  readonly published: readonly string[];
  /** The volume has the size that is wanted; no boot and no other node takes that back. */
  readonly isLarge: boolean;
}

/** What a driver can do, and what is wanted of it. */
interface Kind {
  readonly stages: boolean;
  readonly expands: boolean;
}

/** How one call ends. Each may leave the agent alive or dead: an agent that lives goes by the note, too. */
type Answer =
  | 'succeeds'
  /** Its effect is there; its answer is lost, or the agent dies before it notes it. */
  | 'happens unheard'
  /** An error, a lie, or a death before the call. */
  | 'does not happen'
  /** Of an expansion: not while it is used. */
  | 'refuses'
  /** The driver says that the volume is not staged. */
  | 'is not staged';
const ANSWERS: readonly Answer[] = ['succeeds', 'happens unheard', 'does not happen', 'is not staged'];

const START: World = { note: undefined, boot: 1, isStaged: false, published: [], isLarge: false };
const LARGE = { bytes: 2, known: 1 };

const goals = ({ stages, expands }: Kind): readonly Goal[] =>
  TARGETS.flatMap((target): Goal[] => [
    {
      kind: 'published',
      publication: { pod: `pod-of-${target}`, volume: 'v', target },
      stagingPath: stages ? STAGING : undefined,
      ...(expands && { size: LARGE }),
    },
    { kind: 'gone', target },
  ]);

const targetOf = (goal: Goal): string => (goal.kind === 'gone' ? goal.target : goal.publication.target);

function stepOf(world: World, goal: Goal) {
  return nextStep(world.note, VOLUME, goal, {
    boot: String(world.boot),
    isMounted: world.published.includes(targetOf(goal)),
    isStagingMounted: world.isStaged,
  });
}

/** The machine after the call; throws when the call must not be made. */
function effect(world: World, { kind, path }: Call, { stages }: Kind): World {
  switch (kind) {
    case 'stage':
      expect(path).toBe(STAGING);
      return { ...world, isStaged: true };
    case 'publish':
      if (stages && !world.isStaged) throw new Error(`published before it was staged: ${JSON.stringify(world)}`);
      return { ...world, published: [...new Set([...world.published, path])].toSorted() };
    case 'unpublish':
      return { ...world, published: world.published.filter((each) => each !== path) };
    case 'unstage':
      if (world.published.length > 0) throw new Error(`unstaged while it is published: ${JSON.stringify(world)}`);
      return { ...world, isStaged: false };
    case 'expand':
      // The note says so to whoever comes next; what is mounted there may have vanished since.
      if (stages && world.note?.staging?.step !== 'staged') throw new Error(`expanded before it was staged`);
      if (path !== STAGING && !world.published.includes(path)) throw new Error(`expanded at ${path}, where nothing is`);
      if (path === STAGING && !world.isStaged) throw new Error('expanded while it is not staged');
      return { ...world, isLarge: true };
  }
}

/** As the executor: the note is stored, the call is made, the note is stored. */
function afterCall(world: World, call: Call, answer: Answer, kind: Kind): World {
  const begun = { ...world, note: call.before };
  if (answer === 'does not happen') return begun;
  if (answer === 'is not staged')
    return { ...begun, note: noteAfterFailure(call, 'FailedPrecondition') ?? call.before };
  if (answer === 'refuses') return { ...world, note: (call as ExpandCall).refused };
  const happened = effect(begun, call, kind);
  if (answer === 'happens unheard') return happened;
  const staging = call.after?.staging;
  const seen = staging?.step === 'staged' ? { staging: { ...staging, isMount: true } } : {};
  return { ...happened, note: call.after && { ...call.after, ...seen } };
}

/** All worlds that one more event leads to. */
function successors(world: World, kind: Kind): readonly World[] {
  const next: World[] = [];
  for (const goal of goals(kind)) {
    const step = stepOf(world, goal);
    if (step.kind === 'done' || step.kind === 'blocked') continue;
    if (step.kind === 'forget') next.push({ ...world, note: undefined });
    else if (step.kind === 'drop') next.push({ ...world, note: step.after });
    else {
      for (const answer of ANSWERS) next.push(afterCall(world, step, answer, kind));
      if (step.kind === 'expand') next.push(afterCall(world, step, 'refuses', kind));
    }
  }
  // Once is enough: the note knows two boots, its own and another.
  if (world.boot === 1) next.push({ ...world, boot: 2, isStaged: false, published: [] });
  // What is staged does not answer any more.
  const { note } = world;
  if (note?.staging?.step === 'staged' && note.staging.isDead !== true)
    next.push({ ...world, note: { ...note, staging: { ...note.staging, isDead: true } } });
  // Somebody unmounts, or the driver's daemon dies.
  if (world.isStaged) next.push({ ...world, isStaged: false });
  if (world.published.length > 0) next.push({ ...world, published: world.published.slice(1) });
  return next;
}

/** Every world that can come about, by any order of goals, answers, deaths, boots and lost mounts. */
function allWorlds(kind: Kind): readonly World[] {
  const seen = new Map<string, World>([[JSON.stringify(START), START]]);
  const queue: World[] = [START];
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    for (const each of successors(world, kind)) {
      const key = JSON.stringify(each);
      if (seen.has(key)) continue;
      seen.set(key, each);
      queue.push(each);
    }
  }
  return [...seen.values()];
}

describe.each([
  ['a driver that stages', { stages: true, expands: false }],
  ['a driver that does not stage', { stages: false, expands: false }],
  ['a driver that stages and expands', { stages: true, expands: true }],
  ['a driver that expands and does not stage', { stages: false, expands: true }],
])('every interleaving of steps, deaths and answers of %s', (_, kind) => {
  const { stages, expands } = kind;
  const worlds = allWorlds(kind);

  it('is a table of more than a few', () => {
    expect(worlds.length).toBeGreaterThan((stages ? 300 : 40) * (expands ? 4 : 1));
  });

  it('forgets nothing that is staged or published', () => {
    const forgotten = worlds.filter(({ note, isStaged, published }) => {
      if (isStaged && note?.staging === undefined) return true;
      return published.some((path) => !note?.publications.some(({ target }) => target === path));
    });
    expect(forgotten).toEqual([]);
  });

  it('has no note without a pod that asks for its end', () => {
    expect(worlds.filter(({ note }) => note !== undefined && note.publications.length === 0)).toEqual([]);
  });

  it('comes to every goal once calls succeed', () => {
    for (const from of worlds) {
      for (const goal of goals(kind)) {
        let world = from;
        let blocked = false;
        for (let calls = 0; ; calls++) {
          expect(calls).toBeLessThan(9);
          const step = stepOf(world, goal);
          if (step.kind === 'done') break;
          if (step.kind === 'blocked') {
            // Another pod has the dead volume: once that has let it go, this goal is reached like any other.
            expect(world.note?.staging?.isDead).toBe(true);
            expect(step.by).not.toEqual([]);
            blocked = true;
            break;
          }
          if (step.kind === 'forget') {
            world = { ...world, note: undefined };
            break;
          }
          world = step.kind === 'drop' ? { ...world, note: step.after } : afterCall(world, step, 'succeeds', kind);
          if (world.note === undefined && goal.kind === 'gone') break;
        }
        if (blocked) continue;
        expect(world.published.includes(targetOf(goal))).toBe(goal.kind === 'published');
        if (goal.kind === 'published' && stages) expect(world.isStaged).toBe(true);
        if (goal.kind === 'published' && expands)
          expect(world.isLarge || world.note?.size?.step === 'refused', JSON.stringify({ from, world })).toBe(true);
      }
    }
  });

  it('leaves nothing once all targets are gone', () => {
    for (const from of worlds) {
      let world = from;
      for (const target of TARGETS) {
        for (let calls = 0; calls < 8; calls++) {
          const step = stepOf(world, { kind: 'gone', target });
          if (step.kind === 'done' || step.kind === 'blocked') break;
          if (step.kind === 'forget') world = { ...world, note: undefined };
          else if (step.kind === 'drop') world = { ...world, note: step.after };
          else world = afterCall(world, step, 'succeeds', kind);
          if (world.note === undefined) break;
        }
      }
      expect(world).toEqual({ ...START, boot: from.boot, isLarge: from.isLarge });
    }
  });

  it('has notes that are understood as they were written', () => {
    for (const { note } of worlds) if (note !== undefined) expect(parseVolumeNote(JSON.stringify(note))).toEqual(note);
  });
});

it.each([
  [undefined, 2, 1, true],
  [undefined, 2, 2, false],
  [{ bytes: 1, step: 'expanded' }, 2, 2, true],
  [{ bytes: 2, step: 'expanded' }, 2, 1, false],
  [{ bytes: 3, step: 'expanded' }, 2, 1, false],
  [{ bytes: 2, step: 'expanding' }, 2, 2, true],
  [{ bytes: 3, step: 'expanding' }, 2, 2, true],
  [{ bytes: 1, step: 'refused' }, 2, 1, false],
] as const)('a volume with the noted size %j is too small for %d of %d: %s', (noted, bytes, known, isSmall) => {
  expect(isTooSmall(noted, { bytes, known })).toBe(isSmall);
});

it('a size that is refused is asked for again once the volume was unstaged', () => {
  const size = { bytes: 2, step: 'refused' } as const;
  const note: VolumeNote = {
    ...VOLUME,
    boot: '1',
    publications: [],
    size,
    staging: { path: STAGING, step: 'unstaging' },
  };
  const world: World = { ...START, note };
  const [goal] = goals({ stages: true, expands: true });
  const step = goal && stepOf(world, goal);
  expect(step).toMatchObject({ kind: 'unstage', after: { publications: [] } });
  expect(step?.kind === 'unstage' && step.after?.size).toBe(undefined);
});

describe('a failed call', () => {
  const publication = { pod: 'p', volume: 'v', target: '/a' };
  const goal: Goal = { kind: 'published', publication, stagingPath: STAGING };
  const staging = { path: STAGING, step: 'staged', isMount: false } as const;
  const note: VolumeNote = { ...VOLUME, boot: '1', staging, publications: [{ ...publication, step: 'planned' }] };
  const facts = { boot: '1', isMounted: false, isStagingMounted: false };
  const publish = nextStep(note, VOLUME, goal, facts);

  it('of a driver that has lost its staging has the volume staged again', () => {
    if (publish.kind !== 'publish') expect.fail(publish.kind);
    const after = noteAfterFailure(publish, 'FailedPrecondition');
    expect(after?.staging).toEqual({ path: STAGING, step: 'staging' });
    expect(nextStep(after, VOLUME, goal, facts)).toMatchObject({ kind: 'stage', path: STAGING });
  });

  it('says nothing of the staging otherwise', () => {
    if (publish.kind !== 'publish') expect.fail(publish.kind);
    expect(noteAfterFailure(publish, 'Internal')).toBeUndefined();
    expect(noteAfterFailure({ ...publish, kind: 'unpublish' }, 'FailedPrecondition')).toBeUndefined();
  });
});

describe('a note', () => {
  it.each([
    'no JSON',
    'null',
    '{}',
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [{ pod: 'p' }] }),
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [], size: { bytes: '1', step: 'expanded' } }),
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [], size: { bytes: 1, step: 'x' } }),
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [], staging: { path: '/s', step: 'x' } }),
  ])('that cannot be understood is none: %s', (text) => {
    expect(parseVolumeNote(text)).toBeUndefined();
  });
});
