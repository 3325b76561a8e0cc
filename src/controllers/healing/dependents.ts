/**
 * Records which pods name which dependency, and since when each of those has been ready; only named dependencies are
 * recorded.
 */
import {
  type AddressDependency,
  type Dependency,
  DEPENDS_ON,
  namespaceOf,
  type ObjectDependency,
  type Pod,
  readDependsOn,
} from '../../api/index.ts';
import type { Readiness } from './dependency-readiness.ts';

/** The object that a dependency is: "Service/shop/db". */
export function targetOf({ kind, namespace, name }: Pick<ObjectDependency, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

/** The pod's dependencies that the control plane sees: addresses are the agent's task. */
export function objectsNamedBy(pod: Pod): readonly ObjectDependency[] {
  const text = pod.metadata?.annotations?.[DEPENDS_ON];
  if (text === undefined) return [];
  return readDependsOn(text, namespaceOf(pod)).dependencies.filter(isObject);
}

function isObject(dependency: Dependency): dependency is Exclude<Dependency, AddressDependency> {
  return dependency.kind !== 'Address';
}

interface Target {
  readonly pods: Set<string>;
  /** By port ('' for any): since when it has been ready. */
  readonly readiness: Map<string, Known>;
}

interface Known {
  readonly dependency: ObjectDependency;
  readonly ready: boolean;
  readonly since: number | undefined;
}

export class Dependents {
  readonly #targets = new Map<string, Target>();
  /** Targets of each pod. */
  readonly #named = new Map<string, readonly string[]>();

  /** Takes down what the pod names now. */
  set(podKey: string, dependencies: readonly ObjectDependency[]): void {
    const targets = [...new Set(dependencies.map(targetOf))];
    for (const old of this.#named.get(podKey) ?? []) if (!targets.includes(old)) this.#remove(old, podKey);
    for (const target of targets) this.#target(target).pods.add(podKey);
    if (targets.length === 0) this.#named.delete(podKey);
    else this.#named.set(podKey, targets);
  }

  /** Keys of the pods that name it. */
  of(target: string): readonly string[] {
    return [...(this.#targets.get(target)?.pods ?? [])];
  }

  /** Dependencies on it that were looked at: one for each port. */
  seen(target: string): readonly ObjectDependency[] {
    return [...(this.#targets.get(target)?.readiness.values() ?? [])].map(({ dependency }) => dependency);
  }

  /**
   * Records the state of the dependency, and returns since when (wall ms) it has been ready; undefined: it is not, or that is
   * not known. At first sight its objects give the time; later it is the moment at which it was seen to become ready.
   */
  observe(dependency: ObjectDependency, { ready, since }: Readiness, now: number): number | undefined {
    const { readiness } = this.#target(targetOf(dependency));
    const port = dependency.port ?? '';
    const known = readiness.get(port);
    const next = known === undefined ? since : known.ready ? known.since : now;
    const kept = ready ? next : undefined;
    readiness.set(port, { dependency, ready, since: kept });
    return kept;
  }

  #target(target: string): Target {
    const known = this.#targets.get(target);
    if (known !== undefined) return known;
    const made: Target = { pods: new Set(), readiness: new Map() };
    this.#targets.set(target, made);
    return made;
  }

  #remove(target: string, podKey: string): void {
    const known = this.#targets.get(target);
    known?.pods.delete(podKey);
    if (known?.pods.size === 0) this.#targets.delete(target);
  }
}
