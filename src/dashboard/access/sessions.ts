/** The sessions of people who look: each is bound to one identity, and known by a cookie whose hash alone is kept. */
import type { Clock } from '../../lib/index.ts';
import { MAX_SESSIONS, MAX_SESSIONS_EACH, SESSION_IDLE_MS, SESSION_MAX_MS } from '../limits.ts';
import type { Secrets } from '../ports.ts';
import type { Admission } from './one-time-links.ts';

export interface Session extends Admission {
  /** Aborted when it ends: streams of it end, too. */
  readonly ended: AbortSignal;
  /** Streams that are open, and requests that are under way. */
  streams: number;
  asked: number;
  /** When its token was last found valid, mono ms. */
  checkedAt: number;
}

interface Kept {
  readonly session: Session;
  readonly controller: AbortController;
  readonly bornMono: number;
  usedMono: number;
}

export class Sessions {
  readonly #ports: { readonly clock: Clock; readonly secrets: Secrets };
  /** By the hash of the cookie's value, the one used longest ago first. */
  readonly #kept = new Map<string, Kept>();

  constructor(ports: { readonly clock: Clock; readonly secrets: Secrets }) {
    this.#ports = ports;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** @returns the cookie's value; undefined: there are too many sessions of others */
  begin(admission: Admission): string | undefined {
    this.#forgetOld();
    const own = [...this.#kept].filter(([, { session }]) => session.viewer.name === admission.viewer.name);
    if (own.length >= MAX_SESSIONS_EACH && own[0] !== undefined) this.#end(own[0][0]);
    if (this.#kept.size >= MAX_SESSIONS) return undefined;
    const value = this.#ports.secrets.random();
    const { mono } = this.#ports.clock.now();
    const controller = new AbortController();
    const session: Session = { ...admission, ended: controller.signal, streams: 0, asked: 0, checkedAt: mono };
    this.#kept.set(this.#ports.secrets.hash(value), { session, controller, bornMono: mono, usedMono: mono });
    return value;
  }

  /** The session of a cookie, which counts as used now. */
  find(value: string): Session | undefined {
    const key = this.#ports.secrets.hash(value);
    const kept = this.#kept.get(key);
    if (kept === undefined) return undefined;
    if (this.#isOver(kept)) {
      this.#end(key);
      return undefined;
    }
    kept.usedMono = this.#ports.clock.now().mono;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.session;
  }

  end(value: string): void {
    this.#end(this.#ports.secrets.hash(value));
  }

  /** All of them, when the server closes. */
  endAll(): void {
    for (const key of this.#kept.keys()) this.#end(key);
  }

  #end(key: string): void {
    this.#kept.get(key)?.controller.abort(new Error('the session is over'));
    this.#kept.delete(key);
  }

  #isOver({ bornMono, usedMono, session }: Kept): boolean {
    const { mono } = this.#ports.clock.now();
    // Somebody who looks at a stream all day uses the session.
    const isIdle = session.streams === 0 && mono - usedMono >= SESSION_IDLE_MS;
    return isIdle || mono - bornMono >= SESSION_MAX_MS;
  }

  #forgetOld(): void {
    for (const [key, kept] of this.#kept) if (this.#isOver(kept)) this.#end(key);
  }
}
