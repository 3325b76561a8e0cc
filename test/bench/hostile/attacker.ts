/** One attack in a process of its own: `attacker.ts KUBECONFIG NAME`. Prepares, waits for a line on stdin, attacks, and says what came back. */
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
