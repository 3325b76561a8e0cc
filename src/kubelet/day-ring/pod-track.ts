/** How a pod is, and what a pass over it changes in that: deaths, outages and their ends. Pure. */
import type { Now } from '../../lib/index.ts';
import { STARTING_MS, STAYS_UP_MS } from './limits.ts';
import type { Recovered } from './recovery-spans.ts';

/**
 * own: the container died, or was killed because it failed; asked: somebody wished the end; step: it belongs to the healing of
 * another death.
 */
export type EndKind = 'own' | 'asked' | 'step';

/** What one pass shows of a pod. */
export interface PodFacts {
  readonly now: Now;
  readonly ready: boolean;
  readonly over: 'succeeded' | 'failed' | undefined;
  /** It is being taken away. */
  readonly ending: boolean;
  /** A container waits for a reason that is no part of a start: an image that cannot be pulled. */
  readonly stuck: boolean;
  /** Nothing controls it: nothing replaces it. */
  readonly bare: boolean;
  /** Starts of its containers after their first. */
  readonly restarts: number;
  /** Ends that were not seen before; `finishedAt`: wall ms, 0 when unknown. */
  readonly ends: readonly { readonly kind: EndKind; readonly finishedAt: number }[];
  /** A restart that somebody asked for is under way. */
  readonly restarting: boolean;
  /** A human takes part now: by such a restart, a try, a pause, or a change of the pod's inputs. */
  readonly human: boolean;
}

export interface PodTrack {
  readonly ready: boolean;
  readonly over: 'succeeded' | 'failed' | undefined;
  readonly ending: boolean;
  readonly stuck: boolean;
  readonly bare: boolean;
  readonly restarts: number;
  /** It was ready since it was last started on somebody's wish: it owes that. */
  readonly owes: boolean;
  /** Mono ms: not ready since. */
  readonly unreadySince: number | undefined;
  readonly outage: Outage | undefined;
}

/** From the first death until the pod is ready again, and stays up. */
export interface Outage {
  /** Mono ms: the first death. */
  readonly since: number;
  /** A human took part. */
  readonly human: boolean;
  /** Mono ms: ready again. Kept for a while, as a death soon after it shows that the pod had not healed. */
  readonly up?: number;
}

export interface PodNews {
  readonly restarts: number;
  readonly deaths: number;
  /** It is ready again. */
  readonly recovered: Recovered | undefined;
  /** It died again so soon that this was no recovery: the outage goes on. */
  readonly takenBack: Recovered | undefined;
  /** It was dead at some moment of this pass, and there is no recovery: it is taken away, or has failed. */
  readonly lost: boolean;
  /** It was well at some moment, though it is over now. */
  readonly done: boolean;
}

/** What outlives the agent. */
export interface KeptTrack {
  readonly uid: string;
  readonly restarts: number;
  readonly owes: boolean;
  /** Its times are wall ms. */
  readonly outage?: Outage;
}

export type PodHealth = 'ok' | 'degraded' | 'dead' | 'none';

/** @param restarts those that are not news */
export function newTrack(now: Now, restarts: number): PodTrack {
  return {
    ready: false,
    over: undefined,
    ending: false,
    stuck: false,
    bare: false,
    restarts,
    owes: false,
    unreadySince: now.mono,
    outage: undefined,
  };
}

export function keptTrack(uid: string, { restarts, owes, outage }: PodTrack, now: Now): KeptTrack {
  const wall = (mono: number): number => now.wall - (now.mono - mono);
  return { uid, restarts, owes, ...(outage === undefined ? {} : { outage: outageAt(outage, wall) }) };
}

/** A time to come, from a clock that was set back since, counts as now. */
export function trackFrom({ restarts, owes, outage }: KeptTrack, now: Now): PodTrack {
  const mono = (wall: number): number => now.mono - Math.max(0, now.wall - wall);
  return { ...newTrack(now, restarts), owes, outage: outage === undefined ? undefined : outageAt(outage, mono) };
}

