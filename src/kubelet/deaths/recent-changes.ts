/** Recent changes on the node and of its pods: the first question after a death. In memory, and bounded. */
import type { Pod } from '../../api/index.ts';
import { BoundedMap, type Clock } from '../../lib/index.ts';
import type { ConfigKind } from '../env/config-source.ts';
import { allContainers } from '../plan/containers.ts';
import type { PodUID } from '../types.ts';
import { configUsed } from './config-used.ts';
import { CHANGE_DELAY_MS, CHANGES_WINDOW_MS, MAX_CHANGED_SUBJECTS, MAX_CHANGES } from './limits.ts';

/** `at`: wall ms. */
export interface Change {
  readonly at: number;
  readonly what: string;
  /** A change matters only to pods that ran at that time. */
  readonly toRunning?: true;
}

/** The cause that ended the pod's back-offs: the same cause may come again. */
interface SeenRecovery {
  readonly id: string;
  readonly cause: string;
}

/** The properties of a pod that are compared from one sight of it to the next. */
interface PodShape {
  readonly generation: number | undefined;
  /** That counts as a generation, and changes no spec. */
  readonly deleting: boolean;
  readonly sandboxAttempt: number | undefined;
  readonly recovery: SeenRecovery | undefined;
  readonly images: Readonly<Record<string, string>>;
}

export class RecentChanges {
  readonly #clock: Clock;
  readonly #node: Change[] = [];
  readonly #objects = new BoundedMap<string, readonly Change[]>(MAX_CHANGED_SUBJECTS);
  readonly #pods = new BoundedMap<PodUID, readonly Change[]>(MAX_CHANGED_SUBJECTS);
  readonly #shapes = new BoundedMap<PodUID, PodShape>(MAX_CHANGED_SUBJECTS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something about the whole node. `at`: wall ms; absent: now. */
  node(what: string, options: { readonly at?: number; readonly toRunning?: true } = {}): void {
    this.#node.unshift({ at: this.#clock.now().wall, what, ...options });
    this.#node.splice(MAX_CHANGES);
  }

  /** A ConfigMap or Secret went from one resourceVersion to another; `undefined`: it was not there. */
  object(
    kind: ConfigKind,
    namespace: string,
    name: string,
    versions: { readonly before: string | undefined; readonly after: string | undefined },
  ): void {
    const { before, after } = versions;
    if (before === after) return;
    const key = `${kind}/${namespace}/${name}`;
    push(this.#objects, key, { at: this.#clock.now().wall, what: objectText(`${kind} ${name}`, before, after) });
  }

  /** The pod as it is now: a difference from the last sight of it is a change. */
  pod(pod: Pod, seen: { readonly sandboxAttempt?: number; readonly recovery?: SeenRecovery }): void {
    const uid = pod.metadata?.uid ?? '';
    const shape: PodShape = {
      generation: pod.metadata?.generation,
      deleting: (pod.metadata?.deletionTimestamp ?? undefined) !== undefined,
      sandboxAttempt: seen.sandboxAttempt,
      recovery: seen.recovery,
      images: Object.fromEntries(allContainers(pod).map(({ container: { name, image } }) => [name, image ?? ''])),
    };
    const before = this.#shapes.get(uid);
    this.#shapes.set(uid, shape);
    if (before === undefined) return;
    for (const what of differences(before, shape)) push(this.#pods, uid, { at: this.#clock.now().wall, what });
  }

  forget(uid: PodUID): void {
    this.#pods.delete(uid);
    this.#shapes.delete(uid);
  }

  /** Changes that may have to do with an end in `pod`: newest first. Wall ms; a life that never began has startedAt 0. */
  before(pod: Pod, life: { readonly startedAt: number; readonly endedAt: number }): readonly Change[] {
    const { startedAt, endedAt } = life;
    const { uid = '', namespace = '' } = pod.metadata ?? {};
    const objects = configUsed(pod).flatMap(
      ({ kind, name }) => this.#objects.get(`${kind}/${namespace}/${name}`) ?? [],
    );
    return [...this.#node, ...(this.#pods.get(uid) ?? []), ...objects]
      .filter(({ at }) => at > endedAt - CHANGES_WINDOW_MS && at <= endedAt + CHANGE_DELAY_MS)
      .filter(({ at, toRunning }) => toRunning !== true || (startedAt > 0 && startedAt < at))
      .toSorted((a, b) => b.at - a.at)
      .slice(0, MAX_CHANGES);
  }
}

function push(map: BoundedMap<string, readonly Change[]>, key: string, change: Change): void {
  map.set(key, [change, ...(map.get(key) ?? [])].slice(0, MAX_CHANGES));
}

function objectText(what: string, before: string | undefined, after: string | undefined): string {
  if (before === undefined) return `${what} was made (resourceVersion ${after})`;
  if (after === undefined) return `${what} was deleted (resourceVersion ${before})`;
  return `${what} changed (resourceVersion ${before} → ${after})`;
}

function differences(before: PodShape, now: PodShape): readonly string[] {
  const found: string[] = [];
  if (!now.deleting && before.generation !== undefined && now.generation !== before.generation) {
    found.push(`the pod's spec changed (generation ${before.generation} → ${now.generation})`);
  }
  for (const [name, image] of Object.entries(now.images)) {
    const old = before.images[name];
    if (old !== undefined && old !== image) found.push(`container ${name} has another image (${old} → ${image})`);
  }
  if (before.sandboxAttempt !== undefined && now.sandboxAttempt !== before.sandboxAttempt) {
    found.push('the pod got a new sandbox');
  }
  if (now.recovery !== undefined && now.recovery.id !== before.recovery?.id) found.push(now.recovery.cause);
  return found;
}
