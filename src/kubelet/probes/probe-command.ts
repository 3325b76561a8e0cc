/** The command of a probe, with variables filled in as upstream does (kubecontainer.ExpandContainerCommandOnlyStatic). Pure. */
import type { EnvVar } from '../../api/index.ts';
import { expand } from '../env/expand.ts';

/** A command is not longer than what the kernel takes as one argument, in characters (MAX_ARG_STRLEN). */
const MAX_EXPANDED = 131_072;

/**
 * Fills in `$(NAME)` with the plain values of `env`; a variable with `valueFrom` counts as empty, and a name that `env` does not
 * have stays as it is written. Other than in a container's own command nothing is read from ConfigMaps, Secrets or the pod.
 *
 * @throws EnvironmentError of a word that gets too long
 */
export function probeCommand(command: readonly string[], env: readonly EnvVar[] = []): readonly string[] {
  const values = new Map(env.map(({ name, value = '' }) => [name, value]));
  return command.map((word) => expand(word, (name) => values.get(name), MAX_EXPANDED));
}
