/** Rule: a ConfigMap, Secret or key does not exist, or a key is not a valid name of a variable. */
import { nearNames } from '../../../lib/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { alikeText } from '../../facts/configs/config-references.ts';
import { eventsWith, lastSeenMs, quoteEvent } from '../../facts/pod/events.ts';
import { because } from '../../facts/words/innermost.ts';
import { configsBehind } from '../../facts/files/mounts.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { listed } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { RECENT_DEATH_MS } from '../../limits.ts';
import { NOTHING, type PodRule } from '../../rule.ts';
import { title } from '../ends/exit-code.ts';

const MISSING = /(configmap|secret) "([^"]+)" not found/i;
const MISSING_KEY = /couldn't find key (\S+) in (ConfigMap|Secret) ([^/\s]+)\/(\S+)/i;
/** The message for a volume with items: "references non-existent config key: x". */
const MISSING_ITEM = /references non-existent (config|secret) key: (\S+)/i;

const MISSING_FILE = /^subPath "([^"]+)" is not in its volume/;
const VOLUME = /for volume "([^"]+)"/;

export const missingConfig: PodRule = (facts) => [...waiting(facts), ...mounting(facts), ...skipped(facts)];

function waiting(facts: PodFacts): readonly RankedFinding[] {
  return facts.containers.flatMap((container) => {
    const state = container.status?.state?.waiting;
    if (state?.reason !== 'CreateContainerConfigError') return NOTHING;
    const quote: Quote = {
      source: 'field',
      path: `${container.path}: state.waiting`,
      value: `${state.reason}: ${state.message ?? ''}`,
    };
    const found =
      missing(facts, state.message ?? '', title(container), quote) ??
      missingFile(facts, container, state.message ?? '', quote);
    if (found !== undefined) return [{ ...found, container: container.name, topic: `end/${container.name}` }];
    return otherConfigError(facts, container, state.message ?? '', quote);
  });
}

/** A subPath of a ConfigMap or Secret is a key of it. */
function missingFile(facts: PodFacts, container: ContainerFacts, text: string, quote: Quote): Found | undefined {
  const key = MISSING_FILE.exec(text)?.[1] ?? '';
  const mount = container.spec.volumeMounts?.find(({ subPath }) => subPath === key);
  const volume = facts.pod.spec?.volumes?.find(({ name }) => name === mount?.name);
  const { configMap, secret } = volume ?? {};
  // In a volume with items the names of files differ from those of keys.
  if ((configMap?.items ?? secret?.items) !== undefined) return undefined;
  if (configMap?.name !== undefined)
    return missingKey(facts, 'ConfigMap', configMap.name, key, title(container), quote);
  if (secret?.secretName === undefined) return undefined;
  return missingKey(facts, 'Secret', secret.secretName, key, title(container), quote);
}

/** Other messages of CreateContainerConfigError; runAsNonRoot has its own rule. */
function otherConfigError(
  facts: PodFacts,
  container: ContainerFacts,
  text: string,
  quote: Quote,
): readonly RankedFinding[] {
  if (/runAsNonRoot|non-root policy/i.test(text)) return NOTHING;
  return [
    {
      id: 'config-error',
      severity: 'critical',
      rank: 70,
      topic: `end/${container.name}`,
      container: container.name,
      says: `${title(container)} cannot be configured${because(text)}${undefinedName(container, text)}`,
      evidence: [quote],
      try: facts.commands.edit,
    },
  ];
}

/** A name in a subPathExpr that no variable of the container has. */
function undefinedName({ spec }: ContainerFacts, text: string): string {
  const expression = /subPathExpr "([^"]{1,300})"/.exec(text)?.[1] ?? '';
  const own = (spec.env ?? []).map(({ name }) => name);
  const missing = [...expression.matchAll(/\$\((\w{1,100})\)/g)].map(([, name = '']) => name);
  const [name] = missing.filter((each) => !own.includes(each));
  if (name === undefined) return '';
  const near = nearNames(name, own);
  return `: it has no variable ${name}${near.length === 0 ? '' : `, but ${listed(near)}`}`;
}

