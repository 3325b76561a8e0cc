/** The pods that really run on the nodes of a simulated fleet, which no process inside it can know. */
import type { Pod } from '../../api/index.ts';
import { nameOf, namespacedName, uidOf } from '../../api/index.ts';
import type { Sim } from '../sim.ts';

export interface RunningPod {
  readonly uid: string;
  /** namespace/name */
  readonly key: string;
  readonly node: string;
  readonly pod: Pod;
}

export interface FleetListener {
  started?(running: RunningPod): void;
  stopped?(running: RunningPod): void;
  /** The node removed the folder of a volume. */
  folderGone?(node: string, volume: string): void;
}

export class FleetFacts {
  readonly #sim: Sim;
  readonly #listeners: FleetListener[] = [];
  /** Running pods by UID and node. */
  readonly running = new Map<string, RunningPod>();

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  listen(listener: FleetListener): void {
    this.#listeners.push(listener);
  }

  started(node: string, pod: Pod): void {
    const running = { uid: uidOf(pod), key: namespacedName(pod), node, pod };
    this.running.set(`${running.uid} ${node}`, running);
    this.#sim.trace.add(this.#sim.mono, `started ${nameOf(pod)} on ${node}`);
    for (const listener of this.#listeners) this.#guarded(() => listener.started?.(running));
  }

  stopped(node: string, uid: string): void {
    const running = this.running.get(`${uid} ${node}`);
    if (running === undefined) return;
    this.running.delete(`${uid} ${node}`);
    this.#sim.trace.add(this.#sim.mono, `stopped ${running.key} on ${node}`);
    for (const listener of this.#listeners) this.#guarded(() => listener.stopped?.(running));
  }

  folderGone(node: string, volume: string): void {
    this.#sim.trace.add(this.#sim.mono, `folder of ${volume} gone from ${node}`);
    for (const listener of this.#listeners) this.#guarded(() => listener.folderGone?.(node, volume));
  }

  /** A listener that throws ends the run. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#sim.fail(error);
    }
  }
}
