/** Passes over pods for tests. */
import type { ContainerStatus, Pod, PodStatus } from '../../api/index.ts';
import type { Death, GoingRestart, PodNote } from '../plan/pod-memory.ts';
import type { DayPass } from './pass-facts.ts';

export interface PassWish {
  readonly uid?: string;
  /** The Deployment's name. */
  readonly workload?: string;
  readonly ready?: boolean;
  readonly phase?: string;
  readonly restarts?: number;
  /** Ends that this pass is the first to show. */
  readonly deaths?: readonly Partial<Death>[];
  /** Ends that the note had before. */
  readonly known?: readonly Partial<Death>[];
  readonly waiting?: string;
  readonly startTime?: string;
  readonly deleted?: boolean;
  readonly restart?: Partial<GoingRestart>;
  readonly pod?: Pod;
}

export function dayPod(uid = 'pod-1', workload = 'api'): Pod {
  return {
    metadata: {
      namespace: 'shop',
      name: `${workload}-abc-${uid}`,
      uid,
      labels: { 'pod-template-hash': 'abc' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `${workload}-abc`, uid: `rs-${workload}`, controller: true },
      ],
    },
    spec: { containers: [{ name: 'main', image: 'x' }] },
  };
}

export function death(fields: Partial<Death> = {}): Death {
  return {
    containerId: 'c0',
    restartCount: 0,
    exitCode: 1,
    reason: 'Error',
    startedAt: 0,
    finishedAt: 0,
    message: '',
    messageRead: true,
    ...fields,
  };
}

export function dayPass(wish: PassWish = {}): DayPass {
  const { uid, workload, deaths = [], known = [], restart, deleted = false } = wish;
  const pod = wish.pod ?? dayPod(uid, workload);
  const before = known.map(death);
  const metadata = { ...pod.metadata, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) };
  const going = restart === undefined ? {} : { restart: goingRestart(restart) };
  return {
    pod: { ...pod, metadata },
    status: statusOf(wish),
    noteBefore: noteOf(before, {}),
    note: noteOf([...deaths.map(death), ...before], going),
    observed: undefined,
    ending: deleted,
  };
}

function statusOf({ ready = true, phase = 'Running', restarts = 0, waiting, startTime }: PassWish): PodStatus {
  const container: ContainerStatus = {
    name: 'main',
    image: 'x',
    imageID: 'x',
    ready,
    restartCount: restarts,
    ...(waiting === undefined ? {} : { state: { waiting: { reason: waiting } } }),
  };
  return {
    phase,
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }],
    containerStatuses: [container],
    ...(startTime === undefined ? {} : { startTime }),
  };
}

function noteOf(deaths: readonly Death[], more: Partial<PodNote>): PodNote {
  return { name: '', namespace: '', admitted: true, reclaimed: false, containers: { main: { deaths } }, ...more };
}

function goingRestart(fields: Partial<GoingRestart>): GoingRestart {
  const none = {
    id: 'r1',
    source: 'request',
    scope: 'pod',
    reason: '',
    force: false,
    emptyDirs: [],
    begunAt: 0,
  } as const;
  return { ...none, ...fields };
}
