/** Decides whether a node should run a daemon's pod. Pure. Upstream: NodeShouldRunDaemonPod. */
import { type DaemonSet, nameOf, type Node, nodeSelectorMatches, type Pod, toleratesTaint } from '../../api/index.ts';
import { daemonTolerations } from './daemon-pod.ts';

export interface Fitness {
  /** A pod should be made there if there is none. */
  readonly run: boolean;
  /** A pod that is there may stay. */
  readonly stay: boolean;
}

const NO: Fitness = { run: false, stay: false };

/** Its name and labels decide where daemons belong; taints keep new ones away, and NoExecute drives those there away. */
export function nodeFitness(set: DaemonSet, node: Node): Fitness {
  const template = set.spec?.template?.spec;
  if (template?.nodeName && template.nodeName !== nameOf(node)) return NO;
  const pod: Pod = { spec: { containers: [], ...template, tolerations: [...daemonTolerations(template)] } };
  if (!nodeSelectorMatches(pod, node)) return NO;
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => (taint.effect === 'NoSchedule' || taint.effect === 'NoExecute') && !toleratesTaint(pod, taint),
  );
  if (untolerated.length === 0) return { run: true, stay: true };
  return { run: false, stay: untolerated.every(({ effect }) => effect !== 'NoExecute') };
}
