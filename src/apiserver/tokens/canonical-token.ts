/**
 * One text for one token: base64url without padding, and with nothing in the bits that a decoder discards (RFC 7515; RFC
 * 4648, section 3.5). A text that differs from a token only there would be the same token under another name. Pure.
 */
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Whether `token` is a JWS in compact form whose three parts are each written in the one way. */
export function isCanonicalToken(token: string): boolean {
  const parts = token.split('.');
  return parts.length === 3 && parts.every(isCanonicalPart);
}

function isCanonicalPart(part: string): boolean {
  if (!/^[A-Za-z0-9_-]+$/.test(part)) return false;
  const last = ALPHABET.indexOf(part.at(-1) ?? '');
  switch (part.length % 4) {
    case 1:
      return false;
    case 2:
      return (last & 0b1111) === 0;
    case 3:
      return (last & 0b11) === 0;
    default:
      return true;
  }
}
