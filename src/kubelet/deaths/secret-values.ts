/** The values of the Secrets that a pod uses, so that nothing that is kept of its deaths repeats them. */
import type { Pod, Secret } from '../../api/index.ts';
import { type Clock, decodeText, errorMessage, type Logger, withDeadline } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import type { ConfigSource } from '../env/config-source.ts';
import { configUsed } from './config-used.ts';
import { MAX_SECRET_VALUES, MIN_SECRET_LINE_CHARACTERS, SECRETS_WAIT_MS } from './limits.ts';

/** Keys whose values name who and where: a message without them would not say what is wrong. */
const NAMING =
  /^(?:.*[_.-])?(?:user|username|login|host|hostname|port|database|db|dbname|name|endpoint|region|namespace|ca\.crt|tls\.crt)$/i;

export interface SecretValuesPorts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secrets: Pick<ConfigSource, 'secret'>;
}

/**
 * The values of all Secrets of the pod. Secrets that cannot be read in time are left out, which is logged: their values are
 * masked only where they look like secrets.
 */
export async function secretValuesOf(
  { clock, logger, secrets }: SecretValuesPorts,
  pod: Pod,
): Promise<readonly string[]> {
  const names = configUsed(pod).flatMap(({ kind, name }) => (kind === 'Secret' ? [name] : []));
  const { namespace = '', uid } = pod.metadata ?? {};
  if (names.length === 0) return [];
  const read = Promise.all(names.map((name) => secrets.secret(namespace, name)));
  const result = await withDeadline({ clock, timeoutMs: SECRETS_WAIT_MS }, () => read).catch((error: unknown) => ({
    kind: 'failed' as const,
    error,
  }));
  if (result.kind !== 'done') {
    const error = result.kind === 'failed' ? errorMessage(result.error) : 'not in time';
    logger.warn('Secrets of a pod could not be read: what is kept of its death is masked by form alone', {
      uid,
      error,
    });
    return [];
  }
  return result.value.flatMap((secret) => valuesOf(secret)).slice(0, MAX_SECRET_VALUES);
}

/** Each value, and the lines of one that has several. */
export function valuesOf(secret: Secret | undefined): readonly string[] {
  return Object.entries(secret?.data ?? {}).flatMap(([key, encoded]) => {
    if (NAMING.test(key)) return [];
    const value = decodeText(base64Bytes(encoded)).trim();
    const lines = value.split('\n').map((line) => line.trim());
    return lines.length === 1 ? [value] : lines.filter((line) => line.length >= MIN_SECRET_LINE_CHARACTERS);
  });
}
