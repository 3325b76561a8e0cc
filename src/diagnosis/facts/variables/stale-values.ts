/** Finds values that a container has as they were before their ConfigMap or Secret was written last: it takes them when it starts. Pure. */
import { peerIn, unresolvedHost } from '../../../log-analysis/index.ts';
import { nearNames, parseTime } from '../../../lib/index.ts';
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ConfigReference, usedBy } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { filesOf } from '../files/mounted-files.ts';
import { configsBehind, mountedVolumes } from '../files/mounts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { commandText, environmentPeers, peerText, type SpecPeer } from '../peers/spec-peers.ts';
import { formatAge, hasWord, listed } from '../words/text.ts';

export interface Stale {
  /** "ConfigMap app, of which it has variable DB_HOST, was written 2m ago, after its start, and names db now; a restart takes that" */
  readonly says: string;
  readonly quote: Quote;
  readonly try: readonly string[];
}

/** What the log speaks of: the host that it does not reach, or where the specification names one in its stead. */
export interface Spoken {
  readonly host?: string | undefined;
  /** "variable DB_HOST of ConfigMap app, key host" */
  readonly at?: string | undefined;
}

/** A variable or a file that a container has of a ConfigMap or Secret. */
interface Part {
  readonly config: ConfigEvidence;
  /** "variable DB_HOST", "file /etc/app/app.yaml" */
  readonly what: string;
  readonly name: string;
  /** Those that it names now. */
  readonly peers: readonly SpecPeer[];
  /** The node does not write the file anew. */
  readonly isFixed: boolean;
}

/** Names of variables that hold hosts and URLs. */
const OF_PEERS = /HOST|URL|URI|ADDR|SERVER|ENDPOINT|DSN|BROKER|PEER|MASTER|PRIMARY|DB\b|DATABASE/i;
const IS_ITSELF = /^(?:localhost|127\.|0\.0\.0\.0|::1?$)/;

/** The host of the log that nothing of the specification has any more, behind which a newer ConfigMap or Secret may stand. */
export function staleHost(facts: PodFacts, container: ContainerFacts, { host, at }: Spoken): Stale | undefined {
  const newer = newerParts(facts, container);
  if (newer.length === 0 || (host !== undefined && IS_ITSELF.test(host))) return undefined;
  if (at !== undefined) {
    const named = newer.find(({ config, what }) => at.startsWith(`${what} of ${config.kind} ${config.name},`));
    return named === undefined ? undefined : told(facts, container, named);
  }
  if (host === undefined || isPresent(facts, container, host)) return undefined;
  const naming = newer.flatMap((part) => {
    if (part.peers.length > 0) return [part];
    const word = nearWord(part, host);
    return word === undefined ? [] : [{ ...part, peers: [{ host: word, at: '' }] }];
  });
  const near = naming.filter(
    ({ peers }) =>
      nearNames(
        host,
        peers.map((peer) => peer.host),
      ).length > 0,
  );
  const [only, ...more] = near.length > 0 ? near : hasOtherSecrets(facts, container, newer) ? [] : naming;
  if (only !== undefined) return more.length === 0 ? told(facts, container, only) : undefined;
  const [secret, ...others] = naming.length > 0 ? [] : newer.filter(isSecretOfPeer);
  return secret === undefined || others.length > 0 ? undefined : told(facts, container, secret);
}

/** Words of a file that are compared. */
const MAX_WORDS = 500;

/** The word of a file as it is now that is nearly the host: settings of their own may name hosts. */
function nearWord({ config, what }: Part, host: string): string | undefined {
  if (!what.startsWith('file ')) return undefined;
  const text = Object.values(config.texts ?? {}).join('\n');
  const words = [...new Set(text.match(/[a-z][\w-]{2,62}(?:\.[\w-]{1,63}){0,8}/gi) ?? [])].slice(0, MAX_WORDS);
  return nearNames(host, words, NEAR)[0];
}

/** One letter of so many may differ. */
const NEAR = 4;

/** The variable that the lines name, and whose source was written since. */
export function staleVariable(facts: PodFacts, container: ContainerFacts, lines: readonly string[]): Stale | undefined {
  const named = newerParts(facts, container).filter(
    ({ what, name }) => what.startsWith('variable ') && lines.some((line) => hasWord(line, name)),
  );
  const [only, ...more] = named;
  return only === undefined || more.length > 0 ? undefined : told(facts, container, only);
}

/** The Secrets whose variables may hold a host that the log names and nothing else does. */
export function secretsOfPeers(
  facts: PodFacts,
  container: ContainerFacts,
  host: string | undefined,
): readonly ConfigReference[] {
  if (host === undefined || IS_ITSELF.test(host) || isPresent(facts, container, host)) return [];
  return (container.spec.env ?? []).flatMap(({ name, valueFrom }): readonly ConfigReference[] => {
    const secret = valueFrom?.secretKeyRef?.name;
    return secret === undefined || !OF_PEERS.test(name) ? [] : [{ kind: 'Secret', name: secret }];
  });
}

function isSecretOfPeer({ config, name }: Part): boolean {
  return config.kind === 'Secret' && OF_PEERS.test(name);
}

/** Whether a Secret that is as old as the container may have the host, too. */
function hasOtherSecrets(facts: PodFacts, { spec }: ContainerFacts, newer: readonly Part[]): boolean {
  return (spec.env ?? []).some(
    ({ name, valueFrom }) =>
      valueFrom?.secretKeyRef?.name !== undefined &&
      OF_PEERS.test(name) &&
      !newer.some(({ what }) => what === `variable ${name}`),
  );
}

