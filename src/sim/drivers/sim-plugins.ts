/** The port of one agent to the simulated drivers of its machine: calls arrive also if the agent is dead by then. */
import { CsiError, type CsiDriver, type CsiPlugins, type NodeCapability } from '../../csi/index.ts';
import type { Random } from '../../lib/index.ts';
import type { Life } from '../life.ts';
import { remoteCall } from '../remote-call.ts';
import type { Sim } from '../sim.ts';
import type { SimDriver } from './sim-driver.ts';
import type { DriverCall } from './storage-laws.ts';

/** As the real port. */
const CALL_TIMEOUT_MS = 120_000;
const QUESTION_TIMEOUT_MS = 15_000;
const WAY_MS = 5;

export interface PluginsWiring {
  readonly sim: Sim;
  readonly life: Life;
  readonly random: Random;
  readonly nodeName: string;
  readonly drivers: readonly SimDriver[];
}

export function createSimPlugins(wiring: PluginsWiring): CsiPlugins {
  return {
    registrar: (socketPath) => {
      const line = new Line(wiring, socketPath);
      return {
        info: () =>
          line.ask('plugin info', QUESTION_TIMEOUT_MS, (driver) =>
            driver.question(() => ({
              type: 'CSIPlugin',
              name: driver.kind.name,
              endpoint: '',
              supportedVersions: ['1.0.0'],
            })),
          ),
        notify: () => line.ask('registration status', QUESTION_TIMEOUT_MS, (driver) => driver.question(() => {})),
        close: () => line.close(),
      };
    },
    driver: (socketPath) => driverAt(wiring, socketPath),
    hash: simHash,
  };
}

function driverAt(wiring: PluginsWiring, socketPath: string): CsiDriver {
  const line = new Line(wiring, socketPath);
  const call = (given: Omit<DriverCall, 'node'>): Promise<void> =>
    line.ask(`${given.method} ${given.handle}`, CALL_TIMEOUT_MS, (driver) => driver.call(given));
  return {
    info: () =>
      line.ask('node info', QUESTION_TIMEOUT_MS, (driver) =>
        driver.question(() => ({ nodeId: wiring.nodeName, maxVolumes: 0, topology: {} })),
      ),
    capabilities: () =>
      line.ask('capabilities', QUESTION_TIMEOUT_MS, (driver) =>
        driver.question((): ReadonlySet<NodeCapability> => capabilitiesOf(driver.kind)),
      ),
    stage: ({ handle, stagingPath: path }) => call({ method: 'stage', handle, path }),
    publish: ({ handle, targetPath: path, stagingPath }) => call({ method: 'publish', handle, path, stagingPath }),
    unpublish: (handle, path) => call({ method: 'unpublish', handle, path }),
    unstage: (handle, path) => call({ method: 'unstage', handle, path }),
    stats: () => Promise.reject(new CsiError('Unimplemented', 'the simulated driver does not say')),
    expand: async ({ handle, volumePath: path, requiredBytes: bytes }) => {
      await call({ method: 'expand', handle, path, bytes });
      return bytes;
    },
    close: () => line.close(),
  };
}

export function capabilitiesOf({ stages, expands }: SimDriver['kind']): ReadonlySet<NodeCapability> {
  return new Set([...(stages ? (['stage'] as const) : []), ...(expands === true ? (['expand'] as const) : [])]);
}

/** A connection to whoever listens at the socket when a call arrives. */
class Line {
  readonly #wiring: PluginsWiring;
  readonly #socket: string;
  readonly #underWay = new Set<(error: CsiError) => void>();

  constructor(wiring: PluginsWiring, socket: string) {
    this.#wiring = wiring;
    this.#socket = socket;
  }

  /** Rejects with `CsiError` only. The driver goes on with a call that nobody waits for any more. */
  ask<T>(what: string, timeoutMs: number, work: (driver: SimDriver) => Promise<T>): Promise<T> {
    const { sim, life, random, drivers } = this.#wiring;
    return new Promise<T>((resolve, reject) => {
      const end = (): void => {
        deadline.cancel();
        this.#underWay.delete(fail);
      };
      const fail = (error: unknown): void => {
        end();
        reject(error);
      };
      const deadline = sim.after(timeoutMs, `deadline of ${what}`, () =>
        life.deliver(() => fail(new CsiError('DeadlineExceeded', `${what} took longer than ${timeoutMs} ms`))),
      );
      this.#underWay.add(fail);
      const fate = { thereMs: random.next() * WAY_MS, backMs: random.next() * WAY_MS };
      remoteCall(sim, life, `${what} by ${life.name}`, fate, async () => {
        const driver = drivers.find(({ socket }) => socket === this.#socket);
        if (driver === undefined) throw new CsiError('Unavailable', `nobody listens at ${this.#socket}`);
        return await work(driver);
      }).then((value) => {
        end();
        resolve(value);
      }, fail);
    });
  }

  close(): void {
    for (const fail of this.#underWay) fail(new CsiError('Canceled', 'the connection is closed'));
  }
}

const HASH_PARTS = 8;
const PART_DIGITS = 8;

/** As long as SHA-256 in hexadecimal, and no more than that: simulated names do not collide. */
export function simHash(text: string): string {
  return Array.from({ length: HASH_PARTS }, (_, part) => {
    let hash = 0x811c9dc5 ^ (part * 0x9e3779b1);
    for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    return (hash >>> 0).toString(16).padStart(PART_DIGITS, '0');
  }).join('');
}
