/** Decides whether a pod's back-offs may end early at all: only those of pods that ask for it. Pure. */
import { DEPENDS_ON, type DependsOn, type Pod, readDependsOn } from '../../../api/index.ts';
import { podPolicy } from '../healing/pod-policy.ts';
import { MAX_DEPENDS_ON_READ } from '../limits.ts';

const NOTHING: DependsOn = { dependencies: [], problems: [] };
const read = new Map<string, DependsOn>();

/** A healing policy that does not say Never, or a named dependency. Never wins over named dependencies. */
export function hasLateRecovery(pod: Pod): boolean {
  const policy = podPolicy(pod);
  if (policy.kind === 'valid') return policy.policy.lateRecovery;
  return dependsOn(pod).dependencies.length > 0;
}

/** The dependencies in the pod's annotation; parsed once per text and namespace (the memo holds answers, no state). */
export function dependsOn(pod: Pod): DependsOn {
  const text = pod.metadata?.annotations?.[DEPENDS_ON];
  if (text === undefined) return NOTHING;
  const namespace = pod.metadata?.namespace ?? '';
  const key = `${namespace}/${text}`;
  const known = read.get(key);
  if (known !== undefined) return known;
  const answer = readDependsOn(text, namespace);
  if (read.size >= MAX_DEPENDS_ON_READ) read.clear();
  read.set(key, answer);
  return answer;
}
