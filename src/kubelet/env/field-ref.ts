/** Downward API: a pod's fields as text, for environment variables and downwardAPI volumes. Pure. */
import type { Pod } from '../../api/index.ts';
import { quote } from '../go-format.ts';

/** Facts that the pod object alone does not have. */
export interface PodRuntimeFields {
  readonly podIps: readonly string[];
  readonly hostIps: readonly string[];
  readonly nodeName: string;
}

const SUBSCRIPT = /^metadata\.(labels|annotations)\['([^']*)'\]$/;

/** Value of `fieldPath`; `undefined` when the path is not supported (upstream: "unsupported fieldPath: …"). */
export function podFieldValue(pod: Pod, fieldPath: string, runtime: PodRuntimeFields): string | undefined {
  const meta = pod.metadata ?? {};
  const subscript = SUBSCRIPT.exec(fieldPath);
  if (subscript !== null) {
    const map = (subscript[1] === 'labels' ? meta.labels : meta.annotations) ?? {};
    return Object.hasOwn(map, subscript[2] ?? '') ? (map[subscript[2] ?? ''] ?? '') : '';
  }
  switch (fieldPath) {
    case 'metadata.name':
      return meta.name ?? '';
    case 'metadata.namespace':
      return meta.namespace ?? '';
    case 'metadata.uid':
      return meta.uid ?? '';
    case 'metadata.labels':
      return formatMap(meta.labels ?? {});
    case 'metadata.annotations':
      return formatMap(meta.annotations ?? {});
    case 'spec.nodeName':
      return pod.spec?.nodeName ?? runtime.nodeName;
    case 'spec.serviceAccountName':
      return pod.spec?.serviceAccountName ?? '';
    case 'status.hostIP':
      return runtime.hostIps[0] ?? '';
    case 'status.hostIPs':
      return runtime.hostIps.join(',');
    case 'status.podIP':
      return runtime.podIps[0] ?? '';
    case 'status.podIPs':
      return runtime.podIps.join(',');
    default:
      return undefined;
  }
}

/** Labels or annotations as a file: `key="value"` lines, sorted. */
function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${quote(map[key] ?? '')}`)
    .join('\n');
}
