/** What the pull secrets of a pod say about a registry that refuses it: absent, for another registry, unreadable, or changed. */
import { anyOf } from '../../../log-analysis/index.ts';
import { parseTime } from '../../../lib/index.ts';
import type { Pod } from '../../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import type { ConfigReference } from '../../facts/configs/config-references.ts';
import { eventsWith, quoteEvent } from '../../facts/pod/events.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { formatAge, listed } from '../../facts/words/text.ts';
import type { Quote } from '../../finding.ts';

/** What registries answer to credentials that are wrong or missing. */
export const REFUSED_PULL = anyOf(
  /\b401\b/i,
  /\b403\b/i,
  /unauthorized/i,
  /authentication required/i,
  /authorization failed/i,
  /access (?:to the requested resource )?(?:is )?(?:denied|forbidden)/i,
  /insufficient_scope/i,
  /no basic auth/i,
  /pull access denied/i,
);

/** Whether a registry refuses an image of the pod, so that its pull secrets are worth reading. */
export function isRefusedImage({ pod, events }: Pick<PodEvidence, 'pod' | 'events'>): boolean {
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  const waits = statuses.filter(({ state }) =>
    /^(?:ErrImagePull|ImagePullBackOff)$/.test(state?.waiting?.reason ?? ''),
  );
  if (waits.length === 0) return false;
  const said = [
    ...waits.map(({ state }) => state?.waiting?.message ?? ''),
    ...eventsWith(events, 'Failed').map(({ message = '' }) => message),
  ];
  return said.some((text) => REFUSED_PULL.test(text));
}

export function pullSecrets({ spec }: Pod): readonly ConfigReference[] {
  const names = new Set(
    (spec?.imagePullSecrets ?? []).flatMap(({ name }) => (name === undefined || name === '' ? [] : [name])),
  );
  return [...names].map((name) => ({ kind: 'Secret', name }));
}

export interface SecretsSaid {
  /** Follows "registry R does not let it pull IMAGE". */
  readonly says: string;
  readonly evidence: readonly Quote[];
  /** The Secret that is to be written, if one of its own is. */
  readonly secret?: string;
}

/** What is wrong with the pull secrets; undefined when they were not read. */
export function saidOfSecrets(facts: PodFacts, registry: string): SecretsSaid | undefined {
  const named = pullSecrets(facts.pod).map(({ name }) => name);
  const field: Quote = { source: 'field', path: 'spec.imagePullSecrets', value: JSON.stringify(named) };
  if (named.length === 0) return { says: ', and its pod names no pull secret', evidence: [{ ...field, value: '[]' }] };
  const known = facts.evidence.configs.filter(({ kind, name }) => kind === 'Secret' && named.includes(name));
  const event = eventsWith(facts.events, 'FailedToRetrieveImagePullSecret')[0];
  const absent = absentOf(known, event?.message);
  if (absent.length > 0) {
    const quotes = event === undefined ? [] : [quoteEvent(event)];
    return {
      says: `: there is no Secret ${listed(absent)}, which its pod names for that`,
      evidence: [...quotes, field],
      secret: absent[0],
    };
  }
  const found = known.filter(({ state }) => state === 'found');
  return found.length < named.length ? undefined : saidOfFound(facts, registry, found, field);
}

function absentOf(known: readonly ConfigEvidence[], message = ''): readonly string[] {
  const told = (/pull secrets? \(([^)]*)\)/.exec(message)?.[1] ?? '').split(/,\s*/).filter((name) => name !== '');
  const missing = known.filter(({ state }) => state === 'missing').map(({ name }) => name);
  // A Secret that has been made since then is not absent any more.
  return [
    ...new Set([
      ...told.filter((name) => !known.some((one) => one.name === name && one.state === 'found')),
      ...missing,
    ]),
  ];
}

function saidOfFound(facts: PodFacts, registry: string, found: readonly ConfigEvidence[], field: Quote): SecretsSaid {
  const [fits] = found.filter(({ registries = [] }) =>
    registries.some((each) => bareRegistry(each) === bareRegistry(registry)),
  );
  if (fits !== undefined) {
    const writtenMs = parseTime(fits.writtenAt);
    const written = writtenMs === undefined ? '' : ` (written ${formatAge(facts.now - writtenMs)} ago)`;
    const quote: Quote = {
      source: 'field',
      path: `secret ${fits.name}: last written`,
      value: fits.writtenAt ?? 'unknown',
    };
    return {
      says: `: it refuses the credentials of Secret ${fits.name}${written}, or they do not reach so far`,
      evidence: [field, quote],
      secret: fits.name,
    };
  }
  const [unreadable] = found.filter(({ registries }) => registries === undefined || registries.length === 0);
  if (unreadable !== undefined) {
    const keys = unreadable.keys.join(', ') || 'none';
    return {
      says: `: Secret ${unreadable.name}, which its pod names for that, holds no credentials of registries (its keys: ${keys})`,
      evidence: [field],
      secret: unreadable.name,
    };
  }
  const others = found.flatMap(({ name, registries = [] }) =>
    registries.map((each) => `${bareRegistry(each)} (Secret ${name})`),
  );
  return {
    says: `: its pod has credentials for ${listed(others.slice(0, 3))} only`,
    evidence: [field],
    secret: found[0]?.name,
  };
}

/** "https://index.docker.io/v1/" → "docker.io" */
function bareRegistry(text: string): string {
  const host = text
    .replace(/^https?:\/\//, '')
    .replace(/\/.*$/, '')
    .toLowerCase();
  return /^(?:index|registry-1)\.docker\.io$/.test(host) ? 'docker.io' : host;
}
