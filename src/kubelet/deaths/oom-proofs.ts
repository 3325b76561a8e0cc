/** Keeps the evidence about one container's kills for memory, and decides when it proves something. Pure. */
import type { OomProof } from '../../api/index.ts';
import type { MemoryEvents } from '../figures.ts';
import type { OomReport } from './kernel-oom.ts';
import { MAX_OOM_PROCESSES, MAX_OOM_REPORTS, OOM_TAKE_BACK_MS } from './limits.ts';
import { signalOf } from './signals.ts';

export interface OomEvidence {
  /** As last read while it lived. */
  readonly counted: MemoryEvents | undefined;
  /** The runtime reported it. */
  readonly announced: boolean;
  /** Reports of the kernel that no record contains yet. */
  readonly reports: readonly OomReport[];
  /** Kills that are in a record already: the container survived them. */
  readonly told: number;
  /** The last survival that was reported: when (wall ms), and what was known and unreported before. */
  readonly survival?: { readonly at: number } & Pick<OomEvidence, 'announced' | 'reports' | 'told'>;
}

export const NO_EVIDENCE: OomEvidence = { counted: undefined, announced: false, reports: [], told: 0 };

/** Kills that no record contains. */
export function untoldKills({ counted, told }: OomEvidence): number {
  return Math.max(0, (counted?.oomKills ?? 0) - told);
}

/** It is reported at `at` (wall ms) that the container lives on. */
export function asTold({ counted, announced, reports, told }: OomEvidence, at: number): OomEvidence {
  const survival = { at, announced, reports, told };
  return { counted, announced: false, reports: [], told: counted?.oomKills ?? told, survival };
}

/** Nothing came of what was heard. */
export function withoutHints(evidence: OomEvidence): OomEvidence {
  return { ...evidence, reports: [], announced: false };
}

/**
 * The evidence without the survival that was reported last, when the container's end shows that it was none: it was killed
 * soon after, and no other kill is counted. `undefined`: it was a survival, or none was reported.
 * @param end an end that nobody asked for; `finishedAt` wall ms
 */
export function withoutSurvival(
  evidence: OomEvidence,
  end: { readonly exitCode: number; readonly finishedAt: number },
): OomEvidence | undefined {
  const { survival, ...rest } = evidence;
  if (survival === undefined || signalOf(end.exitCode) !== 'SIGKILL' || untoldKills(evidence) > 0) return undefined;
  if (end.finishedAt > survival.at + OOM_TAKE_BACK_MS) return undefined;
  return {
    ...rest,
    told: survival.told,
    announced: survival.announced || rest.announced,
    reports: [...survival.reports, ...rest.reports].slice(-MAX_OOM_REPORTS),
  };
}

/**
 * The proof that memory ended the container, or a process of it. `undefined`: nothing says so.
 *
 * @param byRuntime the runtime itself gives OOMKilled as the reason
 * @param limitBytes of the spec, where the group is gone before it was read
 */
export function proofOf(
  evidence: OomEvidence,
  { byRuntime, limitBytes }: { readonly byRuntime: boolean; readonly limitBytes: number | undefined },
): OomProof | undefined {
  const { counted, announced, reports } = evidence;
  const kills = untoldKills(evidence);
  if (kills === 0 && reports.length === 0 && !announced && !byRuntime) return undefined;
  const limit = counted?.limitBytes ?? reports.find((each) => each.limitBytes !== undefined)?.limitBytes ?? limitBytes;
  const peak = Math.max(counted?.peakBytes ?? 0, ...reports.map(({ usageBytes }) => usageBytes ?? 0));
  const processes = reports.slice(-MAX_OOM_PROCESSES).map(({ name, pid, rssBytes }) => ({
    name,
    pid,
    ...(rssBytes === undefined ? {} : { rssBytes }),
  }));
  const sources: OomProof['sources'][number][] = [];
  if (kills > 0) sources.push('cgroup');
  if (reports.length > 0) sources.push('kernel-log');
  if (announced || byRuntime) sources.push('runtime');
  return {
    ...(kills > 0 ? { kills: counted?.oomKills ?? kills } : {}),
    ...(limit === undefined ? {} : { limitBytes: limit }),
    ...(peak > 0 ? { peakBytes: peak } : {}),
    ...(processes.length > 0 ? { processes } : {}),
    sources,
  };
}

/** "process worker (pid 123) was killed for memory (limit 64Mi)"; "2 processes were killed for memory, last worker (pid 124)". */
export function lossText({ processes, limitBytes }: OomProof, kills: number): string {
  const limit = limitBytes === undefined ? '' : ` (limit ${bytesText(limitBytes)})`;
  const last = processes?.at(-1);
  const name = last === undefined ? undefined : `${last.name} (pid ${last.pid})`;
  if (kills <= 1) return `${name === undefined ? 'a process' : `process ${name}`} was killed for memory${limit}`;
  return `${kills} processes were killed for memory${limit}${name === undefined ? '' : `, last ${name}`}`;
}

/** "64Mi": as quantities are written, where that is exact. */
export function bytesText(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];
  let value = bytes;
  let unit = 0;
  while (unit < units.length - 1 && value >= 1024 && value % 1024 === 0) {
    value /= 1024;
    unit += 1;
  }
  return `${value}${units[unit]}`;
}
