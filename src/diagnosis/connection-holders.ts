/** Tells who may hold the connections of a server that has none left: another workload that uses it, with a pool of its own. Pure. */
import type { Pod } from './evidence/kinds.ts';
import type { Diagnosis } from './finding.ts';

const EXHAUSTED = 'connections-exhausted';
/** "statefulset/db behind service db has max_connections 12" */
const SERVER = / behind service ([a-z0-9-]{1,63}) has /;
const POOL =
  /(?:^|_)(?:POOL(?:_?SIZE)?|POOL_?MAX(?:_?SIZE)?|MAX_?POOL(?:_?SIZE)?|MAX_?CONN(?:ECTION)?S?|CONN(?:ECTION)?_?LIMIT)$/i;
const MAX_TOLD = 2;

/** The service whose connections are used up, by the first finding; undefined: it is about another thing. */
export function exhaustedService({ findings: [first] }: Pick<Diagnosis, 'findings'>): string | undefined {
  return first?.id === EXHAUSTED ? SERVER.exec(first.says)?.[1] : undefined;
}

/** The diagnosis, with the pods of others that name the service and have a pool, the largest first. */
export function withHolders(diagnosis: Diagnosis, own: Pod, pods: readonly Pod[]): Diagnosis {
  const service = exhaustedService(diagnosis);
  const [first, ...more] = diagnosis.findings;
  if (service === undefined || first === undefined) return diagnosis;
  const holders = pods
    .filter((pod) => pod.metadata?.uid !== own.metadata?.uid && !isOfServer(pod, service))
    .flatMap((pod) => poolOf(pod, service))
    .toSorted((a, b) => b.size - a.size)
    .slice(0, MAX_TOLD);
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
