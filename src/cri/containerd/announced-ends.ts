/**
 * Records containers whose end was announced and which CRI does not show as ended yet. It is a bounded note, not a truth.
 * Pure, except for its own state.
 */
import type { ContainerStatus, RuntimeEvent } from '../runtime.ts';

/** The end of a task, as its shim reports it. */
export interface TaskEnd {
  readonly exitCode: number;
  /** Wall ms. */
  readonly finishedAt: number;
}

const MAX_ANNOUNCED = 1024;
/** The exit code of SIGKILL, also when the kernel kills for want of memory: only CRI tells the two apart. */
const KILLED = 137;

export class AnnouncedEnds {
  readonly #announced = new Set<string>();
  readonly #outOfMemory = new Set<string>();

  heard({ kind, id }: RuntimeEvent): void {
    if (kind === 'deleted') this.forget(id);
    else if (kind === 'stopped') add(this.#announced, id);
    else if (kind === 'oom') add(this.#outOfMemory, id);
  }

  /** Whether its task is worth asking for. */
  has(id: string): boolean {
    return this.#announced.has(id) && !this.#outOfMemory.has(id);
  }

  forget(id: string): void {
    this.#announced.delete(id);
    this.#outOfMemory.delete(id);
  }
}

function add(ids: Set<string>, id: string): void {
  ids.add(id);
  if (ids.size <= MAX_ANNOUNCED) return;
  const [oldest] = ids;
  if (oldest !== undefined) ids.delete(oldest);
}

/** A status that CRI still calls running, as it will show it once it has put the task away; unchanged where that is open. */
export function withTaskEnd(status: ContainerStatus, end: TaskEnd | undefined): ContainerStatus {
  if (status.state !== 'running' || end === undefined || end.exitCode === KILLED) return status;
  const reason = end.exitCode === 0 ? 'Completed' : 'Error';
  return { ...status, state: 'exited', ...end, reason, ending: true };
}
