/**
 * Parses `--token`: a bootstrap token and, behind an @, the hash of the authority's public key, by which the joining machine
 * recognizes the right server before it trusts any (kubeadm's token and discovery-token-ca-cert-hash). Pure.
 */
import { parseBootstrapToken } from '../api/index.ts';
import { UsageError } from './usage-error.ts';

export interface JoinToken {
  readonly id: string;
  readonly secret: string;
  /** `sha256:` and 64 digits: the hash of the authority's public key (SubjectPublicKeyInfo, DER). */
  readonly authorityHash?: string;
}

/** `ID.SECRET` or `ID.SECRET@sha256:HASH`. @throws UsageError without the text, which is secret */
export function parseJoinToken(text: string): JoinToken {
  const [token = '', hash, ...rest] = text.split('@');
  const parsed = parseBootstrapToken(token);
  if (parsed === undefined || rest.length > 0) {
    throw new UsageError('A join token is ID.SECRET@sha256:HASH, with six and sixteen characters of a-z and 0-9.');
  }
  return { ...parsed, ...(hash !== undefined && { authorityHash: parseAuthorityHash(hash) }) };
}

/**
 * Parses the server's own token, `ID.SECRET`. A hash behind it is ignored, as the server knows its authority.
 * @throws UsageError
 */
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

/** The text that a joining machine gives as `--token`. */
export function formatJoinToken({ id, secret, authorityHash }: JoinToken): string {
  return authorityHash === undefined ? `${id}.${secret}` : `${id}.${secret}@${authorityHash}`;
}
