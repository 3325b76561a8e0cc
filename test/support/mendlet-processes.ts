/** Whose processes still run: those of tests that were killed, and the mendlets that they left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** How the folders of the tests' mendlets begin, in the system's folder for temporary files. */
export const TEST_FOLDER_PREFIX = 'mendlet-e2e-';

const PROGRAM = join(import.meta.dirname, '../../dist/mendlet.js');
/** Of a control plane that tests start. */
const KUBERNETES = new Set(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);

const OWNER_FILE = 'owner.json';

/** A process, for good: its number alone is used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks after boot, as the kernel has it. */
  readonly startedAt: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

/** Says that `folder` goes with this process. */
export function own(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(thisProcess()));
}

/** Undefined: nobody said, or somebody is just making or removing it. */
export function ownerOf(folder: string): ProcessIdentity | undefined {
  const text = read(join(folder, OWNER_FILE));
  return text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
}

/** Servers, agents and `up`s on data folders below `folder`, and a control plane whose files are there. */
export function mendletsOf(folder: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      const args = read(`/proc/${name}/cmdline`)?.split('\0') ?? [];
      const isOurs = args.includes(PROGRAM) || KUBERNETES.has(basename(args[0] ?? ''));
      return isOurs && args.some((arg) => arg.startsWith(`${folder}/`));
    })
    .map(Number);
}

/** The 22nd field of stat; a command's name before it may have spaces and brackets. */
function startOf(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`);
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
