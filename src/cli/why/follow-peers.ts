/**
 * Diagnoses those whom the subject needs and that answer it with errors, one after the other, and tells the last of them first; asks those
 * whom it uses whether they complain of it where nothing seems wrong with it.
 */
import { type Pod, PODS, SERVICES } from '../../api/index.ts';
import {
  configMapsOf,
  type Diagnosis,
  type Finding,
  isSameTrouble,
  nextPeer,
  podsBesideWanted,
  type PodEvidence,
  type ServiceEvidence,
  servicesUsed,
  type Step,
  troubleOf,
  withComplaintOf,
  withPodsBeside,
  withRoot,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherLog, gatherPod } from './gather-pod.ts';
import { ownerOf } from './gather-server.ts';
import { gatherServices, labelsText } from './gather-services.ts';
import { MAX_CAUSE_STEPS, MAX_LISTED, MAX_SERVICES } from './limits.ts';
import { urgency } from './urgency.ts';

/** @param looked the evidence about the pods of the subject, the first of which with such a peer is followed */
export async function followPeers(
  asker: Asker,
  diagnosis: Diagnosis,
  looked: readonly PodEvidence[],
  namespaceFlag: string,
): Promise<Diagnosis> {
  const [first] = diagnosis.findings;
  const told =
    first === undefined
      ? await askServers(asker, diagnosis, looked)
      : await follow(asker, { diagnosis, first, looked, namespaceFlag });
  return { ...told, notLookedAt: asker.notLookedAt };
}

interface Followed {
  readonly diagnosis: Diagnosis;
  readonly first: Finding;
  readonly looked: readonly PodEvidence[];
  readonly namespaceFlag: string;
}

async function follow(asker: Asker, { diagnosis, first, looked, namespaceFlag }: Followed): Promise<Diagnosis> {
  const passed = new Set(looked.map(({ pod }) => pod.metadata?.uid));
  const steps: Step[] = [];
  let said = first.says;
  let last = looked[0];
  let next = looked.map((evidence) => nextPeer(evidence, first.id)).find((each) => each !== undefined);
  while (next !== undefined && steps.length < MAX_CAUSE_STEPS) {
    const pod = await podBehind(asker, next);
    if (pod === undefined || passed.has(pod.metadata?.uid)) break;
    passed.add(pod.metadata?.uid);
    const flag = next.namespace === diagnosis.subject.namespace ? namespaceFlag : `-n ${next.namespace}`;
    const evidence = await gatherPod(asker, pod, { namespaceFlag: flag });
    const trouble = troubleOf(evidence);
    if (trouble === undefined || isSameTrouble(said, trouble)) break;
    said = trouble.says;
    last = evidence;
    steps.push({ object: ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`, trouble });
    next = nextPeer(evidence);
  }
  const told = withRoot(diagnosis, steps);
  if (last === undefined || !podsBesideWanted(told, last)) return told;
  return withPodsBeside(told, last, await podsBeside(asker, last.pod));
}

function podsBeside(asker: Asker, { metadata }: Pod): Promise<readonly Pod[]> {
  const { namespace = 'default' } = metadata ?? {};
  return asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
}

/** The diagnosis of a pod that seems well, with what the servers that it uses complain of. */
async function askServers(asker: Asker, diagnosis: Diagnosis, [looked]: readonly PodEvidence[]): Promise<Diagnosis> {
  if (looked === undefined || looked.pod.status?.phase !== 'Running') return diagnosis;
  const { namespace = 'default' } = looked.pod.metadata ?? {};
  // Its scripts and configurations may be the only ones to name whom it uses.
  const [configs, all] = await Promise.all([
    gatherConfigs(asker, namespace, configMapsOf(looked.pod)),
    asker.list(`services in namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED }),
  ]);
  const evidence: PodEvidence = { ...looked, configs: [...looked.configs, ...configs] };
  const used = servicesUsed(
    evidence,
    all.flatMap(({ metadata }) => metadata?.name ?? []),
  );
  if (used.length === 0) return diagnosis;
  const [services, pods] = await Promise.all([gatherServices(asker, used, namespace), podsBeside(asker, evidence.pod)]);
  for (const service of services.filter(({ missing, ready }) => !missing && ready > 0)) {
    const pod = await podBehind(asker, service);
    const [container] = pod?.spec?.containers ?? [];
    if (pod === undefined || container === undefined) continue;
    const lines = (await gatherLog(asker, pod, container.name, false)) ?? [];
    const object = ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`;
    const told = withComplaintOf(diagnosis, evidence, { object, lines, pods });
    if (told !== diagnosis) return told;
  }
  return withPodsBeside(diagnosis, evidence, pods);
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
