/** The strikes of the soak of CSI: those of the soak of volumes, SIGKILL of the driver's own processes, and a node that is cut off. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lab } from '../support/lab.ts';
import { kill } from '../support/lab-network.ts';
import { type Strike, STRIKES } from './volume-strikes.ts';

/** Longer than the server waits for a node. */
const CUT_OFF_MS = [8000, 20_000] as const;
const PROGRAM = 'main.mjs';

interface DriverProcess {
  readonly pid: number;
  /** `driver`, or the name of a sidecar. */
  readonly role: string;
  /** The node that its pod is on. */
  readonly node: string | undefined;
}

function textOf(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    // It has ended.
    return '';
  }
}

/** The processes of the driver and its sidecars in this lab. */
function driverProcesses(lab: Lab): readonly DriverProcess[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    const words = textOf(pid, 'cmdline').split('\0');
    const at = words.findIndex((word) => word.endsWith(PROGRAM));
    const role = words[at + 1];
    // Its mounts are from the lab's folder: another lab on this machine may run the same program.
    if (at < 0 || role === undefined || !textOf(pid, 'mountinfo').includes(`/${basename(lab.folder)}/`)) return [];
    const node = /(?:^|\0)NODE_NAME=([^\0]*)/.exec(textOf(pid, 'environ'))?.[1];
    return { pid: Number(pid), role, node };
  });
}

export const CSI_STRIKES: readonly Strike[] = [
  ...STRIKES,
  {
    name: 'SIGKILL of the driver',
    strike: async (lab, { name }) => {
      for (const { pid, role, node } of driverProcesses(lab)) if (role === 'driver' && node === name) kill(pid);
    },
  },
  {
    name: 'SIGKILL of the driver and of the agent',
    strike: async (lab, node, random) => {
      for (const { pid, role, node: at } of driverProcesses(lab)) if (role === 'driver' && at === node.name) kill(pid);
      await node.stop('SIGKILL');
      await sleep(random.next() * 2000);
      await node.start();
    },
  },
  {
    name: 'SIGKILL of a sidecar',
    strike: async (lab, _, random) => {
      const sidecars = driverProcesses(lab).filter(({ role }) => role !== 'driver');
      const one = sidecars[Math.floor(random.next() * sidecars.length)];
      if (one !== undefined) kill(one.pid);
    },
  },
  {
    name: 'a node is cut off, and comes back',
    strike: async (_, node, random) => {
      const [min, max] = CUT_OFF_MS;
      node.partition();
      await sleep(min + random.next() * (max - min));
      node.heal();
    },
  },
];
