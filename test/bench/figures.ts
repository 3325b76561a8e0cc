/** Small arithmetic of the benchmark. */
import { readFileSync } from 'node:fs';

/** Seconds since boot, by the same clock that the workloads read. */
export function uptimeSeconds(): number {
  return Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
}

/** The value below which the share `p` (0 to 1) of `samples` lies; nearest rank. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

export function milliseconds(seconds: number): string {
  return `${Math.round(seconds * 1000)} ms`;
}

export function ratio(ours: number, floor: number): string {
  return `${(ours / floor).toFixed(2)}×`;
}

/**
 * The same of a process and of the programs that it started, without containerd: that is the runtime, with and without services.
 * Programs that have ended count with their CPU time.
 */
export function treeUsage(pid: number): { readonly cpuSeconds: number; readonly rssMiB: number } {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  const own = children.filter((child) => !/containerd/.test(readFileSync(`/proc/${child}/comm`, 'utf8')));
  const ended = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const used = [pid, ...own].map(processUsage);
  return {
    // cutime and cstime.
    cpuSeconds:
      (Number(ended[13]) + Number(ended[14])) / 100 + used.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    rssMiB: used.reduce((sum, { rssMiB }) => sum + rssMiB, 0),
  };
}

/** CPU seconds (user and system, all threads) and resident memory of a process. */
export function processUsage(pid: number): { readonly cpuSeconds: number; readonly rssMiB: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  // utime and stime, in clock ticks of 10 ms.
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / 100, rssMiB: Number(rss) / 1024 };
}
