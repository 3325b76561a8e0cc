/** Images of a simulated machine. Any name can be pulled while the registry is up. */
import { type Image, RuntimeError } from '../../cri/index.ts';

const SIZE_BYTES = 4_000_000;

export class SimImages {
  /** Name → id. */
  readonly #present = new Map<string, string>();
  registryDown = false;

  has(image: string): boolean {
    return this.#find(image) !== undefined;
  }

  status(image: string): Image | undefined {
    const name = this.#find(image);
    return name === undefined ? undefined : this.#toImage(name);
  }

  list(): readonly Image[] {
    return [...this.#present.keys()].map((name) => this.#toImage(name));
  }

  pull(image: string): string {
    if (this.registryDown) throw new RuntimeError('Unknown', `failed to pull image "${image}": connection refused`);
    const id = this.#present.get(image) ?? `sha256:${image}`;
    this.#present.set(image, id);
    return id;
  }

  remove(image: string): void {
    const name = this.#find(image);
    if (name !== undefined) this.#present.delete(name);
  }

  usedBytes(): number {
    return this.#present.size * SIZE_BYTES;
  }

  #find(image: string): string | undefined {
    if (this.#present.has(image)) return image;
    for (const [name, id] of this.#present) if (id === image) return name;
    return undefined;
  }

  #toImage(name: string): Image {
    return {
      id: this.#present.get(name) ?? '',
      repoTags: [name],
      repoDigests: [],
      sizeBytes: SIZE_BYTES,
      pinned: false,
    };
  }
}
