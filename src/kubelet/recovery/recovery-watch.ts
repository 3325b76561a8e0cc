/**
 * Watches what surrounds pods that asked for late recovery: ConfigMaps and Secrets always (a change while a container runs
 * counts, too), claims, images and addresses only while a container waits. It decides nothing: a change marks the pod dirty,
 * and the plan sees it as a fact.
 */
import { isBackOffReason, isNotFound, PERSISTENT_VOLUME_CLAIMS, type Pod, type PodStatus } from '../../api/index.ts';
import type { KubeClient } from '../../client/index.ts';
import type { ImageService } from '../../cri/index.ts';
import { type Clock, type Logger, type Random, withDeadline } from '../../lib/index.ts';
import type { ConfigFollower, ConfigKind } from '../env/config-source.ts';
import {
  ABSENT,
  type Circumstances,
  circumstanceName,
  REACHABLE,
  UNREACHABLE,
} from '../plan/recovery/circumstances.ts';
import { dependsOn, hasLateRecovery } from '../plan/recovery/late-recovery.ts';
import type { ProbeTransport } from '../ports.ts';
import type { MarkDirty, PodUID, VolumesFact, PressureVerdict } from '../types.ts';
import {
  CLAIM_PERIOD_MS,
  CONFIG_PERIOD_MS,
  DIAL_PERIOD_MS,
  DIAL_TIMEOUT_MS,
  DIAL_WELL_PERIOD_MS,
  IMAGE_PERIOD_MS,
  LOOK_TIMEOUT_MS,
  MAX_CONCURRENT_DIALS,
  MAX_CONCURRENT_LOOKS,
  MAX_WATCHED_INPUTS,
} from './limits.ts';
import { claimsOf, configsOf, imagesOf } from './pod-inputs.ts';
import { SharedPolls } from './shared-polls.ts';
import { claimValue, configValue, pressureValue } from './values.ts';

export interface RecoveryWatchPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
  readonly images: Pick<ImageService, 'status'>;
  readonly probeTransport: Pick<ProbeTransport, 'tcp'>;
}

export interface RecoveryWatchParts {
  readonly config: ConfigFollower;
  /** `undefined`: it is not known yet. */
  readonly pressure: () => PressureVerdict | undefined;
  readonly markDirty: MarkDirty;
}

/** How a pod is, for `sync`. */
export interface WatchedState {
  /** Its containers may be started: it is not ending. */
  readonly syncing: boolean;
  readonly status: PodStatus | undefined;
  readonly volumes: VolumesFact | undefined;
}

/** The followed circumstances by name, each with the way to end it. */
type Followed = Map<string, () => void>;

interface WatchedPod {
  readonly uid: PodUID;
  readonly namespace: string;
  /** ConfigMaps and Secrets. */
  readonly always: Followed;
  /** The rest. */
  readonly meanwhile: Followed;
  readonly values: Map<string, string>;
  waits: boolean;
}

export class RecoveryWatch {
  readonly #ports: RecoveryWatchPorts;
  readonly #parts: RecoveryWatchParts;
  readonly #pods = new Map<PodUID, WatchedPod>();
  readonly #polls: Readonly<Record<'configmap' | 'secret' | 'claim' | 'image' | 'address', SharedPolls>>;
  readonly #toldTooMany = new Set<PodUID>();

