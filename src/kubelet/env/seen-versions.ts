/** The version of each ConfigMap and Secret that was seen last, to notice what changed. Bounded. */
import type { ConfigMap, Secret } from '../../api/index.ts';
import { compareResourceVersions } from '../../client/index.ts';
import { MAX_CACHED_OBJECTS } from './limits.ts';

/** resourceVersions; `undefined`: it was not, or is no more, there. */
export interface VersionChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export class SeenVersions {
  readonly #versions = new Map<string, string | undefined>();

  /** The change that this sight of the object shows; `undefined`: none, it is the first sight, or it is older than another. */
  seen(key: string, object: ConfigMap | Secret | undefined): VersionChange | undefined {
    const isKnown = this.#versions.has(key);
    const before = this.#versions.get(key);
    const after = object?.metadata?.resourceVersion;
    if (isKnown && before !== undefined && after !== undefined && compareResourceVersions(after, before) < 0) {
      return undefined;
    }
    this.#versions.delete(key);
    this.#versions.set(key, after);
    if (this.#versions.size > MAX_CACHED_OBJECTS) {
      const [oldest] = this.#versions.keys();
      if (oldest !== undefined) this.#versions.delete(oldest);
    }
    return isKnown && before !== after ? { before, after } : undefined;
  }
}
