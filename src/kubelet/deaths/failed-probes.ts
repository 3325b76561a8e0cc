/** The last failures of running containers' probes, for the deaths that they lead to. In memory, and bounded. */
import type { FailedProbe } from '../../api/index.ts';
import type { Clock } from '../../lib/index.ts';
import { BoundedMap } from './bounded-map.ts';
import { MAX_PROBE_OUTPUT_CHARACTERS, MAX_PROBE_OUTPUTS, MAX_PROBED_CONTAINERS } from './limits.ts';

type Outputs = FailedProbe['outputs'];

export class FailedProbes {
  readonly #clock: Clock;
  readonly #containers = new BoundedMap<string, Partial<Record<FailedProbe['type'], Outputs>>>(MAX_PROBED_CONTAINERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  failed(containerId: string, type: FailedProbe['type'], output: string): void {
    const known = this.#containers.get(containerId) ?? {};
    const at = new Date(this.#clock.now().wall).toISOString();
    const outputs = [{ at, output: output.slice(0, MAX_PROBE_OUTPUT_CHARACTERS) }, ...(known[type] ?? [])];
    this.#containers.set(containerId, { ...known, [type]: outputs.slice(0, MAX_PROBE_OUTPUTS) });
  }

  /** Newest first; empty: none is known (an earlier agent may have seen them). */
  of(containerId: string, type: FailedProbe['type']): Outputs {
    return this.#containers.get(containerId)?.[type] ?? [];
  }

  forget(containerId: string): void {
    this.#containers.delete(containerId);
  }
}
