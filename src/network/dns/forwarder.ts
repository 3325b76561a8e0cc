/** Asks other servers, for all clients of a question once, and keeps what they answer. */
import type { Clock, Random } from '../../lib/index.ts';
import { agedAnswer, AnswerCache, type CachedAnswer, isFresh, ownAnswer } from './answer-cache.ts';
import { askServers } from './ask-servers.ts';
import { decodeAnswer, lifetimeOf, type ReceivedAnswer } from './codec/decode-answer.ts';
import type { Query } from './codec/decode-query.ts';
import { encodeCode } from './codec/encode-answer.ts';
import { nameKey } from './codec/name.ts';
import { RCODE } from './codec/wire.ts';
import type { DnsMetrics } from './dns-metrics.ts';
import type { DnsSockets, ServerAddress } from './dns-sockets.ts';
import {
  FAILURE_RECHECK_MS,
  MAX_CACHED_SECONDS,
  MAX_DENIAL_SECONDS,
  MAX_FORWARDS,
  STALE_PATIENCE_MS,
} from './limits.ts';
import { ServerHealth } from './server-health.ts';

export interface ForwarderPorts {
  readonly sockets: DnsSockets;
  readonly clock: Clock;
  readonly random: Random;
  readonly metrics: DnsMetrics;
}

/** Where a question goes. */
export interface Route {
  readonly servers: () => Promise<readonly ServerAddress[]> | readonly ServerAddress[];
  /** Answers may be kept: those of another server of the cluster may not. */
  readonly mayKeep: boolean;
}

type Outcome =
  /** An answer that is worth something. */
  | { readonly kind: 'answer'; readonly packet: Uint8Array; readonly cached: CachedAnswer | undefined }
  | { readonly kind: 'failed'; readonly code: number };

export class Forwarder {
  readonly #ports: ForwarderPorts;
  readonly #signal: AbortSignal;
  readonly #cache = new AnswerCache();
  readonly #asking = new Map<string, Promise<Outcome>>();
  /** When a question with a stale answer failed last, mono ms: bounded by the questions in the cache. */
  readonly #failedAt = new Map<string, number>();
  readonly #health: ServerHealth;

  /** @param signal ends all exchanges */
  constructor(ports: ForwarderPorts, signal: AbortSignal) {
    this.#ports = ports;
    this.#signal = signal;
    this.#health = new ServerHealth(ports.clock);
    ports.metrics.onCollect(() => ports.metrics.cacheEntries(this.#cache.size));
  }

  /** The packet for the client, of whatever size; one with a code alone where nobody answers. Never rejects. */
  async resolve(query: Query, route: Route): Promise<Uint8Array> {
    const { clock, metrics } = this.#ports;
    const key = keyOf(query, route);
    const { mono } = clock.now();
    const known = route.mayKeep ? this.#cache.get(key, mono) : undefined;
    if (known !== undefined && isFresh(known, mono)) {
      metrics.cacheHit();
      return agedAnswer(known, query, mono);
    }
    if (route.mayKeep) metrics.cacheMiss();
    if (known !== undefined && mono - (this.#failedAt.get(key) ?? Number.NEGATIVE_INFINITY) < FAILURE_RECHECK_MS)
      return this.#stale(known, query);
    const asking = this.#ask(key, query, route);
    if (asking === undefined) {
      metrics.forwardRejected();
      return known === undefined ? encodeCode(query, RCODE.REFUSED) : this.#stale(known, query);
    }
    const outcome = await (known === undefined ? asking : this.#orLate(asking));
    if (outcome?.kind === 'answer') {
      const { mono: now } = clock.now();
      return outcome.cached === undefined ? ownAnswer(outcome.packet, query) : agedAnswer(outcome.cached, query, now);
    }
    return known === undefined ? encodeCode(query, outcome?.code ?? RCODE.SERVFAIL) : this.#stale(known, query);
  }

  #stale(known: CachedAnswer, query: Query): Uint8Array {
    this.#ports.metrics.servedStale();
    return agedAnswer(known, query, this.#ports.clock.now().mono);
  }

  /** Undefined: there is none yet. */
  async #orLate(asking: Promise<Outcome>): Promise<Outcome | undefined> {
    const late = Promise.withResolvers<undefined>();
    const timer = this.#ports.clock.setTimer(STALE_PATIENCE_MS, () => late.resolve(undefined));
    try {
      return await Promise.race([asking, late.promise]);
    } finally {
      timer.cancel();
    }
  }

  /** Undefined: too many others are being asked. */
  #ask(key: string, query: Query, route: Route): Promise<Outcome> | undefined {
    const same = this.#asking.get(key);
    if (same !== undefined) return same;
    if (this.#asking.size >= MAX_FORWARDS) return undefined;
    const asking = this.#exchange(key, query, route).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #exchange(key: string, query: Query, route: Route): Promise<Outcome> {
    const servers = this.#health.ordered(await route.servers());
    const packet = await askServers({ ...this.#ports, health: this.#health }, servers, query, this.#signal);
    const received = packet === undefined ? undefined : decodeAnswer(packet);
    if (packet === undefined || received === undefined || !isWorthSomething(received.code)) {
      if (route.mayKeep) this.#noteFailure(key);
      return { kind: 'failed', code: received?.code ?? RCODE.SERVFAIL };
    }
    this.#failedAt.delete(key);
    return { kind: 'answer', packet, cached: route.mayKeep ? this.#keep(key, packet, received) : undefined };
  }

  #noteFailure(key: string): void {
    const { mono } = this.#ports.clock.now();
    for (const [old, at] of this.#failedAt) {
      if (mono - at < FAILURE_RECHECK_MS && this.#failedAt.size < MAX_FORWARDS) break;
      this.#failedAt.delete(old);
    }
    this.#failedAt.delete(key);
    this.#failedAt.set(key, mono);
  }

  #keep(key: string, packet: Uint8Array, received: ReceivedAnswer): CachedAnswer | undefined {
    const isDenial = received.sections.answers.length === 0 || received.code === RCODE.NXDOMAIN;
    const seconds = Math.min(lifetimeOf(packet, received), isDenial ? MAX_DENIAL_SECONDS : MAX_CACHED_SECONDS);
    if (seconds <= 0) return undefined;
    const storedAt = this.#ports.clock.now().mono;
    const answer: CachedAnswer = { packet, ttlPlaces: received.ttlPlaces, storedAt, lifetimeMs: seconds * 1000 };
    this.#cache.set(key, answer);
    return answer;
  }
}

/** Questions that get the same packet have one key. */
function keyOf({ name, type, flags, edns }: Query, { mayKeep }: Route): string {
  const signed = edns === undefined ? 'plain' : edns.dnssec ? 'dnssec' : 'edns';
  return `${mayKeep ? 'out' : 'zone'} ${type} ${flags} ${signed} ${nameKey(name)}`;
}

/** What says something of the name, instead of the server. */
export function isWorthSomething(code: number): boolean {
  return code === RCODE.NOERROR || code === RCODE.NXDOMAIN;
}
