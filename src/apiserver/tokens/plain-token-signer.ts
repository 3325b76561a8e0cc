/**
 * Tokens for simulations and tests: the real signer works on Node's thread pool, whose answers come at no fixed time. They
 * are not secure; never use it where a stranger can connect.
 */
import { decodeText, encodeText } from '../../lib/index.ts';
import type { TokenSigner } from './token-signer.ts';

/** `secret` distinguishes this signer's tokens from those of another one. */
export function createPlainTokenSigner(secret: string): TokenSigner {
  const head = `plain-${toHex(secret)}.`;
  return {
    sign: (claims) => Promise.resolve(`${head}${toHex(JSON.stringify(claims))}`),
    verify: (token) => Promise.resolve(token.startsWith(head) ? fromHex(token.slice(head.length)) : undefined),
    keySet: { keys: [] },
    algorithms: ['none'],
  };
}

function toHex(text: string): string {
  return [...encodeText(text)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(text: string): unknown {
  if (!/^(?:[0-9a-f]{2})+$/.test(text)) return undefined;
  const bytes = Uint8Array.from({ length: text.length / 2 }, (_, at) =>
    Number.parseInt(text.slice(2 * at, 2 * at + 2), 16),
  );
  try {
    return JSON.parse(decodeText(bytes));
  } catch {
    return undefined;
  }
}
