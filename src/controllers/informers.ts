/** One reflector per resource and field selector, shared by all controllers that look at it. */
import { controllerOf, type KubeObject, type Pod, type PodRestart, type Resource } from '../api/index.ts';
import {
  type KubeClient,
  type Lister,
  type Reflector,
  type ReflectorOptions,
  createReflector,
  withoutManagedFields,
} from '../client/index.ts';
import type { Clock, Logger, Random } from '../lib/index.ts';

/** Index of every lister: the UID of an object's controller; '' for those without one. */
export const BY_CONTROLLER = 'controller';
/** Index of pods: `spec.nodeName`; '' for those without a node. */
export const BY_NODE = 'node';

/** Index of restarts: `namespace/name` of the pod that is to be restarted. */
export const BY_POD = 'pod';

/** Index of every lister: the UIDs of an object's owners. */
export const BY_OWNER = 'owner';

const indexes = {
  [BY_CONTROLLER]: (object: KubeObject): readonly string[] => [controllerOf(object)?.uid ?? ''],
  [BY_OWNER]: (object: KubeObject): readonly string[] =>
    (object.metadata?.ownerReferences ?? []).map((reference) => reference.uid),
  [BY_NODE]: (object: KubeObject): readonly string[] => {
    if (object.kind !== 'Pod') return [];
    return [(object as Pod).spec?.nodeName ?? ''];
  },
  [BY_POD]: (object: KubeObject): readonly string[] => {
    if (object.kind !== 'PodRestart') return [];
    return [`${object.metadata?.namespace ?? ''}/${(object as PodRestart).spec?.podName ?? ''}`];
  },
};

export interface InformersOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

export class Informers {
  readonly #options: InformersOptions;
  readonly #reflectors = new Map<string, Reflector<KubeObject>>();
  #signal: AbortSignal | undefined;

  constructor(options: InformersOptions) {
    this.#options = options;
  }

  /** The shared lister; its reflector starts with `run`, or now if that was called. */
  lister<T extends KubeObject>(resource: Resource<T>, fieldSelector?: string): Lister<T> {
    const query = fieldSelector === undefined ? {} : { query: { fieldSelector } };
    const key = `${resource.group}/${resource.resource}?${fieldSelector ?? ''}`;
    return this.#shared(key, resource, query, withoutManagedFields);
  }

  /**
   * A shared lister of who is there: of each object its kind and the metadata that owners and finalizers are told by. It is
   * the whole objects' where those are kept anyway.
   */
  metadata(resource: Resource<KubeObject>): Lister<KubeObject> {
    const whole = `${resource.group}/${resource.resource}?`;
    if (this.#reflectors.has(whole)) return this.lister(resource);
    return this.#shared(`${whole}metadata`, resource, {}, metadataOnly);
  }

  /** Runs all reflectors until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.run(signal)));
  }

  #shared<T extends KubeObject>(
    key: string,
    resource: Resource<T>,
    query: Pick<ReflectorOptions<T>, 'query'>,
    transform: (object: T) => T,
  ): Lister<T> {
    const known = this.#reflectors.get(key);
    if (known !== undefined) return known.lister as Lister<T>;
    const { random, ...options } = this.#options;
    const reflector = createReflector<T>({
      ...options,
      random: random.split(key),
      resource,
      indexes,
      ...query,
      transform,
    });
    this.#reflectors.set(key, reflector);
    if (this.#signal !== undefined) void reflector.run(this.#signal);
    return reflector.lister;
  }
}

function metadataOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { namespace, name, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata ?? {};
  const kept = { namespace, name, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences };
  const present = Object.entries(kept).filter(([, value]) => value !== undefined);
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    metadata: Object.fromEntries(present),
  };
}
