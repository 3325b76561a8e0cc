/**
 * Finds names by which two programs would meet in a server that they both use, and that are nearly the same: the queue "emails" of one, and
 * "email" of the other. No error tells of it: each works, and neither hears of the other. Pure.
 */
import { controllerOf } from '../../api/index.ts';
import { nearNames } from '../../lib/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence } from '../evidence/pod-evidence.ts';
import { environmentOf } from '../facts/variables/environment.ts';
import type { Diagnosis } from '../finding.ts';

export interface AgreedName {
  readonly kind: string;
  readonly value: string;
  /** "its variable TASK_QUEUE", "--queues of its command" */
  readonly where: string;
}

/** What is named, by the words of variables and flags; those of one kind are compared. */
const KINDS: readonly (readonly [kind: string, words: RegExp])[] = [
  ['queue', /^(?:queues?|topics?|subjects?|channels?|streams?|exchanges?|tubes?|routing_?keys?)$/i],
  ['bucket', /^buckets?$/i],
  ['audience', /^(?:audiences?|aud)$/i],
  ['issuer', /^(?:issuers?|iss)$/i],
  ['realm', /^realms?$/i],
  ['vhost', /^vhosts?$/i],
  ['prefix', /^(?:key|cache|redis)_?prefix$/i],
];
/** Words behind the one that says what is named: QUEUE_NAME. */
const BEHIND = /^(?:name|id|arn)$/i;
const FLAG =
  /(?:^|\s)(-Q|--(?:[a-z]{1,20}-)?(?:queues?|topics?|subjects?|channels?|streams?|exchanges?|buckets?|tubes?|vhost|audience|issuer|realm)(?:-name)?)[ =]["']?([^\s"';&|]{2,200})/g;
const VALUE = /^[\w.:/-]{3,120}$/;
/** One letter of so many may differ. */
const ONE_IN = 4;
/** Shorter words differ in meaning by a letter. */
const MIN_WORD = 4;
const MAX_PODS = 200;

/** The findings that tell no cause: of them such a name may be one. */
const PLAIN = /^(?:fails-again|exit-code|dependency-times-out)$/;

/** "its variable TASK_QUEUE is "emails", and pod mail-1 has "email" (-Q of its command): …"; undefined: no two names are nearly the same. @param configs the ConfigMaps of which they have variables */
export function nearlyAgreed(
  own: Pod,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[] = [],
): string | undefined {
  const owner = controllerOf(own)?.uid;
  const others = pods
    .filter(
      (pod) => pod.metadata?.uid !== own.metadata?.uid && (owner === undefined || controllerOf(pod)?.uid !== owner),
    )
    .slice(0, MAX_PODS)
    .map((pod) => ({ pod: pod.metadata?.name ?? '', names: namesOf(pod, configs) }));
  for (const { kind, value, where } of namesOf(own, configs)) {
    const same = others.flatMap(({ pod, names }) =>
      names.filter((each) => each.kind === kind).map((each) => ({ pod, ...each })),
    );
    if (same.some((each) => each.value === value)) continue;
    const near = same.find((each) => isNear(value, each.value));
    if (near !== undefined) {
      return `${where} is ${JSON.stringify(maskSecrets(value))}, and pod ${near.pod} has ${JSON.stringify(maskSecrets(near.value))} (${near.where}), which may be meant to be the same ${kind}`;
    }
  }
  return undefined;
}

/** Whether its first finding only says what happens. */
export function tellsNoCause({ findings: [first] }: Pick<Diagnosis, 'findings'>): boolean {
  return first !== undefined && PLAIN.test(first.id);
}

/** The diagnosis; its first finding is told with the names where it tells no cause, and is a note of them where there is none. */
export function withNearlyAgreed(diagnosis: Diagnosis, text: string | undefined): Diagnosis {
  const [first, ...more] = diagnosis.findings;
  if (text === undefined) return diagnosis;
  if (first === undefined) {
    const says = `it may wait for what another one sends elsewhere: ${text}`;
    return { ...diagnosis, findings: [{ id: 'names-differ', severity: 'info', says, evidence: [], try: [] }] };
  }
  return tellsNoCause(diagnosis)
    ? { ...diagnosis, findings: [{ ...first, says: `${first.says}; ${text}` }, ...more] }
    : diagnosis;
}

/** The names in the variables and commands of a pod by which it meets others. */
export function namesOf({ spec }: Pod, configs: readonly ConfigEvidence[]): readonly AgreedName[] {
  return (spec?.containers ?? []).flatMap((container) => [
    ...environmentOf(container, configs).flatMap(({ name, value }) => {
      const kind = kindOf(name.split('_'));
      return kind === undefined
        ? []
        : valuesOf(value).map((each) => ({ kind, value: each, where: `its variable ${name}` }));
    }),
    ...[...[...(container.command ?? []), ...(container.args ?? [])].join(' ').matchAll(FLAG)].flatMap(
      ([, flag = '', value = '']) => {
        const kind = flag === '-Q' ? 'queue' : kindOf(flag.replace(/^--/, '').split('-'));
        return kind === undefined
          ? []
          : valuesOf(value).map((each) => ({ kind, value: each, where: `${flag} of its command` }));
      },
    ),
  ]);
}

/** By the last words: TASK_QUEUE, QUEUE_NAME, KEY_PREFIX. */
function kindOf(words: readonly string[]): string | undefined {
  const kept = BEHIND.test(words.at(-1) ?? '') ? words.slice(0, -1) : words;
  const ends = [kept.slice(-1).join('_'), kept.slice(-2).join('_')];
  return KINDS.find(([, pattern]) => ends.some((end) => pattern.test(end)))?.[0];
}

function valuesOf(value: string): readonly string[] {
  return value.split(',').flatMap((each) => (VALUE.test(each.trim()) ? [each.trim()] : []));
}

/** Names of several things are seldom so much alike: "orders-eu" and "orders-us" are, and end with another word. */
function isNear(one: string, other: string): boolean {
  const bare = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  if (bare(one) === bare(other)) return one !== other;
  const [a, b] = [one, other].map((text) => text.split(/[^A-Za-z0-9]+/));
  if (a === undefined || b === undefined || a.length !== b.length) return false;
  const differing = a.flatMap((word, at) => (word === b[at] ? [] : [[word, b[at] ?? ''] as const]));
  return differing.length === 1 && differing.every(([mine, theirs]) => isSlip(mine, theirs));
}

/** A plural, or a letter of many. */
function isSlip(mine: string, theirs: string): boolean {
  if (/\d/.test(mine) || /\d/.test(theirs)) return false;
  if (Math.min(mine.length, theirs.length) < MIN_WORD || Math.abs(mine.length - theirs.length) > 2) return false;
  return `${mine}s` === theirs || mine === `${theirs}s` || nearNames(mine, [theirs], ONE_IN).length > 0;
}
