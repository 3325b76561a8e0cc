/** What is wrong with a node, and with a claim. Pure. */
import {
  findCondition,
  isDeleting,
  type Node,
  type PersistentVolumeClaim,
  VOLUME_DISK_PROBLEM,
  VOLUME_PROBLEM,
} from '../../api/index.ts';
import { parseTime } from '../../lib/index.ts';
import { toldCause, type Trouble } from './trouble.ts';

/** Not heard of: NodeLost; its disk for volumes fails: DataAtRisk. */
export function nodeTroubles(node: Node): readonly Trouble[] {
  if (isDeleting(node)) return [];
  const { name = '' } = node.metadata ?? {};
  const subject = { kind: 'Node', namespace: '', name };
  const ready = findCondition(node.status?.conditions, 'Ready');
  const disk = findCondition(node.status?.conditions, VOLUME_DISK_PROBLEM);
  return [
    ...(ready?.status === 'Unknown'
      ? [trouble('NodeLost', subject, ready, `node ${name} is not heard of: ${ready.message ?? 'no reason told'}`)]
      : []),
    ...(disk?.status === 'True'
      ? [trouble('DataAtRisk', subject, disk, `the disk of its volumes: ${disk.reason ?? ''} ${disk.message ?? ''}`)]
      : []),
  ];
}

export function claimTroubles(claim: PersistentVolumeClaim): readonly Trouble[] {
  if (isDeleting(claim)) return [];
  const { name = '', namespace = '' } = claim.metadata ?? {};
  const subject = { kind: 'PersistentVolumeClaim', namespace, name };
  const condition = findCondition(claim.status?.conditions, VOLUME_PROBLEM);
  if (condition?.status === 'True') {
    const text = `${condition.reason ?? 'VolumeProblem'}: ${condition.message ?? 'pods cannot have its volume'}`;
    return [trouble('DataAtRisk', subject, condition, text)];
  }
  if (claim.status?.phase !== 'Lost') return [];
  return [trouble('DataAtRisk', subject, {}, `its volume ${claim.spec?.volumeName ?? ''} does not exist any more`)];
}

function trouble(
  trigger: Trouble['trigger'],
  subject: Trouble['subject'],
  { lastTransitionTime }: { readonly lastTransitionTime?: string | null },
  cause: string,
): Trouble {
  const since = parseTime(lastTransitionTime);
  return { trigger, subject, weight: 'now', cause: toldCause(cause), ...(since === undefined ? {} : { since }) };
}
