/** Describes one death, briefly for a table and at length for a page. Pure. */
import { visibleLine } from '../../lib/index.ts';
import { decisiveLine, maskSecrets } from '../../log-analysis/index.ts';
import { type CpuThrottling, type DeathRecord, formatDurationMs, type OomProof } from '../../api/index.ts';

/** containerd's exit code for a container whose shim is gone; no program gave it. */
const UNKNOWN_EXIT_CODE = 255;
/** Names of killed processes in one text. */
const MOST_NAMES = 3;

/** The cause of the death in a few words; the strongest evidence comes first. */
export function whyText(death: DeathRecord): string {
  const { survived, oom, probe, requested, sandboxLost, message, changes } = death;
  const parts: string[] = [];
  if (survived === true) parts.push(message ?? 'a process was killed for memory; the container lives on');
  else {
    if (requested !== undefined) parts.push(requestText(requested));
    if (sandboxLost !== undefined) parts.push(sandboxText(death));
    if (oom !== undefined) parts.push(oomText(oom));
    if (probe !== undefined) parts.push(`${probe.type} probe: ${probe.outputs[0]?.output ?? 'failed'}`);
    if (message !== undefined) parts.push(message);
    if (parts.length === 0) parts.push(lastWords(death));
  }
  const [change] = changes ?? [];
  if (change !== undefined) parts.push(`after: ${change.what}`);
  return parts
    .map((part) => visibleLine(maskSecrets(part)))
    .filter((part) => part !== '')
    .join('; ');
}

/** "its shim was killed: the sandbox is not ready" */
export function sandboxText({ sandboxLost = '', exitCode }: DeathRecord): string {
  return exitCode === UNKNOWN_EXIT_CODE
    ? `its shim was lost, and its end was not seen: ${sandboxLost}`
    : `ended because its sandbox was lost: ${sandboxLost}`;
}

/** Signals that others send to end a program: what it logged before says nothing about that. */
const SENT = new Set(['SIGHUP', 'SIGINT', 'SIGKILL', 'SIGTERM']);

/** The decisive line of the log, else its last one; empty after exit code 0. */
function lastWords({ log, exitCode, signal }: DeathRecord): string {
  if (exitCode === 0) return '';
  if (signal !== undefined && SENT.has(signal)) return `something sent ${signal}`;
  if (log?.says !== undefined) return log.says;
  const lines = (log?.tail ?? '').trimEnd().split('\n');
  return decisiveLine(lines)?.line ?? lines.at(-1) ?? '';
}

export function oomText({ kills, limitBytes, peakBytes, processes }: OomProof): string {
  const names = (processes ?? []).slice(-MOST_NAMES).map(({ name, pid }) => `${name} (pid ${pid})`);
  const who = names.length === 0 ? '' : `: ${names.join(', ')}`;
  const used = peakBytes === undefined ? '' : `, peak ${mebibytes(peakBytes)}`;
  const limit = limitBytes === undefined ? '' : ` of ${mebibytes(limitBytes)}`;
  const count = kills !== undefined && kills > 1 ? `, ${kills} processes killed` : '';
  return `out of memory${count}${used}${limit}${who}`;
}

/** "limit 20m; throttled in 58 of 60 periods (97%) of its last minute". The figures of a shorter life cover all of it. */
export function cpuText({ periods, throttledPeriods, limitMillicores }: CpuThrottling): string {
  const share = Math.round((throttledPeriods / periods) * 100);
  return `limit ${limitMillicores}m; throttled in ${throttledPeriods} of ${periods} periods (${share}%) of its last minute`;
}

function mebibytes(bytes: number): string {
  const value = bytes / (1024 * 1024);
  return `${Number.isInteger(value) ? value : value.toFixed(1)}Mi`;
}

export function requestText({ by, reason, scope }: NonNullable<DeathRecord['requested']>): string {
  const who = by === undefined ? '' : ` by ${by}`;
  const why = reason === undefined || reason === '' ? '' : `: ${reason}`;
  const what = scope === 'container' ? '' : ` (${scope})`;
  return `asked for${who}${what}${why}`;
}

/** The running time; "-" when the container never ran or the time is not known. */
export function ranText({ startedAt, finishedAt }: DeathRecord): string {
  const ms = startedAt === undefined ? Number.NaN : Date.parse(finishedAt) - Date.parse(startedAt);
  return Number.isNaN(ms) ? '-' : formatDurationMs(Math.max(0, ms));
}

/** "10s"; "none" when the container was started again at once; "-" when it was not started again. */
export function backOffText({ backOffSeconds }: DeathRecord): string {
  if (backOffSeconds === undefined) return '-';
  return backOffSeconds === 0 ? 'none' : formatDurationMs(backOffSeconds * 1000);
}

/** "137 (SIGKILL)" */
export function exitText({ exitCode, signal, survived }: DeathRecord): string {
  if (survived === true) return '-';
  return signal === undefined ? `${exitCode}` : `${exitCode} (${signal})`;
}
