/** The invariants that must hold after every event. */
import { Life } from '../life.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { keepsBackOff } from './back-off-spacing.ts';
import { givesFullGrace } from './full-grace.ts';
import { neverHot } from './hot-loop.ts';
import { climbsOnly } from './ladder.ts';
import { noStartAfterEnd } from './no-start-after-end.ts';
import { oneRunning } from './one-running.ts';
import { keepsRestartPolicy } from './restart-policy.ts';
import { restartsHappen } from './restarts-happen.ts';
import { keepsStatusHistory } from './status-history.ts';
import { keepsStartOrder } from './start-order.ts';
import { keepsStopOrder } from './stop-order.ts';
import { hasVolumesFirst } from './volumes-first.ts';
import { observeWatch } from './watch-order.ts';

export { InvariantViolation } from './violation.ts';

export function checkInvariants(cluster: SimCluster): void {
  const { facts, sim, nodes, controlPlane } = cluster;
  oneRunning(facts);
  noStartAfterEnd(facts);
  keepsRestartPolicy(facts);
  keepsBackOff(facts);
  climbsOnly(facts);
  neverHot(facts);
  restartsHappen(facts);
  givesFullGrace(facts);
  keepsStartOrder(facts);
  keepsStopOrder(facts);
  hasVolumesFirst(facts);
  keepsStatusHistory(facts, () => nodes.flatMap(({ runtime }) => runtime.running()));
  const { client, clock } = controlPlane.optionsFor(new Life(sim, 'watch-observer'));
  observeWatch(client, clock, facts).catch((error: unknown) => sim.fail(error));
}
