/**
 * Diagnoses those whom the subject needs and that answer it with errors, one after the other, and tells the last of them first; asks those
 * whom it uses whether they complain of it where nothing seems wrong with it.
 */
import { type Pod, PODS, SERVICES } from '../../api/index.ts';
import {
  configsBesideWanted,
  type Diagnosis,
  type Finding,
  isRecovered,
  isSymptom,
  isToldAlready,
  nextPeers,
  peersOfWell,
  podsBesideWanted,
  type PodEvidence,
  type SickBeside,
  type Relations,
  selects,
  unmetName,
  sickBesideWanted,
  othersBeside,
  troubleOf,
  withComplaintOf,
  withPodsBeside,
  withRoot,
  withSickBeside,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { type Begin, goOn, objectOf, podBehind } from './follow-way.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherLog, gatherPod } from './gather-pod.ts';
import { MAX_CONFIGS, MAX_LISTED } from './limits.ts';
import { urgency } from './urgency.ts';
import { usedServers } from './used-servers.ts';

interface Followed extends Pick<Begin, 'looked' | 'flagOf'> {
  readonly diagnosis: Diagnosis;
}

/** @param looked the evidence about the pods of the subject, the first of which with such a peer is followed */
export async function followPeers(
  asker: Asker,
  diagnosis: Diagnosis,
  looked: readonly PodEvidence[],
  namespaceFlag: string,
): Promise<Diagnosis> {
  const [first] = diagnosis.findings;
  const { namespace: own } = diagnosis.subject;
  const flagOf = (namespace: string): string => (namespace === own ? namespaceFlag : `-n ${namespace}`);
  const followed: Followed = { diagnosis, looked, flagOf };
  const told =
    first === undefined
      ? await askServers(asker, followed)
      : isRecovered(first)
        ? await askBesideRecovered(asker, followed)
        : RUNS_ON.has(first.id)
          ? await askOfRun(asker, followed)
          : await follow(asker, first, followed);
  return { ...told, notLookedAt: asker.notLookedAt };
}

/** Findings about work that does not end, though nothing of it fails. */
const RUNS_ON: ReadonlySet<string> = new Set(['job-still-active']);

/** What a run waits for may stand with the servers that it uses. */
async function askOfRun(asker: Asker, followed: Followed): Promise<Diagnosis> {
  const [looked] = followed.looked;
  if (looked === undefined) return followed.diagnosis;
  const { services } = await usedServers(asker, looked);
  const { steps } = await goOn(asker, { ...followed, next: { services, guess: 'complaining' }, said: '' });
  return withRoot(followed.diagnosis, steps);
}

async function follow(asker: Asker, first: Finding, followed: Followed): Promise<Diagnosis> {
  const { diagnosis, looked } = followed;
  const next = looked.map((evidence) => nextPeers(evidence, first.id)).find(({ services }) => services.length > 0);
  const { steps, last, passed } = await goOn(asker, { ...followed, next, said: first.says });
  const told = next !== undefined && isToldAlready(first.says, next, steps) ? diagnosis : withRoot(diagnosis, steps);
  if (last === undefined) return told;
  const isWanted = podsBesideWanted(told, last);
  const isSickWanted = sickBesideWanted(told);
  if (!isWanted && !isSickWanted) return told;
  const pods = await podsBeside(asker, last.pod);
  const beside = isWanted ? await withNames(asker, told, last, pods) : told;
  return isSickWanted ? await withSick(asker, beside, { last, pods, passed }) : beside;
}

/** What it has got over may not be all: the rest is asked for as if that had not been, and is told first. */
async function askBesideRecovered(asker: Asker, followed: Followed): Promise<Diagnosis> {
  const { diagnosis } = followed;
  const { findings } = await askServers(asker, { ...followed, diagnosis: { ...diagnosis, findings: [] } });
  return { ...diagnosis, findings: [...findings, ...diagnosis.findings] };
}

interface Beside {
  /** The pod that the first finding is about. */
  readonly last: PodEvidence;
  readonly pods: readonly Pod[];
  readonly passed: ReadonlySet<string | undefined>;
  /** What the others may have to do with it. */
  readonly relations?: Relations;
}

async function withSick(
  asker: Asker,
  diagnosis: Diagnosis,
  { last, pods, passed, relations }: Beside,
): Promise<Diagnosis> {
  const namespace = last.pod.metadata?.namespace ?? 'default';
  const [first] = diagnosis.findings;
  const isSymptomTold = first !== undefined && isSymptom(first);
  const found = await Promise.all(
    othersBeside(pods, passed, urgency).map(async (pod): Promise<readonly SickBeside[]> => {
      const evidence = await gatherPod(asker, pod, { namespaceFlag: `-n ${namespace}` });
      const trouble = troubleOf(evidence);
      const isSmall = trouble?.severity === 'info' && !isSymptomTold;
      if (trouble === undefined || isSmall) return [];
      return [{ object: objectOf(pod), evidence, trouble, names: unmetName(evidence, pods, evidence.configs) }];
    }),
  );
  return withSickBeside(diagnosis, last, found.flat(), relations);
}

async function withNames(
  asker: Asker,
  diagnosis: Diagnosis,
  last: PodEvidence,
  pods: readonly Pod[],
): Promise<Diagnosis> {
  const wanted = configsBesideWanted(diagnosis, pods).slice(0, MAX_CONFIGS);
  const configs = await gatherConfigs(asker, last.pod.metadata?.namespace, wanted);
  return withPodsBeside(diagnosis, last, pods, configs);
}

function podsBeside(asker: Asker, { metadata }: Pod): Promise<readonly Pod[]> {
  const { namespace = 'default' } = metadata ?? {};
  return asker.list(`pods in namespace ${namespace}`, PODS, { namespace, limit: MAX_LISTED });
}

/** The services that lead to the pod. */
async function servicesOf(asker: Asker, { metadata }: Pod): Promise<readonly string[]> {
  const { namespace = 'default', labels } = metadata ?? {};
  const all = await asker.list(`services in namespace ${namespace}`, SERVICES, { namespace, limit: MAX_LISTED });
  return all.filter((service) => selects(service, labels)).flatMap((each) => each.metadata?.name ?? []);
}

/** The diagnosis of a pod that seems well, with what the servers that it uses complain of, or what is wrong with them. */
async function askServers(asker: Asker, followed: Followed): Promise<Diagnosis> {
  const { diagnosis } = followed;
  const [looked] = followed.looked;
  if (looked === undefined || looked.pod.status?.phase !== 'Running') return diagnosis;
  const { evidence, services } = await usedServers(asker, looked);
  const own = await servicesOf(asker, evidence.pod);
  if (services.length === 0 && own.length === 0) return diagnosis;
  const pods = await podsBeside(asker, evidence.pod);
  for (const service of services.filter(({ missing, ready }) => !missing && ready > 0)) {
    const pod = await podBehind(asker, service);
    const [container] = pod?.spec?.containers ?? [];
    if (pod === undefined || container === undefined || pod.metadata?.uid === looked.pod.metadata?.uid) continue;
    const lines = (await gatherLog(asker, pod, container.name, false)) ?? [];
    const told = withComplaintOf(diagnosis, evidence, { object: objectOf(pod), lines, pods });
    if (told !== diagnosis) return told;
  }
  const next = peersOfWell(evidence, services);
  const { steps, passed } = await goOn(asker, { ...followed, next, said: '' });
  if (steps.length > 0) return withRoot(diagnosis, steps, next.serves);
  // One that uses nobody meets nobody by a name.
  const beside = services.length === 0 ? diagnosis : await withNames(asker, diagnosis, evidence, pods);
  return sickBesideWanted(beside)
    ? await withSick(asker, beside, {
        last: evidence,
        pods,
        passed,
        relations: { used: services.map(({ name }) => name), own },
      })
    : beside;
}
