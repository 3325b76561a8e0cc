import { describe, expect, it } from 'vitest';
import { type Call, type Goal, nextStep } from './next-step.ts';
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
}

/** How one call ends. Each may leave the agent alive or dead: an agent that lives goes by the note, too. */
type Answer =
  | 'succeeds'
  /** Its effect is there; its answer is lost, or the agent dies before it notes it. */
  | 'happens unheard'
  /** An error, a lie, or a death before the call. */
  | 'does not happen';
const ANSWERS: readonly Answer[] = ['succeeds', 'happens unheard', 'does not happen'];

const START: World = { note: undefined, boot: 1, isStaged: false, published: [] };

const goals = (stagingPath: string | undefined): readonly Goal[] =>
  TARGETS.flatMap((target): Goal[] => [
    { kind: 'published', publication: { pod: `pod-of-${target}`, volume: 'v', target }, stagingPath },
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
function effect(world: World, { kind, path }: Call, stages: boolean): World {
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
  }
}

/** As the executor: the note is stored, the call is made, the note is stored. */
function afterCall(world: World, call: Call, answer: Answer, stages: boolean): World {
  const begun = { ...world, note: call.before };
  if (answer === 'does not happen') return begun;
  const happened = effect(begun, call, stages);
  if (answer === 'happens unheard') return happened;
  const staging = call.after?.staging;
  const seen = staging?.step === 'staged' ? { staging: { ...staging, isMount: true } } : {};
  return { ...happened, note: call.after && { ...call.after, ...seen } };
}

/** All worlds that one more event leads to. */
function successors(world: World, stages: boolean): readonly World[] {
  const next: World[] = [];
  for (const goal of goals(stages ? STAGING : undefined)) {
    const step = stepOf(world, goal);
    if (step.kind === 'done' || step.kind === 'blocked') continue;
    if (step.kind === 'forget') next.push({ ...world, note: undefined });
    else if (step.kind === 'drop') next.push({ ...world, note: step.after });
    else for (const answer of ANSWERS) next.push(afterCall(world, step, answer, stages));
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
function allWorlds(stages: boolean): readonly World[] {
  const seen = new Map<string, World>([[JSON.stringify(START), START]]);
  const queue: World[] = [START];
  for (let world = queue.pop(); world !== undefined; world = queue.pop()) {
    for (const each of successors(world, stages)) {
      const key = JSON.stringify(each);
      if (seen.has(key)) continue;
      seen.set(key, each);
      queue.push(each);
    }
  }
  return [...seen.values()];
}

describe.each([
  ['a driver that stages', true],
  ['a driver that does not stage', false],
])('every interleaving of steps, deaths and answers of %s', (_, stages) => {
  const worlds = allWorlds(stages);

  it('is a table of more than a few', () => {
    expect(worlds.length).toBeGreaterThan(stages ? 300 : 40);
  });

  it('forgets nothing that is staged or published', () => {
    const forgotten = worlds.filter(({ note, isStaged, published }) => {
      if (isStaged && note?.staging === undefined) return true;
      return published.some((path) => !note?.publications.some(({ target }) => target === path));
    });
    expect(forgotten).toEqual([]);
  });

  it('comes to every goal once calls succeed', () => {
    for (const from of worlds) {
      for (const goal of goals(stages ? STAGING : undefined)) {
        let world = from;
        let blocked = false;
        for (let calls = 0; ; calls++) {
          expect(calls).toBeLessThan(8);
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
          world = step.kind === 'drop' ? { ...world, note: step.after } : afterCall(world, step, 'succeeds', stages);
          if (world.note === undefined && goal.kind === 'gone') break;
        }
        if (blocked) continue;
        expect(world.published.includes(targetOf(goal))).toBe(goal.kind === 'published');
        if (goal.kind === 'published' && stages) expect(world.isStaged).toBe(true);
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
          else world = afterCall(world, step, 'succeeds', stages);
          if (world.note === undefined) break;
        }
      }
      expect(world).toEqual({ note: undefined, boot: from.boot, isStaged: false, published: [] });
    }
  });

  it('has notes that are understood as they were written', () => {
    for (const { note } of worlds) if (note !== undefined) expect(parseVolumeNote(JSON.stringify(note))).toEqual(note);
  });
});

describe('a note', () => {
  it.each([
    'no JSON',
    'null',
    '{}',
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [{ pod: 'p' }] }),
    JSON.stringify({ driver: 'd', handle: 'h', boot: 'b', publications: [], staging: { path: '/s', step: 'x' } }),
  ])('that cannot be understood is none: %s', (text) => {
    expect(parseVolumeNote(text)).toBeUndefined();
  });
});
