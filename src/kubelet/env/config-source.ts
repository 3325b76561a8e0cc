/** Where ConfigMaps and Secrets come from, as env, volumes and images see it. The cache implements it; tests read the API. */
import type { ConfigMap, Secret } from '../../api/index.ts';

export interface ConfigSource {
  /** `undefined`: there is none. Rejects with StatusError or ConnectionError when that is not known. */
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
  secret(namespace: string, name: string): Promise<Secret | undefined>;
}
