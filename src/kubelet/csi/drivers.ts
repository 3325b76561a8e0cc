/** The drivers that are registered on this node. Calls to one driver wait in a line of their own. */
import type { CsiDriver, CsiNodeInfo, NodeCapability } from '../../csi/index.ts';
import { Semaphore } from '../../lib/index.ts';
import { MAX_CALLS_PER_DRIVER, MAX_QUESTIONS_PER_DRIVER } from './limits.ts';

export interface RegisteredDriver {
  readonly name: string;
  /** Its socket on this machine. */
  readonly endpoint: string;
  readonly info: CsiNodeInfo;
  readonly capabilities: ReadonlySet<NodeCapability>;
  readonly calls: CsiDriver;
}

/** No driver of the name is registered (upstream's words). */
export class NoDriverError extends Error {
  override readonly name = 'NoDriverError';
  constructor(driver: string) {
    super(`driver name ${driver} not found in the list of registered CSI drivers`);
  }
}

export class Drivers {
  readonly #drivers = new Map<string, RegisteredDriver>();
  /** By name: they outlast a registration, because calls of the one before may still be under way. */
  readonly #lines = new Map<string, Semaphore>();
  readonly #questions = new Map<string, Semaphore>();
  readonly #listeners: ((driver: string) => void)[] = [];
  readonly #goneListeners: ((driver: string) => void)[] = [];

  /** Calls the listener with the name of each driver that was registered, anew or again. */
  onRegistered(listener: (driver: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Calls the listener with the name of each driver that is gone. */
  onGone(listener: (driver: string) => void): void {
    this.#goneListeners.push(listener);
  }

  register(driver: RegisteredDriver): void {
    this.#drivers.get(driver.name)?.calls.close();
    this.#drivers.set(driver.name, driver);
    for (const listener of this.#listeners) listener(driver.name);
  }

  unregister(name: string): void {
    this.#drivers.get(name)?.calls.close();
    if (this.#drivers.delete(name)) for (const listener of this.#goneListeners) listener(name);
  }

  get count(): number {
    return this.#drivers.size;
  }

  has(name: string): boolean {
    return this.#drivers.has(name);
  }

  /** Throws `NoDriverError`. */
  get(name: string): RegisteredDriver {
    const driver = this.#drivers.get(name);
    if (driver === undefined) throw new NoDriverError(name);
    return driver;
  }

  /** Calls the driver when it is its turn. Rejects with `NoDriverError` when it is gone by then. */
  async call<T>(name: string, work: (driver: RegisteredDriver) => Promise<T>): Promise<T> {
    return await this.#inLine(this.#lines, MAX_CALLS_PER_DRIVER, name, work);
  }

  /** Asks the driver something, in a line apart: one that is busy with mounts may still answer. */
  async ask<T>(name: string, work: (driver: RegisteredDriver) => Promise<T>): Promise<T> {
    return await this.#inLine(this.#questions, MAX_QUESTIONS_PER_DRIVER, name, work);
  }

  async #inLine<T>(
    lines: Map<string, Semaphore>,
    places: number,
    name: string,
    work: (driver: RegisteredDriver) => Promise<T>,
  ): Promise<T> {
    this.get(name);
    const line = lines.get(name) ?? new Semaphore(places);
    lines.set(name, line);
    return await line.run(() => work(this.get(name)));
  }

  close(): void {
    for (const name of this.#drivers.keys()) this.unregister(name);
  }
}
