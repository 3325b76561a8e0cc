/** The true events of a simulated cluster, which no process inside it can know, and which invariants are checked against. */
import type { Pod, PodRestart, Service } from '../api/index.ts';
import { assertNever } from '../lib/index.ts';
import type { Sim } from './sim.ts';

/** Why a container's process ended: by itself, out of memory, at SIGTERM, by SIGKILL, or with its machine. */
export type EndCause = 'self' | 'oom' | 'term' | 'kill' | 'lost';

export interface ContainerName {
  readonly uid: string;
  readonly container: string;
  readonly id: string;
  readonly attempt: number;
  /** The sandbox that it is in. */
  readonly sandbox: string;
}

/** A mount of a new container, and the object on the host at its path. */
export interface HostMount {
  readonly containerPath: string;
  readonly hostPath: string;
  readonly found: 'nothing' | 'files' | 'mounted';
}

export type Fact =
  | ({ readonly kind: 'created'; readonly mounts: readonly HostMount[] } & ContainerName)
  /** An agent sent the start, which reaches the runtime later, or never. */
  | ({ readonly kind: 'start-sent' } & ContainerName)
  | ({ readonly kind: 'started' } & ContainerName)
  | ({ readonly kind: 'exited'; readonly exitCode: number; readonly cause: EndCause } & ContainerName)
  /** An agent sent a stop. */
  | ({ readonly kind: 'stop-sent'; readonly graceSeconds: number } & ContainerName)
  /** A stop reached the runtime. */
  | ({ readonly kind: 'stop-called'; readonly graceSeconds: number } & ContainerName)
  | {
      readonly kind: 'sandbox-created' | 'sandbox-stopped' | 'sandbox-removed';
      readonly uid: string;
      readonly id: string;
    }
  /** The store committed a new version of a pod, or its deletion. */
  | { readonly kind: 'pod-written' | 'pod-deleted'; readonly pod: Pod; readonly revision: number }
  /** The store committed a new version of a Service, or its deletion. */
  | { readonly kind: 'service-written' | 'service-deleted'; readonly service: Service }
  /** The store committed a new version of a PodRestart. */
  | { readonly kind: 'restart-written'; readonly restart: PodRestart }
  /** A node agent received the news that this pod is being deleted. */
  | { readonly kind: 'deletion-delivered'; readonly uid: string; readonly node: string }
  | {
      readonly kind:
        | 'agent-started'
        | 'agent-killed'
        | 'machine-lost'
        | 'disk-filled'
        | 'wall-stepped'
        | 'filter-flushed'
        | 'filter-restored';
      readonly node: string;
    };

/** The fact type of a kind, also for kinds that share a type. */
type FactOf<K extends Fact['kind'], F extends Fact = Fact> = F extends { readonly kind: infer FK }
  ? K extends FK
    ? F
    : never
  : never;

type Handlers = { readonly [K in Fact['kind']]?: (fact: FactOf<K>, mono: number) => void };

export class Facts {
  readonly #sim: Sim;
  readonly #listeners: ((fact: Fact, mono: number) => void)[] = [];

  constructor(sim: Sim) {
    this.#sim = sim;
  }

  /** A listener that throws ends the run. */
  listen(listener: (fact: Fact, mono: number) => void): void {
    this.#listeners.push(listener);
  }

  /** The same, with one handler for each kind that matters. */
  on(handlers: Handlers): void {
    this.listen((fact, mono) => {
      const handler = handlers[fact.kind] as ((fact: Fact, mono: number) => void) | undefined;
      handler?.(fact, mono);
    });
  }

  tell(fact: Fact): void {
    this.#sim.trace.add(this.#sim.mono, describeFact(fact));
    for (const listener of this.#listeners) {
      try {
        listener(fact, this.#sim.mono);
      } catch (error) {
        this.#sim.fail(error);
      }
    }
  }
}

export function describeFact(fact: Fact): string {
  switch (fact.kind) {
    case 'created':
    case 'start-sent':
    case 'started':
      return `${fact.kind} ${fact.uid} ${fact.container}#${fact.attempt}`;
    case 'exited':
      return `exited ${fact.uid} ${fact.container}#${fact.attempt} ${fact.exitCode} ${fact.cause}`;
    case 'stop-sent':
    case 'stop-called':
      return `${fact.kind} ${fact.uid} ${fact.container}#${fact.attempt} grace ${fact.graceSeconds}`;
    case 'sandbox-created':
    case 'sandbox-stopped':
    case 'sandbox-removed':
      return `${fact.kind} ${fact.uid}`;
    case 'pod-written':
    case 'pod-deleted':
      return `${fact.kind} ${fact.pod.metadata?.name} ${fact.pod.status?.phase ?? ''} @${fact.revision}`;
    case 'service-written':
    case 'service-deleted':
      return `${fact.kind} ${fact.service.metadata?.name} ${fact.service.spec?.clusterIP ?? ''}`;
    case 'restart-written':
      return `${fact.kind} ${fact.restart.metadata?.name} ${fact.restart.status?.phase ?? ''} ${fact.restart.status?.reason ?? ''}`;
    case 'deletion-delivered':
      return `${fact.kind} ${fact.uid} to ${fact.node}`;
    case 'agent-started':
    case 'agent-killed':
    case 'machine-lost':
    case 'disk-filled':
    case 'wall-stepped':
    case 'filter-flushed':
    case 'filter-restored':
      return `${fact.kind} ${fact.node}`;
    default:
      return assertNever(fact);
  }
}
