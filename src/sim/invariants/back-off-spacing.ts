/** Invariant: crash loops wait as long as they should between restarts. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { healsByPolicy, wasAsked } from './healing-words.ts';
import { asksForAll, mayRestartAll } from './restarts-all.ts';
import { InvariantViolation } from './violation.ts';

const LADDER_MS = [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000];
const RESET_MS = 600_000;
/** A reset is decided a little before the start that we see. */
const RESET_SLACK_MS = 150_000;
const SLACK_MS = 5;

interface Curve {
  level: number;
  /** Mono ms. */
  startedAt: number;
  exitedAt: number | undefined;
  /** Set when something came between that lets a back-off begin anew: another sandbox, another machine time. */
  excused: boolean;
}

/**
 * Restarts keep CrashLoopBackOff's distances from the exit: 0, 10, 20 … 300 s, again from 0 after ten minutes without a
 * crash; whatever happens to the agent in between. A lower bound: to wait longer is liveness' business.
 */
export function keepsBackOff(facts: Facts): void {
  const curves = new Map<string, Curve>();
  const pods = new Map<string, Pod>();
  const excuse = (matches: (key: string) => boolean): void => {
    for (const [key, curve] of curves) if (matches(key)) curve.excused = true;
  };
  facts.on({
    // The exit's wall time is all that a new agent has: a step in between makes it meaningless.
    'wall-stepped': () => excuse(() => true),
    'machine-lost': () => excuse(() => true),
    'sandbox-created': ({ uid }) => excuse((key) => key.startsWith(`${uid} `)),
    exited: ({ uid, container }, mono) => {
      const curve = curves.get(`${uid} ${container}`);
      if (curve !== undefined) curve.exitedAt = mono;
    },
    'pod-written': ({ pod }) => {
      const { uid = '' } = pod.metadata ?? {};
      pods.set(uid, pod);
      // With force the curve begins anew.
      if (wasAsked(pod)) excuse((key) => key.startsWith(`${uid} `));
    },
    started: ({ uid, container }, mono) => {
      const pod = pods.get(uid);
      // Restarted with all others, by the back-off of the one that asked for it.
      if (mayRestartAll(pod) && !asksForAll(pod, container)) return;
      // By a curve of its own, or because somebody asked: see the ladder's invariants.
      if (healsByPolicy(pod) || wasAsked(pod)) return;
      onStart(curves, `${uid} ${container}`, mono);
    },
  });
}

function onStart(curves: Map<string, Curve>, key: string, mono: number): void {
  const curve = curves.get(key);
  if (curve?.exitedAt === undefined) {
    curves.set(key, { level: 0, startedAt: mono, exitedAt: undefined, excused: false });
    return;
  }
  const rested = curve.exitedAt - curve.startedAt > RESET_MS - RESET_SLACK_MS;
  const level = rested || curve.excused ? 0 : curve.level;
  const neededMs = LADDER_MS[Math.min(level, LADDER_MS.length - 1)] ?? 0;
  const waitedMs = mono - curve.exitedAt;
  if (waitedMs < neededMs - SLACK_MS) {
    throw new InvariantViolation(
      'back-off',
      `${key} restarted ${waitedMs.toFixed(0)} ms after its exit, not ${neededMs} (restart ${level + 1})`,
    );
  }
  // An excused start may not have counted as a restart: then the next one is free again.
  curves.set(key, { level: curve.excused ? 0 : level + 1, startedAt: mono, exitedAt: undefined, excused: false });
}
