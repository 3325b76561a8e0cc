/**
 * ConfigMaps and Secrets, read when they are needed and kept for a moment: 50 pods of one ConfigMap that start together
 * read it once. Absence is kept as shortly as presence, so that a created object is seen soon.
 */
import { type ConfigMap, CONFIG_MAPS, isNotFound, type Secret, SECRETS } from '../../api/index.ts';
import { type KubeClient, type KubeObject, type Resource } from '../../client/index.ts';
import { type Clock, ConnectionError, withDeadline } from '../../lib/index.ts';
import type { ConfigSource } from './config-source.ts';
import { CONFIG_READ_TIMEOUT_MS, CONFIG_TTL_MS, MAX_CACHED_OBJECTS } from './limits.ts';

export interface ConfigCacheOptions {
  readonly clock: Clock;
  readonly client: KubeClient;
  readonly ttlMs?: number;
}

export function createConfigCache(options: ConfigCacheOptions): ConfigSource {
  const configMaps = new ObjectCache<ConfigMap>(options, CONFIG_MAPS);
  const secrets = new ObjectCache<Secret>(options, SECRETS);
  return {
    configMap: (namespace, name) => configMaps.get(namespace, name),
    secret: (namespace, name) => secrets.get(namespace, name),
  };
}

interface CachedRead<T> {
  readonly readAt: number;
  readonly object: Promise<T | undefined>;
}

class ObjectCache<T extends KubeObject> {
  readonly #options: ConfigCacheOptions;
  readonly #resource: Resource<T>;
  /** In order of last use. */
  readonly #reads = new Map<string, CachedRead<T>>();

  constructor(options: ConfigCacheOptions, resource: Resource<T>) {
    this.#options = options;
    this.#resource = resource;
  }

  get(namespace: string, name: string): Promise<T | undefined> {
    const key = `${namespace}/${name}`;
    const { mono } = this.#options.clock.now();
    const known = this.#reads.get(key);
    this.#reads.delete(key);
    const fresh = known !== undefined && mono - known.readAt < (this.#options.ttlMs ?? CONFIG_TTL_MS);
    const read = fresh ? known : { readAt: mono, object: this.#read(namespace, name) };
    this.#reads.set(key, read);
    if (!fresh) read.object.catch(() => this.#drop(key, read));
    if (this.#reads.size > MAX_CACHED_OBJECTS) {
      const [oldest] = this.#reads.keys();
      if (oldest !== undefined) this.#reads.delete(oldest);
    }
    return read.object;
  }

  /** A failed read is not kept: the next user tries again. */
  #drop(key: string, read: CachedRead<T>): void {
    if (this.#reads.get(key) === read) this.#reads.delete(key);
  }

  async #read(namespace: string, name: string): Promise<T | undefined> {
    const { clock, client } = this.#options;
    try {
      const result = await withDeadline({ clock, timeoutMs: CONFIG_READ_TIMEOUT_MS }, (signal) =>
        client.get(this.#resource, namespace, name, signal),
      );
      if (result.kind === 'done') return result.value;
      throw new ConnectionError(`failed to get ${this.#resource.resource} ${namespace}/${name}: timed out`);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
