/** The definition of a controller: sources that say which keys a change concerns, and a reconcile of one key. */
import type { KubeObject, Resource } from '../api/index.ts';
import type { Change, SourceView } from '../client/index.ts';
import type { Operation, PerformOptions } from './operation.ts';
import type { SlowStartResult } from './slow-start.ts';

/** Trying again cannot help: the reconcile waits for a change. */
export class TerminalError extends Error {
  override readonly name = 'TerminalError';
}

export interface ReconcileResult {
  /** Look again after this long, ms, if nothing happens before. */
  readonly requeueAfterMs?: number;
}

export interface ReconcileContext {
  readonly signal: AbortSignal;
  /** Does operations one after another and remembers what was written, so that the next reconcile sees it. */
  perform(operations: readonly Operation[]): Promise<void>;
  /** The same for one, with what was written (undefined: there was nothing to do). */
  write(operation: Operation, options?: PerformOptions): Promise<KubeObject | undefined>;
  /** The same for many like ones at once: see `slowStart`. Rejects for nothing but the end of the controller. */
  writeAll(operations: readonly Operation[], options?: PerformOptions): Promise<SlowStartResult>;
}

/** Which keys a change of a resource concerns. */
export interface ControllerSource {
  readonly resource: Resource<KubeObject>;
  /** Which of its objects are looked at, and what of them. Absent: all, whole. */
  readonly view?: SourceView;
  readonly keysOf: (change: Change<KubeObject>) => readonly string[];
}

/** Says a source with the type of its objects. */
export function source<T extends KubeObject>(
  resource: Resource<T>,
  keysOf: (change: Change<T>) => readonly string[],
  view: SourceView = {},
): ControllerSource {
  return { resource, view, keysOf: keysOf as unknown as ControllerSource['keysOf'] };
}

/** Sources that come and go while their controller runs. */
export interface MovingSources {
  /** Those of now: one that is still there is the same value as before. */
  current(): readonly ControllerSource[];
  /** Calls `listener` after each change. The returned function ends that. */
  onChange(listener: () => void): () => void;
}

export interface Controller {
  readonly name: string;
  readonly sources: readonly ControllerSource[];
  /** Nothing waits for the first list of these. */
  readonly moving?: MovingSources;
  readonly concurrency?: number;
  reconcile(key: string, context: ReconcileContext): Promise<ReconcileResult | void>;
}
