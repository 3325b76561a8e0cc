/** Finds where a container has the password, key or token from that a peer refuses, when only one place can be meant. Values are never told. Pure. */
import { configFiles } from '../configs/config-files.ts';
import { credentialMark } from './credential-marks.ts';
import { usedBy } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { placeText } from '../peers/spec-peers.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

interface Source {
  /** "DB_PASSWORD", "masterauth" */
  readonly name: string;
  /** "Secret db, key password" */
  readonly of: string;
  /** What is odd about its value, which then is the one that is meant. */
  readonly odd?: string | undefined;
  /** By which it is compared with that of the peer; absent: it was not read. */
  readonly mark?: string | undefined;
}

/** Names of variables, keys and settings that hold what somebody shows to a peer. */
const CREDENTIAL =
  /pass|pwd|token|secret|key|auth|cred|url|dsn|uri|conn(?:ection)?_?str|data_?source|database|broker|amqp|jdbc/i;
/** Settings of files: those above also name files, hosts and methods. */
const SETTING =
  /^\s*(?!#|;|\/\/)["']?((?:[\w-]{1,40}[._-])?(?:masterauth|requirepass|auth-?pass|passwd|password|passphrase|secret|token|api[_-]?key|access[_-]?key|sasl\.jaas\.config|credentials?))["']?(?:\s*[:=]\s*|\s+)["']?([^\s"'{[][^\s"',;]{0,200})/i;
/** A value that points elsewhere: a variable, a file. */
const POINTS_ELSEWHERE = /[:=\s]["']?(?:\$[({]?\w|\/|<|file:|!|%[({])/;
const MAX_LINES = 3000;

/** " (with DB_PASSWORD of Secret shop-db)"; empty: none, or several that may be meant. @param what "key", "token", "password or user" */
export function credentialSource(facts: PodFacts, container: ContainerFacts, what: string): string {
  const found = meantSource(facts, container, what);
  if (found === undefined) return '';
  const of = found.of === '' ? '' : ` of ${found.of}`;
  return ` (with ${found.name}${of}${found.odd === undefined ? '' : `, whose value ${found.odd}`})`;
}

/** The mark of what a container shows to its peer (`credentialMark`); undefined: it is not known, or several may be meant. */
export function shownMark(facts: PodFacts, container: ContainerFacts, what: string): string | undefined {
  return meantSource(facts, container, what)?.mark;
}

function meantSource(facts: PodFacts, container: ContainerFacts, what: string): Source | undefined {
  const tiers = [ofSecrets, ofEnvironment, ofFiles, ofMounts];
  for (const tier of tiers) {
    const all = tier(facts, container);
    if (all.length === 0) continue;
    const odd = all.filter((each) => each.odd !== undefined);
    return only(odd.length > 0 ? odd : all) ?? only(all.filter(({ name }) => isOfKind(name, what)));
  }
  return undefined;
}

function only<T>(all: readonly T[]): T | undefined {
  return all.length === 1 ? all[0] : undefined;
}

/** Whether the name is that of what was refused, where several have to do with credentials. */
function isOfKind(name: string, what: string): boolean {
  if (what === 'key') return /key/i.test(name);
  return what === 'token' ? /token|jwt|signing|secret/i.test(name) : /pass|pwd|dsn|conn|data_?source|auth/i.test(name);
}

function ofSecrets({ evidence }: PodFacts, { spec }: ContainerFacts): readonly Source[] {
  const known = (secret: string) =>
    evidence.configs.find((config) => config.kind === 'Secret' && config.name === secret);
  const own = (spec.env ?? []).flatMap(({ name, valueFrom }): readonly Source[] => {
    const { name: secret, key = '' } = valueFrom?.secretKeyRef ?? {};
    if (secret === undefined || !(CREDENTIAL.test(name) || CREDENTIAL.test(key))) return [];
    const { odd, marks } = known(secret) ?? {};
    return [{ name, of: `Secret ${secret}`, odd: odd?.[key], mark: marks?.[key] }];
  });
  const whole = (spec.envFrom ?? []).flatMap(({ secretRef, prefix = '' }): readonly Source[] => {
    const secret = secretRef?.name;
    if (secret === undefined) return [];
    const keys = (known(secret)?.keys ?? []).filter((key) => CREDENTIAL.test(key));
    const { odd, marks } = known(secret) ?? {};
    return keys.map((key) => ({
      name: `${prefix}${key}`,
      of: `Secret ${secret}`,
      odd: odd?.[key],
      mark: marks?.[key],
    }));
  });
  return [...own, ...whole];
}

/** Variables whose values stand in the specification, or in a ConfigMap. */
function ofEnvironment(_facts: PodFacts, { environment }: ContainerFacts): readonly Source[] {
  const isMeant = (name: string): boolean => /pass|pwd|token|secret|api_?key|access_?key|cred|dsn/i.test(name);
  const variables = environment.filter(
    ({ name, value }) => isMeant(name) && !/file$|_path$/i.test(name) && value !== '',
  );
  return variables.map((variable) => ({
    name: `its ${placeText(variable)}`,
    of: '',
    mark: credentialMark(variable.value),
  }));
}

/** Settings of the files that it has of ConfigMaps: a password should not stand there, and often does. */
function ofFiles(facts: PodFacts, container: ContainerFacts): readonly Source[] {
  return configFiles(facts, container).flatMap(({ file, origin }): readonly Source[] => {
    const { config, key = '' } = origin ?? {};
    const known = facts.evidence.configs.find(({ kind, name }) => kind === config?.kind && name === config.name);
    const lines = (known?.texts?.[key] ?? '').split('\n').slice(0, MAX_LINES);
    return lines.flatMap((line, index) => {
      const [, name, value = ''] = (POINTS_ELSEWHERE.test(line) ? undefined : SETTING.exec(line.slice(0, 300))) ?? [];
      return name === undefined || config === undefined
        ? []
        : [
            {
              name: `${name}, line ${index + 1} of ${file},`,
              of: `ConfigMap ${config.name}`,
              mark: credentialMark(value),
            },
          ];
    });
  });
}

/** The only Secret that it mounts, unless that is for certificates. */
function ofMounts(facts: PodFacts, { spec }: ContainerFacts): readonly Source[] {
  const used = usedBy(facts.pod, spec).filter(({ kind, asVariable }) => kind === 'Secret' && !asVariable);
  return used
    .filter(({ name }) => !/\b(?:tls|certs?|ca|ssl)\b/i.test(name))
    .map(({ name }) => ({ name: `Secret ${name}`, of: '' }));
}
