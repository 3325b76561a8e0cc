/** One reflector per resource and field selector, shared by all controllers that look at it. */
import { controllerOf, type KubeObject, type Pod, type Resource } from '../api/index.ts';
import {
  type KubeClient,
  type Lister,
  type Reflector,
  createReflector,
  withoutManagedFields,
} from '../client/index.ts';
import type { Clock, Logger, Random } from '../lib/index.ts';

/** Index of every lister: the UID of an object's controller; '' for those without one. */
export const BY_CONTROLLER = 'controller';
/** Index of pods: `spec.nodeName`; '' for those without a node. */
export const BY_NODE = 'node';

const indexes = {
  [BY_CONTROLLER]: (object: KubeObject): readonly string[] => [controllerOf(object)?.uid ?? ''],
  [BY_NODE]: (object: KubeObject): readonly string[] => {
    if (object.kind !== 'Pod') return [];
    return [(object as Pod).spec?.nodeName ?? ''];
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
    const key = `${resource.group}/${resource.resource}?${fieldSelector ?? ''}`;
    const known = this.#reflectors.get(key);
    if (known !== undefined) return known.lister as Lister<T>;
    const { random, ...options } = this.#options;
    const reflector = createReflector<T>({
      ...options,
      random: random.split(key),
      resource,
      indexes,
      ...(fieldSelector === undefined ? {} : { query: { fieldSelector } }),
      transform: withoutManagedFields,
    });
    this.#reflectors.set(key, reflector);
    if (this.#signal !== undefined) void reflector.run(this.#signal);
    return reflector.lister;
  }

  /** Runs all reflectors until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    await Promise.all([...this.#reflectors.values()].map((reflector) => reflector.run(signal)));
  }
}
