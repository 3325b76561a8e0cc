/** Diagnoses those whom the subject needs and that answer it with errors, one after the other, and tells the last of them first. */
import { type Pod, PODS } from '../../api/index.ts';
import {
  type Diagnosis,
  nextPeer,
  type PodEvidence,
  type ServiceEvidence,
  type Step,
  troubleOf,
  withRoot,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherPod } from './gather-pod.ts';
import { ownerOf } from './gather-server.ts';
import { labelsText } from './gather-services.ts';
import { MAX_CAUSE_STEPS, MAX_SERVICES } from './limits.ts';
import { urgency } from './urgency.ts';

/** @param looked the evidence about the pods of the subject, the first of which with such a peer is followed */
export async function followPeers(
  asker: Asker,
  diagnosis: Diagnosis,
  looked: readonly PodEvidence[],
  namespaceFlag: string,
): Promise<Diagnosis> {
  const [first] = diagnosis.findings;
  if (first === undefined) return diagnosis;
  const passed = new Set(looked.map(({ pod }) => pod.metadata?.uid));
  const steps: Step[] = [];
  let next = looked.map((evidence) => nextPeer(evidence, first.id)).find((each) => each !== undefined);
  while (next !== undefined && steps.length < MAX_CAUSE_STEPS) {
    const pod = await podBehind(asker, next);
    if (pod === undefined || passed.has(pod.metadata?.uid)) break;
    passed.add(pod.metadata?.uid);
    const flag = next.namespace === diagnosis.subject.namespace ? namespaceFlag : `-n ${next.namespace}`;
    const evidence = await gatherPod(asker, pod, { namespaceFlag: flag });
    const trouble = troubleOf(evidence);
    if (trouble === undefined) break;
    steps.push({ object: ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`, trouble });
    next = nextPeer(evidence);
  }
  return withRoot(diagnosis, steps);
}

/** The pod behind the service that looks worst. */
async function podBehind(asker: Asker, { namespace, selector = {} }: ServiceEvidence): Promise<Pod | undefined> {
  const labelSelector = labelsText(Object.entries(selector));
  if (labelSelector === '') return undefined;
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  return pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .toSorted((a, b) => urgency(b) - urgency(a))[0];
}
