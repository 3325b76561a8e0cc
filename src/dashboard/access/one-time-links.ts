/** The codes of one-time links: each lets one person in, once, for a minute, as the identity that asked for it. */
import type { Clock } from '../../lib/index.ts';
import { LINK_MS, MAX_LINKS, MAX_LINKS_EACH } from '../limits.ts';
import type { LinkWish, Secrets, Viewer } from '../ports.ts';

export interface Admission extends LinkWish {
  readonly viewer: Viewer;
  /** The session goes on only while this token is valid. */
  readonly token?: string;
}

interface Waiting {
  readonly admission: Admission;
  readonly untilMono: number;
}

export class OneTimeLinks {
  readonly #ports: { readonly clock: Clock; readonly secrets: Secrets };
  /** By the hash of the code, oldest first: the codes themselves are not kept, and a lookup by hash tells nothing by its time. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(ports: { readonly clock: Clock; readonly secrets: Secrets }) {
    this.#ports = ports;
  }

  /** @returns the code; undefined: too many wait */
  make(admission: Admission): string | undefined {
    this.#forgetOld();
    const own = [...this.#waiting].filter(([, each]) => each.admission.viewer.name === admission.viewer.name);
    if (own.length >= MAX_LINKS_EACH && own[0] !== undefined) this.#waiting.delete(own[0][0]);
    if (this.#waiting.size >= MAX_LINKS) return undefined;
    const code = this.#ports.secrets.random();
    this.#waiting.set(this.#ports.secrets.hash(code), { admission, untilMono: this.#now() + LINK_MS });
    return code;
  }

  /** What the code stands for; it is used up then. */
  use(code: string): Admission | undefined {
    const key = this.#ports.secrets.hash(code);
    const found = this.#waiting.get(key);
    this.#waiting.delete(key);
    return found !== undefined && found.untilMono > this.#now() ? found.admission : undefined;
  }

  #now(): number {
    return this.#ports.clock.now().mono;
  }

  #forgetOld(): void {
    const now = this.#now();
    for (const [key, { untilMono }] of this.#waiting) if (untilMono <= now) this.#waiting.delete(key);
  }
}
