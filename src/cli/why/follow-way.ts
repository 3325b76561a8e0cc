/** Goes from a pod to those whom it needs, and from those to theirs, as long as something is wrong there. */
import { type Pod, PODS } from '../../api/index.ts';
import {
  isMeant,
  isSameTrouble,
  type NextPeers,
  nextPeers,
  ownerOf,
  peersOfWell,
  type PodEvidence,
  type RankedFinding,
  type ServiceEvidence,
  type Step,
  troubleOf,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherPod } from './gather-pod.ts';
import { labelsText } from './gather-services.ts';
import { MAX_CAUSE_STEPS, MAX_SERVICES } from './limits.ts';
import { urgency } from './urgency.ts';
import { usedServers } from './used-servers.ts';

/** Those who are needed, the nearest first, and the evidence of the last pod on the way; undefined: none was looked at. */
export interface Way {
  readonly steps: readonly Step[];
  readonly last: PodEvidence | undefined;
  /** The UIDs of the pods on it. */
  readonly passed: ReadonlySet<string | undefined>;
}

export interface Begin {
  readonly looked: readonly PodEvidence[];
  /** Whom the subject needs. */
  readonly next: NextPeers | undefined;
  /** What is said of the subject. */
  readonly said: string;
  /** The option that suggested commands have for a namespace. */
  readonly flagOf: (namespace: string) => string;
}

export async function goOn(asker: Asker, { looked, flagOf, ...begin }: Begin): Promise<Way> {
  const passed = new Set(looked.map(({ pod }) => pod.metadata?.uid));
  const steps: Step[] = [];
  let { next, said } = begin;
  let last = looked[0];
  for (let count = 0; next !== undefined && count < MAX_CAUSE_STEPS; count += 1) {
    const { found, well } = await firstInTrouble(asker, next, passed, flagOf);
    if (found !== undefined) {
      if (isSameTrouble(said, found.trouble)) break;
      said = found.trouble.says;
      last = found.evidence;
      steps.push({ object: objectOf(found.evidence.pod), trouble: found.trouble });
      next = nextPeers(found.evidence);
    } else if (next.mayPass === true && well !== undefined) {
      // It waits itself, and says nothing of it.
      const used = await usedServers(asker, well);
      last = used.evidence;
      steps.push({ object: objectOf(well.pod) });
      next = { ...peersOfWell(used.evidence, used.services), guess: 'complaining' };
    } else break;
  }
  return { steps: steps.slice(0, steps.findLastIndex(({ trouble }) => trouble !== undefined) + 1), last, passed };
}

interface Looked {
  readonly found?: { readonly evidence: PodEvidence; readonly trouble: RankedFinding };
  /** The first with which nothing is wrong. */
  readonly well?: PodEvidence;
}

/** The first of the peers with which something is wrong. @param passed the pods that were looked at; it is added to */
async function firstInTrouble(
  asker: Asker,
  next: NextPeers,
  passed: Set<string | undefined>,
  flagOf: Begin['flagOf'],
): Promise<Looked> {
  let well: PodEvidence | undefined;
  for (const service of next.services) {
    const pod = await podBehind(asker, service);
    if (pod === undefined || passed.has(pod.metadata?.uid)) continue;
    passed.add(pod.metadata?.uid);
    const evidence = await gatherPod(asker, pod, { namespaceFlag: flagOf(service.namespace) });
    const trouble = troubleOf(evidence);
    if (trouble !== undefined && isMeant(next, trouble)) return { found: { evidence, trouble } };
    well ??= evidence;
  }
  return well === undefined ? {} : { well };
}

/** "deployment/api" */
export function objectOf(pod: Pod): string {
  return ownerOf(pod) ?? `pod/${pod.metadata?.name ?? ''}`;
}

/** The pod behind the service that looks worst. */
export async function podBehind(asker: Asker, { namespace, selector = {} }: ServiceEvidence): Promise<Pod | undefined> {
  const labelSelector = labelsText(Object.entries(selector));
  if (labelSelector === '') return undefined;
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  return pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .toSorted((a, b) => urgency(b) - urgency(a))[0];
}
