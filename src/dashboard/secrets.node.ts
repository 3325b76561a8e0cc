/** Random bits and hashes of Node.js. */
import { randomBytes } from 'node:crypto';
import { sha256Hex } from '../lib/sha256.node.ts';
import type { Secrets } from './ports.ts';

export const systemSecrets: Secrets = {
  random: () => randomBytes(32).toString('base64url'),
  hash: sha256Hex,
};
