/** The troubles of all objects, kept up to date change by change, so that no reconcile reads all objects. */
import { equalJson, type KubeObject, namespaceOf } from '../../api/index.ts';
import { objectKey } from '../../client/index.ts';
import type { SeenTrouble, Trouble } from './trouble.ts';

export class TroubleBook {
  /** By namespace ('' for nodes), then by kind and key of the object. */
  readonly #books = new Map<string, Map<string, readonly SeenTrouble[]>>();

  /**
   * Notes the troubles of an object; an empty list for one that is gone.
   *
   * @param now wall ms
   * @returns whether something about troubles that are told has changed, or only what holds others back, or nothing
   */
  note(kind: string, object: KubeObject, troubles: readonly Trouble[], now: number): 'told' | 'hold' | 'none' {
    const namespace = namespaceOf(object);
    const place = `${kind} ${objectKey(object)}`;
    const book = this.#books.get(namespace) ?? new Map<string, readonly SeenTrouble[]>();
    const before = book.get(place) ?? [];
    const labels = object.metadata?.labels ?? {};
    const after = troubles.map((each): SeenTrouble => {
      const same = before.find(
        ({ trigger, weight }) => trigger === each.trigger && isTold(weight) === isTold(each.weight),
      );
      return { ...each, seenAt: same?.seenAt ?? now, labels, key: objectKey(object) };
    });
    if (after.length === 0) book.delete(place);
    else book.set(place, after);
    if (book.size === 0) this.#books.delete(namespace);
    else this.#books.set(namespace, book);
    if (equalJson(before, after)) return 'none';
    return equalJson(before.filter(tells), after.filter(tells)) ? 'hold' : 'told';
  }

  /** @param namespace '' for nodes; undefined: all */
  list(namespace?: string): readonly SeenTrouble[] {
    if (namespace !== undefined) return [...(this.#books.get(namespace)?.values() ?? [])].flat();
    return [...this.#books.values()].flatMap((book) => [...book.values()].flat());
  }
}

function isTold(weight: Trouble['weight']): boolean {
  return weight !== 'hold';
}

function tells({ weight }: Trouble): boolean {
  return isTold(weight);
}
