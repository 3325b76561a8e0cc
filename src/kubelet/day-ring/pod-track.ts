/** How a pod is, and what a pass over it changes in that: deaths, outages and their ends. Pure. */
import type { Now } from '../../lib/index.ts';
import { STARTING_MS } from './limits.ts';
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
  /** A human takes part now: a restart that somebody asked for is under way, or the inputs of the pod were changed. */
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
  /** From the first death until it is ready again. `since`: mono ms. */
  readonly outage: { readonly since: number; readonly human: boolean } | undefined;
}

export interface PodNews {
  readonly restarts: number;
  readonly deaths: number;
  readonly recovered: Recovered | undefined;
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
  /** `since`: wall ms. */
  readonly outage?: { readonly since: number; readonly human: boolean };
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
  return {
    uid,
    restarts,
    owes,
    ...(outage === undefined ? {} : { outage: { ...outage, since: now.wall - (now.mono - outage.since) } }),
  };
}

/** A time to come, from a clock that was set back since, counts as now. */
export function trackFrom({ restarts, owes, outage }: KeptTrack, now: Now): PodTrack {
  const since = outage === undefined ? 0 : now.mono - Math.max(0, now.wall - outage.since);
  return { ...newTrack(now, restarts), owes, outage: outage === undefined ? undefined : { ...outage, since } };
}

export function trackPod(before: PodTrack, facts: PodFacts): { readonly track: PodTrack; readonly news: PodNews } {
  const { now, ready, over, ending, stuck, bare, restarts } = facts;
  const isUp = ready || over === 'succeeded';
  const outage = outageOf(before, facts);
  const ends = outage !== undefined && (isUp || ending || over === 'failed');
  const asked = facts.human || facts.ends.some(({ kind }) => kind === 'asked');
  const track: PodTrack = {
    ready,
    over,
    ending,
    stuck,
    bare,
    restarts: Math.max(before.restarts, restarts),
    owes: ready || (before.owes && !asked),
    unreadySince: ready ? undefined : (before.unreadySince ?? now.mono),
    outage: ends ? undefined : outage,
  };
  const failed = over === 'failed' && before.over !== 'failed' && !ending;
  const news: PodNews = {
    restarts: Math.max(0, restarts - before.restarts),
    deaths: facts.ends.filter(({ kind }) => kind === 'own').length,
    recovered:
      outage !== undefined && isUp && !ending
        ? { durationMs: Math.max(0, now.mono - outage.since), alone: !outage.human }
        : undefined,
    lost: (ends && !(isUp && !ending)) || failed,
    done: over === 'succeeded' && before.over !== 'succeeded',
  };
  return { track, news };
}

/** @param mono ms */
export function healthOf(
  { ready, over, ending, stuck, bare, owes, unreadySince, outage }: PodTrack,
  mono: number,
): PodHealth {
  if (ending || over === 'succeeded') return 'none';
  if (over === 'failed') return bare ? 'dead' : 'none';
  if (outage !== undefined) return 'dead';
  if (ready) return 'ok';
  return stuck || owes || mono - (unreadySince ?? mono) > STARTING_MS ? 'degraded' : 'none';
}

function outageOf(before: PodTrack, { now, ends, human, ending, over }: PodFacts): PodTrack['outage'] {
  const own = ends.filter(({ kind }) => kind === 'own');
  const helped = human || ends.some(({ kind }) => kind === 'asked');
  if (before.outage !== undefined) return helped ? { ...before.outage, human: true } : before.outage;
  if (own.length === 0 || ending || (over !== undefined && before.over !== undefined)) return undefined;
  const times = own.map(({ finishedAt }) => (finishedAt > 0 ? Math.max(0, now.wall - finishedAt) : 0));
  return { since: now.mono - Math.max(...times), human: helped };
}
