/** The version of each ConfigMap and Secret that was seen last, to notice what changed. Bounded. */
import type { ConfigMap, Secret } from '../../api/index.ts';
import { compareResourceVersions } from '../../client/index.ts';
import { MAX_CACHED_OBJECTS } from './limits.ts';

/** resourceVersions; `undefined`: it was not, or is no more, there. */
export interface VersionChange {
  readonly before: string | undefined;
  readonly after: string | undefined;
}

interface Sight {
  readonly version: string | undefined;
  readonly uid: string | undefined;
}

export class SeenVersions {
  readonly #versions = new Map<string, Sight>();

  /** The change that this sight of the object shows; `undefined`: none, it is the first sight, or it is older than another. */
  seen(key: string, object: ConfigMap | Secret | undefined): VersionChange | undefined {
    const last = this.#versions.get(key);
    const before = last?.version;
    const { resourceVersion: after, uid } = object?.metadata ?? {};
    if (before !== undefined && after !== undefined && compareResourceVersions(after, before) < 0) {
      return undefined;
    }
    this.#versions.delete(key);
    this.#versions.set(key, { version: after, uid });
    if (this.#versions.size > MAX_CACHED_OBJECTS) {
      const [oldest] = this.#versions.keys();
      if (oldest !== undefined) this.#versions.delete(oldest);
    }
    // Nobody watched while another object took its name: no pod here used it, so this is a first sight.
    const isOther = last?.uid !== undefined && uid !== undefined && last.uid !== uid;
    return last !== undefined && !isOther && before !== after ? { before, after } : undefined;
  }
}
