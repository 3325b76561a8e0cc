/** Reads the server and the credentials from a kubeconfig. */
import { readFileSync } from 'node:fs';

export interface Credentials {
  readonly server: URL;
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

export function readCredentials(kubeconfig: string): Credentials {
  const text = readFileSync(kubeconfig, 'utf8');
  const field = (name: string): string => new RegExp(`^\\s*${name}: (\\S+)$`, 'm').exec(text)?.[1] ?? '';
  const pem = (name: string): Buffer => Buffer.from(field(`${name}-data`), 'base64');
  return {
    server: new URL(field('server')),
    ca: pem('certificate-authority'),
    cert: pem('client-certificate'),
    key: pem('client-key'),
  };
}
