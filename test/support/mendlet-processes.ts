/** Finds processes of killed tests, and the mendlets that they left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Prefix of the tests' folders for mendlets, in the system's folder for temporary files. */
export const TEST_FOLDER_PREFIX = 'mendlet-e2e-';

const PROGRAM = join(import.meta.dirname, '../../dist/mendlet.js');
/** Programs of a control plane that tests start. */
const KUBERNETES = new Set(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler']);

const OWNER_FILE = 'owner.json';

/** A unique identity of a process, whose number alone may be reused. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The start time in clock ticks after boot. */
  readonly startedAt: string;
}

export function thisProcess(): ProcessIdentity {
  return { pid: process.pid, startedAt: startOf(process.pid) ?? '' };
}

export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return startOf(pid) === startedAt;
}

/** Notes that `folder` belongs to this process. */
export function own(folder: string): void {
  writeFileSync(join(folder, OWNER_FILE), JSON.stringify(thisProcess()));
}

/** Undefined: the folder has no owner, or is just being made or removed. */
export function ownerOf(folder: string): ProcessIdentity | undefined {
  const text = read(join(folder, OWNER_FILE));
  return text === undefined ? undefined : (JSON.parse(text) as ProcessIdentity);
}

/** Process ids of mendlets with data folders below `folder`, and of a control plane with files there. */
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

/** The 22nd field of stat; the command's name before it may contain spaces and brackets. */
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