  constructor(ports: RecoveryWatchPorts, parts: RecoveryWatchParts) {
    this.#ports = ports;
    this.#parts = parts;
    const poll = (name: string, periodMs: number, ask: (key: string) => Promise<string | undefined>): SharedPolls =>
      new SharedPolls({
        ...ports,
        random: ports.random.split(name),
        atOnce: MAX_CONCURRENT_LOOKS,
        periodMs: () => periodMs,
        ask,
      });
    this.#polls = {
      configmap: poll('configmaps', CONFIG_PERIOD_MS, (key) => this.#askConfig('ConfigMap', key)),
      secret: poll('secrets', CONFIG_PERIOD_MS, (key) => this.#askConfig('Secret', key)),
      claim: poll('claims', CLAIM_PERIOD_MS, (key) => this.#askClaim(key)),
      image: poll('images', IMAGE_PERIOD_MS, (image) => this.#askImage(image)),
      address: new SharedPolls({
        ...ports,
        random: ports.random.split('addresses'),
        atOnce: MAX_CONCURRENT_DIALS,
        periodMs: (answer) => (answer === REACHABLE ? DIAL_WELL_PERIOD_MS : DIAL_PERIOD_MS),
        ask: (address) => this.#dial(address),
      }),
    };
  }

  /**
   * Begins, continues or ends the watch, so that it fits the pod and its state. Idempotent, and cheap for a pod that did not
   * ask for it.
   */
  sync(pod: Pod, state: WatchedState): void {
    const uid = pod.metadata?.uid ?? '';
    if (!state.syncing || !hasLateRecovery(pod)) {
      this.forget(uid);
      return;
    }
    const watched = this.#pods.get(uid) ?? this.#begin(uid, pod.metadata?.namespace ?? '');
    this.#keep(watched, watched.always, this.#bounded(uid, this.#configs(watched, pod)));
    const waiting = waitingContainers(state.status);
    watched.waits = waiting.size > 0 || state.volumes?.state === 'failed';
    const wanted = watched.waits
      ? this.#bounded(uid, this.#meanwhile(watched, pod, waiting))
      : new Map<string, Follow>();
    this.#keep(watched, watched.meanwhile, wanted);
  }

  /** The circumstances as known now; `undefined`: the pod did not ask for it. */
  circumstances(uid: PodUID): Circumstances | undefined {
    const watched = this.#pods.get(uid);
    if (watched === undefined) return undefined;
    const pressure = watched.waits ? this.#parts.pressure() : undefined;
    return {
      ...Object.fromEntries(watched.values),
      ...(pressure === undefined ? {} : { [circumstanceName('pressure', 'node')]: pressureValue(pressure) }),
    };
  }

  /** The node's pressure began or ended, or is known at last. */
  pressureChanged(): void {
    for (const { uid, waits } of this.#pods.values()) if (waits) this.#parts.markDirty(uid, 'recovery');
  }

  forget(uid: PodUID): void {
    const watched = this.#pods.get(uid);
    if (watched === undefined) return;
    this.#pods.delete(uid);
    this.#toldTooMany.delete(uid);
    for (const end of [...watched.always.values(), ...watched.meanwhile.values()]) end();
  }

  close(): void {
    for (const uid of this.#pods.keys()) this.forget(uid);
    for (const polls of Object.values(this.#polls)) polls.close();
  }

  #begin(uid: PodUID, namespace: string): WatchedPod {
    const watched: WatchedPod = {
      uid,
      namespace,
      always: new Map(),
      meanwhile: new Map(),
      values: new Map(),
      waits: false,
    };
    this.#pods.set(uid, watched);
    return watched;
  }

  #configs(watched: WatchedPod, pod: Pod): Map<string, Follow> {
    const { config } = this.#parts;
    const { namespace } = watched;
    return new Map(
      configsOf(pod).map(({ kind, name }) => {
        const key = circumstanceName(kind === 'ConfigMap' ? 'configmap' : 'secret', name);
        const read = async (): Promise<void> => {
          const value = await this.#askConfig(kind, `${namespace}/${name}`);
          if (value !== undefined && watched.always.has(key)) this.#learn(watched, key, value);
        };
        return [key, () => (void read(), config.follow(kind, namespace, name, () => void read()))];
      }),
    );
  }

  #meanwhile(watched: WatchedPod, pod: Pod, waiting: ReadonlySet<string>): Map<string, Follow> {
    const { namespace } = watched;
    const found = new Map<string, Follow>();
    const add = (polls: SharedPolls, key: string, circumstance: string): void => {
      found.set(circumstance, () => polls.follow(key, (value) => this.#learn(watched, circumstance, value)));
    };
    for (const { kind, text } of dependsOn(pod).dependencies) {
      if (kind === 'Address') add(this.#polls.address, text, circumstanceName('address', text));
    }
    for (const name of claimsOf(pod)) {
      add(this.#polls.claim, `${namespace}/${name}`, circumstanceName('persistentvolumeclaim', name));
    }
    for (const image of imagesOf(pod, waiting)) add(this.#polls.image, image, circumstanceName('image', image));
    for (const { kind, name } of configsOf(pod)) {
      const word = kind === 'ConfigMap' ? 'configmap' : 'secret';
      add(this.#polls[word], `${namespace}/${name}`, circumstanceName(word, name));
    }
    return found;
  }

  /** Follows what is wanted and not followed yet, and ends what is not wanted any more. */
  #keep(watched: WatchedPod, followed: Followed, wanted: ReadonlyMap<string, Follow>): void {
    for (const [name, end] of followed) {
      if (wanted.has(name)) continue;
      end();
      followed.delete(name);
      if (!watched.always.has(name) && !watched.meanwhile.has(name)) watched.values.delete(name);
    }
    for (const [name, follow] of wanted) {
      if (followed.has(name)) continue;
      // An answer may come at once.
      followed.set(name, () => {});
      followed.set(name, follow());
    }
  }

  #learn(watched: WatchedPod, circumstance: string, value: string): void {
    if (watched.values.get(circumstance) === value) return;
    watched.values.set(circumstance, value);
    this.#parts.markDirty(watched.uid, 'recovery');
  }

  #bounded(uid: PodUID, wanted: Map<string, Follow>): ReadonlyMap<string, Follow> {
    if (wanted.size <= MAX_WATCHED_INPUTS) return wanted;
    if (!this.#toldTooMany.has(uid)) {
      this.#toldTooMany.add(uid);
      const found = { uid, uses: wanted.size, watched: MAX_WATCHED_INPUTS };
      this.#ports.logger.warn('a pod uses more objects than are watched for its recovery', found);
    }
    return new Map([...wanted].slice(0, MAX_WATCHED_INPUTS));
  }

  async #askConfig(kind: ConfigKind, key: string): Promise<string | undefined> {
    const { config } = this.#parts;
    const [namespace = '', name = ''] = key.split('/');
    return await this.#ask(async () =>
      configValue(await (kind === 'ConfigMap' ? config.configMap(namespace, name) : config.secret(namespace, name))),
    );
  }

  async #askClaim(key: string): Promise<string | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    return await this.#ask(async (signal) => {
      try {
        return claimValue(await this.#ports.client.get(PERSISTENT_VOLUME_CLAIMS, namespace, name, signal));
      } catch (error) {
        if (isNotFound(error)) return ABSENT;
        throw error;
      }
    });
  }

  async #askImage(image: string): Promise<string | undefined> {
    return await this.#ask(async () => (await this.#ports.images.status(image))?.id ?? ABSENT);
  }

  /** The value is not known after a failure: the next question may be answered. */
  async #ask(ask: (signal: AbortSignal) => Promise<string>): Promise<string | undefined> {
    const { clock, logger } = this.#ports;
    try {
      const answer = await withDeadline({ clock, timeoutMs: LOOK_TIMEOUT_MS }, ask);
      return answer.kind === 'done' ? answer.value : undefined;
    } catch (error) {
      logger.debug('a circumstance of a pod is not known', { error });
      return undefined;
    }
  }

  async #dial(address: string): Promise<string | undefined> {
    const colon = address.lastIndexOf(':');
    const host = address.slice(0, colon).replaceAll(/^\[|\]$/g, '');
    const port = Number(address.slice(colon + 1));
    const { result } = await this.#ports.probeTransport.tcp({ host, port, timeoutMs: DIAL_TIMEOUT_MS });
    if (result === 'error') return undefined;
    return result === 'success' ? REACHABLE : UNREACHABLE;
  }
}

/** Begins to follow; answers how to end that. */
type Follow = () => () => void;

/** Names of the containers in a back-off. */
function waitingContainers(status: PodStatus | undefined): ReadonlySet<string> {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  return new Set(all.filter(({ state }) => isBackOffReason(state?.waiting?.reason)).map(({ name }) => name));
}
