/** A plan while it is being written: collects actions, events, reasons to wait and the earliest wake-up. Local to one pass. */
import { type PodAction, jobKey } from './actions.ts';
import type { PlanInput, PlannedEvent } from './facts.ts';
import type { ContainerMemory, GoingRestart, PodNote } from './pod-memory.ts';
import { containerMemory, withContainer } from './pod-memory.ts';
import type { WallTimes } from './wall-times.ts';

export interface WaitingReason {
  readonly reason: string;
  readonly message: string;
}

/** What happens next by itself, in words that follow the pod's name: "pulls its image again". */
export interface NextStep {
  readonly words: string;
  /** Mono ms. */
  readonly at: number;
}

/** For the metric: a restart that came to its end in this pass. */
export interface EndedRestart extends Pick<GoingRestart, 'scope' | 'source'> {
  /** As the reason of its outcome. */
  readonly result: string;
}

/** The result of a step for the steps after it. Changes of the note are visible without it (`viewsOf`). */
export interface StepReport {
  /** Nothing but ephemeral containers may be started in this pass. */
  readonly holdsStarts: boolean;
}

export const GOES_ON: StepReport = { holdsStarts: false };
export const HOLDS_STARTS: StepReport = { holdsStarts: true };

export interface Draft {
  readonly input: PlanInput;
  readonly times: WallTimes;
  readonly actions: PodAction[];
  readonly events: PlannedEvent[];
  readonly endedRestarts: EndedRestart[];
  /** The things that the plan waits for, and its reasons. */
  readonly why: string[];
  /** By container name: its waiting state. */
  readonly waiting: Record<string, WaitingReason>;
  /** What time alone brings next, as far as people want to know it. */
  next: NextStep | undefined;
  note: PodNote;
  /** Mono ms. */
  wakeAt: number | undefined;
  backOffReported: Readonly<Record<string, true>>;
  /** Jobs that failed are tried again in this pass, however short ago that was. */
  afresh: boolean;
}

export function createDraft(input: PlanInput, times: WallTimes, note: PodNote): Draft {
  const { backOffReported } = input.memory.volatile;
  const written = { actions: [], events: [], endedRestarts: [], why: [], waiting: {} };
  return { input, times, ...written, note, wakeAt: undefined, next: undefined, backOffReported, afresh: false };
}

/** Plans `action` unless it is under way or its last failure is too recent. True when it was planned. */
export function act(draft: Draft, action: PodAction): boolean {
  const key = jobKey(action);
  if (draft.input.facts.jobs[key] !== undefined) {
    wait(draft, `${key} is under way`);
    return false;
  }
  const failure = draft.input.memory.volatile.failures[key];
  if (failure !== undefined && !draft.afresh && draft.input.now.mono < failure.retryAt) {
    wait(draft, `${key} failed: ${failure.message}`, failure.retryAt);
    return false;
  }
  draft.actions.push(action);
  return true;
}

/** Notes what the plan waits for; `until` (mono ms) when time alone ends the wait. */
export function wait(draft: Draft, reason: string, until?: number): void {
  draft.why.push(reason);
  if (until !== undefined) wakeBy(draft, until);
}

/** What the page of the cluster counts down to; of several steps the first. */
export function tellNext(draft: Draft, words: string, at: number): void {
  if (at > draft.input.now.mono && (draft.next === undefined || at < draft.next.at)) draft.next = { words, at };
}

export function wakeBy(draft: Draft, mono: number): void {
  if (draft.wakeAt === undefined || mono < draft.wakeAt) draft.wakeAt = mono;
}

export function isDone(draft: Draft, key: string): boolean {
  return draft.input.memory.volatile.done[key] !== undefined;
}

export function updateContainer(draft: Draft, name: string, change: Partial<ContainerMemory>): void {
  draft.note = withContainer(draft.note, name, { ...containerMemory(draft.note, name), ...change });
}

/** Begun and not ended: a container start of any name, or a sandbox. */
export function startsUnderWay(draft: Draft): readonly string[] {
  return Object.keys(draft.input.facts.jobs).filter(
    (key) => key.startsWith('start-container/') || key === 'create-sandbox',
  );
}
