/** Rule: the controller cannot create pods: quota, limit ranges, admission. */
import { compareQuantities, type ResourceQuota } from '../../api/index.ts';
import { nearNames } from '../../lib/index.ts';
import type { Event } from '../evidence/kinds.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../facts/pod/events.ts';
import { because } from '../facts/words/innermost.ts';
import { listed, plural } from '../facts/words/text.ts';
import type { RankedFinding } from '../finding.ts';
import { NOTHING } from '../rule.ts';
import { scopesText } from './quota-scopes.ts';
import { updatedPods } from './rollout-progress.ts';
import type { WorkloadFacts } from './workload-facts.ts';

interface Kind {
  readonly id: string;
  readonly pattern: RegExp;
  readonly says: (match: RegExpExecArray, facts: WorkloadFacts) => string;
  readonly try: (facts: WorkloadFacts, match: RegExpExecArray) => readonly string[];
}

const KINDS: readonly Kind[] = [
  {
    id: 'quota-exceeded',
    pattern: /exceeded quota: ([^,\s]{1,300})(.{0,2000})|failed quota: ([^:\s]{1,300})(?:: must specify (.{1,600}))?/,
    says: ([, exceeded, figures = '', failed, fields], { evidence: { quotas } }) =>
      exceeded === undefined
        ? `quota ${failed}${scopesText(quotaOf(quotas, failed))} wants its pods to name ${fields === undefined ? 'requests or limits' : unnamed(fields)}`
        : `quota ${exceeded} of its namespace${scopesText(quotaOf(quotas, exceeded))} ${leftOf(figures, quotaOf(quotas, exceeded))}${usage(figures)}`,
    try: ({ kubectl }, [, exceeded, , failed]) => [
      kubectl('describe', 'resourcequota', exceeded ?? failed ?? ''),
      kubectl('get', 'resourcequota'),
    ],
  },
  {
    id: 'limit-range',
    pattern: /(?:(?:maximum|minimum) \S{1,100} usage per|\S{1,100} max limit to request ratio per).{1,400}/i,
    says: ([said = ''], facts) => {
      const name = limitRangeOf(facts, said);
      const who = name === undefined ? 'a LimitRange of its namespace' : `LimitRange ${name} of its namespace`;
      return `${who} forbids what they ask for: ${said.replace(/[\].]+$/, '')}`;
    },
    try: (facts, [said = '']) => {
      const name = limitRangeOf(facts, said);
      return [facts.kubectl('describe', ...(name === undefined ? ['limitranges'] : ['limitrange', name]))];
    },
  },
  {
    id: 'pod-security',
    pattern: /violates PodSecurity "([^"]+)"/,
    says: ([, level]) => `its namespace enforces pod security ${level ?? ''}`,
    try: ({ kubectl, cluster, namespace, target }) => [
      cluster('get', 'namespace', namespace, '--show-labels'),
      kubectl('edit', target),
    ],
  },
  {
    id: 'service-account-missing',
    pattern: /error looking up service account [^/]+\/([^:\s]+)|serviceaccount "([^"]+)" not found/i,
    says: ([, looked, missing = ''], { evidence: { accounts = [] } }) => {
      const name = looked ?? missing;
      const near = nearNames(name, accounts);
      return `there is no ServiceAccount ${name}${near.length === 0 ? '' : `; there is ${listed(near)}`}`;
    },
    try: ({ kubectl }, [, looked, missing]) => [kubectl('create', 'serviceaccount', looked ?? missing ?? '')],
  },
  {
    id: 'admission-denied',
    pattern: /admission webhook "([^"]+)"|failed calling webhook "([^"]+)"|ValidatingAdmissionPolicy '([^']+)'/,
    says: ([, denied, failed, policy]) =>
      failed === undefined
        ? `${denied ?? policy ?? 'an admission rule'} denies them`
        : `webhook ${failed} does not answer`,
    try: ({ cluster }) => [cluster('get', 'validatingwebhookconfigurations,mutatingwebhookconfigurations')],
  },
  {
    id: 'priority-class-missing',
    pattern: /no PriorityClass with name (\S+)/,
    says: ([, name]) => `there is no PriorityClass ${name ?? ''}`,
    try: ({ cluster }) => [cluster('get', 'priorityclasses')],
  },
];

