/** The tag of an image reference: enough of its grammar for pull policies. */

const HOST = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:]+\])(?::\d+)?`;
const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const TAG = String.raw`\w[\w.-]{0,127}`;
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*(?::(${TAG}))?(@${DIGEST})?$`);
/** No registry takes a longer one. */
const MAX_LENGTH = 4096;

/** "latest" when the reference has neither tag nor digest; '' for one with a digest only, or that cannot be read. */
export function imageTag(reference: string): string {
  const match = reference.length > MAX_LENGTH ? null : REFERENCE.exec(reference);
  if (match === null) return '';
  const [, tag, digest] = match;
  return tag ?? (digest === undefined ? 'latest' : '');
}

/** Upstream's default: Always for the tag "latest", said or implied. */
export function defaultPullPolicy(reference: string): 'Always' | 'IfNotPresent' {
  return imageTag(reference) === 'latest' ? 'Always' : 'IfNotPresent';
}