/** Whether its specification, or a file of a ConfigMap, has the host as it is now. */
function isPresent({ evidence, pod }: PodFacts, { spec, environment }: ContainerFacts, host: string): boolean {
  const used = usedBy(pod, spec);
  const texts = evidence.configs.flatMap(({ kind, name, texts: all = {} }) =>
    used.some((one) => one.kind === kind && one.name === name) ? Object.values(all) : [],
  );
  const values = environment.map(({ value }) => value);
  return [commandText(spec, environment), ...values, ...texts].some((text) => isNamedIn(text, host));
}

/** "redis" is not named by "redis-old". */
function isNamedIn(text: string, host: string): boolean {
  for (let at = text.indexOf(host); at !== -1; at = text.indexOf(host, at + 1)) {
    if (!/[\w-]/.test(text[at - 1] ?? ' ') && !/[\w-]/.test(text[at + host.length] ?? ' ')) return true;
  }
  return false;
}

/** What it has of ConfigMaps and Secrets that were written after it started. */
function newerParts(facts: PodFacts, container: ContainerFacts): readonly Part[] {
  const { status, death } = container;
  const startedMs = parseTime(status?.state?.running?.startedAt ?? death?.startedAt ?? undefined);
  if (startedMs === undefined) return [];
  return facts.evidence.configs
    .filter(({ writtenAt }) => (parseTime(writtenAt) ?? 0) > startedMs)
    .flatMap((config) => [...variablesOf(container, config), ...filesOfConfig(facts, container, config)]);
}

function variablesOf({ spec, environment }: ContainerFacts, config: ConfigEvidence): readonly Part[] {
  const own = (spec.env ?? []).flatMap(({ name, valueFrom }) => {
    const ref = config.kind === 'Secret' ? valueFrom?.secretKeyRef : valueFrom?.configMapKeyRef;
    return ref?.name === config.name ? [name] : [];
  });
  const set = new Set((spec.env ?? []).map(({ name }) => name));
  const whole = (spec.envFrom ?? []).flatMap(({ prefix = '', configMapRef, secretRef }) =>
    (config.kind === 'Secret' ? secretRef : configMapRef)?.name === config.name
      ? config.keys.map((key) => `${prefix}${key}`).filter((name) => !set.has(name))
      : [],
  );
  return [...own, ...whole].map((name): Part => {
    const known = environment.filter((variable) => variable.name === name);
    return { config, what: `variable ${name}`, name, peers: environmentPeers(known), isFixed: false };
  });
}

function filesOfConfig(facts: PodFacts, container: ContainerFacts, config: ConfigEvidence): readonly Part[] {
  const { kind, name, keys } = config;
  return mountedVolumes(facts, container).flatMap((mounted): readonly Part[] => {
    if (!configsBehind(mounted).some((one) => one.kind === kind && one.name === name)) return [];
    const { mountPath, subPath } = mounted;
    const root = mountPath.replace(/\/+$/, '');
    return (filesOf(facts, mounted) ?? []).flatMap((file): readonly Part[] => {
      const { key = '', path } = file;
      if (file.config?.kind !== kind || file.config.name !== name || !keys.includes(key)) return [];
      if (subPath !== undefined && path !== subPath) return [];
      const at = subPath === undefined ? `${root}/${path}` : root;
      const peers = container.filePeers.filter((peer) => peer.at === `ConfigMap ${name}, key ${key}`);
      return [{ config, what: `file ${at}`, name: at, peers, isFixed: subPath !== undefined }];
    });
  });
}

function told({ now, pod, commands }: PodFacts, { status }: ContainerFacts, part: Part): Stale {
  const { config, what, peers, isFixed } = part;
  const { kind, name, writtenAt = '' } = config;
  const names = [...new Set(peers.map((peer) => peerText(peer)))];
  const hosts = names.length === 0 ? '' : `, and names ${listed(names)} now`;
  const { running, terminated } = status?.state ?? {};
  const isOver = terminated !== undefined && pod.spec?.restartPolicy === 'Never';
  const next = isOver
    ? 'a new pod takes that'
    : running === undefined
      ? 'its next start takes that'
      : isFixed
        ? 'a file that is mounted by its subPath stays as it was until a restart'
        : 'a restart takes that';
  return {
    says: `${kind} ${name}, of which it has ${what}, was written ${formatAge(now - (parseTime(writtenAt) ?? now))} ago, after its start${hosts}; ${next}`,
    quote: { source: 'object', object: `${kind.toLowerCase()}/${name}`, says: `written last at ${writtenAt}` },
    try: isOver ? commands.again : running === undefined ? [] : [commands.restart],
  };
}

/** Findings that may be about a value that the container has. */
const MAY_BE_OF_VALUE =
  /^(?:exit-code|missing-setting|malformed-config|bad-argument|dependency-.*|not-allowed|tls-mismatch|missing-data|fails-again|.*-failing)$/;

/** The findings; one about a value that was another when the container started says so, and blames nobody else. */
export function withStaleValues(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const container = facts.containers.find(({ name }) => name === finding.container);
    if (container === undefined || !MAY_BE_OF_VALUE.test(finding.id) || finding.says.includes(' was written '))
      return finding;
    const { reading, failing, again } = container;
    const said = [reading.decisive, failing, again?.said].flatMap((one) => one ?? []);
    const lines = said.flatMap(({ line, related }) => [line, ...related]);
    const host = said.flatMap(({ line }) => unresolvedHost(line) ?? peerIn(line).host ?? [])[0];
    const stale = staleHost(facts, container, { host }) ?? staleVariable(facts, container, lines);
    return stale === undefined
      ? finding
      : {
          ...finding,
          says: `${finding.says}; ${stale.says}`,
          evidence: [...finding.evidence, stale.quote],
          try: [...stale.try, ...finding.try],
          blames: undefined,
        };
  });
}
