/** Invariant: packets to services go to what lives, within the bounds that the agents promise. */
import type { SimCluster } from '../sim-cluster.ts';
import type { Calm } from './traffic/calm.ts';
import { judgeTraffic, type Traffic } from './traffic/judge-traffic.ts';
import { Patience } from './traffic/patience.ts';
import type { TrafficWatch } from './traffic/traffic-watch.ts';

/** Wrongs begin and end with changes; that a pod has been well for long enough is looked for in between, ms. */
const LOOK_EVERY_MS = 1000;

export function leadsToTheLiving(cluster: SimCluster, watch: TrafficWatch, calm: Calm): void {
  const { sim } = cluster;
  const patience = new Patience();
  let nextLook = 0;
  let seen: Traffic | undefined;
  sim.check(() => {
    calm.look();
    const traffic = watch.look();
    if (traffic !== seen || sim.mono >= nextLook) {
      seen = traffic;
      nextLook = sim.mono + LOOK_EVERY_MS;
      patience.set(judgeTraffic(traffic.ways, traffic.nodes, sim.mono), sim.mono);
    }
    patience.check((node, part) => calm.since(node, part), sim.mono);
  });
}

/** What is wrong now, however short, if anything is: in the end there must be a moment without. */
export function wrongTraffic({ ways, nodes }: Traffic, mono: number): string | undefined {
  return judgeTraffic(ways, nodes, mono)[0]?.message;
}
