/** Base64 of Secrets and registry credentials. Pure. */

/** Bytes of standard base64 text (padding and line breaks optional). Malformed text gives what decodes up to there. */
export function base64Bytes(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text, 'base64'));
}

export function base64Text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
