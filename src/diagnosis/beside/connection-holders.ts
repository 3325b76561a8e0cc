/** Tells who may hold the connections of a server that has none left: another workload that uses it, with a pool of its own. Pure. */
import { mostConnections } from '../../log-analysis/index.ts';
import { podFindings } from '../diagnose-pod.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { serverOf } from '../facts/servers/server-peers.ts';
import { withTriesAsEnds } from '../facts/words/tries-as-ends.ts';
import type { Diagnosis } from '../finding.ts';

const EXHAUSTED = 'connections-exhausted';
const POOL =
  /(?:^|_)(?:POOL(?:_?SIZE)?|POOL_?MAX(?:_?SIZE)?|MAX_?POOL(?:_?SIZE)?|MAX_?CONN(?:ECTION)?S?|CONN(?:ECTION)?_?LIMIT)$/i;
const MAX_TOLD = 2;

/** The service whose connections are used up, by the first finding of a pod; undefined: that is about another thing. */
export function exhaustedService(evidence: PodEvidence): string | undefined {
  const facts = podFacts(evidence);
  const [first] = podFindings(facts);
  if (first?.id !== EXHAUSTED) return undefined;
  const container = withTriesAsEnds(facts).containers.find(({ name }) => name === first.container);
  return container && serverOf(evidence, container)?.name;
}

/** The diagnosis, with the pods of others that name the service and have a pool, the largest first. @param evidence the pod that gets no connection */
export function withHolders(diagnosis: Diagnosis, evidence: PodEvidence, pods: readonly Pod[]): Diagnosis {
  const service = exhaustedService(evidence);
  const [first, ...more] = diagnosis.findings;
  if (service === undefined || first === undefined) return diagnosis;
  const holders = pods
    .filter(({ metadata }) => metadata?.uid !== evidence.pod.metadata?.uid)
    .filter((pod) => !isOfServer(pod, service))
    .flatMap((pod) => poolOf(pod, service))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MAX_TOLD);
  const lines = evidence.services.find(({ name }) => name === service)?.server?.lines ?? [];
  const most = mostConnections(lines);
  if (most !== undefined)
    return {
      ...diagnosis,
      findings: [
        { ...first, says: `${first.says}; ${most.who}, has ${most.count} of them open, as its log tells` },
        ...more,
      ],
    };
  if (holders.length === 0) return diagnosis;
  const says = holders.map(
    ({ pod, variable, size }) => `pod ${pod} may hold ${size} of them (its variable ${variable})`,
  );
  return { ...diagnosis, findings: [{ ...first, says: `${first.says}; ${says.join(', and ')}` }, ...more] };
}

/** A server itself may have a variable that is called so. */
function isOfServer({ metadata }: Pod, service: string): boolean {
  return metadata?.name?.startsWith(`${service}-`) === true;
}

function poolOf(
  pod: Pod,
  service: string,
): readonly { readonly pod: string; readonly variable: string; readonly size: number }[] {
  return (pod.spec?.containers ?? []).flatMap(({ env = [], command = [], args = [] }) => {
    const texts = [...env.map(({ value = '' }) => value), ...command, ...args];
    if (!texts.some((text) => namesHost(text, service))) return [];
    return env
      .filter(({ name, value = '' }) => POOL.test(name) && /^\d{1,5}$/.test(value))
      .map(({ name, value }) => ({ pod: pod.metadata?.name ?? '', variable: name, size: Number(value) }));
  });
}

/** "host=db", "@db:5432", "db.shop.svc"; not "other-db". */
function namesHost(text: string, service: string): boolean {
  return new RegExp(`(?:^|[\\s=/@,'":])${service}(?=$|[\\s:/,'";?.])`).test(text);
}
