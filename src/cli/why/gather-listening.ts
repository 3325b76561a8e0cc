/** Asks a pod's node where the pod listens. */
import type { ListeningPorts, Pod } from '../../api/index.ts';
import type { Asker } from './ask.ts';
import { MAX_HISTORY_BYTES } from './limits.ts';

/** Where the pod listens just now. Undefined: its node cannot be asked, or is not mendlet's. */
export async function gatherListening(
  asker: Asker,
  { metadata, spec }: Pod,
): Promise<Pick<ListeningPorts, 'ports' | 'udp'> | undefined> {
  const { namespace = '', name = '' } = metadata ?? {};
  if (!spec?.nodeName || spec.hostNetwork === true) return undefined;
  const path = `/api/v1/nodes/${encodeURIComponent(spec.nodeName)}/proxy/mendlet/v1/listening`;
  const query = `?namespace=${encodeURIComponent(namespace)}&pod=${encodeURIComponent(name)}`;
  const answer = await asker.text('', `${path}${query}`, MAX_HISTORY_BYTES, true);
  if (answer.kind !== 'found') return undefined;
  try {
    const { kind, ports, udp } = JSON.parse(answer.value) as Partial<ListeningPorts>;
    if (kind !== 'ListeningPorts' || !Array.isArray(ports)) return undefined;
    return { ports, ...(Array.isArray(udp) && { udp }) };
  } catch {
    return undefined;
  }
}
