/** The processes of a pod, as the host sees them. */
import { readdirSync, readFileSync } from 'node:fs';

/** The first process of a pod with one container that runs `sh`. @throws when there is none */
export function firstProcess(podUid: string): number {
  const wanted = [podUid, podUid.replaceAll('-', '_')];
  const found = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const cgroup = read(`/proc/${pid}/cgroup`);
      return wanted.some((uid) => cgroup.includes(uid)) && read(`/proc/${pid}/cmdline`).startsWith('sh\0');
    });
  const [first] = found.toSorted((a, b) => a - b);
  if (first === undefined) throw new Error(`pod ${podUid} has no process that runs sh`);
  return first;
}

/** '' when the process has ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
