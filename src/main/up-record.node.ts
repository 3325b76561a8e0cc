/**
 * How the last `up` or `agent` of a data folder was started: kept in DIR/up.json for `down`, and for a start that takes pods
 * over.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { RuntimeChoice } from '../cli/index.ts';
import type { DataPaths } from './data-dir-path.ts';
import { replaceFile } from './replace-file.node.ts';
import { UserError } from './user-error.ts';

export interface UpRecord {
  /** Absent: 'up'. */
  readonly role?: 'agent';
  readonly nodeName: string;
  readonly podCidr: string;
  /** 'private': mendlet's own containerd; else the path of the given socket. */
  readonly runtime: string;
  /** An agent's server is mendlet's; absent: not known. */
  readonly ours?: boolean;
  /** Pods may be running, and their network be there. `down` makes it false. */
  readonly inUse: boolean;
}

export function runtimeOf(choice: RuntimeChoice): string {
  return choice.kind === 'socket' ? choice.path : 'private';
}

export function readRecord(paths: DataPaths): UpRecord | undefined {
  if (!existsSync(paths.record)) return undefined;
  try {
    const { role, nodeName, podCidr, runtime, ours, inUse } = JSON.parse(
      readFileSync(paths.record, 'utf8'),
    ) as Partial<UpRecord>;
    if (typeof nodeName === 'string' && typeof podCidr === 'string' && typeof runtime === 'string') {
      return {
        ...(role === 'agent' && { role }),
        nodeName,
        podCidr,
        runtime,
        ...(typeof ours === 'boolean' && { ours }),
        inUse: inUse !== false,
      };
    }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new UserError(`${paths.record} cannot be read as JSON of mendlet's; remove it if no pods are running`);
}

/** Writes only what is new: the disk may be full, and then a restart must go on as before. */
export function writeRecord(paths: DataPaths, record: UpRecord): void {
  replaceFile(paths.record, `${JSON.stringify(record)}\n`);
}

/** Running pods can't change their network or runtime. @throws UserError when `next` would want them to */
export function refuseChange(paths: DataPaths, last: UpRecord | undefined, next: UpRecord): void {
  if (last === undefined || !last.inUse) return;
  const hint = `; to change that, first remove them: mendlet down --data-dir ${paths.dir}`;
  if (last.podCidr !== next.podCidr) {
    throw new UserError(
      `the pods of ${paths.dir} have their addresses from ${last.podCidr}, not from ${next.podCidr}${hint}`,
    );
  }
  if (last.runtime !== next.runtime) {
    const name = (runtime: string) => (runtime === 'private' ? 'a private containerd' : `unix://${runtime}`);
    throw new UserError(
      `the pods of ${paths.dir} run under ${name(last.runtime)}, not under ${name(next.runtime)}${hint}`,
    );
  }
}

/** A folder's pods are those of one server. @throws UserError when the folder is another kind's */
export function refuseOtherRole(paths: DataPaths, last: UpRecord | undefined, role: 'up' | 'server' | 'agent'): void {
  const isAgents = last?.role === 'agent';
  const down = `"mendlet down --data-dir ${paths.dir}`;
  if (role === 'agent' && existsSync(paths.store)) {
    // No word of --purge: it would take all objects of a cluster along.
    throw new UserError(
      `${paths.dir} is a server's data folder, with all its objects, and "mendlet agent" needs one of its own: give another --data-dir`,
    );
  }
  if (role !== 'agent' && isAgents) {
    throw new UserError(
      `${paths.dir} is the data folder of node ${last.nodeName} of another server: first ${down} --purge", or give another --data-dir`,
    );
  }
  if (role === 'server' && last?.inUse === true) {
    throw new UserError(
      `${paths.dir} has pods of "mendlet up", and "mendlet server" runs none: first ${down}" (objects stay), or give another --data-dir`,
    );
  }
}

/** A host name as a node's name: lower case, and what DNS does not allow becomes "-". */
export function nodeNameOf(hostname: string): string {
  const name = hostname.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const labels = name.split('.').map((label) => label.slice(0, 63).replace(/^-+|-+$/g, ''));
  return labels.filter((label) => label !== '').join('.') || 'mendlet';
}
