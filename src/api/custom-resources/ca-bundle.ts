/** The certificates of authorities as a definition has them: PEM, in base64. Pure. */
import { DerError, DerReader, TAG } from '../der.ts';
import type { CustomResourceDefinition } from './definition.ts';

const NONE = 'unable to load root certificates: data does not contain any valid RSA or ECDSA certificates';
const BLOCK = /-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----/g;

/** What is wrong with authorities (upstream: ValidateCABundle); undefined: nothing. */
export function checkCaBundle(base64: string): string | undefined {
  const blocks = [...pemOf(base64).matchAll(BLOCK)].map(([, body = '']) => body.replaceAll(/\s/g, ''));
  if (blocks.length === 0) return NONE;
  return blocks.every(isCertificate) ? undefined : 'unable to load root certificates: x509: malformed certificate';
}

/** The text of authorities. */
export function pemOf(base64: string): string {
  try {
    return atob(base64);
  } catch {
    return '';
  }
}

/** A certificate is a sequence of three parts: what is signed, how, and the signature. */
function isCertificate(base64: string): boolean {
  try {
    const reader = new DerReader(Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
    const whole = reader.readAny();
    const parts = whole.reader();
    const tags = [parts.readAny().tag, parts.readAny().tag, parts.readAny().tag];
    return (
      reader.isAtEnd &&
      whole.tag === TAG.sequence &&
      parts.isAtEnd &&
      tags.join() === [TAG.sequence, TAG.sequence, TAG.bitString].join()
    );
  } catch (error) {
    if (error instanceof DerError || error instanceof DOMException) return false;
    throw error;
  }
}

/** Whether a definition names a webhook whose authorities cannot be read: its kind is not served before they can. */
export function hasBadAuthorities({ spec }: CustomResourceDefinition): boolean {
  const { strategy, webhook } = spec.conversion ?? {};
  const caBundle = webhook?.clientConfig?.caBundle ?? '';
  return strategy === 'Webhook' && caBundle !== '' && checkCaBundle(caBundle) !== undefined;
}
