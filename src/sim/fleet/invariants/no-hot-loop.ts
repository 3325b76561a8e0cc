/** Invariant: no object is written over and over, as two controllers that contradict each other would do. */
import type { KubeObject } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';
import { Stored } from '../stored.ts';

const WINDOW_MS = 10_000;
/** Writes of one object within the window; a busy Deployment during a rollout has about a third of these. */
const MOST = 120;

export function noHotLoop({ sim, controlPlane }: Fleet): void {
  const counts = new Map<string, number>();
  let until = WINDOW_MS;
  new Stored<KubeObject>(sim, controlPlane.store, '/registry/').onChange((key) => {
    if (sim.mono >= until) {
      counts.clear();
      until = sim.mono + WINDOW_MS;
    }
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count > MOST) throw new InvariantViolation('hot loop', `${key} was written ${count} times within 10 s`);
  });
}
