/** The variables that a container's own `env` and `envFrom` make, with where each comes from, and never more than any Linux takes. */
import { EnvironmentError } from './environment-error.ts';
import { type SizedVariable, variableBytes } from './environment-size.ts';
import { MAX_STRING_BYTES, MAX_TOTAL_BYTES } from './limits.ts';

export class OwnVariables {
  readonly #variables = new Map<string, { readonly value: string; readonly from: string; readonly bytes: number }>();
  #total = 0;

  get(name: string): string | undefined {
    return this.#variables.get(name)?.value;
  }

  /** @throws EnvironmentError for what no kernel takes, before it is too much for ourselves */
  set(name: string, value: string, from: string): void {
    const bytes = variableBytes({ name, value });
    if (bytes > MAX_STRING_BYTES)
      throw new EnvironmentError(
        `variable ${name} of ${from} has ${bytes} bytes, and no more than ${MAX_STRING_BYTES} can be passed`,
      );
    this.#total += bytes - (this.#variables.get(name)?.bytes ?? 0);
    if (this.#total > MAX_TOTAL_BYTES)
      throw new EnvironmentError(
        `with variable ${name} of ${from} the environment has more than ${MAX_TOTAL_BYTES} bytes, which cannot be passed`,
      );
    this.#variables.set(name, { value, from, bytes });
  }

  entries(): readonly (readonly [string, string])[] {
    return [...this.#variables].map(([name, { value }]) => [name, value] as const);
  }

  sizes(): readonly SizedVariable[] {
    return [...this.#variables].map(([name, { from, bytes }]) => ({ name, from, bytes }));
  }
}
