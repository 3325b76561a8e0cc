/** How long what is wrong with the traffic to services may last, before it is a violation. */
import { InvariantViolation } from '../violation.ts';
import type { Part } from './calm.ts';
import type { Complaint, Promised } from './judge-traffic.ts';

interface Bound {
  /** The part of the nodes that must be undisturbed. */
  readonly part: Part;
  /** The wrong may last so long while all is calm, ms. */
  readonly withinMs: number;
  /** After a disturbance it may last so long, ms. */
  readonly settleMs: number;
}

/**
 * What an agent promises, and why so long:
 * - withdrawn: the hint brings it in a few ms and a transaction (20 ms here), else the status of the runtime, which lags by 125 ms,
 *   and a pass: 1 s with all that may be queued. When events are lost, the relist finds it: every 10 s, with its reads and a pass 12 s.
 *   A disturbed agent has its event stream again and has relisted after two such periods and a back-off: 30 s.
 *   (Seen in calm: 21 ms by the hint, 2.7 s by the relist, 0.1 s for what is told.)
 * - told: pass, status, slice and watch take tenths of a second, and status reports, slices and transactions merge what comes
 *   together: 5 s. A watch that broke comes back after 5 s to notice it and at most 30 s of back-off, on a path of two watches and two
 *   writers: 90 s.
 * - kept: nobody may take it away at all. What a transaction is about to say counts for 1 s; the filter's own faults
 *   are over when a load has succeeded, which is tried every 30 s at the latest, and rules that were removed are looked for
 *   every 60 s.
 */
export const BOUNDS: Readonly<Record<Promised, readonly Bound[]>> = {
  withdrawn: [
    { part: 'hints', withinMs: 1000, settleMs: 30_000 },
    { part: 'agent', withinMs: 12_000, settleMs: 30_000 },
  ],
  told: [{ part: 'api', withinMs: 5000, settleMs: 90_000 }],
  kept: [{ part: 'filter', withinMs: 1000, settleMs: 95_000 }],
};

export class Patience {
  /** Key → the complaint, and mono ms of its beginning. */
  #open = new Map<string, { readonly complaint: Complaint; readonly since: number }>();

  /** All that is wrong now: what is not named is over. */
  set(complaints: readonly Complaint[], mono: number): void {
    this.#open = new Map(
      complaints.map((complaint) => [
        complaint.key,
        { complaint, since: this.#open.get(complaint.key)?.since ?? mono },
      ]),
    );
  }

  /**
   * @param calmSince mono ms since when this part of the node is undisturbed
   * @throws InvariantViolation for what lasts too long
   */
  check(calmSince: (node: string, part: Part) => number, mono: number): void {
    for (const { complaint, since } of this.#open.values()) {
      for (const { part, withinMs, settleMs } of BOUNDS[complaint.promise]) {
        const calm = Math.max(...complaint.nodes.map((node) => calmSince(node, part)));
        if (mono <= Math.max(since + withinMs, calm + settleMs)) continue;
        const seconds = ((mono - since) / 1000).toFixed(1);
        throw new InvariantViolation(
          'traffic',
          `${complaint.message}, for ${seconds} s (${complaint.promise}, ${part})`,
        );
      }
    }
  }
}
