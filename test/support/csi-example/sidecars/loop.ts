/** The loop of a sidecar: what changed is looked at again, and what failed is tried again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, type KubeObject } from './cluster.ts';

const RETRY_MS = 1000;
const PAUSE_MS = 50;

export class Loop {
  #isDue = Promise.withResolvers<void>();

  readonly changed = (): void => this.#isDue.resolve();

  /** Never returns. Rounds are serial. @param round @returns whether something is to be tried again */
  async run(round: () => Promise<boolean>): Promise<never> {
    for (;;) {
      this.#isDue = Promise.withResolvers<void>();
      const again = await round();
      await Promise.race([this.#isDue.promise, ...(again ? [sleep(RETRY_MS)] : [])]);
      await sleep(PAUSE_MS);
    }
  }
}

/** Handles each; a failure of one stops no other. @param failed tells of it. @returns whether one failed */
export async function each<T extends KubeObject>(
  objects: readonly T[],
  handle: (object: T) => Promise<void>,
  failed: (object: T, message: string) => Promise<void> = async () => {},
): Promise<boolean> {
  let again = false;
  for (const object of objects) {
    try {
      await handle(object);
    } catch (error) {
      again = true;
      const message = error instanceof Error ? error.message : String(error);
      console.log(`${object.metadata.name}: ${message}`);
      // An object that changed meanwhile is no failure.
      if (error instanceof ApiError && error.code === 409) continue;
      await failed(object, message).catch((problem: unknown) => console.log(String(problem)));
    }
  }
  return again;
}
