/**
 * Finds out why nothing answers behind a service: what is to be said of the pod behind it that looks worst, and, where that pod only
 * waits for another service, of the pod behind that one.
 */
import { PODS } from '../../api/index.ts';
import {
  causeOfPod,
  isOfPod,
  type PodEvidence,
  type ServiceCause,
  type ServiceEvidence,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { labelsText } from './gather-services.ts';
import { MAX_CAUSE_STEPS, MAX_CAUSES, MAX_SERVICES } from './limits.ts';

export interface CauseOptions {
  /** Gathers what is known of a pod behind a service, without the causes of services behind that. */
  readonly gather: (pod: PodEvidence['pod']) => Promise<PodEvidence>;
  /** A sort key of pods: higher looks worse. */
  readonly urgency: (pod: PodEvidence['pod']) => number;
  /** The pod that is asked about, which is no cause of its own. */
  readonly asked: PodEvidence['pod'];
}

/**
 * Many pods of one question have one service behind them, whose worst pod is looked at once. What is kept never waits for another
 * service, so services that need each other do not wait for each other here.
 */
const LOOKED = new WeakMap<Asker, Map<string, Promise<PodEvidence | undefined>>>();

/** The services, with the cause of those of which nothing is ready although there are pods behind them. */
export async function withCauses(
  asker: Asker,
  services: readonly ServiceEvidence[],
  options: CauseOptions,
): Promise<readonly ServiceEvidence[]> {
  return await Promise.all(services.map((service) => withCause(asker, service, options, [])));
}

/** @param passed the services on the way to this one, which are not looked into again */
async function withCause(
  asker: Asker,
  service: ServiceEvidence,
  options: CauseOptions,
  passed: readonly string[],
): Promise<ServiceEvidence> {
  const key = keyOf(service);
  if (!isAway(service) || passed.includes(key) || passed.length >= MAX_CAUSE_STEPS) return service;
  const looked = await worstBehind(asker, service, options);
  if (looked === undefined || looked.pod.metadata?.uid === options.asked.metadata?.uid) return service;
  const way = [...passed, key];
  const services = await Promise.all(looked.services.map((each) => withCause(asker, each, options, way)));
  const cause = causeFrom({ ...looked, services }, options, way);
  return cause === undefined ? service : { ...service, cause };
}

/** The cause of a service, from the evidence about its worst pod. */
function causeFrom(evidence: PodEvidence, { asked }: CauseOptions, way: readonly string[]): ServiceCause | undefined {
  const found = causeOfPod(evidence);
  if (found === undefined) return undefined;
  const pod = evidence.pod.metadata?.name ?? '';
  const next = evidence.services.find(
    (service) =>
      keyOf(service) === found.blames || (service.cause?.root !== undefined && service.cause.root === found.blames),
  );
  if (next === undefined || !isAway(next)) return { pod, says: found.says };
  const step = { pod, service: next.name };
  if (way.includes(keyOf(next)) || isOfPod(next, asked)) return { pod, says: '', through: [step], isCircle: true };
  if (next.cause === undefined) return { pod, says: found.says };
  return { ...next.cause, root: next.cause.root ?? keyOf(next), through: [step, ...(next.cause.through ?? [])] };
}

function keyOf({ namespace, name }: Pick<ServiceEvidence, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`;
}

/** Whether there are pods behind it, and none of them is ready. */
function isAway({ missing, ready, selector, nobody }: ServiceEvidence): boolean {
  return !missing && ready === 0 && selector !== undefined && nobody === undefined;
}

/** What is known of the pod behind a service that looks worst. */
async function worstBehind(
  asker: Asker,
  service: ServiceEvidence,
  options: CauseOptions,
): Promise<PodEvidence | undefined> {
  const known = LOOKED.get(asker) ?? new Map<string, Promise<PodEvidence | undefined>>();
  LOOKED.set(asker, known);
  const key = keyOf(service);
  const asked = known.get(key);
  if (asked !== undefined) return await asked;
  if (known.size >= MAX_CAUSES) return undefined;
  const looked = lookBehind(asker, service, options);
  known.set(key, looked);
  return await looked;
}

async function lookBehind(
  asker: Asker,
  { namespace, selector = {} }: ServiceEvidence,
  { gather, urgency }: CauseOptions,
): Promise<PodEvidence | undefined> {
  const labelSelector = labelsText(Object.entries(selector));
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const [worst] = pods
    .filter(({ metadata }) => metadata?.deletionTimestamp === undefined)
    .toSorted((a, b) => urgency(b) - urgency(a));
  return worst === undefined ? undefined : await gather(worst);
}
