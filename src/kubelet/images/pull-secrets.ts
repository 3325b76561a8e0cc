/** The credentials of a pod's imagePullSecrets (the API server copies those of its service account into the pod). */
import type { Pod } from '../../api/index.ts';
import type { ConfigSource } from '../env/config-source.ts';
import { credentialsOf, type RegistryCredential } from './registry-credentials.ts';

/** `missing`: names that there is no Secret for, or that could not be read. */
export async function pullSecrets(
  config: ConfigSource,
  pod: Pod,
): Promise<{ readonly credentials: readonly RegistryCredential[]; readonly missing: readonly string[] }> {
  const credentials: RegistryCredential[] = [];
  const missing: string[] = [];
  for (const { name } of pod.spec?.imagePullSecrets ?? []) {
    if (name === undefined || name === '') continue;
    // A pull may succeed without this secret: the caller reports it and goes on.
    const secret = await config.secret(pod.metadata?.namespace ?? '', name).catch(() => undefined);
    if (secret === undefined) missing.push(name);
    else credentials.push(...credentialsOf(secret));
  }
  return { credentials, missing };
}