/** The words of a refusal by a LimitRange. */
export const LIMIT_RANGE_REFUSAL =
  /(?:(maximum|minimum) (\S{1,100}) usage|(\S{1,100}) max limit to request ratio) per (\w{1,60}) is ([^\s,]{1,60})/i;

/** Whether a service account is missing, so that the names of others are worth reading. */
export const ACCOUNT_REFUSAL = /error looking up service account|serviceaccount "[^"]+" not found/i;

/** The only LimitRange of the namespace that has such a limit; of several the only one with this amount. */
function limitRangeOf({ evidence: { limitRanges = [] } }: WorkloadFacts, said: string): string | undefined {
  const match = LIMIT_RANGE_REFUSAL.exec(said);
  if (match === null) return undefined;
  const [, bound, used, ratio, type = '', amount = ''] = match;
  const field = ratio !== undefined ? 'maxLimitRequestRatio' : bound?.toLowerCase() === 'maximum' ? 'max' : 'min';
  const resource = used ?? ratio ?? '';
  const found = limitRanges.flatMap(({ metadata, spec }) =>
    (spec?.limits ?? []).flatMap((limit) => {
      const own = limit.type === type ? limit[field]?.[resource] : undefined;
      return own === undefined ? [] : [{ name: metadata?.name, own }];
    }),
  );
  const exact = found.length > 1 ? found.filter(({ own }) => isSame(own, amount)) : found;
  return exact.length === 1 ? exact[0]?.name : undefined;
}

function isSame(a: string, b: string): boolean {
  try {
    return compareQuantities(a, b) === 0;
  } catch {
    return a === b;
  }
}

function quotaOf(quotas: readonly ResourceQuota[] = [], name: string | undefined): ResourceQuota | undefined {
  return quotas.find(({ metadata }) => metadata?.name === name);
}

/** Whether a quota refuses pods, so that its scopes are worth reading. */
export const QUOTA_REFUSAL = /exceeded quota: |failed quota: /;

/** "is used up", "has not enough left", or "allows none of them", of a quota that keeps a kind of pods away. */
function leftOf(figures: string, quota: ResourceQuota | undefined): string {
  const [used, limited] = ['used', 'limited'].map((word) => amounts(figures, word));
  const most = [...(limited ?? [])];
  if (most.length > 0 && most.every(([, amount]) => amount === '0'))
    return `allows none of them${quota === undefined ? ' (if it has scopes, such as BestEffort, it holds for pods of these alone)' : ''}`;
  const isFull = most.some(([resource, amount]) => isSame(used?.get(resource) ?? '', amount));
  return isFull || most.length === 0 ? 'is used up' : 'has not enough left';
}

/** ": each asks for requests.memory 400Mi, and 800Mi of 1Gi are in use", of ", requested: …, used: …, limited: …". */
function usage(figures: string): string {
  const [requested, used, limited] = ['requested', 'used', 'limited'].map((word) => amounts(figures, word));
  const parts = [...(requested ?? [])].flatMap(([resource, amount]) => {
    const [inUse, most] = [used?.get(resource), limited?.get(resource)];
    return inUse === undefined || most === undefined
      ? []
      : [`${resource} ${amount} more, and ${inUse} of ${most} are in use`];
  });
  return parts.length === 0 ? '' : `: each asks for ${listed(parts)}`;
}

/** The amounts behind a word, by resource: "used: pods=2,requests.cpu=1". */
function amounts(figures: string, word: string): ReadonlyMap<string, string> {
  const text = new RegExp(String.raw`\b${word}: ([^ ]{1,600}?)(?:, |$)`).exec(figures)?.[1] ?? '';
  return new Map(
    text.split(',').flatMap((pair) => {
      const [resource, amount] = pair.split('=');
      return resource === undefined || amount === undefined ? [] : [[resource, amount] as const];
    }),
  );
}

