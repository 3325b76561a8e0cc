/** The last failures of running containers' probes, for the deaths that they lead to. In memory, and bounded. */
import type { FailedProbe, ListeningPort } from '../../api/index.ts';
import { BoundedMap, type Clock } from '../../lib/index.ts';
import {
  MAX_LISTENING_PORTS,
  MAX_PROBE_OUTPUT_CHARACTERS,
  MAX_PROBE_OUTPUTS,
  MAX_PROBED_CONTAINERS,
} from './limits.ts';

type Type = FailedProbe['type'];
type Failures = Omit<FailedProbe, 'type'>;

const NONE: Failures = { outputs: [] };
const TYPES: readonly Type[] = ['startup', 'liveness', 'readiness'];
/** Our messages for a port that nobody listens on: of HTTP and TCP, and of gRPC, whose client keeps dialling. */
const REFUSED = /connection refused|failed to connect service/;

/** A probe that ended with this message may have met no listener. */
export function isRefusal(output: string): boolean {
  return REFUSED.test(output);
}

export class FailedProbes {
  readonly #clock: Clock;
  readonly #containers = new BoundedMap<string, Partial<Record<Type, Failures>>>(MAX_PROBED_CONTAINERS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  failed(containerId: string, type: Type, output: string): void {
    const known = this.#containers.get(containerId) ?? {};
    const { outputs, listening } = known[type] ?? NONE;
    const at = new Date(this.#clock.now().wall).toISOString();
    const newest = { at, output: output.slice(0, MAX_PROBE_OUTPUT_CHARACTERS) };
    // A server that answers, however badly, was asked at the right port.
    const kept = isRefusal(output) && listening !== undefined ? { listening } : {};
    this.#containers.set(containerId, {
      ...known,
      [type]: { outputs: [newest, ...outputs].slice(0, MAX_PROBE_OUTPUTS), ...kept },
    });
  }

  /**
   * The ports on which the pod listened when it refused this probe. A look that finds none may have come while the container
   * was being killed.
   */
  listened(containerId: string, type: Type, ports: readonly ListeningPort[]): void {
    const known = this.#containers.get(containerId);
    const failures = known?.[type];
    if (failures === undefined || !isRefusal(failures.outputs[0]?.output ?? '')) return;
    if (isItsOwn(failures.listening ?? []) && !isItsOwn(ports)) return;
    const listening = ports.slice(0, MAX_LISTENING_PORTS);
    this.#containers.set(containerId, { ...known, [type]: { ...failures, listening } });
  }

  /** Outputs, newest first; empty: none is known (an earlier agent may have seen them). */
  of(containerId: string, type: Type): Failures {
    return this.#containers.get(containerId)?.[type] ?? NONE;
  }

  /** Probes that were refused when the listening ports of the pod were looked up. */
  refused(containerId: string): readonly FailedProbe[] {
    const known = this.#containers.get(containerId);
    return TYPES.flatMap((type) => {
      const failures = known?.[type];
      return failures?.listening === undefined ? [] : [{ type, ...failures }];
    });
  }

  forget(containerId: string): void {
    this.#containers.delete(containerId);
  }
}

/** The container may listen there itself. */
function isItsOwn(ports: readonly ListeningPort[]): boolean {
  return ports.some(({ own }) => own !== false);
}
