/** Names that ConfigMap and Secret keys may become through envFrom. Pure. */

/**
 * Relaxed names (KEP-4369, GA in 1.34): printable ASCII without "=". Anything else is skipped with an event.
 */
export function isEnvironmentName(name: string): boolean {
  return /^[\x20-\x3c\x3e-\x7e]+$/.test(name);
}

/** Upstream's words for the keys that `envFrom` skipped. */
export function skippedKeysMessage(
  kind: 'configMap' | 'secret',
  namespace: string,
  name: string,
  keys: readonly string[],
): string {
  const list = keys.toSorted().join(', ');
  return `Keys [${list}] from the EnvFrom ${kind} ${namespace}/${name} were skipped since they are considered invalid environment variable names.`;
}
