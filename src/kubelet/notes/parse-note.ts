/** Reads a note as it was written, believing nothing: a file may be torn, old, or edited. Pure. */
import { isAllocation } from '../plan/allocation.ts';
import type { PodNote } from '../plan/pod-memory.ts';

/** Version of the file's format; a higher one is from a newer mendlet. */
export const NOTE_FORMAT = 1;

export type ParsedNote =
  | { readonly ok: true; readonly note: PodNote }
  | { readonly ok: false; readonly problem: string };

type Fields = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isTime: Check = (value) => typeof value === 'number' && Number.isFinite(value);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) >= 0;
const isInteger: Check = (value) => Number.isInteger(value);
const isFlag: Check = (value) => typeof value === 'boolean';

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const shape =
  (fields: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isFields(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);

const isDeath = shape({
  containerId: isText,
  restartCount: isCount,
  exitCode: isInteger,
  reason: isText,
  startedAt: isTime,
  finishedAt: isTime,
  message: isText,
  messageRead: isFlag,
  delayMs: optional(isTime),
});

const isContainer = shape({
  newest: optional(shape({ containerId: isText, restartCount: isCount, startedAt: isTime })),
  deaths: listOf(isDeath),
  backOff: optional(
    shape({ key: isText, delayMs: isTime, lastUpdate: isTime, attempt: isCount, restarts: optional(isCount) }),
  ),
  failure: optional(shape({ attempt: isCount, failures: isCount, reason: isText, message: isText, failedAt: isTime })),
  usedAttempt: optional(isCount),
  kill: optional(
    shape({
      containerId: isText,
      message: isText,
      gracePeriodSeconds: isTime,
      requestedAt: isTime,
      restart: isFlag,
      skipPreStop: optional(isFlag),
      lostSandbox: optional(isText),
      cause: optional(isOneOf('liveness', 'startup', 'hook', 'restart')),
    }),
  ),
  freshFrom: optional(isCount),
  curveFrom: optional(isCount),
  ownEnd: optional(isText),
  recovered: optional(isText),
  applied: optional(shape({ containerId: isText, resources: isAllocation })),
});

const isAllocations: Check = (value) => isFields(value) && Object.values(value).every(isAllocation);

const isTermination = shape({ reason: isText, message: isText, gracePeriodSeconds: isTime, requestedAt: isTime });
const isEnd = shape({
  phase: (value) => value === 'Succeeded' || value === 'Failed',
  reason: isText,
  message: isText,
});

const isRestartScope = isOneOf('container', 'containers', 'pod');
const isHealingScope = isOneOf('container', 'containers', 'pod', 'node');

const isGoingRestart = shape({
  id: isText,
  source: isOneOf('request', 'ladder'),
  scope: isRestartScope,
  container: optional(isText),
  reason: isText,
  by: optional(isText),
  gracePeriodSeconds: optional(isTime),
  force: isFlag,
  emptyDirs: listOf(isText),
  leaves: optional(isFlag),
  begunAt: isTime,
  oldSandboxAttempt: optional(isInteger),
  refreshed: optional(isFlag),
  starting: optional(isFlag),
});

const isRestartOutcome = shape({
  id: isText,
  phase: isOneOf('Pending', 'Running', 'Succeeded', 'Failed'),
  reason: optional(isText),
  message: optional(isText),
  at: isText,
});

const isLadderAttempt = shape({
  scope: isHealingScope,
  container: isText,
  containerId: isText,
  at: isTime,
  uncounted: optional(isOneOf('joined', 'fallback')),
});

const isStoppedContainer = shape({ containerId: isText, key: isText, message: optional(isText) });
const isStop = shape({
  reason: isOneOf('AttemptsExhausted', 'MaxPodRestarts', 'RuleStop', 'NoOtherNode'),
  message: isText,
  at: isTime,
  containers: (value) => isFields(value) && Object.values(value).every(isStoppedContainer),
});

const isHealing = shape({
  policy: isText,
  rung: isHealingScope,
  attempts: listOf(isLadderAttempt),
  podRestarts: isCount,
  since: optional(isTime),
  cause: optional(isText),
  stopped: optional(isStop),
  wellSince: optional(isTime),
  move: optional(shape({ id: isText, cause: isText, at: isTime })),
});

const isRecovery = shape({
  id: isText,
  at: isTime,
  cause: isText,
  lasting: optional(isFlag),
  signal: optional(isText),
  endedAt: optional(isTime),
});
const isSeenCircumstance = shape({ value: isText, at: isTime });

const isNote = shape({
  name: isText,
  namespace: isText,
  admitted: isFlag,
  startTime: optional(isTime),
  sandboxAttempt: optional(isCount),
  initializedSandboxId: optional(isText),
  containers: (value) => isFields(value) && Object.values(value).every(isContainer),
  restartAll: optional(shape({ sources: listOf(isText) })),
  restart: optional(isGoingRestart),
  restartOutcomes: optional(listOf(isRestartOutcome)),
  cleanRestarts: optional(isCount),
  healing: optional(isHealing),
  triedNow: optional(isText),
  recovery: optional(isRecovery),
  earlyEnds: optional(listOf(isTime)),
  circumstances: optional((value) => isFields(value) && Object.values(value).every(isSeenCircumstance)),
  allocated: optional(isAllocations),
  cgroupFor: optional(isAllocations),
  termination: optional(isTermination),
  end: optional(isEnd),
  reclaimed: isFlag,
});

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function parseNote(text: string, uid: string): ParsedNote {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return { ok: false, problem: 'it is not JSON' };
  }
  if (!isFields(file)) return { ok: false, problem: 'it is not an object' };
  if (file.format !== NOTE_FORMAT) return { ok: false, problem: `its format is ${String(file.format)}` };
  if (file.uid !== uid) return { ok: false, problem: 'it is of another pod' };
  if (!isNote(file.note)) return { ok: false, problem: 'it has not the fields of a note' };
  return { ok: true, note: file.note as PodNote };
}

export function formatNote(uid: string, note: PodNote): string {
  return JSON.stringify({ format: NOTE_FORMAT, uid, note });
}
