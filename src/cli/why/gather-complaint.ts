/** Gathers what a pod that is ready says of its own trouble, for another one that gets no answer from its service. */
import { isConditionTrue, PODS } from '../../api/index.ts';
import type { PodEvidence, ServiceEvidence } from '../../diagnosis/index.ts';
import { complaintIn } from '../../log-analysis/index.ts';
import type { Asker } from './ask.ts';
import { labelsText } from './gather-services.ts';
import { MAX_SERVICES } from './limits.ts';

type LinesOf = (pod: PodEvidence['pod'], container: string) => Promise<readonly string[] | undefined>;

/** What the log of a ready pod behind the service complains of again and again; undefined: of nothing. */
export async function gatherComplaint(
  asker: Asker,
  { namespace, selector = {} }: ServiceEvidence,
  linesOf: LinesOf,
): Promise<ServiceEvidence['complaint']> {
  const labelSelector = labelsText(Object.entries(selector));
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  const [container] = pod?.spec?.containers ?? [];
  if (pod === undefined || container === undefined) return undefined;
  const says = complaintIn((await linesOf(pod, container.name)) ?? []);
  return says === undefined ? undefined : { pod: pod.metadata?.name ?? '', says };
}
