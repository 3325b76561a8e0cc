/** Parses a pod's name on the command line: "pod/web", "web", "pod web". Pure. */
import { UsageError } from '../usage-error.ts';

const KINDS = ['pod', 'pods', 'po'];

/** @throws UsageError */
export function podTarget(args: readonly string[]): string {
  const [first = '', second] = args;
  if (args.length > 2) throw new UsageError('Name one pod, for instance pod/web.');
  if (second !== undefined) {
    if (KINDS.includes(first) && !second.includes('/')) return named(second);
    throw new UsageError('Name one pod, for instance pod/web.');
  }
  const slash = first.indexOf('/');
  if (slash === -1) return named(first);
  const kind = first.slice(0, slash);
  if (!KINDS.includes(kind))
    throw new UsageError(`"${kind}" has no deaths of its own: name a pod, for instance pod/web.`);
  return named(first.slice(slash + 1));
}

function named(name: string): string {
  if (/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name)) return name;
  throw new UsageError(`"${name}" is not the name of a pod.`);
}

/** "3", "-1": the number of a death. @throws UsageError */
export function parseDeath(text: string): number {
  const number = Number(text);
  if (/^-?\d{1,9}$/.test(text) && number !== 0) return number;
  throw new UsageError('Give the number of a death: 1 is the first, -1 the last.');
}
