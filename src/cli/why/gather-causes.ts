/** Finds out why nothing answers behind a service: what is to be said of the pod behind it that looks worst. One step deep. */
import { PODS } from '../../api/index.ts';
import { diagnosePod, type PodEvidence, type ServiceEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_CAUSES, MAX_SERVICES } from './limits.ts';

export interface CauseOptions {
  /** Gathers what is known of a pod behind a service, without services behind that. */
  readonly gather: (pod: NonNullable<PodEvidence['pod']>) => Promise<PodEvidence>;
  /** A sort key of pods: higher looks worse. */
  readonly urgency: (pod: PodEvidence['pod']) => number;
  /** The pod that is asked about, which is no cause of its own. */
  readonly uid: string | undefined;
}

type Cause = ServiceEvidence['cause'];

/** Many pods of one question have one service behind them, which is looked at once. */
const ASKED = new WeakMap<Asker, Map<string, Promise<Cause>>>();

/** The services, with the cause of those of which nothing is ready although there are pods behind them. */
export async function withCauses(
  asker: Asker,
  services: readonly ServiceEvidence[],
  options: CauseOptions,
): Promise<readonly ServiceEvidence[]> {
  const known = ASKED.get(asker) ?? new Map<string, Promise<Cause>>();
  ASKED.set(asker, known);
  return await Promise.all(
    services.map(async (service) => {
      if (service.missing || service.ready > 0 || service.selector === undefined || service.nobody !== undefined)
        return service;
      const key = `${service.namespace}/${service.name}`;
      const asked = known.get(key);
      if (asked === undefined && known.size >= MAX_CAUSES) return service;
      const wanted = asked ?? causeOf(asker, service, options);
      known.set(key, wanted);
      const cause = await wanted;
      return cause === undefined ? service : { ...service, cause };
    }),
  );
}

async function causeOf(
  asker: Asker,
  { namespace, selector = {} }: ServiceEvidence,
  { gather, urgency, uid }: CauseOptions,
): Promise<Cause> {
  const labelSelector = Object.entries(selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const [worst] = pods
    .filter(({ metadata }) => metadata?.uid !== uid && metadata?.deletionTimestamp === undefined)
    .toSorted((a, b) => urgency(b) - urgency(a));
  if (worst === undefined) return undefined;
  const { findings } = diagnosePod(await gather(worst));
  const first = findings.find(({ severity }) => severity !== 'info');
  return first === undefined ? undefined : { pod: worst.metadata?.name ?? '', says: first.says };
}
