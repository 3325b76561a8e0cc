/** Gathers where a ready pod of a service listens, for one that is refused there, or says nothing of its trouble. */
import { isConditionTrue, PODS, type Service, SERVICES } from '../../api/index.ts';
import {
  declaredPorts,
  type HeardPort,
  type HeardWanted,
  heardWanted,
  type PodEvidence,
  type ServiceEvidence,
  targetOf,
} from '../../diagnosis/index.ts';
import { type Asker, found } from './ask.ts';
import { gatherListening } from './gather-listening.ts';
import { labelsText } from './gather-services.ts';
import { MAX_HEARD_ASKED, MAX_SERVICES } from './limits.ts';

/** The services of the evidence, with that of the ports that are worth asking for. */
export async function withHeard(asker: Asker, evidence: PodEvidence): Promise<readonly ServiceEvidence[]> {
  const wanted = heardWanted(evidence).filter(() => asker.mayTake('where pods of services listen', MAX_HEARD_ASKED));
  if (wanted.length === 0) return evidence.services;
  const all = await Promise.all(
    wanted.map(async (one) => ({ service: one.service, heard: await heardAt(asker, one) })),
  );
  return evidence.services.map((service) => {
    const heard = all.flatMap((each) => (each.service === service && each.heard !== undefined ? [each.heard] : []));
    return heard.length === 0 ? service : { ...service, heard };
  });
}

async function heardAt(asker: Asker, { service, port }: HeardWanted): Promise<HeardPort | undefined> {
  const { namespace, name, selector = {} } = service;
  const object: Service | undefined = found(await asker.get(`service/${name}`, SERVICES, namespace, name));
  const led = object?.spec?.ports?.find((each) => each.port === port && (each.protocol ?? 'TCP') === 'TCP');
  if (led === undefined) return undefined;
  const labelSelector = labelsText(Object.entries(selector));
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(
    ({ metadata, status }) => metadata?.deletionTimestamp === undefined && isConditionTrue(status?.conditions, 'Ready'),
  );
  if (pod === undefined) return undefined;
  const target = targetOf(pod, led) ?? String(led.targetPort);
  const declared = declaredPorts(pod)
    .filter(({ protocol = 'TCP' }) => protocol === 'TCP')
    .map((each) => (each.name === undefined ? String(each.containerPort) : `${each.name} ${each.containerPort}`));
  const listening = typeof target === 'string' ? undefined : await gatherListening(asker, pod);
  return { port, target, pod: pod.metadata?.name ?? '', listens: listening?.ports, declared };
}
