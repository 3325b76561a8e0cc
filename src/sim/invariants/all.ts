/** The invariants that must hold after every event. */
import { Life } from '../life.ts';
import type { SimCluster } from '../sim-cluster.ts';
import { keepsBackOff } from './back-off-spacing.ts';
import { givesFullGrace } from './full-grace.ts';
import { neverHot } from './hot-loop.ts';
import { climbsOnly } from './ladder.ts';
import { noStartAfterEnd } from './no-start-after-end.ts';
import { oneOfAName } from './one-of-a-name.ts';
import { oneRunning } from './one-running.ts';
import { keepsRestartPolicy } from './restart-policy.ts';
import { restartsHappen } from './restarts-happen.ts';
import { keepsStatusHistory } from './status-history.ts';
import { keepsStartOrder } from './start-order.ts';
import { keepsStopOrder } from './stop-order.ts';
import { sharesNoAddress } from './distinct-addresses.ts';
import { signalsAfterTraffic } from './signal-after-traffic.ts';
import { HostPortWatch, leadsToItsSandbox } from './host-ports.ts';
import { leadsToTheLiving } from './service-traffic.ts';
import { Calm } from './traffic/calm.ts';
import { servedBeside } from './traffic/judge-traffic.ts';
import { TrafficWatch } from './traffic/traffic-watch.ts';
import { hasVolumesFirst } from './volumes-first.ts';
import { observeWatch } from './watch-order.ts';

export { InvariantViolation } from './violation.ts';

/** Where packets go, as the invariants see it. */
export interface Watches {
  readonly traffic: TrafficWatch;
  readonly hostPorts: HostPortWatch;
}

export function checkInvariants(cluster: SimCluster): Watches {
  const { facts, sim, nodes, controlPlane } = cluster;
  oneRunning(facts);
  oneOfAName(facts);
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
  sharesNoAddress(facts);
  const watch = new TrafficWatch(cluster);
  const calm = new Calm(cluster);
  leadsToTheLiving(cluster, watch, calm);
  const hostPorts = new HostPortWatch(cluster);
  leadsToItsSandbox(cluster, hostPorts, calm);
  const nodeOf = (uid: string) => cluster.pods.get(uid)?.spec?.nodeName ?? '';
  signalsAfterTraffic({
    facts,
    servedBeside: (uid) => servedBeside(watch.look(), uid),
    calmSince: (uid) => calm.since(nodeOf(uid), 'agent'),
    isRunning: (uid) => nodes.some(({ runtime }) => runtime.running().some((each) => each.uid === uid)),
    check: (check) => sim.check(check),
    now: () => sim.mono,
  });
  const { client, clock } = controlPlane.optionsFor(new Life(sim, 'watch-observer'));
  observeWatch(client, clock, facts).catch((error: unknown) => sim.fail(error));
  return { traffic: watch, hostPorts };
}
