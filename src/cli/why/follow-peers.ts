/**
 * Diagnoses those whom the subject needs and that answer it with errors, one after the other, and tells the last of them first; asks those
 * whom it uses whether they complain of it where nothing seems wrong with it.
 */
import { type Pod, PODS, SERVICES } from '../../api/index.ts';
import {
  configMapsOf,
  type Diagnosis,
  type Finding,
  isMeant,
  isSameTrouble,
  type NextPeers,
  nextPeers,
  peersOfWell,
  podsBesideWanted,
  type PodEvidence,
  type RankedFinding,
  type ServiceEvidence,
  servicesUsed,
  type SickBeside,
  sickBesideWanted,
  sickPods,
  type Step,
  troubleOf,
  withComplaintOf,
  withPodsBeside,
  withRoot,
  withSickBeside,
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
  const followed: Followed = { diagnosis, looked, namespaceFlag };
  const told = first === undefined ? await askServers(asker, followed) : await follow(asker, first, followed);
  return { ...told, notLookedAt: asker.notLookedAt };
}

interface Followed {
  readonly diagnosis: Diagnosis;
  readonly looked: readonly PodEvidence[];
  readonly namespaceFlag: string;
}

interface Begin extends Followed {
  /** Whom the subject needs. */
  readonly next: NextPeers | undefined;
  /** What is said of the subject. */
  readonly said: string;
}

/** Those who are needed, the nearest first, and the evidence of the last pod on the way; undefined: none was looked at. */
interface Way {
  readonly steps: readonly Step[];
  readonly last: PodEvidence | undefined;
  /** The UIDs of the pods on it. */
  readonly passed: ReadonlySet<string | undefined>;
}

async function follow(asker: Asker, first: Finding, followed: Followed): Promise<Diagnosis> {
  const { diagnosis, looked } = followed;
  const next = looked.map((evidence) => nextPeers(evidence, first.id)).find(({ services }) => services.length > 0);
  const { steps, last, passed } = await goOn(asker, { ...followed, next, said: first.says });
  const told = withRoot(diagnosis, steps);
  if (last === undefined) return told;
  const isWanted = podsBesideWanted(told, last);
  const isSickWanted = sickBesideWanted(told);
  if (!isWanted && !isSickWanted) return told;
  const pods = await podsBeside(asker, last.pod);
  const beside = isWanted ? withPodsBeside(told, last, pods) : told;
  return isSickWanted ? await withSick(asker, beside, { last, pods, passed }) : beside;
}

async function goOn(asker: Asker, { diagnosis, looked, namespaceFlag, ...begin }: Begin): Promise<Way> {
  const passed = new Set(looked.map(({ pod }) => pod.metadata?.uid));
  const steps: Step[] = [];
  let { next, said } = begin;
  let last = looked[0];
  while (next !== undefined && steps.length < MAX_CAUSE_STEPS) {
    const found = await firstInTrouble(asker, next, passed, (namespace) =>
      namespace === diagnosis.subject.namespace ? namespaceFlag : `-n ${namespace}`,
    );
    if (found === undefined || isSameTrouble(said, found.trouble)) break;
    said = found.trouble.says;
    last = found.evidence;
    steps.push({ object: ownerOf(found.evidence.pod) ?? `pod/${found.evidence.pod.metadata?.name ?? ''}`, ...found });
    next = nextPeers(found.evidence);
  }
  return { steps, last, passed };
}

/** The first of the peers with which something is wrong. @param passed the pods that were looked at; it is added to */
async function firstInTrouble(
  asker: Asker,
  next: NextPeers,
  passed: Set<string | undefined>,
  flagOf: (namespace: string) => string,
): Promise<{ readonly evidence: PodEvidence; readonly trouble: RankedFinding } | undefined> {
  for (const service of next.services) {
    const pod = await podBehind(asker, service);
    if (pod === undefined || passed.has(pod.metadata?.uid)) continue;
    passed.add(pod.metadata?.uid);
    const evidence = await gatherPod(asker, pod, { namespaceFlag: flagOf(service.namespace) });
    const trouble = troubleOf(evidence);
    if (trouble !== undefined && isMeant(next, trouble)) return { evidence, trouble };
  }
  return undefined;
}

interface Beside {
  /** The pod that the first finding is about. */
  readonly last: PodEvidence;
  readonly pods: readonly Pod[];
  readonly passed: ReadonlySet<string | undefined>;
}

async function withSick(asker: Asker, diagnosis: Diagnosis, { last, pods, passed }: Beside): Promise<Diagnosis> {
  const namespace = last.pod.metadata?.namespace ?? 'default';
  const found = await Promise.all(
    sickPods(pods, passed, urgency).map(async (pod): Promise<readonly SickBeside[]> => {
      const evidence = await gatherPod(asker, pod, { namespaceFlag: `-n ${namespace}` });
      const trouble = troubleOf(evidence);
      const object = ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`;
      return trouble === undefined || trouble.severity === 'info' ? [] : [{ object, evidence, trouble }];
    }),
  );
  return withSickBeside(diagnosis, last, found.flat());
}

function podsBeside(asker: Asker, { metadata }: Pod): Promise<readonly Pod[]> {
  const { namespace = 'default' } = metadata ?? {};
  return asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
}

/** The diagnosis of a pod that seems well, with what the servers that it uses complain of. */
async function askServers(asker: Asker, followed: Followed): Promise<Diagnosis> {
  const { diagnosis } = followed;
  const [looked] = followed.looked;
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
    if (pod === undefined || container === undefined || pod.metadata?.uid === looked.pod.metadata?.uid) continue;
    const lines = (await gatherLog(asker, pod, container.name, false)) ?? [];
    const object = ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`;
    const told = withComplaintOf(diagnosis, evidence, { object, lines, pods });
    if (told !== diagnosis) return told;
  }
  const { steps, passed } = await goOn(asker, { ...followed, next: peersOfWell(evidence, services), said: '' });
  if (steps.length > 0) return withRoot(diagnosis, steps);
  const beside = withPodsBeside(diagnosis, evidence, pods);
  return sickBesideWanted(beside) ? await withSick(asker, beside, { last: evidence, pods, passed }) : beside;
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
