/** Asks a pod's node where the pod listens. */
import type { ListeningPorts, Pod, PodListeningPort } from '../../api/index.ts';
import type { Asker } from './ask.ts';
import { MAX_HISTORY_BYTES } from './limits.ts';

/** The ports on which the pod listens just now. Undefined: its node cannot be asked, or is not mendlet's. */
export async function gatherListening(
  asker: Asker,
  { metadata, spec }: Pod,
): Promise<readonly PodListeningPort[] | undefined> {
  const { namespace = '', name = '' } = metadata ?? {};
  if (!spec?.nodeName || spec.hostNetwork === true) return undefined;
  const path = `/api/v1/nodes/${encodeURIComponent(spec.nodeName)}/proxy/mendlet/v1/listening`;
  const query = `?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  const answer = await asker.text('', `${path}${query}`, MAX_HISTORY_BYTES, true);
  if (answer.kind !== 'found') return undefined;
  try {
    const { kind, ports } = JSON.parse(answer.value) as Partial<ListeningPorts>;
    return kind === 'ListeningPorts' && Array.isArray(ports) ? ports : undefined;
  } catch {
    return undefined;
  }
}
