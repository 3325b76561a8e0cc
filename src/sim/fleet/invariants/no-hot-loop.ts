/** Nobody writes one object over and over: two controllers at odds would do it for ever. */
import type { KubeObject } from '../../../api/index.ts';
import { InvariantViolation } from '../../invariants/violation.ts';
import type { Fleet } from '../fleet.ts';
import { Stored } from '../stored.ts';

const WINDOW_MS = 10_000;
/** Of one object within the window; a busy Deployment in the middle of a rollout has about a third of it. */
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
