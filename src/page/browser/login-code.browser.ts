/** One-time links: the code stands in the fragment, which no server, log or referrer sees. */

const PREFIX = '#login=';
/** Characters of a code that is worth sending. */
const MAX_CODE = 512;

/** Takes the code out of the address, so that neither history nor a copied address has it. */
export function takeCode(): string | undefined {
  const { hash, pathname } = location;
  if (!hash.startsWith(PREFIX)) return undefined;
  history.replaceState(null, '', pathname);
  const code = hash.slice(PREFIX.length, PREFIX.length + MAX_CODE);
  return code === '' ? undefined : code;
}
