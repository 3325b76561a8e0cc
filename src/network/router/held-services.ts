/**
 * Services whose new connections wait while their only endpoint restarts, by annotation: the first packets are dropped for at most
 * a second, so that the client's own repetition succeeds, instead of being refused.
 */
import type { EndpointSlice, Service } from '../../api/index.ts';
import type { Verdict } from '../services/local-verdicts.ts';
import { endpointsOf, isIpv4 } from '../services/service-endpoint.ts';
import { hasGoodEndpoint } from '../services/usable-endpoints.ts';

/** On a Service: "true". */
export const HOLD_ANNOTATION = 'mendlet.dev/hold-connections';
/** A client repeats its first packet after a second (RFC 6298): a longer hold would cost it three. */
export const HOLD_MS = 1000;

export interface HeldService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
  readonly verdictOf: (podUid: string) => Verdict | undefined;
  /** Mono ms. */
  readonly now: number;
}

export class HeldServices {
  /** When each lost its last good endpoint, mono ms. It holds annotated services alone. */
  readonly #since = new Map<string, number>();
  /** Those that have had a good endpoint: one that never had has nothing to wait for. */
  readonly #served = new Set<string>();

  /** @returns mono ms until which connections are held; undefined: they are not */
  look(key: string, { service, slices, verdictOf, now }: HeldService): number | undefined {
    if (service.metadata?.annotations?.[HOLD_ANNOTATION] !== 'true') {
      this.forget(key);
      return undefined;
    }
    const endpoints = slices.filter(isIpv4).flatMap((slice) => endpointsOf(slice, 0));
    if (hasGoodEndpoint(endpoints, { verdictOf })) {
      this.#served.add(key);
      this.#since.delete(key);
      return undefined;
    }
    // A service without any endpoint is scaled to none: nobody comes back.
    if (!this.#served.has(key) || endpoints.length === 0) return undefined;
    const since = this.#since.get(key) ?? now;
    this.#since.set(key, since);
    return now < since + HOLD_MS ? since + HOLD_MS : undefined;
  }

  forget(key: string): void {
    this.#since.delete(key);
    this.#served.delete(key);
  }
}
