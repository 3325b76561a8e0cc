/** Finds references between variables that nothing fills in: to one that is defined later, or nowhere. Pure. */
import { nearNames } from '../../../lib/index.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { dependencyTrouble } from '../peers/dependencies.ts';
import { type LastWord, lastWord } from '../words/last-words.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { hasWord } from '../words/text.ts';

/** What Kubernetes expands, and leaves as it is where it knows no such variable. */
const REFERENCE = /\$\(([A-Za-z_][\w.-]{0,200})\)/;
/** The same as an address of the web has it. */
const ENCODED = /%24(?:%28|\()([A-Za-z_][\w.-]{0,200}?)(?:%29|\))/i;
/** What is said of a value that cannot be read. */
const UNREADABLE = /invalid|malformed|could not|cannot|can't|unable|unsupported|unexpected|illegal|bad /i;
/** Names of variables that hold hosts and URLs. */
const OF_PEERS = /HOST|URL|URI|ADDR|SERVER|ENDPOINT|DSN|BROKER|PEER|MASTER|PRIMARY|DB\b|DATABASE/i;

export interface Unexpanded {
  /** The variable that refers to another one; absent: the arguments do. */
  readonly variable?: string;
  readonly index: number;
  readonly wants: string;
  /** Where it is defined after all. */
  readonly definedAt?: number;
  /** Of one that nothing defines: variables with similar names. */
  readonly similar: readonly string[];
}

export interface FoundUnexpanded extends Unexpanded {
  /** The line that shows it, or that is about what it should name. */
  readonly line: string;
}

/** The reference that the log shows, in part or encoded, or that should name the peer that is not found. */
export function unexpandedReference(facts: PodFacts, container: ContainerFacts): FoundUnexpanded | undefined {
  const all = unexpandedIn(facts, container);
  if (all.length === 0) return undefined;
  for (const pattern of [REFERENCE, ENCODED]) {
    const word = wordOf(container, pattern);
    const wants = word?.match[1]?.toLowerCase();
    const shown = all.find((each) => each.wants.toLowerCase() === wants);
    if (word !== undefined && shown !== undefined) return { ...shown, line: word.line };
  }
  const line = container.reading.decisive?.line ?? '';
  const partly = all.find(({ wants }) => wants.length > 3 && UNREADABLE.test(line) && hasWord(line, wants));
  if (partly !== undefined) return { ...partly, line };
  return ofPeer(container, all) ?? ofPassword(container, all);
}

/** What a peer refuses, and names of variables with what it refuses. */
const REFUSED = /\b(?:authentication|access denied|password|login|unauthori[sz]ed|WRONGPASS|credentials?)\b/i;
const OF_PASSWORD = /PASS|PWD|SECRET|TOKEN|KEY|CREDENTIAL/i;

/** That of a password that a peer refuses: it was shown the reference itself. */
function ofPassword(container: ContainerFacts, all: readonly Unexpanded[]): FoundUnexpanded | undefined {
  const line = container.reading.decisive?.line ?? '';
  const [only, ...more] = all.filter(({ wants }) => OF_PASSWORD.test(wants));
  return only === undefined || more.length > 0 || !REFUSED.test(line) ? undefined : { ...only, line };
}

/** That of a peer without a name in the log: its host is what was not filled in. */
function ofPeer(container: ContainerFacts, all: readonly Unexpanded[]): FoundUnexpanded | undefined {
  const trouble = dependencyTrouble(container);
  const [only, ...more] = all.filter(({ variable }) => variable !== undefined && OF_PEERS.test(variable));
  const isMeant = trouble?.kind === 'not-resolved' && (trouble.host === undefined || trouble.at !== undefined);
  return only === undefined || more.length > 0 || !isMeant ? undefined : { ...only, line: trouble.word.line };
}

function wordOf(container: ContainerFacts, pattern: RegExp): Pick<LastWord, 'line' | 'match'> | undefined {
  const { failing, again } = container;
  const word = lastWord(container, pattern);
  if (word !== undefined) return word;
  for (const line of [failing?.line, again?.said.line]) {
    const match = line === undefined ? null : pattern.exec(line);
    if (line !== undefined && match !== null) return { line, match };
  }
  return undefined;
}

/** The references of a container's variables and arguments that are not filled in. */
function unexpandedIn(facts: PodFacts, { spec }: ContainerFacts): readonly Unexpanded[] {
  const env = spec.env ?? [];
  const names = env.map(({ name }) => name);
  const whole = wholeNames(facts, spec);
  const ofVariables = env.flatMap(({ name: variable, value = '' }, index): readonly Unexpanded[] =>
    referencesIn(value).flatMap((wants): readonly Unexpanded[] => {
      const definedAt = names.indexOf(wants);
      if (definedAt !== -1) return definedAt < index ? [] : [{ variable, index, wants, definedAt, similar: [] }];
      // A variable of envFrom or of a service is defined before all others.
      if (whole === undefined || whole.includes(wants)) return [];
      return [{ variable, index, wants, similar: nearNames(wants, [...names, ...whole]) }];
    }),
  );
  const texts = [...(spec.command ?? []), ...(spec.args ?? [])].slice(0, MAX_TEXTS);
  const ofArguments = texts.flatMap((text, index) =>
    referencesIn(text.slice(0, MAX_TEXT)).flatMap((wants): readonly Unexpanded[] =>
      names.includes(wants) || whole === undefined || whole.includes(wants)
        ? []
        : [{ index, wants, similar: nearNames(wants, [...names, ...whole]) }],
    ),
  );
  return [...ofVariables, ...ofArguments];
}

const MAX_TEXTS = 100;
const MAX_TEXT = 4000;

/** "$$(NAME)" is meant to stay as it is. */
function referencesIn(text: string): readonly string[] {
  return [...text.replaceAll('$$', '').matchAll(new RegExp(REFERENCE, 'g'))].flatMap(([, wants]) => wants ?? []);
}

/** The names that its envFrom defines; undefined: that is not known of each. */
function wholeNames({ evidence }: PodFacts, { envFrom = [] }: ContainerFacts['spec']): readonly string[] | undefined {
  const all = envFrom.map(({ prefix = '', configMapRef, secretRef }) => {
    const [kind, of] = secretRef === undefined ? ['ConfigMap', configMapRef?.name] : ['Secret', secretRef.name];
    const known = evidence.configs.find((each) => each.kind === kind && each.name === of);
    return known?.state === 'found' ? known.keys.map((key) => `${prefix}${key}`) : undefined;
  });
  return all.every((each) => each !== undefined) ? all.flat() : undefined;
}