function outageAt({ since, human, up }: Outage, at: (time: number) => number): Outage {
  return { since: at(since), human, ...(up === undefined ? {} : { up: at(up) }) };
}

export function trackPod(before: PodTrack, facts: PodFacts): { readonly track: PodTrack; readonly news: PodNews } {
  const { now, ready, over, ending, stuck, bare, restarts } = facts;
  const isUp = (ready || over === 'succeeded') && !ending;
  const { going, takenBack } = outageOf(before, facts);
  const isBack = going !== undefined && going.up === undefined && isUp;
  const isLost = going !== undefined && going.up === undefined && (ending || over === 'failed');
  const asked = facts.restarting || facts.ends.some(({ kind }) => kind === 'asked');
  const track: PodTrack = {
    ready,
    over,
    ending,
    stuck,
    bare,
    restarts: Math.max(before.restarts, restarts),
    owes: ready || (before.owes && !asked),
    unreadySince: ready ? undefined : (before.unreadySince ?? now.mono),
    // What has done its work, or is taken away, does not die again.
    outage: ending || over !== undefined ? undefined : isBack ? { ...going, up: now.mono } : going,
  };
  const failed = over === 'failed' && before.over !== 'failed' && !ending;
  const news: PodNews = {
    restarts: Math.max(0, restarts - before.restarts),
    deaths: facts.ends.filter(({ kind }) => kind === 'own').length,
    recovered: isBack ? recoveryOf(going, now.mono) : undefined,
    takenBack,
    lost: isLost || failed,
    done: over === 'succeeded' && before.over !== 'succeeded',
  };
  return { track, news };
}

function recoveryOf({ since, human }: Outage, up: number): Recovered {
  return { durationMs: Math.max(0, up - since), alone: !human };
}

/** Mono ms; undefined: nothing died. */
function firstDeathAt({ now, ends }: PodFacts): number | undefined {
  const own = ends.filter(({ kind }) => kind === 'own');
  if (own.length === 0) return undefined;
  const times = own.map(({ finishedAt }) => (finishedAt > 0 ? Math.max(0, now.wall - finishedAt) : 0));
  return now.mono - Math.max(...times);
}

/** @param mono ms */
export function healthOf(
  { ready, over, ending, stuck, bare, owes, unreadySince, outage }: PodTrack,
  mono: number,
): PodHealth {
  if (ending || over === 'succeeded') return 'none';
  if (over === 'failed') return bare ? 'dead' : 'none';
  if (outage !== undefined && outage.up === undefined) return 'dead';
  if (ready) return 'ok';
  return stuck || owes || mono - (unreadySince ?? mono) > STARTING_MS ? 'degraded' : 'none';
}

/** The outage that is under way, or was until a moment ago. */
function outageOf(
  { outage, over: overBefore }: PodTrack,
  facts: PodFacts,
): { readonly going: Outage | undefined; readonly takenBack: Recovered | undefined } {
  const { ends, human, ending, over, now } = facts;
  const helped = human || ends.some(({ kind }) => kind === 'asked');
  const diedAt = firstDeathAt(facts);
  if (outage !== undefined && outage.up === undefined)
    return { going: { ...outage, human: outage.human || helped }, takenBack: undefined };
  const isOver = outage?.up === undefined || (diedAt ?? now.mono) - outage.up >= STAYS_UP_MS;
  if (diedAt === undefined) return { going: isOver ? undefined : outage, takenBack: undefined };
  if (outage?.up === undefined || isOver) {
    const isNone = ending || (over !== undefined && overBefore !== undefined);
    return { going: isNone ? undefined : { since: diedAt, human: helped }, takenBack: undefined };
  }
  const going = { since: outage.since, human: outage.human || helped };
  return { going, takenBack: recoveryOf(outage, outage.up) };
}
