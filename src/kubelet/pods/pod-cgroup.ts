/** The path of a pod's cgroup below its QoS class. Pure. */
import { type Pod, qosClassOf } from '../../api/index.ts';

/** The groups in which pods' cgroups are. */
export const POD_CGROUP_PARENTS: readonly (readonly string[])[] = [
  ['kubepods', 'burstable'],
  ['kubepods', 'besteffort'],
  ['kubepods'],
];

/** The paths at which a pod's cgroup can be: for a pod that is no longer known, nothing says its class. */
export function podCgroupPaths(uid: string): readonly (readonly string[])[] {
  return POD_CGROUP_PARENTS.map((parent) => [...parent, `pod${uid}`]);
}

/** The pod of a cgroup by its last name; undefined: it is no pod's. */
export function uidOfPodCgroup(name: string): string | undefined {
  return name.startsWith('pod') && name.length > 'pod'.length ? name.slice('pod'.length) : undefined;
}

/** Logical path of the pod's cgroup: guaranteed pods lie directly below kubepods. */
export function podCgroupPath(pod: Pod): readonly string[] {
  const qos = qosClassOf(pod.spec ?? { containers: [] });
  const leaf = `pod${pod.metadata?.uid ?? ''}`;
  return qos === 'Guaranteed' ? ['kubepods', leaf] : ['kubepods', qos.toLowerCase(), leaf];
}
