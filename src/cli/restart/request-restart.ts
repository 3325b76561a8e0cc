/** Requests one restart: through the subresource where the server has it, else by creating the PodRestart. */
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

/** The manifest that adds PodRestarts to a cluster of another server. */
const MANIFEST = 'deploy/mendlet-healer.yaml';
/** Longest prefix for generateName, which cuts a longer one; names of pods may be longer. */
const MAX_PREFIX = 50;

/** The cluster has no PodRestarts. */
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

/** Whether the path may be missing: other servers check rights before they look whether a path exists. */
function mayBeMissing(error: unknown): boolean {
  return isMissingPath(error) || (error instanceof StatusError && (error.code === 403 || error.code === 405));
}

/** Whether the path itself is missing, as opposed to the pod. */
function isMissingPath(error: unknown): boolean {
  return isNotFound(error) && (error.status.details?.name ?? '') === '';
}
