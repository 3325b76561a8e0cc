/** Does a node suit a pod: selector and required affinity, taints, host ports. Asked by the scheduler, and again by the kubelet. */
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Pod, Taint, Toleration } from './types.gen.ts';

/** nodeSelector and required node affinity must both match. */
export function nodeSelectorMatches(pod: Pod, node: Node): boolean {
  const labels = node.metadata?.labels ?? {};
  const selected = Object.entries(pod.spec?.nodeSelector ?? {}).every(([key, value]) => labels[key] === value);
  const required = pod.spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!selected || required === undefined) return selected;
  return required.nodeSelectorTerms.some((term) => nodeSelectorTermMatches(term, node));
}

/** All requirements of a term must hold; a term without any matches nothing. */
export function nodeSelectorTermMatches(term: NodeSelectorTerm, node: Node): boolean {
  const { matchExpressions = [], matchFields = [] } = term;
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const fields = { 'metadata.name': node.metadata?.name ?? '' };
  return matchExpressions.every((each) => holds(each, labels)) && matchFields.every((each) => holds(each, fields));
}

function holds(
  { key, operator, values = [] }: NodeSelectorRequirement,
  labels: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt':
      return comparesTo(value, operator, values[0]);
    default:
      return false;
  }
}

/** Both must be whole numbers in text. */
function comparesTo(value: string | undefined, operator: 'Gt' | 'Lt', bound: string | undefined): boolean {
  const integer = /^[+-]?\d+$/;
  if (value === undefined || bound === undefined || !integer.test(value) || !integer.test(bound)) return false;
  return operator === 'Gt' ? BigInt(value) > BigInt(bound) : BigInt(value) < BigInt(bound);
}

/** True when one of the pod's tolerations covers the taint. */
export function toleratesTaint(pod: Pod, taint: Taint): boolean {
  return (pod.spec?.tolerations ?? []).some((toleration) => tolerationCovers(toleration, taint));
}

/** Whether this toleration is for this taint. */
export function tolerationCovers(
  { key = '', operator = 'Equal', value = '', effect = '' }: Toleration,
  taint: Taint,
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  if (operator === 'Exists') return true;
  return operator === 'Equal' && key !== '' && value === (taint.value ?? '');
}

/** A port that a pod takes of its node. */
export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

const ANY_IP = '0.0.0.0';

/** Host ports of containers and sidecars. */
export function hostPortsOf(pod: Pod): readonly HostPort[] {
  const sidecars = (pod.spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(pod.spec?.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? [])
      .filter(({ hostPort }) => hostPort !== undefined && hostPort > 0)
      .map(({ hostIP, protocol, hostPort }) => ({
        ip: hostIP === undefined || hostIP === '' || hostIP === '::' ? ANY_IP : hostIP,
        protocol: protocol ?? 'TCP',
        port: hostPort ?? 0,
      })),
  );
}

/** No two pods of a node may hold the same port of a protocol on the same address; 0.0.0.0 is every address. */
export function hostPortsClash(a: HostPort, b: HostPort): boolean {
  if (a.port !== b.port || a.protocol !== b.protocol) return false;
  return a.ip === b.ip || a.ip === ANY_IP || b.ip === ANY_IP;
}

/** Why nodes do not take a pod, one reason for each: "1 Insufficient cpu, 2 Too many pods", sorted as text. */
export function countedReasons(reasons: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts]
    .map(([reason, count]) => `${count} ${reason}`)
    .toSorted()
    .join(', ');
}
