/** The invariants that must hold in a fleet after every event. */
import type { Fleet } from '../fleet.ts';
import { noBlindEviction } from './no-blind-eviction.ts';
import { noEvictionStorm } from './no-eviction-storm.ts';
import { noForeignPods } from './no-foreign-pods.ts';
import { noHotLoop } from './no-hot-loop.ts';
import { oneNetwork } from './one-network.ts';
import { oneIdentity } from './one-identity.ts';
import { onePlace } from './one-place.ts';
import { replicasBound } from './replicas-bound.ts';
import { volumesKept } from './volumes-kept.ts';

export function checkFleet(fleet: Fleet): void {
  onePlace(fleet);
  oneIdentity(fleet);
  oneNetwork(fleet);
  replicasBound(fleet);
  noForeignPods(fleet);
  noEvictionStorm(fleet);
  noBlindEviction(fleet);
  noHotLoop(fleet);
  volumesKept(fleet);
}