/** A missing ConfigMap or Secret of a volume keeps the whole pod from starting. */
function mounting(facts: PodFacts): readonly RankedFinding[] {
  if (!awaitsVolumes(facts)) return NOTHING;
  for (const event of eventsWith(facts.events, 'FailedMount')) {
    const found = missing(facts, event.message ?? '', `pod ${facts.name}`, quoteEvent(event));
    if (found !== undefined) return [{ ...found, topic: 'volumes' }];
  }
  return NOTHING;
}

export function awaitsVolumes({ containers, finished, deleting }: PodFacts): boolean {
  if (finished || deleting) return false;
  return (
    containers.length > 0 &&
    containers.every(({ status, death }) => {
      const { running, terminated } = status?.state ?? {};
      // A container that has started before has its volumes.
      return running === undefined && terminated === undefined && death === undefined;
    })
  );
}

type Found = Omit<RankedFinding, 'topic'>;

function missing(facts: PodFacts, text: string, who: string, quote: Quote): Found | undefined {
  const object = MISSING.exec(text);
  if (object !== null) return missingObject(facts, kindOf(object[1]), object[2] ?? '', who, quote);
  const key = MISSING_KEY.exec(text);
  if (key !== null) return missingKey(facts, kindOf(key[2]), key[4] ?? '', key[1] ?? '', who, quote);
  const item = MISSING_ITEM.exec(text);
  if (item !== null) {
    const wants = wantsItem(facts, VOLUME.exec(text)?.[1], kindOf(item[1]), item[2] ?? '');
    if (wants !== undefined) return missingKey(facts, kindOf(item[1]), wants, item[2] ?? '', who, quote);
    const says = `${who} cannot start: its volume names key ${item[2]}, which is not there`;
    return { id: 'missing-config', severity: 'critical', rank: 90, says, evidence: [quote], try: facts.commands.edit };
  }
  return undefined;
}

/** The name of the object from which the volume takes that key. */
function wantsItem({ pod }: PodFacts, name: string | undefined, kind: ConfigKind, key: string): string | undefined {
  const volume = pod.spec?.volumes?.find((each) => each.name === name);
  const { configMap, secret, projected } = volume ?? {};
  const sources = (projected?.sources ?? []).map((source) => (kind === 'Secret' ? source.secret : source.configMap));
  const all = [kind === 'Secret' ? secret && { name: secret.secretName, items: secret.items } : configMap, ...sources];
  return all.find((one) => one?.items?.some((item) => item.key === key))?.name;
}

type ConfigKind = 'ConfigMap' | 'Secret';

function kindOf(text = ''): ConfigKind {
  return text.toLowerCase() === 'secret' ? 'Secret' : 'ConfigMap';
}

function missingObject(facts: PodFacts, kind: ConfigKind, name: string, who: string, quote: Quote): Found {
  const { kubectl } = facts.commands;
  const known = facts.evidence.configs.find((config) => config.kind === kind && config.name === name);
  const word = kind.toLowerCase();
  const later = known?.state === 'found';
  const create =
    kind === 'ConfigMap'
      ? kubectl('create', 'configmap', name, '--from-literal=KEY=VALUE')
      : kubectl('create', 'secret', 'generic', name, '--from-literal=KEY=VALUE');
  return {
    id: 'missing-config',
    severity: 'critical',
    rank: 90,
    says: later
      ? `${who} could not start without ${kind} ${name}, which has come since: the next try is under way`
      : `${who} cannot start: there is no ${kind} ${name} in namespace ${facts.pod.metadata?.namespace ?? ''}${alikeText(known ?? {})}`,
    evidence: [quote, ...(known === undefined ? [] : [stateQuote(known)]), ...references(facts, kind, name)],
    try: later
      ? [kubectl('get', 'pod', facts.name, '--watch')]
      : known?.similar === undefined
        ? [create, kubectl('get', word)]
        : [...facts.commands.edit, create],
  };
}

