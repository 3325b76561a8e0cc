/** Which sandbox a container is in: CRI's list and create say it, its ContainerStatus does not. A bounded note, not a truth. */
const MAX_REMEMBERED = 4096;

export class SandboxOfContainer {
  readonly #byContainer = new Map<string, string>();

  learn(containerId: string, sandboxId: string): void {
    this.#byContainer.set(containerId, sandboxId);
    if (this.#byContainer.size <= MAX_REMEMBERED) return;
    const oldest = this.#byContainer.keys().next();
    if (!oldest.done) this.#byContainer.delete(oldest.value);
  }

  of(containerId: string): string | undefined {
    return this.#byContainer.get(containerId);
  }

  forget(containerId: string): void {
    this.#byContainer.delete(containerId);
  }
}
