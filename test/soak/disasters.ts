/** The disasters of a soak: each strikes once, and undoes its effects where necessary. */
import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../src/lib/index.ts';
import type { Mendlet } from '../e2e/harness.ts';
import type { Footprints } from './footprint.ts';

export interface Stage {
  readonly mendlet: Mendlet;
  readonly footprints: Footprints;
  readonly random: Random;
  readonly flags: readonly string[];
  /** The data folder is on a separate, small file system. */
  readonly smallDisk: boolean;
  readonly say: (line: string) => void;
}

export interface Disaster {
  readonly name: string;
  strike(stage: Stage): Promise<void>;
}

function between(random: Random, min: number, max: number): number {
  return Math.round(min + random.next() * (max - min));
}

async function frozen(pid: number, ms: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  try {
    await sleep(ms);
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

export const DISASTERS: readonly Disaster[] = [
  {
    name: 'SIGKILL of the agent',
    strike: async ({ mendlet, random, flags }) => {
      await mendlet.end('SIGKILL');
      await sleep(between(random, 0, 2000));
      await mendlet.up(flags);
    },
  },
  {
    name: 'SIGKILL of containerd',
    strike: async ({ mendlet }) => {
      process.kill(await mendlet.untilContainerd(), 'SIGKILL');
    },
  },
  {
    name: 'SIGKILL of both',
    strike: async ({ mendlet, random, flags }) => {
      process.kill(await mendlet.untilContainerd(), 'SIGKILL');
      await mendlet.end('SIGKILL');
      await sleep(between(random, 0, 2000));
      await mendlet.up(flags);
    },
  },
  {
    name: 'a wedged call: SIGSTOP of a shim',
    strike: async ({ footprints, random }) => {
      const shims = footprints.shims();
      const shim = shims[Math.floor(random.next() * shims.length)];
      if (shim !== undefined) await frozen(shim, between(random, 3000, 8000));
    },
  },
  {
    name: 'SIGSTOP of containerd',
    strike: async ({ mendlet, random }) => await frozen(await mendlet.untilContainerd(), between(random, 2000, 8000)),
  },
  {
    name: 'a full disk',
    strike: async ({ mendlet, random, smallDisk, say }) => {
      if (!smallDisk) return say('  skipped: the data folder has no file system of its own');
      const path = join(mendlet.dataDir, 'soak-ballast');
      const chunk = Buffer.alloc(1 << 20);
      const file = openSync(path, 'w');
      try {
        while (statfsSync(mendlet.dataDir).bavail > 0) writeSync(file, chunk);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
      await sleep(between(random, 3000, 6000));
      rmSync(path);
    },
  },
];
