/** How many messages may be under way at once, in all and of one namespace: targets that hang delay no others. */
import { MAX_SENDING, MAX_SENDING_PER_NAMESPACE } from './limits.ts';

export class SendingPlaces {
  readonly #taken = new Map<string, number>();
  #all = 0;

  /**
   * A place, to be given back; undefined: there is none now. Targets whose last try failed have half of all places, so that there is
   * always one for those that work.
   *
   * @param namespace '' for objects of the cluster
   */
  take(namespace: string, hasFailed = false): (() => void) | undefined {
    const own = this.#taken.get(namespace) ?? 0;
    const share = hasFailed ? 0.5 : 1;
    if (this.#all >= MAX_SENDING * share || own >= MAX_SENDING_PER_NAMESPACE * share) return undefined;
    this.#taken.set(namespace, own + 1);
    this.#all += 1;
    return () => {
      const now = (this.#taken.get(namespace) ?? 1) - 1;
      if (now <= 0) this.#taken.delete(namespace);
      else this.#taken.set(namespace, now);
      this.#all -= 1;
    };
  }
}
