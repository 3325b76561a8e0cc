/** Which container of a pod a request means (upstream: podutil and the log and exec strategies). Pure. */
import { badRequest, type Pod } from '../../api/index.ts';

const DEFAULT_CONTAINER_ANNOTATION = 'kubectl.kubernetes.io/default-container';

/** The container's name. Throws 400 when it is not clear or not there. */
export function chooseContainer(pod: Pod, asked: string): string {
  const name = pod.metadata?.name ?? '';
  const regular = namesOf(pod.spec?.containers);
  const init = namesOf(pod.spec?.initContainers);
  const ephemeral = namesOf(pod.spec?.ephemeralContainers);
  const all = [...regular, ...init, ...ephemeral];
  if (asked !== '') {
    if (all.includes(asked)) return asked;
    throw badRequest(`container ${asked} is not valid for pod ${name}`);
  }
  const preferred = pod.metadata?.annotations?.[DEFAULT_CONTAINER_ANNOTATION];
  if (preferred !== undefined && all.includes(preferred)) return preferred;
  const [only, ...others] = regular;
  if (only !== undefined && others.length === 0) return only;
  if (only === undefined) throw badRequest(`a container name must be specified for pod ${name}`);
  const more = init.length === 0 ? '' : ` or one of the init containers: ${listed(init)}`;
  throw badRequest(`a container name must be specified for pod ${name}, choose one of: ${listed(regular)}${more}`);
}

function namesOf(containers: readonly { readonly name: string }[] | undefined): string[] {
  return (containers ?? []).map((container) => container.name);
}

function listed(names: readonly string[]): string {
  return `[${names.join(' ')}]`;
}
