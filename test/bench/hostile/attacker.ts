/**
 * The process of one attack: `attacker.ts KUBECONFIG NAME`. It prepares, waits for a line on stdin, attacks, and prints the
 * answers.
 */
import { once } from 'node:events';
import { AttackerClient } from './attacker-client.ts';
import { ATTACKS } from './attacks.ts';
import { readCredentials } from './credentials.ts';

const [kubeconfig = '', name = ''] = process.argv.slice(2);
const attack = ATTACKS[name];
if (attack === undefined) throw new Error(`no such attack: ${name}`);
const client = new AttackerClient(readCredentials(kubeconfig));
await attack.prepare?.(client);
console.log('prepared');
await once(process.stdin, 'data');
const codes: Record<string, number> = {};
const count = (code: number | string): void => {
  codes[code] = (codes[code] ?? 0) + 1;
};
await attack.run(client, count);
client.close();
console.log(JSON.stringify({ codes }));
process.exit(0);
