/** Tells whose clock may be behind a token that is refused as one of the future: a workload with a time zone of its own. Pure. */
import type { Pod } from '../evidence/kinds.ts';
import type { Diagnosis } from '../finding.ts';

/** Tokens and certificates have their times in UTC; one who writes local time there is ahead or behind. */
const OF_FUTURE =
  /\bnot yet valid\b|\bImmatureSignature\b|\bissued in the future\b|\bused (?:too early|before issued)\b|\bnot active (?:yet|before)\b|\bnotBefore\b|\b(?:iat|nbf)\b/i;
/** "Europe/Berlin", "CET-1CEST"; what else stands there is none. */
const ZONE = /^:?[A-Za-z][\w+/-]{1,60}$/;
const UTC = /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal)$/i;

/** Whether the first finding is about a token of the future. */
export function isOfFuture({ findings: [first] }: Pick<Diagnosis, 'findings'>): boolean {
  return first !== undefined && OF_FUTURE.test(first.says);
}

/** The diagnosis, with the only pod of another zone than UTC. */
export function withClock(diagnosis: Diagnosis, pods: readonly Pod[]): Diagnosis {
  const [first, ...more] = diagnosis.findings;
  if (first === undefined || !isOfFuture(diagnosis)) return diagnosis;
  const zoned = pods.flatMap(({ metadata, spec }) =>
    (spec?.containers ?? []).flatMap(({ env = [] }) => {
      const zone = env.find(({ name }) => name === 'TZ')?.value ?? '';
      return !ZONE.test(zone) || UTC.test(zone) ? [] : [{ pod: metadata?.name ?? '', zone }];
    }),
  );
  const zones = new Set(zoned.map(({ zone }) => zone));
  const [only] = zoned;
  if (only === undefined || zones.size > 1) return diagnosis;
  const says = `pod ${only.pod} has the time zone ${only.zone} (TZ), and times of tokens are in UTC`;
  return { ...diagnosis, findings: [{ ...first, says: `${first.says}; ${says}` }, ...more] };
}