/** "limits.memory (container web)", of "limits.memory for: web; requests.cpu for: web". */
function unnamed(fields: string): string {
  return listed(
    fields.split(';').map((each) => {
      const [field = '', names] = each.trim().split(' for: ');
      return names === undefined ? field : `${field} (container ${names.replaceAll(',', ', ')})`;
    }),
  );
}

/** A refusal counts only while pods are missing, or are still to be replaced by the maker that it was told to. */
export function createFailed(facts: WorkloadFacts): readonly RankedFinding[] {
  if (facts.missing === 0 && !facts.rollingOut) return NOTHING;
  const { events } = facts.evidence;
  const [event] = eventsWith(events, 'FailedCreate');
  if (event === undefined || (facts.missing === 0 && isOvercome(event, events))) return NOTHING;
  return [finding(facts, event)];
}

/** Its maker has made a pod since. */
function isOvercome(failed: Event, events: readonly Event[]): boolean {
  return eventsWith(events, 'SuccessfulCreate').some(
    (event) => event.involvedObject.name === failed.involvedObject.name && lastSeenMs(event) >= lastSeenMs(failed),
  );
}

function finding(facts: WorkloadFacts, event: Event): RankedFinding {
  const message = event.message ?? '';
  for (const kind of KINDS) {
    const match = kind.pattern.exec(message);
    if (match !== null) return create(facts, event, kind.id, kind.says(match, facts), kind.try(facts, match));
  }
  return create(facts, event, 'create-failed', `the server refuses them${because(refusal(message))}`, [
    facts.kubectl('describe', facts.target),
  ]);
}

/** Without "Error creating:" and the kind, name or "is forbidden" that stand before the reason. */
function refusal(message: string): string {
  return message.replace(/^Error creating: /, '').replace(/^pods? "[^"]{0,300}" is (?:forbidden|invalid): /i, '');
}

function lackText({ target, missing, wanted, evidence }: WorkloadFacts): string {
  if (missing > 0) return `${target} lacks ${missing} of ${wanted} pods`;
  return `the rollout of ${target} does not come on: ${updatedPods(evidence.workload)} of ${wanted} pods have its newest template, and it wants one more first (maxSurge)`;
}

/** " (claim data-broker-2 of pod broker-2)", of what a StatefulSet cannot make first. */
function claimText(message: string): string {
  const [, claim, pod] = /^create Claim (\S{1,253}) for Pod (\S{1,253}) /.exec(message) ?? [];
  return claim === undefined || pod === undefined ? '' : ` (claim ${claim} of pod ${pod})`;
}

/** What its older pods take of a quota, while they wait for the newer ones. */
function ownText({ missing, evidence, wanted, target }: WorkloadFacts, id: string): string {
  if (id !== 'quota-exceeded' || missing > 0) return '';
  const old = wanted - updatedPods(evidence.workload);
  return old <= 0
    ? ''
    : `; ${plural(old, 'older pod')} of ${target} ${old === 1 ? 'is' : 'are'} among them, and ${old === 1 ? 'goes' : 'go'} only when a new one is ready`;
}

function create(facts: WorkloadFacts, event: Event, id: string, why: string, next: readonly string[]): RankedFinding {
  const { kind = '', name = '' } = event.involvedObject;
  return {
    id,
    severity: 'critical',
    rank: 96,
    topic: 'create',
    says: `${lackText(facts)}, which cannot be made${claimText(event.message ?? '')}: ${why}${ownText(facts, id)}`,
    evidence: [
      quoteEvent(event, `${kind.toLowerCase()}/${name}`),
      { source: 'field', path: facts.wantedPath, value: String(facts.wanted) },
    ],
    try: next,
  };
}
