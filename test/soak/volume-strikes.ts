/** The strikes of the soak of volumes: SIGKILL of the server, of an agent, of its containerd, and of several at once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/lib/index.ts';
import type { Lab, LabNode } from '../support/lab.ts';
import { kill } from '../support/lab-network.ts';

export interface Strike {
  readonly name: string;
  strike(lab: Lab, node: LabNode, random: Random): Promise<void>;
}

const MAX_AWAY_MS = 2000;

function killContainerd({ dataDir }: LabNode): void {
  const instance = readFileSync(join(dataDir, 'instance'), 'utf8').trim();
  const note = readFileSync(join('/run/mendlet', instance, 'containerd.pid'), 'utf8');
  kill((JSON.parse(note) as { readonly pid: number }).pid);
}

const away = (random: Random): Promise<void> => sleep(random.next() * MAX_AWAY_MS);

export const STRIKES: readonly Strike[] = [
  {
    name: 'SIGKILL of the agent',
    strike: async (_, node, random) => {
      await node.stop('SIGKILL');
      await away(random);
      await node.start();
    },
  },
  { name: 'SIGKILL of containerd', strike: async (_, node) => killContainerd(node) },
  {
    name: 'SIGKILL of the server',
    strike: async (lab, _, random) => {
      await lab.stopServer('SIGKILL');
      await away(random);
      await lab.startServer();
    },
  },
  {
    name: 'SIGKILL of agent and containerd',
    strike: async (_, node, random) => {
      killContainerd(node);
      await node.stop('SIGKILL');
      await away(random);
      await node.start();
    },
  },
  {
    name: 'SIGKILL of server, agent and containerd',
    strike: async (lab, node, random) => {
      killContainerd(node);
      await Promise.all([lab.stopServer('SIGKILL'), node.stop('SIGKILL')]);
      await away(random);
      await lab.startServer();
      await node.start();
    },
  },
];
