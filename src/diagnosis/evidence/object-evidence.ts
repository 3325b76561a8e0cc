/** The evidence about a claim, a cron job, or a disruption budget, with that of the pods behind them. */
import type { CronJob, PodDisruptionBudget } from '../../api/index.ts';
import type { Event, Pod } from './kinds.ts';
import type { ClaimEvidence, PodEvidence } from './pod-evidence.ts';
import type { StorageEvidence } from './storage-evidence.ts';
import type { WorkloadEvidence } from './workload-evidence.ts';

export interface ClaimSubjectEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly namespace: string;
  readonly claim: ClaimEvidence;
  /** The names of the pods that use it. */
  readonly users: readonly string[];
  /** Of one without a volume: a pod that uses it and has not started, which may say why; one without a node before others. */
  readonly waiting?: PodEvidence;
  /** What its node measured; absent: nobody did. */
  readonly usage?: VolumeUsage;
  /** Whether a StorageClass of its name exists; absent: it names none, or that could not be read. */
  readonly classExists?: boolean;
  /** Of the driver that serves its volume; absent: none does, or nothing about the claim asks for it. */
  readonly storage?: StorageEvidence;
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}

/** Bytes and files of a file system. */
export interface VolumeUsage {
  readonly usedBytes?: number;
  readonly capacityBytes?: number;
  readonly availableBytes?: number;
  readonly inodes?: number;
  readonly inodesFree?: number;
}

export interface CronJobEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly cronJob: CronJob;
  readonly events: readonly Event[];
  /** Its jobs, the newest first. */
  readonly jobs: readonly WorkloadEvidence[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}

export interface BudgetEvidence {
  /** Wall ms. */
  readonly now: number;
  readonly budget: PodDisruptionBudget;
  /** The pods that its selector matches. */
  readonly pods: readonly Pod[];
  /** Names of other budgets whose selectors match some of them. */
  readonly rivals?: readonly string[];
  /** The other pods of its namespace; absent: it matches some. */
  readonly others?: readonly Pod[];
  /** Those of them that are not ready. */
  readonly looked: readonly PodEvidence[];
  readonly events: readonly Event[];
  readonly notLookedAt: readonly string[];
  readonly namespaceFlag: string;
}
