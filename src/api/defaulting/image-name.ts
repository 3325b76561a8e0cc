/** The tag of an image reference: enough of its grammar for pull policies. */

/** "latest" when the reference has neither tag nor digest; '' for one with a digest only. */
export function imageTag(reference: string): string {
  const at = reference.indexOf('@');
  const named = at === -1 ? reference : reference.slice(0, at);
  const colon = named.lastIndexOf(':');
  if (colon > named.lastIndexOf('/')) return named.slice(colon + 1);
  return at === -1 ? 'latest' : '';
}

/** Upstream's default: Always for the tag "latest", said or implied. */
export function defaultPullPolicy(reference: string): 'Always' | 'IfNotPresent' {
  return imageTag(reference) === 'latest' ? 'Always' : 'IfNotPresent';
}
