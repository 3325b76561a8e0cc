/**
 * ConfigMaps and Secrets as the node sees them: those of running pods' volumes are followed, once however many pods use
 * them; others are read when they are needed and kept for a moment. Absence is kept as shortly as presence.
 */
import { type ConfigMap, CONFIG_MAPS, isNotFound, type Secret, SECRETS } from '../../api/index.ts';
import { type KubeClient, type Resource } from '../../client/index.ts';
import { type Clock, ConnectionError, type Logger, type Random, withDeadline } from '../../lib/index.ts';
import type { ConfigFollower, ConfigKind } from './config-source.ts';
import { FollowedObject } from './followed-object.ts';
import { SeenVersions, type VersionChange } from './seen-versions.ts';
import { CONFIG_READ_TIMEOUT_MS, CONFIG_TTL_MS, MAX_CACHED_OBJECTS, MAX_WATCHED_OBJECTS } from './limits.ts';

export interface ConfigCacheOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly ttlMs?: number;
  readonly maxWatches?: number;
  /** An object was seen in another version than the last time. */
  readonly onVersion?: (kind: ConfigKind, namespace: string, name: string, change: VersionChange) => void;
}

export interface ConfigCache extends ConfigFollower {
  /**
   * What was read of it before now is used no more: a pod that arrives sees what was written before it (upstream:
   * `AddReference` of pkg/kubelet/util/manager). A watch delivers that by itself.
   */
  forget(kind: ConfigKind, namespace: string, name: string): void;
  /** Ends all that is followed. */
  close(): void;
}

export function createConfigCache(options: ConfigCacheOptions): ConfigCache {
  const places = { left: options.maxWatches ?? MAX_WATCHED_OBJECTS };
  const configMaps = new ObjectCache<ConfigMap>(options, CONFIG_MAPS, places);
  const secrets = new ObjectCache<Secret>(options, SECRETS, places);
  return {
    configMap: (namespace, name) => configMaps.get(namespace, name),
    secret: (namespace, name) => secrets.get(namespace, name),
    follow: (kind, namespace, name, onChange) =>
      (kind === 'ConfigMap' ? configMaps : secrets).follow(namespace, name, onChange),
    forget: (kind, namespace, name) => (kind === 'ConfigMap' ? configMaps : secrets).forget(namespace, name),
    close: () => {
      configMaps.close();
      secrets.close();
    },
  };
}

interface CachedRead<T> {
  readonly readAt: number;
  readonly object: Promise<T | undefined>;
}

class ObjectCache<T extends ConfigMap | Secret> {
  readonly #options: ConfigCacheOptions;
  readonly #resource: Resource<T>;
  /** Watches that may still be opened. */
  readonly #places: { left: number };
  /** In order of last use. */
  readonly #reads = new Map<string, CachedRead<T>>();
  readonly #followed = new Map<string, FollowedObject<T>>();
  readonly #versions = new SeenVersions();
  #closed = false;

  constructor(options: ConfigCacheOptions, resource: Resource<T>, places: { left: number }) {
    this.#options = options;
    this.#resource = resource;
    this.#places = places;
  }

  get(namespace: string, name: string): Promise<T | undefined> {
    const key = `${namespace}/${name}`;
    return this.#followed.get(key)?.get() ?? this.#cached(key, namespace, name);
  }

  forget(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    this.#reads.delete(key);
    this.#followed.get(key)?.readAgain();
  }

  follow(namespace: string, name: string, onChange: () => void): () => void {
    if (this.#closed) return () => {};
    const key = `${namespace}/${name}`;
    const followed = this.#followed.get(key) ?? this.#begin(key, namespace, name);
    // Its own function: the same listener may be given twice.
    const listener = (): void => onChange();
    followed.listeners.add(listener);
    return () => {
      followed.listeners.delete(listener);
      if (followed.listeners.size === 0) this.#end(key, followed);
    };
  }

  close(): void {
    this.#closed = true;
    for (const [key, followed] of this.#followed) this.#end(key, followed);
  }

  #begin(key: string, namespace: string, name: string): FollowedObject<T> {
    const watch = this.#places.left > 0;
    if (watch) this.#places.left -= 1;
    const target = { resource: this.#resource, namespace, name };
    const followed = new FollowedObject<T>(this.#options, target, {
      watch,
      read: () => this.#read(namespace, name),
      onLearn: (object) => this.#seen(namespace, name, object),
    });
    this.#followed.set(key, followed);
    return followed;
  }

  #end(key: string, followed: FollowedObject<T>): void {
    if (this.#followed.get(key) !== followed) return;
    this.#followed.delete(key);
    this.#reads.delete(key);
    if (followed.watched) this.#places.left += 1;
    followed.close();
  }

  #cached(key: string, namespace: string, name: string): Promise<T | undefined> {
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

  #seen(namespace: string, name: string, object: T | undefined): void {
    const change = this.#versions.seen(`${namespace}/${name}`, object);
    const kind = this.#resource.kind === 'Secret' ? 'Secret' : 'ConfigMap';
    if (change !== undefined) this.#options.onVersion?.(kind, namespace, name, change);
  }

  async #read(namespace: string, name: string): Promise<T | undefined> {
    const { clock, client } = this.#options;
    try {
      const result = await withDeadline({ clock, timeoutMs: CONFIG_READ_TIMEOUT_MS }, (signal) =>
        client.get(this.#resource, namespace, name, signal),
      );
      if (result.kind === 'done') {
        this.#seen(namespace, name, result.value);
        return result.value;
      }
      throw new ConnectionError(`failed to get ${this.#resource.resource} ${namespace}/${name}: timed out`);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      this.#seen(namespace, name, undefined);
      return undefined;
    }
  }
}
