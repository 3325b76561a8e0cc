/** The ends of a container, from its node's history, else from its status. */
import { parseTime } from '../../../lib/index.ts';
import type { ContainerHistory, ContainerStateTerminated, ContainerStatus, DeathRecord } from '../../evidence/kinds.ts';
import type { Quote } from '../../finding.ts';
import { signalOf } from './signals.ts';
import { quotable } from '../words/text.ts';

/** A death record; one from a status has no number. */
export type Death = Omit<DeathRecord, 'number' | 'containerId' | 'restartCount' | 'finishedAt'> & {
  readonly number?: number;
  readonly containerId?: string;
  readonly finishedAt?: string;
  /** Wall ms. */
  readonly finishedMs: number;
  readonly livedMs?: number;
};

/** Deaths, newest first, without kills of child processes that the container survived. */
export function deathsOf(status: ContainerStatus | undefined, history: ContainerHistory | undefined): readonly Death[] {
  const remembered = (history?.deaths ?? []).filter(({ survived }) => survived !== true).map(fromRecord);
  const told = [status?.state?.terminated, status?.lastState?.terminated].flatMap((end) =>
    end === undefined ? [] : [fromStatus(end)],
  );
  const missing = told.filter((death) => !remembered.some((known) => same(known, death)));
  return [...remembered, ...missing].toSorted((a, b) => b.finishedMs - a.finishedMs);
}

/** Kills of child processes for memory that the container survived, newest first. */
export function survivedOf(history: ContainerHistory | undefined): readonly Death[] {
  return (history?.deaths ?? [])
    .filter(({ survived }) => survived === true)
    .map(fromRecord)
    .toSorted((a, b) => b.finishedMs - a.finishedMs);
}

/** Whether the kernel ended it, or a process of it, for want of memory: by the runtime, the counter of its cgroup, or the kernel's log. */
export function isOutOfMemory({ reason, oom }: Death): boolean {
  return reason === 'OOMKilled' || (oom?.kills ?? 0) > 0 || (oom?.processes ?? []).length > 0;
}

function same(a: Death, b: Death): boolean {
  return bareId(a.containerId) === bareId(b.containerId) && bareId(a.containerId) !== '';
}

/** The id without the runtime's name, which statuses put before it: "containerd://ID". */
function bareId(id = ''): string {
  return id.slice(id.lastIndexOf('/') + 1);
}

function fromRecord(record: DeathRecord): Death {
  return { ...record, ...times(record.startedAt, record.finishedAt) };
}

function fromStatus(end: ContainerStateTerminated): Death {
  const startedAt = end.startedAt ?? undefined;
  const finishedAt = end.finishedAt ?? undefined;
  return {
    containerId: end.containerID,
    exitCode: end.exitCode,
    signal: signalOf(end.exitCode),
    reason: end.reason ?? '',
    message: end.message,
    startedAt,
    finishedAt,
    ...times(startedAt, finishedAt),
  };
}

function times(startedAt?: string, finishedAt?: string): { finishedMs: number; livedMs?: number } {
  const started = parseTime(startedAt);
  const finished = parseTime(finishedAt);
  // A container that was never started has no such time, or the zero time.
  const lived = started === undefined || started <= 0 || finished === undefined ? undefined : finished - started;
  return { finishedMs: finished ?? 0, livedMs: lived === undefined || lived < 0 ? undefined : lived };
}

export function quoteDeath(container: string, death: Death): Quote {
  return {
    source: 'death',
    container,
    number: death.number,
    exitCode: death.exitCode,
    signal: death.signal,
    reason: death.reason,
    message: death.message === undefined || death.message === '' ? undefined : quotable(death.message),
    finishedAt: death.finishedAt,
    livedSeconds: death.livedMs === undefined ? undefined : Math.round(death.livedMs / 100) / 10,
  };
}
