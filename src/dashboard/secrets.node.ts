/** Random bits and hashes of Node.js. */
import { createHash, randomBytes } from 'node:crypto';
import type { Secrets } from './ports.ts';

export const systemSecrets: Secrets = {
  random: () => randomBytes(32).toString('base64url'),
  hash: (text) => createHash('sha256').update(text).digest('hex'),
};
