/** The library that mints certificates, and what its users share. It costs 20 MB, so it is loaded only when it is needed. */
import { randomBytes, webcrypto } from 'node:crypto';
import type * as X509 from '@peculiar/x509';

export const KEY_ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' };
export const SIGNING_ALGORITHM = { name: 'ECDSA', hash: 'SHA-256' };

let loading: Promise<typeof X509> | undefined;

export function loadLibrary(): Promise<typeof X509> {
  loading ??= (async () => {
    // The library's dependency injection needs this one first.
    await import('reflect-metadata');
    const x509 = await import('@peculiar/x509');
    x509.cryptoProvider.set(webcrypto);
    return x509;
  })();
  return loading;
}

export function toPem(label: string, der: ArrayBuffer): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`;
}

export function fromPem(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----|\s/g, ''), 'base64');
}

export async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  return toPem('PRIVATE KEY', await webcrypto.subtle.exportKey('pkcs8', key));
}

export function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  return webcrypto.subtle.importKey('pkcs8', fromPem(pem), KEY_ALGORITHM, true, ['sign']);
}

/** 127 random bits: unique without a register, positive as RFC 5280 wants it. */
export function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** The public half of a private key, which WebCrypto gives only through JWK. */
export async function publicKeyOf(key: webcrypto.CryptoKey): Promise<webcrypto.CryptoKey> {
  const { d: _, key_ops: __, ...jwk } = await webcrypto.subtle.exportKey('jwk', key);
  return webcrypto.subtle.importKey('jwk', jwk, KEY_ALGORITHM, true, ['verify']);
}

/** The given key, or a new one. */
export async function keyFor(keyPem: string | undefined): Promise<webcrypto.CryptoKey> {
  if (keyPem !== undefined) return importKey(keyPem);
  return (await webcrypto.subtle.generateKey(KEY_ALGORITHM, true, ['sign', 'verify'])).privateKey;
}
