/**
 * One ConfigMap or Secret that pods on this node use: watched by its name (a node may see no more of them), polled where it
 * cannot be watched, left alone once it is immutable (upstream: the watch-based manager of pkg/kubelet/util/manager).
 */
import type { ConfigMap, Secret } from '../../api/index.ts';
import { compareResourceVersions, type KubeClient, type Resource, watcher } from '../../client/index.ts';
import { abortable, type Clock, errorMessage, jitterUp, type Logger, type Random } from '../../lib/index.ts';
import { POLL_JITTER, POLL_MS } from './limits.ts';

type ConfigObject = ConfigMap | Secret;

export interface FollowingPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly client: KubeClient;
}

/** Which object it is. */
export interface FollowedName<T extends ConfigObject> {
  readonly resource: Resource<T>;
  readonly namespace: string;
  readonly name: string;
}

/** How it is learnt, and who is told. */
export interface FollowedAccess<T extends ConfigObject> {
  /** `false`: too many are watched already. */
  readonly watch: boolean;
  /** It came, changed or went. */
  readonly onLearn?: (object: T | undefined) => void;
  /** One read of it from the server; `undefined`: there is none. */
  readonly read: () => Promise<T | undefined>;
}

interface Waiter {
  resolve(): void;
  reject(error: unknown): void;
}

export class FollowedObject<T extends ConfigObject> {
  readonly watched: boolean;
  readonly listeners = new Set<() => void>();
  readonly #ports: FollowingPorts;
  readonly #target: FollowedName<T>;
  readonly #access: FollowedAccess<T>;
  readonly #ended = new AbortController();
  readonly #waiters = new Set<Waiter>();
  #known = false;
  #object: T | undefined;
  #troubled = false;
  /** Mono ms. */
  #learntAt = 0;
  #running = false;
  /** Settles when what was asked for by `readAgain` is known, or cannot be. */
  #readAgain: Promise<void> = Promise.resolve();

  constructor(ports: FollowingPorts, target: FollowedName<T>, access: FollowedAccess<T>) {
    this.#ports = ports;
    this.#target = target;
    this.#access = access;
    this.watched = access.watch;
    void this.#run();
  }

  /** Waits for the first answer. While the watch gives none, the server is asked directly: the caller reports its refusal. */
  async get(): Promise<T | undefined> {
    await this.#readAgain;
    if (!this.#known && !this.#troubled) {
      await new Promise<void>((resolve, reject) => this.#waiters.add({ resolve, reject }));
    } else if (!this.#known) {
      await this.#poll();
    } else if (this.#object?.immutable === true) {
      await this.#lookAgain();
    }
    return this.#object;
  }

  /** Later callers get what the server has from now on, or the known object where it gives no answer. */
  readAgain(): void {
    if (!this.watched && this.#known) this.#readAgain = this.#poll().catch(() => {});
  }

  /** An immutable object may have been recreated under its name: a later caller gets the one that exists. */
  async #lookAgain(): Promise<void> {
    const { mono } = this.#ports.clock.now();
    if (mono - this.#learntAt < POLL_MS) return;
    this.#learntAt = mono;
    await this.#poll().catch(() => {});
    if (!this.#running && this.#object?.immutable !== true) void this.#run();
  }

  close(): void {
    this.#ended.abort(new Error('nobody uses it any more'));
    this.#answerWaiters((waiter) => waiter.reject(this.#ended.signal.reason));
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    if (signal.aborted) return;
    this.#running = true;
    try {
      if (this.watched) await this.#watch(signal);
      else await this.#pollAgainAndAgain(signal);
    } catch (error) {
      if (signal.aborted) return;
      const { resource, namespace, name } = this.#target;
      this.#ports.logger.error('following an object broke', { resource: resource.resource, namespace, name, error });
    } finally {
      this.#running = false;
    }
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { resource, namespace, name } = this.#target;
    const query = { namespace, fieldSelector: `metadata.name=${name}` };
    let listed: T | undefined;
    for await (const event of watcher({ ...this.#ports, resource, query }, signal)) {
      if (event.kind === 'init') listed = undefined;
      else if (event.kind === 'init-apply') listed = event.object;
      else if (event.kind === 'init-done') this.#learn(listed);
      else if (event.kind === 'apply') this.#learn(event.object);
      else if (event.kind === 'delete') this.#learn(undefined);
      else if (event.kind === 'error') await this.#trouble(event.error, signal);
      if (this.#object?.immutable === true) return;
    }
  }

  /** A list or watch that fails may still leave a plain read: the watcher's back-off is then the period of a poll. */
  async #trouble(error: unknown, signal: AbortSignal): Promise<void> {
    this.#fail(error);
    const { logger } = this.#ports;
    const { resource, namespace, name } = this.#target;
    logger.debug('an object cannot be watched', { resource: resource.resource, namespace, name, error });
    await abortable(this.#poll(), signal).catch((again: unknown) => {
      if (!signal.aborted) logger.debug('nor read', { namespace, name, error: errorMessage(again) });
    });
  }

  async #pollAgainAndAgain(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#ports;
    while (!signal.aborted) {
      await this.#poll().catch((error: unknown) => this.#fail(error));
      if (this.#object?.immutable === true) return;
      await clock.sleep(jitterUp(POLL_MS, POLL_JITTER, random), signal).catch(() => {});
    }
  }

  async #poll(): Promise<void> {
    const found = await this.#access.read();
    if (!this.#ended.signal.aborted && !isOlder(found, this.#object)) this.#learn(found);
  }

  #learn(object: T | undefined): void {
    const same = this.#known && sameVersion(this.#object, object);
    this.#object = object;
    this.#learntAt = this.#ports.clock.now().mono;
    this.#known = true;
    this.#troubled = false;
    this.#answerWaiters((waiter) => waiter.resolve());
    if (same) return;
    this.#access.onLearn?.(object);
    for (const listener of this.listeners) listener();
  }

  /** The known object stays: an old answer is better than none. */
  #fail(error: unknown): void {
    this.#troubled = true;
    this.#answerWaiters((waiter) => waiter.reject(error));
  }

  #answerWaiters(answer: (waiter: Waiter) => void): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) answer(waiter);
  }
}

function sameVersion(a: ConfigObject | undefined, b: ConfigObject | undefined): boolean {
  return a?.metadata?.uid === b?.metadata?.uid && a?.metadata?.resourceVersion === b?.metadata?.resourceVersion;
}

/** This read began before the watch delivered a newer version. */
function isOlder(found: ConfigObject | undefined, known: ConfigObject | undefined): boolean {
  if (found?.metadata?.uid !== known?.metadata?.uid) return false;
  const [a, b] = [found?.metadata?.resourceVersion, known?.metadata?.resourceVersion];
  return a !== undefined && b !== undefined && compareResourceVersions(a, b) < 0;
}
