/** The source of ConfigMaps and Secrets, as env, volumes and images see it. The cache implements it; tests read the API. */
import type { ConfigMap, Secret } from '../../api/index.ts';

export interface ConfigSource {
  /** `undefined`: there is none. Rejects with StatusError or ConnectionError when that is not known. */
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
}

export type ConfigKind = 'ConfigMap' | 'Secret';

/** A source that also reports when an object changes. */
export interface ConfigFollower extends ConfigSource {
  /**
   * Follows one object until the returned function is called (once; more calls do nothing). `onChange` is called when it
   * appears, changes or goes; reads of a followed object cost nothing.
   */
  follow(kind: ConfigKind, namespace: string, name: string, onChange: () => void): () => void;
}
