import { describe, expect, it } from 'vitest';
import {
  type AttachmentState,
  type NodeState,
  type PlaceFacts,
  planAttachments,
  type Step,
} from './plan-attachments.ts';

const FORCE_MS = 360_000;
const ATTACHMENTS: readonly AttachmentState[] = ['absent', 'attaching', 'attached', 'detaching'];
const NODES: readonly { readonly node: NodeState; readonly unheardMs: number }[] = [
  { node: 'heard', unheardMs: 0 },
  { node: 'unheard', unheardMs: FORCE_MS - 1 },
  { node: 'unheard', unheardMs: FORCE_MS },
  { node: 'out-of-service', unheardMs: 0 },
  { node: 'unmanaged', unheardMs: 0 },
  { node: 'gone', unheardMs: 0 },
];
const BOTH = [false, true] as const;

function* placesOf(nodeName: string, isShared: boolean): Generator<PlaceFacts> {
  for (const isWanted of BOTH)
    for (const attachment of ATTACHMENTS)
      for (const node of NODES)
        for (const isInUse of BOTH)
          for (const isListed of BOTH)
            yield {
              nodeName,
              attachment,
              ...node,
              isInUse,
              isListed,
              ...(isWanted && { wanted: { mayAttach: true, isShared } }),
            };
}

const holds = ({ attachment, isListed }: PlaceFacts): boolean => attachment !== 'absent' || isListed;
const shown = (places: readonly PlaceFacts[], steps: ReadonlyMap<string, Step>): string =>
  JSON.stringify([places, [...steps]]);

/** What every answer must keep to, whatever the facts are. */
function problemOf(places: readonly PlaceFacts[], steps: ReadonlyMap<string, Step>): string | undefined {
  for (const place of places) {
    const step = steps.get(place.nodeName);
    const others = places.filter((each) => each !== place);
    const isExclusive = place.wanted?.isShared === false;
    if (step === undefined) return 'no step';
    if (place.node === 'unmanaged' && !['none', 'keep'].includes(step.kind))
      return 'touches a node that manages itself';
    const isTaken = others.some((other) => other.attachment !== 'absent' || (other.isListed && !place.isListed));
    if (isExclusive && step.kind === 'attach' && isTaken) return 'attaches what another node has';
    if (isExclusive && step.kind === 'list' && others.some(({ isListed }) => isListed)) return 'lets two nodes mount';
    if (isExclusive && (step.kind === 'attach' || step.kind === 'list')) {
      const too = others.some(({ nodeName }) => ['attach', 'list'].includes(steps.get(nodeName)?.kind ?? ''));
      if (too) return 'gives it to two nodes at once';
    }
    if (step.kind === 'list' && place.attachment !== 'attached') return 'lists what is not attached';
    if (step.kind === 'detach') {
      if (place.wanted !== undefined) return 'detaches from pods';
      const isLate = place.node === 'unheard' && place.unheardMs >= FORCE_MS;
      const mayForce = isLate || place.node === 'out-of-service';
      if (place.isInUse && place.node !== 'gone' && !(mayForce && step.force !== undefined))
        return 'detaches what is used';
      if (!place.isInUse && step.force !== undefined) return 'forces what needs no force';
    }
    const isReleased = !place.isInUse || place.node === 'gone';
    const isIdle = place.wanted === undefined && holds(place) && place.attachment !== 'detaching';
    if (isIdle && isReleased && place.node !== 'unmanaged' && step.kind !== 'detach') return 'keeps what nobody needs';
  }
  return undefined;
}

it.each(BOTH)('keeps its promises for two nodes in every situation; shared: %s', (isShared) => {
  let count = 0;
  for (const a of placesOf('a', isShared)) {
    for (const b of placesOf('b', isShared)) {
      const places = [a, b];
      const steps = planAttachments(places, FORCE_MS);
      const problem = problemOf(places, steps);
      if (problem !== undefined) throw new Error(`${problem}: ${shown(places, steps)}`);
      count += 1;
    }
  }
  expect(count).toBe((2 * 4 * 6 * 2 * 2) ** 2);
});

