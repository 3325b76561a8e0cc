/** Invariant: the back-off between the restarts of a crash loop is long enough. */
import type { Pod } from '../../api/index.ts';
import type { Facts } from '../facts.ts';
import { healsByPolicy, wasAsked } from './healing-words.ts';
import { asksForAll, mayRestartAll } from './restarts-all.ts';
import { InvariantViolation } from './violation.ts';

const LADDER_MS = [0, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000];
const RESET_MS = 600_000;
/** A reset is decided some time before the start that the invariant sees. */
const RESET_SLACK_MS = 150_000;
const SLACK_MS = 5;

interface Curve {
  level: number;
  /** Mono ms. */
  startedAt: number;
  exitedAt: number | undefined;
  /** Set by an event that may reset the back-off: a new sandbox, or a step of the machine's clock. */
  excused: boolean;
}

/**
 * Restarts keep CrashLoopBackOff's distances from the exit: 0, 10, 20 … 300 s, again from 0 after ten minutes without a
 * crash, even if the agent dies in between. The invariant is a lower bound; the liveness checks detect a wait that is too long.
 */
export function keepsBackOff(facts: Facts): void {
  const curves = new Map<string, Curve>();
  const pods = new Map<string, Pod>();
  const excuse = (matches: (key: string) => boolean): void => {
    for (const [key, curve] of curves) if (matches(key)) curve.excused = true;
  };
  facts.on({
    // A new agent knows only the exit's wall time, which a step of the clock makes meaningless.
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
      // A request with force resets the back-off.
      if (wasAsked(pod)) excuse((key) => key.startsWith(`${uid} `));
    },
    started: ({ uid, container }, mono) => {
      const pod = pods.get(uid);
      // The container restarts with all others, by the back-off of the one whose exit asked for it.
      if (mayRestartAll(pod) && !asksForAll(pod, container)) return;
      // A pod with its own policy or a requested restart follows other rules; see the invariants of the ladder.
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
  // An excused start may not have counted as a restart, so the next one may come at once.
  curves.set(key, { level: curve.excused ? 0 : level + 1, startedAt: mono, exitedAt: undefined, excused: false });
}
