/** Asks for one restart. Where the server has the verb it is asked for, elsewhere the object is made by hand. */
import {
  apiVersionOf,
  isNotFound,
  POD_RESTARTS,
  type PodRestart,
  type PodRestartSpec,
  PODS,
  StatusError,
} from '../../api/index.ts';
import type { ClusterSession } from '../cluster-session.ts';

/** What brings PodRestarts to a cluster that is not ours. */
const MANIFEST = 'deploy/mendlet-healer.yaml';
/** generateName cuts what is longer, and a name of a pod may be longer than one of a PodRestart's prefix should be. */
const MAX_PREFIX = 50;

/** The cluster cannot do it at all. */
export class NoRestartsError extends Error {
  override readonly name = 'NoRestartsError';
}

/**
 * @returns the PodRestart as the server made it
 * @throws StatusError, ConnectionError, NoRestartsError
 */
export async function requestRestart(
  { client, namespace }: Pick<ClusterSession, 'client' | 'namespace'>,
  podName: string,
  spec: PodRestartSpec,
  signal?: AbortSignal,
): Promise<PodRestart> {
  const kind = { apiVersion: apiVersionOf(POD_RESTARTS), kind: POD_RESTARTS.kind };
  try {
    const made = await client.createSubresource(
      PODS,
      namespace,
      podName,
      'restart',
      { ...kind, spec } as PodRestart,
      signal,
    );
    return made as PodRestart;
  } catch (error) {
    if (!mayBeMissing(error)) throw error;
  }
  const generateName = `${podName.slice(0, MAX_PREFIX)}-`;
  const object: PodRestart = { ...kind, metadata: { generateName, namespace }, spec: { podName, ...spec } };
  try {
    return await client.create(POD_RESTARTS, object, signal);
  } catch (error) {
    if (!isMissingPath(error)) throw error;
    throw new NoRestartsError(
      `this cluster knows no PodRestart: an administrator brings it with "kubectl apply -f ${MANIFEST}"`,
      { cause: error },
    );
  }
}

/** Other servers know no such path, and refuse what nobody has been given before they look whether it is there. */
function mayBeMissing(error: unknown): boolean {
  return isMissingPath(error) || (error instanceof StatusError && (error.code === 403 || error.code === 405));
}

/** Not "there is no such pod": there is nothing at this path. */
function isMissingPath(error: unknown): boolean {
  return isNotFound(error) && (error.status.details?.name ?? '') === '';
}