describe('one node', () => {
  const place = (facts: Partial<PlaceFacts>): PlaceFacts => ({
    nodeName: 'a',
    attachment: 'absent',
    node: 'heard',
    isInUse: false,
    isListed: false,
    unheardMs: 0,
    ...facts,
  });
  const wanted = { mayAttach: true, isShared: false };
  it.each<[string, Partial<PlaceFacts>, Step]>([
    ['attaches for a pod', { wanted }, { kind: 'attach' }],
    ['attaches nothing for a claim that is not bound', { wanted: { ...wanted, mayAttach: false } }, { kind: 'none' }],
    ['waits for the attacher', { wanted, attachment: 'attaching' }, { kind: 'await-attach' }],
    ['lists what is attached', { wanted, attachment: 'attached' }, { kind: 'list' }],
    ['keeps what is listed', { wanted, attachment: 'attached', isListed: true }, { kind: 'keep' }],
    [
      'takes off the list what is being detached',
      { wanted, attachment: 'detaching', isListed: true },
      { kind: 'unlist' },
    ],
    ['attaches again when that is over', { wanted, attachment: 'detaching' }, { kind: 'await-detach' }],
    ['detaches what nobody uses', { attachment: 'attached', isListed: true }, { kind: 'detach' }],
    ['detaches what was never attached', { attachment: 'attaching' }, { kind: 'detach' }],
    ['waits for the unmount', { attachment: 'attached', isInUse: true }, { kind: 'await-unmount' }],
    [
      'waits six minutes for a node that is not heard',
      { attachment: 'attached', isInUse: true, node: 'unheard', unheardMs: 1000 },
      { kind: 'await-unmount', forceInMs: FORCE_MS - 1000 },
    ],
    [
      'and no longer',
      { attachment: 'attached', isInUse: true, node: 'unheard', unheardMs: FORCE_MS },
      { kind: 'detach', force: 'timeout' },
    ],
    [
      'at once when the node is out of service',
      { attachment: 'attached', isInUse: true, node: 'out-of-service' },
      { kind: 'detach', force: 'out-of-service' },
    ],
    ['at once when the node is gone', { attachment: 'attached', node: 'gone' }, { kind: 'detach' }],
    ['attaches nothing to a node that is gone', { wanted, node: 'gone' }, { kind: 'none' }],
    ['leaves alone what a node attached itself', { attachment: 'attached', node: 'unmanaged' }, { kind: 'keep' }],
    ['removes a stale entry of the list', { isListed: true }, { kind: 'detach' }],
  ])('%s', (_, facts, expected) => {
    expect(planAttachments([place(facts)], FORCE_MS).get('a')).toEqual(expected);
  });

  it('keeps volumes of an unheard node when nothing may be forced by time', () => {
    const facts = place({ attachment: 'attached', isInUse: true, node: 'unheard', unheardMs: 10 * FORCE_MS });
    expect(planAttachments([facts], undefined).get('a')).toEqual({ kind: 'await-unmount' });
  });
});

/**
 * A model of everybody who takes part: pods come and go, the agent writes what it uses, reads whether it may mount, mounts and
 * unmounts; attachers are slow; the controller acts on what it saw; a node falls silent for ever, or comes back.
 */
interface Side {
  readonly pod: boolean;
  readonly attachment: AttachmentState;
  readonly inUse: boolean;
  readonly listed: boolean;
  /** `cleared`: the agent has read that it may mount. */
  readonly agent: 'idle' | 'cleared' | 'mounted';
  /** The controller has taken it off the list, and will ask the node next. */
  readonly asks: boolean;
  readonly health: 'heard' | 'unheard' | 'lost';
  /** It was taken away by force: what the agent has mounted is of no use any more. */
  readonly forced: boolean;
}

type World = readonly [Side, Side];

const START: Side = {
  pod: false,
  attachment: 'absent',
  inUse: false,
  listed: false,
  agent: 'idle',
  asks: false,
  health: 'heard',
  forced: false,
};

