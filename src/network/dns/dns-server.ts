/** Answers the queries of this node and its pods: names of the cluster at once, others by asking. */
import { type Clock, errorMessage, type Logger } from '../../lib/index.ts';
import type { ClusterView } from './cluster-records.ts';
import { addressesAndAliases, decodeAnswer } from './codec/decode-answer.ts';
import { decodeQuery, type Query } from './codec/decode-query.ts';
import { answerLimit, encodeAnswer, encodeCode, encodeTruncated } from './codec/encode-answer.ts';
import { queryFor } from './codec/encode-query.ts';
import { RCODE } from './codec/wire.ts';
import type { AnswerSource, DnsMetrics } from './dns-metrics.ts';
import type { DnsClient, PacketHandler, ServerAddress } from './dns-sockets.ts';
import type { Forwarder, Route } from './forwarder.ts';
import { MAX_PENDING_PER_CLIENT, MAX_PENDING_QUERIES, START_PATIENCE_MS, SYNC_PATIENCE_MS } from './limits.ts';
import { type AnswerPlan, planAnswer } from './plan-answer.ts';

export interface DnsServerPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: DnsMetrics;
}

export interface DnsServerParts {
  readonly view: ClusterView;
  readonly directory: { readonly synced: boolean; waitForSync(signal: AbortSignal): Promise<void> };
  readonly forwarder: Pick<Forwarder, 'resolve'>;
  /** Whom to ask for names outside of the cluster. */
  readonly upstream: Route['servers'];
  /** The servers of another DNS of the cluster; undefined: there is none. */
  readonly others: () => readonly ServerAddress[] | undefined;
  /** Whether the question is one of our own that came back. */
  readonly cameRound: (name: Query['name']) => boolean;
  /** No open resolver: who else asks is refused. */
  readonly isAllowed: (address: string) => boolean;
}

interface Asked {
  readonly query: Query;
  readonly client: DnsClient;
  /** Mono ms. */
  readonly at: number;
  readonly reply: (packet: Uint8Array) => void;
}

export class DnsServer {
  readonly #ports: DnsServerPorts;
  readonly #parts: DnsServerParts;
  readonly #signal: AbortSignal;
  #pending = 0;
  /** Mono ms. */
  #firstAskedAt: number | undefined;
  readonly #pendingOf = new Map<string, number>();

  /** @param signal ends what waits */
  constructor(ports: DnsServerPorts, parts: DnsServerParts, signal: AbortSignal) {
    this.#ports = ports;
    this.#parts = parts;
    this.#signal = signal;
  }

  /** Never throws, whatever the packet is. */
  readonly handle: PacketHandler = (packet, client, reply) => {
    const { clock, logger, metrics } = this.#ports;
    try {
      const decoded = decodeQuery(packet);
      if (decoded.kind === 'ignored') {
        metrics.ignored();
        return;
      }
      const { query } = decoded;
      const asked: Asked = { query, client, at: clock.now().mono, reply };
      this.#firstAskedAt ??= asked.at;
      if (!this.#parts.isAllowed(client.address)) {
        metrics.stranger();
        this.#reply(asked, encodeCode(query, RCODE.REFUSED), '');
        return;
      }
      metrics.request(client, query.type);
      if (this.#parts.cameRound(query.name)) this.#reply(asked, encodeCode(query, RCODE.REFUSED), '');
      else if (decoded.kind === 'refused') this.#reply(asked, encodeCode(query, decoded.code), '');
      else this.#carryOut(asked, this.#plan(query));
    } catch (error) {
      logger.error('a query could not be answered', { error });
    }
  };

  #plan(query: Query): AnswerPlan {
    const { view, directory, others } = this.#parts;
    const serial = Math.floor(this.#ports.clock.now().wall / 1000);
    return planAnswer(query, { view, synced: directory.synced, yields: others() !== undefined, serial });
  }

  #carryOut(asked: Asked, plan: AnswerPlan): void {
    switch (plan.kind) {
      case 'answer': {
        const packet = encodeAnswer(asked.query, plan.answer, answerLimit(asked.query, asked.client.transport));
        this.#reply(asked, packet, plan.own ? 'kubernetes' : '');
        return;
      }
      case 'wait':
        this.#later(asked, () => this.#waitForServices(asked));
        return;
      case 'forward':
        this.#later(asked, () => this.#forward(asked, { servers: this.#parts.upstream, mayKeep: true }));
        return;
      case 'yield':
        this.#later(asked, () => this.#forward(asked, { servers: () => this.#parts.others() ?? [], mayKeep: false }));
        return;
      case 'chase':
        this.#later(asked, () => this.#chase(asked, plan));
    }
  }