function missingKey(facts: PodFacts, kind: ConfigKind, name: string, key: string, who: string, quote: Quote): Found {
  const known = facts.evidence.configs.find((config) => config.kind === kind && config.name === name);
  const has = known?.state === 'found' ? `; it has ${known.keys.length === 0 ? 'none' : listed(known.keys)}` : '';
  const { kubectl, edit } = facts.commands;
  // kubectl edit shows Secrets in base64; a patch accepts plain text.
  const add =
    kind === 'ConfigMap'
      ? kubectl('patch', 'configmap', name, '--type=merge', '-p', JSON.stringify({ data: { [key]: 'VALUE' } }))
      : kubectl('patch', 'secret', name, '--type=merge', '-p', JSON.stringify({ stringData: { [key]: 'VALUE' } }));
  return {
    id: 'missing-config',
    severity: 'critical',
    rank: 90,
    says: `${who} cannot start: ${kind} ${name} has no key ${key}${has}`,
    evidence: [quote, ...(known === undefined ? [] : [stateQuote(known)]), ...references(facts, kind, name)],
    // The key that is there is meant, and not a second one.
    try: known !== undefined && isLikeOne(key, known.keys) ? edit : [add, ...edit],
  };
}

/** Whether a key is nearly called so, or is called so but for its ending. */
function isLikeOne(key: string, keys: readonly string[]): boolean {
  const stemOf = (name: string): string => name.replace(/(?<=.)\.[^.]{1,10}$/, '').toLowerCase();
  return nearNames(key, keys).length > 0 || keys.some((each) => stemOf(each) === stemOf(key));
}

function stateQuote(config: PodFacts['evidence']['configs'][number]): Quote {
  const object = `${config.kind.toLowerCase()}/${config.name}`;
  if (config.state === 'forbidden') return { source: 'object', object, says: 'may not be read' };
  if (config.state === 'missing') return { source: 'object', object, says: 'not found' };
  return { source: 'object', object, says: `keys: ${config.keys.length === 0 ? 'none' : config.keys.join(', ')}` };
}

/** Quotes the fields in which the pod names the object. */
function references({ containers, pod }: PodFacts, kind: ConfigKind, name: string): readonly Quote[] {
  const found: Quote[] = [];
  const add = (path: string): void => void found.push({ source: 'field', path, value: name });
  for (const { path, spec } of containers) {
    for (const [index, { valueFrom }] of (spec.env ?? []).entries()) {
      const at = `${path}.env[${index}].valueFrom`;
      if (kind === 'ConfigMap' && valueFrom?.configMapKeyRef?.name === name) add(`${at}.configMapKeyRef.name`);
      if (kind === 'Secret' && valueFrom?.secretKeyRef?.name === name) add(`${at}.secretKeyRef.name`);
    }
    for (const [index, { configMapRef, secretRef }] of (spec.envFrom ?? []).entries()) {
      if (kind === 'ConfigMap' && configMapRef?.name === name) add(`${path}.envFrom[${index}].configMapRef.name`);
      if (kind === 'Secret' && secretRef?.name === name) add(`${path}.envFrom[${index}].secretRef.name`);
    }
  }
  for (const [index, volume] of (pod.spec?.volumes ?? []).entries()) {
    const behind = configsBehind({ volume, path: `spec.volumes[${index}]`, mountPath: '' });
    found.push(...behind.flatMap((one) => (one.kind === kind && one.name === name ? [one.quote] : [])));
  }
  return found.slice(0, 2);
}

/** Keys that the kubelet left out, because they are not valid names of variables. */
function skipped(facts: PodFacts): readonly RankedFinding[] {
  const [event] = eventsWith(facts.events, 'InvalidEnvironmentVariableNames', 'InvalidVariableNames');
  if (event === undefined || facts.finished || facts.now - lastSeenMs(event) > RECENT_DEATH_MS) return NOTHING;
  return [
    {
      id: 'bad-env-names',
      severity: 'warning',
      rank: 55,
      topic: 'env',
      says: `pod ${facts.name} runs without some variables of its envFrom: their keys cannot be names of variables`,
      evidence: [quoteEvent(event)],
      try: facts.commands.edit,
    },
  ];
}
