/** Text to base64. */

export function encodeBase64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
