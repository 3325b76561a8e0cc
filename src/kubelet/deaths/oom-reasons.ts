/**
 * Says OOMKilled of an end for which the kernel accounts and the runtime does not. containerd reads the counter of kills from
 * the container's cgroup, and has no more than the exit code where that is gone before: which happens when several containers
 * with small limits end together. The status of a pod and the rules of its policy need the cause.
 */
import type { ContainerStatus } from '../../cri/index.ts';
import { BoundedMap } from '../../lib/index.ts';
import { POD_UID_LABEL } from '../pods/ownership.ts';
import type { PodBook } from './death-book.ts';
import { MAX_OOM_CONTAINERS } from './limits.ts';
import { type OomEvidence, untoldKills } from './oom-proofs.ts';

export interface OomReasonSources {
  /** What is known of a container whose death is not recorded yet. */
  readonly evidence: (containerId: string) => OomEvidence;
  /** The recorded deaths of a pod, also those that an earlier agent has seen. May reject: then nothing is known. */
  readonly book: (uid: string) => Promise<PodBook | undefined>;
  /** Wall ms: only for what ended before is the disk asked, so that no restart waits for a disk that hangs. */
  readonly startedAt: number;
}

export class OomReasons {
  readonly #sources: OomReasonSources;
  /** Containers of which it was said: a status that is read again must not say less. */
  readonly #said = new BoundedMap<string, true>(MAX_OOM_CONTAINERS);

  constructor(sources: OomReasonSources) {
    this.#sources = sources;
  }

  /** The status as it is, or with the reason OOMKilled in the place of Error. */
  async of(status: ContainerStatus): Promise<ContainerStatus> {
    if (status.state !== 'exited' || status.exitCode !== KILLED || status.reason !== 'Error') return status;
    const isProven =
      this.#said.get(status.id) === true ||
      isKilled(this.#sources.evidence(status.id)) ||
      (await this.#isRecorded(status));
    if (!isProven) return status;
    this.#said.set(status.id, true);
    return { ...status, reason: 'OOMKilled' };
  }

  /** Whether it was said here: the runtime itself has no more than Error. */
  isOurs(containerId: string): boolean {
    return this.#said.get(containerId) === true;
  }

  async #isRecorded({ id, labels, finishedAt }: ContainerStatus): Promise<boolean> {
    const { startedAt, book: read } = this.#sources;
    if (finishedAt >= startedAt) return false;
    const book = await read(labels[POD_UID_LABEL] ?? '').catch(() => undefined);
    const deaths = book?.containers.flatMap((container) => container.deaths) ?? [];
    return deaths.some(
      ({ containerId, survived, oom }) => containerId === id && survived !== true && oom !== undefined,
    );
  }
}

/** 128 + SIGKILL, which is what the kernel sends. */
const KILLED = 137;

/** The kernel says it by its log or its counter. What the runtime announced would be in its own reason. */
function isKilled(evidence: OomEvidence): boolean {
  return untoldKills(evidence) > 0 || evidence.reports.length > 0;
}