  /** Bounded in all and for each client: one pod that floods takes nothing from others. */
  #later(asked: Asked, work: () => Promise<void>): void {
    const { address } = asked.client;
    const own = this.#pendingOf.get(address) ?? 0;
    if (this.#pending >= MAX_PENDING_QUERIES || own >= MAX_PENDING_PER_CLIENT) {
      this.#ports.metrics.forwardRejected();
      this.#reply(asked, encodeCode(asked.query, RCODE.REFUSED), '');
      return;
    }
    this.#pending += 1;
    this.#pendingOf.set(address, own + 1);
    work()
      .catch((error: unknown) => {
        this.#ports.logger.error('a query could not be answered', { error: errorMessage(error) });
        this.#reply(asked, encodeCode(asked.query, RCODE.SERVFAIL), '');
      })
      .finally(() => {
        this.#pending -= 1;
        const left = (this.#pendingOf.get(address) ?? 1) - 1;
        if (left > 0) this.#pendingOf.set(address, left);
        else this.#pendingOf.delete(address);
      })
      .catch(() => {});
  }

  /** An agent that has just begun knows its services in a moment; a resolver that gets SERVFAIL gives up at once. */
  async #waitForServices(asked: Asked): Promise<void> {
    const { clock } = this.#ports;
    const patience = new AbortController();
    const startsUntil = (this.#firstAskedAt ?? asked.at) + START_PATIENCE_MS;
    const timer = clock.setTimer(Math.max(SYNC_PATIENCE_MS, startsUntil - asked.at), () => patience.abort());
    try {
      await this.#parts.directory.waitForSync(AbortSignal.any([patience.signal, this.#signal]));
    } catch {
      // Below: still not known.
    } finally {
      timer.cancel();
    }
    const plan = this.#plan(asked.query);
    if (plan.kind === 'wait') this.#reply(asked, encodeCode(asked.query, RCODE.SERVFAIL), 'kubernetes');
    else this.#carryOut(asked, plan);
  }

  async #forward(asked: Asked, route: Route): Promise<void> {
    const packet = await this.#parts.forwarder.resolve(asked.query, route);
    const fits = packet.length <= answerLimit(asked.query, asked.client.transport);
    this.#reply(asked, fits ? packet : encodeTruncated(asked.query), 'forward');
  }

  /** The aliases of the cluster, and what others know of the name at their end. */
  async #chase(asked: Asked, { aliases, target }: Extract<AnswerPlan, { kind: 'chase' }>): Promise<void> {
    const { query, client } = asked;
    const route = { servers: this.#parts.upstream, mayKeep: true };
    const packet = await this.#parts.forwarder.resolve(queryFor(query, target), route);
    const received = decodeAnswer(packet);
    const records = received === undefined ? [] : addressesAndAliases(packet, received.sections.answers);
    const answer = {
      code: received?.code ?? RCODE.SERVFAIL,
      authoritative: false,
      answers: [...aliases, ...records],
      authority: [],
      additional: [],
    };
    this.#reply(asked, encodeAnswer(query, answer, answerLimit(query, client.transport)), 'kubernetes');
  }

  #reply({ at, reply }: Asked, packet: Uint8Array, source: AnswerSource): void {
    this.#ports.metrics.response((packet[3] ?? 0) & 0x0f, source, this.#ports.clock.now().mono - at);
    reply(packet);
  }
}
