/** Pulls images: identical pulls under way are one, and only so many run at once. */
import { type Image, type ImageService, type RegistryAuth, RuntimeError } from '../../cri/index.ts';
import { type Clock, Semaphore } from '../../lib/index.ts';
import { MAX_CREDENTIALS_TRIED } from './limits.ts';

export interface PulledImage {
  readonly image: Image;
  /** Without the wait for a place. */
  readonly pullMs: number;
}

export class Puller {
  readonly #clock: Clock;
  readonly #images: Pick<ImageService, 'status' | 'pull'>;
  readonly #places: Semaphore;
  readonly #underWay = new Map<string, Promise<PulledImage>>();

  /** `maxAtOnce`: pulls under way at once; further ones wait. */
  constructor(clock: Clock, images: Pick<ImageService, 'status' | 'pull'>, maxAtOnce: number) {
    this.#clock = clock;
    this.#images = images;
    this.#places = new Semaphore(maxAtOnce);
  }

  /** Tries each credential in turn; rejects with the last RuntimeError. */
  pull(image: string, auths: readonly RegistryAuth[]): Promise<PulledImage> {
    const key = JSON.stringify([image, auths]);
    const known = this.#underWay.get(key);
    if (known !== undefined) return known;
    const pulling = this.#places.run(() => this.#pull(image, auths)).finally(() => this.#underWay.delete(key));
    this.#underWay.set(key, pulling);
    return pulling;
  }

  async #pull(image: string, auths: readonly RegistryAuth[]): Promise<PulledImage> {
    const begun = this.#clock.now().mono;
    const id = await this.#firstThatWorks(image, auths);
    const pullMs = this.#clock.now().mono - begun;
    const pulled = (await this.#images.status(image)) ?? (await this.#images.status(id));
    if (pulled === undefined) throw new RuntimeError('NotFound', `image ${image} is gone after its pull`);
    return { image: pulled, pullMs };
  }

  async #firstThatWorks(image: string, auths: readonly RegistryAuth[]): Promise<string> {
    const tried = auths.slice(0, MAX_CREDENTIALS_TRIED);
    for (const auth of tried.slice(0, -1)) {
      try {
        return await this.#images.pull(image, auth);
      } catch (error) {
        // Another secret may name the right user; if all fail, the last error is reported.
        if (!(error instanceof RuntimeError)) throw error;
      }
    }
    return this.#images.pull(image, tried.at(-1));
  }
}
