/** All connections of a port: lets them in, looks after them each second, and ends those that have to go. */
import type { Http2Session, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock, Logger, Timer, UserInfo } from '../../lib/index.ts';
import { certificateUser } from './authentication.ts';
import { connectionShares, type ConnectionShares } from './connection-shares.ts';
import { type ConnectionClass, ConnectionTable } from './connection-table.ts';
import type { EdgeMetrics, EndReason } from './edge-metrics.ts';
import { LOG_INTERVAL_MS, MAX_LOGGED_ADDRESSES, PING_INTERVAL_MS, SWEEP_INTERVAL_MS, SWEEP_LATE_MS } from './limits.ts';
import { peerCertificate } from './peer-certificate.node.ts';
import { ServedConnection } from './served-connection.node.ts';

export interface ConnectionsOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: EdgeMetrics;
  /** Absent: those of a process that may open files enough. */
  readonly shares?: ConnectionShares;
}

/** Ends that are everyday life: an idle client is none to be warned of. */
const QUIET_ENDS: ReadonlySet<EndReason> = new Set(['idle', 'no-ping']);

export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #table: ConnectionTable<ServedConnection>;
  readonly #bySocket = new WeakMap<Socket, ServedConnection>();
  readonly #bySession = new Map<Http2Session, ServedConnection>();
  /** By both ends' addresses: all that a socket and the TLS upon it have in common. */
  readonly #byEnds = new Map<string, ServedConnection>();
  /** Sessions whose last ping is not answered. */
  readonly #unanswered = new Set<Http2Session>();
  /** Mono ms until which nothing more is logged of an address, and how much was not. */
  readonly #logged = new Map<string, { readonly until: number; more: number }>();
  #timer: Timer | undefined;
  #nextPing = 0;
  #isStopped = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#table = new ConnectionTable(options.shares ?? connectionShares(undefined));
  }

  get size(): number {
    return this.#byEnds.size;
  }

  get sessions(): number {
    return this.#bySession.size;
  }

  get counts(): Readonly<Record<ConnectionClass, number>> {
    return {
      stranger: this.#table.count('stranger'),
      known: this.#table.count('known'),
      kept: this.#table.count('kept'),
    };
  }

  start(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#nextPing = this.#options.clock.now().mono + PING_INTERVAL_MS;
    this.#planSweep();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** A socket was accepted; it may cost another one its place. */
  accept(socket: Socket): void {
    const key = endsOf(socket);
    const connection = new ServedConnection(socket, {
      clock: this.#options.clock,
      onEnd: (ended, reason) => this.#onEnd(ended, reason),
    });
    this.#byEnds.set(key, connection);
    socket.setKeepAlive(true, PING_INTERVAL_MS);
    socket.on('error', () => {});
    socket.on('close', () => {
      if (this.#byEnds.get(key) === connection) this.#byEnds.delete(key);
      this.#table.remove(connection);
    });
    this.#table.accept(connection);
  }

  /** Its TLS handshake is over. */
  secured(tls: TLSSocket): void {
    tls.on('error', () => {});
    const connection = this.#byEnds.get(endsOf(tls));
    if (connection === undefined) {
      // Its client has left already.
      tls.destroy();
      return;
    }
    this.#bySocket.set(tls, connection);
    connection.secured(tls);
    const user = certificateUser(peerCertificate(tls));
    if (user !== undefined && !this.promote(connection, user)) connection.end('over-share');
  }

  speaksHttp2(session: ServerHttp2Session): void {
    const connection = this.#byEnds.get(endsOf(session.socket));
    if (connection === undefined) {
      session.destroy();
      return;
    }
    this.#bySession.set(session, connection);
    session.on('close', () => {
      this.#bySession.delete(session);
      this.#unanswered.delete(session);
    });
    connection.speaksHttp2(session);
  }

  ofSocket(socket: Socket): ServedConnection | undefined {
    return this.#bySocket.get(socket);
  }

  ofSession(session: Http2Session | undefined): ServedConnection | undefined {
    return session === undefined ? undefined : this.#bySession.get(session);
  }

  /** @returns false when its user has no room for it */
  promote(connection: ServedConnection, user: UserInfo): boolean {
    if (connection.isEnding || !this.#table.promote(connection, user)) return false;
    connection.trust(user);
    return true;
  }

  closeSessions(): void {
    for (const session of this.#bySession.keys()) session.close();
  }

  closeAll(): void {
    for (const session of this.#bySession.keys()) session.destroy();
    // Data that was just written still has to leave: an ended socket sends it first.
    for (const { socket } of this.#byEnds.values()) socket.destroySoon();
  }

  /** Nothing that is still to be sent is waited for. */
  destroyAll(): void {
    for (const { socket } of this.#byEnds.values()) socket.destroy();
  }

  #planSweep(): void {
    this.#timer = this.#options.clock.setTimer(SWEEP_INTERVAL_MS, (lateMs) => {
      // Were we ourselves away, what the clients sent may wait in the kernel.
      if (lateMs < SWEEP_LATE_MS) this.#sweep(this.#options.clock.now().mono);
      this.#planSweep();
    });
  }

  #sweep(now: number): void {
    for (const connection of this.#byEnds.values()) connection.sweep(now);
    if (now < this.#nextPing) return;
    this.#nextPing = now + PING_INTERVAL_MS;
    // A client whose machine vanished holds watches that nothing reads: pings find that out.
    for (const [session, connection] of this.#bySession) {
      if (this.#unanswered.has(session)) connection.end('no-ping');
      else this.#ping(session);
    }
  }

  #ping(session: Http2Session): void {
    if (session.destroyed || session.closed) return;
    this.#unanswered.add(session);
    session.ping((error) => {
      if (error === null) this.#unanswered.delete(session);
    });
  }

  #onEnd(connection: ServedConnection, reason: EndReason): void {
    this.#table.remove(connection);
    this.#options.metrics.ended(reason);
    if (!QUIET_ENDS.has(reason)) this.#log(connection, reason);
  }

  /** One line per address and minute, however many connections it opens for us to end. */
  #log({ address, user }: ServedConnection, reason: EndReason): void {
    const now = this.#options.clock.now().mono;
    const last = this.#logged.get(address);
    if (last !== undefined && now < last.until) {
      last.more += 1;
      return;
    }
    this.#logged.delete(address);
    this.#logged.set(address, { until: now + LOG_INTERVAL_MS, more: 0 });
    for (const oldest of this.#logged.keys()) {
      if (this.#logged.size <= MAX_LOGGED_ADDRESSES) break;
      this.#logged.delete(oldest);
    }
    this.#options.logger.warn('connection ended', {
      reason,
      address,
      ...(user !== undefined && { user: user.name }),
      ...(last !== undefined && last.more > 0 && { moreSinceTheLastLine: last.more }),
    });
  }
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort} ${localAddress} ${localPort}`;
}
