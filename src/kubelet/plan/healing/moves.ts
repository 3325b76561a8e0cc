/** Which pods may leave their node, and the healing controller's answer. Pure. */
import { MOVE_VERDICT, type MoveVerdict, type Pod } from '../../../api/index.ts';

const CONFIG_MIRROR = 'kubernetes.io/config.mirror';
const CONFIG_SOURCE = 'kubernetes.io/config.source';
/** They make their pods for one node. */
const BOUND_KINDS: ReadonlySet<string> = new Set(['DaemonSet', 'Node']);

/** A controller would create the pod again, and not for this node. */
export function canMove({ metadata }: Pod): boolean {
  const { annotations = {}, ownerReferences = [] } = metadata ?? {};
  if (annotations[CONFIG_MIRROR] !== undefined || annotations[CONFIG_SOURCE] === 'file') return false;
  const owner = ownerReferences.find(({ controller }) => controller === true);
  return owner !== undefined && !BOUND_KINDS.has(owner.kind);
}

/** The answer to this wish; undefined: there is none (yet), or none that can be read. */
export function moveVerdict(pod: Pod, id: string): MoveVerdict | undefined {
  const text = pod.metadata?.annotations?.[MOVE_VERDICT];
  if (text === undefined) return undefined;
  try {
    const { id: answered, action, message } = JSON.parse(text) as Record<string, unknown>;
    if (answered !== id || action !== 'stop') return undefined;
    return { id, action, message: typeof message === 'string' ? message : '' };
  } catch {
    return undefined;
  }
}
