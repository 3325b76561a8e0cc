/**
 * What `--token` takes: a bootstrap token and, behind an @, the hash of the authority's public key, by which the joining
 * machine knows the right server before it trusts anybody (kubeadm's token and its discovery-token-ca-cert-hash). Pure.
 */
import { parseBootstrapToken } from '../api/index.ts';
import { UsageError } from './usage-error.ts';

export interface JoinToken {
  readonly id: string;
  readonly secret: string;
  /** `sha256:` and 64 digits: of the authority's public key (SubjectPublicKeyInfo, DER). */
  readonly authorityHash?: string;
}

/** `ID.SECRET` or `ID.SECRET@sha256:HASH`. @throws UsageError; the text is secret, and is not in it */
export function parseJoinToken(text: string): JoinToken {
  const [token = '', hash, ...rest] = text.split('@');
  const parsed = parseBootstrapToken(token);
  if (parsed === undefined || rest.length > 0) {
    throw new UsageError('A join token is ID.SECRET@sha256:HASH, with six and sixteen characters of a-z and 0-9.');
  }
  return { ...parsed, ...(hash !== undefined && { authorityHash: parseAuthorityHash(hash) }) };
}

/** The server's: `ID.SECRET`; the server itself knows its authority, so a hash behind it is no mistake. @throws UsageError */
export function parseServerToken(text: string): JoinToken {
  const parsed = parseBootstrapToken(text.replace(/@sha256:[0-9a-fA-F]{64}$/, ''));
  if (parsed === undefined) {
    throw new UsageError('A token is ID.SECRET, with six and sixteen characters of a-z and 0-9.');
  }
  return parsed;
}

/** `sha256:` and 64 hexadecimal digits. */
export function parseAuthorityHash(text: string): string {
  const hash = text.toLowerCase();
  if (!/^sha256:[0-9a-f]{64}$/.test(hash)) {
    throw new UsageError("The hash of the server's authority is sha256: and 64 hexadecimal digits.");
  }
  return hash;
}

/** What to show to who wants to join. */
export function formatJoinToken({ id, secret, authorityHash }: JoinToken): string {
  return authorityHash === undefined ? `${id}.${secret}` : `${id}.${secret}@${authorityHash}`;
}
