/** Building and updating a pod's observation from what was read. Pure. */
import type { ContainerState, ContainerStatus, SandboxStatus } from '../../cri/index.ts';
import type { PodObservation, PodUID } from '../types.ts';
import { type PodSnapshot, snapshotOf } from './diff.ts';
import type { PodReads } from './pod-reader.ts';

/** The cache's record of a pod. `seq` orders reads by their beginning. */
export interface PodRecord {
  readonly observation: PodObservation;
  readonly snapshot: PodSnapshot;
  readonly seq: number;
  /** Containers and sandboxes that were read by themselves since, each with its own number: present, or gone. */
  readonly singles: ReadonlyMap<string, number>;
}

const STATE_RANK: Readonly<Record<ContainerState, number>> = { unknown: 0, created: 1, running: 2, exited: 3 };

/** A container never goes back: a read that began earlier may arrive later and must not bring the dead to life. */
export function laterStatus(known: ContainerStatus | undefined, read: ContainerStatus): ContainerStatus {
  if (known?.state !== 'exited') return read;
  const older = STATE_RANK[read.state] < STATE_RANK.exited || (read.ending === true && known.ending !== true);
  return older ? known : read;
}

/** A dead sandbox loses its network in the runtime; the pod keeps showing the address that it had (upstream: generic.go). */
export function keepAddress(known: SandboxStatus | undefined, read: SandboxStatus): SandboxStatus {
  return known !== undefined && read.ips.length === 0 && known.ips.length > 0 ? { ...read, ips: known.ips } : read;
}

/**
 * `undefined`: the runtime has nothing of this pod. Reads are merged over `known`, and put in order, newest first: by
 * attempt, because the runtime's creation times are wall times, and a wall clock may have been set back in between.
 */
export function buildObservation(
  uid: PodUID,
  sandboxes: readonly SandboxStatus[],
  containers: readonly ContainerStatus[],
  at: number,
  known: PodObservation | undefined,
): PodObservation | undefined {
  if (sandboxes.length === 0) return undefined;
  const knownSandboxes = new Map(known?.sandboxes.map((each) => [each.id, each]));
  const knownContainers = new Map(known?.containers.map((each) => [each.id, each]));
  const sorted = sandboxes
    .map((each) => keepAddress(knownSandboxes.get(each.id), each))
    .sort((a, b) => b.metadata.attempt - a.metadata.attempt || b.createdAt - a.createdAt);
  const newest = sorted[0] as SandboxStatus;
  return {
    uid,
    name: newest.metadata.name,
    namespace: newest.metadata.namespace,
    sandboxes: sorted,
    containers: containers
      .map((each) => laterStatus(knownContainers.get(each.id), each))
      .sort((a, b) => b.attempt - a.attempt || b.createdAt - a.createdAt || (a.id < b.id ? 1 : -1)),
    at,
  };
}

/** Whether a container has exited and the runtime has not finished removing its task: it must be read again. */
export function hasEnding(observation: PodObservation | undefined): boolean {
  return observation?.containers.some(({ ending }) => ending === true) === true;
}

export function recordOf(
  observation: PodObservation,
  seq: number,
  singles: ReadonlyMap<string, number> = new Map(),
): PodRecord {
  return { observation, snapshot: snapshotOf(observation.sandboxes, observation.containers), seq, singles };
}

/** Those that were read by themselves after a read of the whole pod had begun as number `seq`. */
export function singlesSince(record: PodRecord | undefined, seq: number): ReadonlyMap<string, number> {
  return new Map([...(record?.singles ?? [])].filter(([, number]) => number > seq));
}

/** A read of the whole pod, but for what was read by itself since: that is as the record has it, or gone. */
export function keepSingles(
  record: PodRecord | undefined,
  reads: PodReads,
  singles: ReadonlyMap<string, number>,
): PodReads {
  if (record === undefined || singles.size === 0) return reads;
  const merge = <T extends { readonly id: string }>(read: readonly T[], known: readonly T[]): readonly T[] => [
    ...read.filter(({ id }) => !singles.has(id)),
    ...known.filter(({ id }) => singles.has(id)),
  ];
  return {
    sandboxes: merge(reads.sandboxes, record.observation.sandboxes),
    containers: merge(reads.containers, record.observation.containers),
  };
}

/** The record after one container was read as number `number`; `undefined` status: that container is gone. */
export function withContainer(
  record: PodRecord,
  id: string,
  status: ContainerStatus | undefined,
  number: number,
): PodRecord {
  const { observation, seq } = record;
  const others = observation.containers.filter((each) => each.id !== id);
  const containers = status === undefined ? others : [...others, status];
  const updated = buildObservation(observation.uid, observation.sandboxes, containers, observation.at, observation);
  return recordOf(updated ?? observation, seq, withSingle(record, id, number));
}

/** The record after one sandbox was read; `undefined`: nothing is left of the pod. */
export function withSandbox(
  record: PodRecord,
  id: string,
  status: SandboxStatus | undefined,
  number: number,
): PodRecord | undefined {
  const { observation, seq } = record;
  const others = observation.sandboxes.filter((each) => each.id !== id);
  const sandboxes = status === undefined ? others : [...others, status];
  const containers = observation.containers.filter((each) => status !== undefined || each.sandboxId !== id);
  const updated = buildObservation(observation.uid, sandboxes, containers, observation.at, observation);
  return updated === undefined ? undefined : recordOf(updated, seq, withSingle(record, id, number));
}

/** Bounded by the next read of the whole pod, which a busy pod has with each of its actions. */
function withSingle({ singles, seq }: PodRecord, id: string, number: number): ReadonlyMap<string, number> {
  if (number <= seq) return singles;
  return new Map([...singles, [id, Math.max(number, singles.get(id) ?? 0)]]);
}
