/** Gathers what is known of pods that a container names below a headless service: whether they are there, and their StatefulSets. */
import { isConditionTrue, PODS, STATEFUL_SETS } from '../../api/index.ts';
import { type NamedPodEvidence, type PodName, setOf } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED, MAX_NAMED_PODS } from './limits.ts';

export async function gatherNamedPods(asker: Asker, names: readonly PodName[]): Promise<readonly NamedPodEvidence[]> {
  const all = await Promise.all(names.slice(0, MAX_NAMED_PODS).map((name) => gatherNamedPod(asker, name)));
  return all.flatMap((one) => one ?? []);
}

/** Undefined: the StatefulSets of its namespace may not be read, so that nothing is known. */
async function gatherNamedPod(
  asker: Asker,
  { namespace, pod: name, set, service }: PodName,
): Promise<NamedPodEvidence | undefined> {
  const [pod, sets] = await Promise.all([
    asker.get(`pod/${name}`, PODS, namespace, name),
    asker.listAll(`statefulsets in namespace ${namespace}`, STATEFUL_SETS, { namespace, limit: MAX_LISTED }),
  ]);
  if (sets === undefined) return undefined;
  const all = sets.map(setOf);
  const own = all.find((each) => each.name === set);
  const ofService = all.filter(({ serviceName }) => serviceName === service);
  return {
    namespace,
    pod: name,
    state:
      pod.kind === 'missing'
        ? 'missing'
        : pod.kind !== 'found'
          ? 'unknown'
          : isConditionTrue(pod.value.status?.conditions, 'Ready')
            ? 'ready'
            : 'unready',
    ...(own === undefined ? { ofService } : { set: own }),
  };
}
