/** Pods and events as the API shows them, with defaults, so that a test states only the fields that it is about. */
import type { Container, ContainerHistory, ContainerStatus, DeathRecord, Event, Pod } from './evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from './evidence/pod-evidence.ts';

export const NOW = Date.parse('2026-01-31T12:00:00Z');

/** The time this many seconds before NOW. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

export interface PodGiven {
  readonly name?: string;
  readonly container?: Partial<Container>;
  readonly status?: Partial<ContainerStatus>;
  readonly spec?: object;
  readonly podStatus?: object;
  readonly metadata?: object;
}

/** One container "web", on node n1, an hour old, running and ready. */
export function pod({ name = 'web-1', container, status, spec, podStatus, metadata }: PodGiven = {}): Pod {
  const ready = status?.ready ?? true;
  return {
    kind: 'Pod',
    apiVersion: 'v1',
    metadata: { name, namespace: 'shop', uid: `uid-${name}`, creationTimestamp: ago(3600), ...metadata },
    spec: {
      nodeName: 'n1',
      restartPolicy: 'Always',
      ...spec,
      containers: [{ name: 'web', image: 'registry.example/web:1', ...container }],
    },
    status: {
      phase: 'Running',
      conditions: [
        { type: 'PodScheduled', status: 'True', lastTransitionTime: ago(3600) },
        { type: 'ContainersReady', status: ready ? 'True' : 'False', lastTransitionTime: ago(3500) },
        { type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: ago(3500) },
      ],
      ...podStatus,
      containerStatuses: [
        {
          name: 'web',
          ready,
          restartCount: 0,
          image: 'registry.example/web:1',
          imageID: 'sha256:1',
          started: true,
          state: { running: { startedAt: ago(3590) } },
          ...status,
        },
      ],
    },
  };
}

export interface EndGiven {
  readonly exitCode: number;
  readonly reason?: string;
  readonly message?: string;
  /** Seconds before now. */
  readonly ended?: number;
  readonly lived?: number;
}

/** A container in CrashLoopBackOff after this end. */
export function crashed({
  exitCode,
  reason = 'Error',
  message,
  ended = 30,
  lived = 5,
}: EndGiven): Partial<ContainerStatus> {
  return {
    ready: false,
    started: false,
    restartCount: 4,
    state: {
      waiting: {
        reason: 'CrashLoopBackOff',
        message: 'back-off 1m20s restarting failed container=web pod=web-1_shop(uid-web-1)',
      },
    },
    lastState: {
      terminated: {
        exitCode,
        reason,
        message,
        startedAt: ago(ended + lived),
        finishedAt: ago(ended),
        containerID: 'containerd://dead',
      },
    },
  };
}

export function waiting(reason: string, message = ''): Partial<ContainerStatus> {
  return { ready: false, started: false, restartCount: 0, state: { waiting: { reason, message } } };
}

export interface EventGiven {
  /** Seconds before now when the event was seen last. */
  readonly seconds?: number;
  readonly count?: number;
  /** Seconds before now when the event was seen first. */
  readonly first?: number;
  readonly container?: string;
  /** The pod's name. */
  readonly of?: string;
}

export function event(reason: string, message: string, given: EventGiven = {}): Event {
  const { seconds = 30, count = 1, container = '', of = 'web-1' } = given;
  const first = given.first ?? seconds;
  return {
    metadata: { name: `${reason}-${seconds}`, namespace: 'shop' },
    involvedObject: {
      kind: 'Pod',
      namespace: 'shop',
      name: of,
      uid: `uid-${of}`,
      ...(container === '' ? {} : { fieldPath: `spec.containers{${container}}` }),
    },
    type: 'Warning',
    reason,
    message,
    count,
    firstTimestamp: ago(first),
    lastTimestamp: ago(seconds),
  };
}

export function evidence(given: Partial<PodEvidence> = {}): PodEvidence {
  return {
    now: NOW,
    pod: pod(),
    events: [],
    owners: [],
    logs: {},
    claims: [],
    configs: [],
    services: [],
    throttling: {},
    siblings: [],
    siblingEvents: [],
    notLookedAt: [],
    namespaceFlag: '',
    ...given,
  };
}

/** The node's history of container "web" with these deaths. */
export function history(...deaths: readonly Partial<DeathRecord>[]): readonly ContainerHistory[] {
  const all = deaths.map(
    (death, index): DeathRecord => ({
      number: index + 1,
      containerId: index === deaths.length - 1 ? 'dead' : `dead-${index}`,
      restartCount: index,
      startedAt: ago(35),
      finishedAt: ago(30),
      exitCode: 1,
      reason: 'Error',
      ...death,
    }),
  );
  return [{ name: 'web', total: all.length, deaths: all }];
}

/** The log of container "web" before it crashed. */
export function lastWords(...lines: readonly string[]): PodEvidence['logs'] {
  return { web: { previous: lines } };
}

/** A ConfigMap whose keys hold these texts. */
export function configMap(name: string, texts: Readonly<Record<string, string>>): ConfigEvidence {
  return { kind: 'ConfigMap', name, state: 'found', keys: Object.keys(texts), texts };
}