function* agentMoves(side: Side): Generator<Side> {
  const { pod, inUse, listed, agent, attachment, health } = side;
  // A machine that is not heard may be on its way with what it began; it hears of nothing new.
  if (agent === 'cleared') yield { ...side, agent: 'mounted' };
  if (health !== 'heard') return;
  if (pod && !inUse) yield { ...side, inUse: true };
  if (pod && inUse && listed && attachment === 'attached' && agent === 'idle') yield { ...side, agent: 'cleared' };
  if (!pod && agent !== 'idle') yield { ...side, agent: 'idle', forced: false };
  if (!pod && agent === 'idle' && inUse) yield { ...side, inUse: false };
}

function* outsideMoves(side: Side, mayFail: boolean): Generator<Side> {
  yield { ...side, pod: !side.pod };
  if (side.attachment === 'attaching') yield { ...side, attachment: 'attached' };
  if (side.attachment === 'detaching') yield { ...side, attachment: 'absent' };
  if (!mayFail) return;
  if (side.health === 'heard') yield { ...side, health: 'unheard' };
  if (side.health === 'unheard') yield { ...side, health: 'lost' };
  // A machine that comes back has restarted, or is fenced: what was forced away is not mounted any more.
  if (side.health !== 'heard') yield { ...side, health: 'heard', ...(side.forced && { agent: 'idle', forced: false }) };
}

function controllerMove(side: Side, step: Step): Side | undefined {
  if (side.asks) {
    if (side.inUse) return { ...side, asks: false };
    return { ...side, asks: false, attachment: side.attachment === 'absent' ? 'absent' : 'detaching' };
  }
  const { kind } = step;
  if (kind === 'attach') return { ...side, attachment: 'attaching' };
  if (kind === 'list') return { ...side, listed: true };
  if (kind === 'unlist') return { ...side, listed: false };
  if (kind !== 'detach') return undefined;
  if (step.force === undefined) return { ...side, listed: false, asks: true };
  return { ...side, listed: false, attachment: 'detaching', forced: side.agent !== 'idle' };
}

function factsOf(nodeName: string, side: Side): PlaceFacts {
  return {
    nodeName,
    ...(side.pod && { wanted: { mayAttach: true, isShared: false } }),
    attachment: side.attachment,
    node: side.health === 'heard' ? 'heard' : 'unheard',
    isInUse: side.inUse,
    isListed: side.listed,
    unheardMs: side.health === 'lost' ? FORCE_MS : 0,
  };
}

function* next([a, b]: World): Generator<World> {
  const steps = planAttachments([factsOf('a', a), factsOf('b', b)], FORCE_MS);
  for (const side of [...agentMoves(a), ...outsideMoves(a, true)]) yield [side, b];
  for (const side of [...agentMoves(b), ...outsideMoves(b, false)]) yield [a, side];
  // One volume's places are looked at one after the other.
  const first = b.asks ? undefined : controllerMove(a, steps.get('a') ?? { kind: 'none' });
  if (first !== undefined) yield [first, b];
  const second = a.asks ? undefined : controllerMove(b, steps.get('b') ?? { kind: 'none' });
  if (second !== undefined) yield [a, second];
}

function broken([a, b]: World): string | undefined {
  for (const side of [a, b]) {
    if (side.agent === 'mounted' && !side.forced && side.attachment !== 'attached') return 'detached while mounted';
    if (side.agent === 'mounted' && side.health === 'heard' && !side.inUse) return 'mounted without saying so';
  }
  const has = (side: Side): boolean => side.agent !== 'idle' && !side.forced;
  return has(a) && has(b) ? 'mounted on two nodes' : undefined;
}

it('holds in a model of all who take part, whatever comes first', () => {
  const start: World = [START, START];
  const seen = new Set([JSON.stringify(start)]);
  const open: World[] = [start];
  let mounts = 0;
  let forced = 0;
  for (let world = open.pop(); world !== undefined; world = open.pop()) {
    const problem = broken(world);
    if (problem !== undefined) throw new Error(`${problem}: ${JSON.stringify(world)}`);
    if (world[1].agent === 'mounted') mounts += 1;
    if (world[0].forced && world[1].agent === 'mounted') forced += 1;
    for (const after of next(world)) {
      const key = JSON.stringify(after);
      if (seen.has(key)) continue;
      seen.add(key);
      open.push(after);
    }
  }
  expect(seen.size).toBeGreaterThan(500);
  expect(mounts).toBeGreaterThan(20);
  expect(forced).toBeGreaterThan(0);
});
