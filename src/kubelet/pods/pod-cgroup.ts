/** The path of a pod's cgroup below its QoS class. Pure. */
import { type Pod, qosClassOf } from '../../api/index.ts';

/** The paths at which a pod's cgroup can be: for a pod that is no longer known, nothing says its class. */
export function podCgroupPaths(uid: string): readonly (readonly string[])[] {
  const leaf = `pod${uid}`;
  return [
    ['kubepods', 'burstable', leaf],
    ['kubepods', 'besteffort', leaf],
    ['kubepods', leaf],
  ];
}

/** Logical path of the pod's cgroup: guaranteed pods lie directly below kubepods. */
export function podCgroupPath(pod: Pod): readonly string[] {
  const qos = qosClassOf(pod.spec ?? { containers: [] });
  const leaf = `pod${pod.metadata?.uid ?? ''}`;
  return qos === 'Guaranteed' ? ['kubepods', leaf] : ['kubepods', qos.toLowerCase(), leaf];
}
