/** Finds the environment variable behind an error that only quotes its value, or whose place in the code reads it. Pure. */
import { nearNames } from '../../../lib/index.ts';
import { type DecisiveLine, peerIn, unresolvedHost } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import { type Blamed, mayBeOfValue, UNRELATED } from './blamed.ts';
import { hasDefaultInCode, misnamed, passwordNotGiven, readInCode, unsetInCode } from './blamed-code.ts';
import { alikeText, keyVariables, optionalVariables, optionalWholes } from '../configs/config-references.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { variablesThatAre } from './empty-values.ts';
import { ofText } from './environment.ts';
import { allPeers, serviceOfHost } from '../peers/dependencies.ts';
import { withFirstEnds } from '../pod/first-ends.ts';
import { twoPorts } from '../peers/host-faults.ts';
import { heapQuote, heapSettings } from '../pod/heap-setting.ts';
import { absentField } from '../pod/pod-fields.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { settingVariable } from './setting-variables.ts';
import {
  environmentPeers,
  peerText,
  placeText,
  portVariable as portBeside,
  type SpecPeer,
} from '../peers/spec-peers.ts';
import { hasWord, listed, quotable } from '../words/text.ts';
import { oddOfSources, unseenVariable } from './unseen-values.ts';
import { lacksHost, unsetVariables } from './unset-variables.ts';

/** The findings about ends, with the variable behind the error where the headline does not name it. */
export function withVariables(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstEnds(facts, found, (container, finding) => {
    const blamed =
      unseen(container, finding) ??
      absentVariable(facts, container, finding) ??
      misnamed(facts, container, finding) ??
      oddVariable(facts, container, finding) ??
      emptyVariable(facts, container, finding) ??
      emptyField(facts, container, finding) ??
      unsetVariable(facts, container, finding) ??
      portTwice(container) ??
      heapWithoutUnit(container) ??
      keyedVariable(container, finding) ??
      passwordNotGiven(facts, container, finding) ??
      portVariable(facts, container, finding) ??
      blamedVariable(facts, container, finding) ??
      ofSetting(container, finding) ??
      wholeVariable(facts, container, finding) ??
      unsetInCode(facts, container, finding);
    if (blamed === undefined || (blamed.isAbsent !== true && hasWord(finding.says, blamed.name))) return finding;
    return {
      ...finding,
      says: blamed.isValue === true ? beforeExitCode(finding.says, blamed.says) : `${finding.says}; ${blamed.says}`,
      evidence: [...finding.evidence, ...(blamed.quote === undefined ? [] : [blamed.quote])],
    };
  });
}

/** "ends: no such shop: acme; that is the value of its variable SHOP (exit code 1)": nobody takes the exit code for the value. */
function beforeExitCode(says: string, more: string): string {
  const [, said = says, code = ''] = /^(.*?)( \(exit code \d{1,3}\))$/.exec(says) ?? [];
  return `${said}; ${more}${code}`;
}

/** An optional variable that is left out, because its ConfigMap, Secret or key is not there: few containers have more than one. */
function absentVariable(facts: PodFacts, container: ContainerFacts, { id }: RankedFinding): Blamed | undefined {
  if (UNRELATED.has(id) || container.death === undefined) return undefined;
  for (const { kind, name, key, variable, index } of optionalVariables(container.spec)) {
    const known = facts.evidence.configs.find((config) => config.kind === kind && config.name === name);
    if (known === undefined || known.state === 'forbidden' || known.keys.includes(key)) continue;
    const lacks =
      known.state === 'missing'
        ? `there is no ${kind} ${name}${alikeText(known)}`
        : `${kind} ${name} has no key ${key}`;
    return {
      name: variable,
      says: `its optional variable ${variable} is not set, because ${lacks}`,
      isAbsent: true,
      quote: {
        source: 'field',
        path: `${container.path}.env[${index}] (${variable})`,
        value: `${kind} ${name}, key ${key}, optional`,
      },
    };
  }
  for (const { kind, name, index } of optionalWholes(container.spec)) {
    const known = facts.evidence.configs.find((config) => config.kind === kind && config.name === name);
    if (known?.state !== 'missing') continue;
    return {
      name,
      says: `its optional ${kind} ${name}, of which it would have variables, is not there${alikeText(known)}`,
      isAbsent: true,
      quote: { source: 'field', path: `${container.path}.envFrom[${index}]`, value: `${kind} ${name}, optional` },
    };
  }
  return undefined;
}

/** What is said of values that hold what nobody sees, or nothing. */
const UNSEEN =
  /invalid (?:character|header|ur[li]|port|host ?name|address|value|token|key)|illegal (?:character|header)|control character|malformed|unexpected character|\\n|%0A|not a valid|cannot parse|could not parse|invalid literal|NumberFormat|must (?:specify|start with|be (?:an?|one))|scheme|unsupported (?:url|protocol)|\bPEM\b|private ?key|DECODER|base64|asn1|padding/i;

/** Whether the values of its variables are worth a look. */
export function asksForValues({ reading }: ContainerFacts): boolean {
  const line = reading.decisive?.line ?? '';
  return UNSEEN.test(line) || unresolvedHost(line) !== undefined;
}

/** A variable that the error is about, and whose value has what nobody sees. */
function unseen(container: ContainerFacts, { id }: RankedFinding): Blamed | undefined {
  const { decisive, lastLine } = container.reading;
  const line = decisive?.line ?? lastLine;
  return UNRELATED.has(id) || line === undefined ? undefined : unseenVariable(container, [line]);
}

/** A variable whose value looks wrong in its ConfigMap or Secret: empty, encoded twice, with a line end. */
function oddVariable(facts: PodFacts, container: ContainerFacts, { id }: RankedFinding): Blamed | undefined {
  if (UNRELATED.has(id) || container.death === undefined) return undefined;
  return asksForValues(container) || id === 'dependency-not-resolved' ? oddOfSources(facts, container) : undefined;
}

/** A variable's name in a line. */
const VARIABLE = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g;

/** Whether the container's last word names something like a variable that its ConfigMaps and Secrets may set. */
export function namesVariable({ reading, spec }: ContainerFacts): boolean {
  const isFromElsewhere =
    (spec.envFrom ?? []).length > 0 || (spec.env ?? []).some((one) => one.valueFrom !== undefined);
  return isFromElsewhere && (reading.decisive?.line.match(VARIABLE) ?? []).length > 0;
}

/** What is said of a value that is not there; the only variable that is empty may be meant. */
const LACKS_VALUE =
  /must have a value|(?:must|can ?not|can't|may not|should) (?:not )?be (?:empty|blank|null|undefined|non-empty)|\b(?:is|was|are) (?:empty|blank|required|missing|not set|undefined)\b|\bempty (?:string|value|host|key|secret|url|name)\b|no (?:secret|api|signing|encryption)[ -]?key\b/i;

/** A variable that the line names, or the only one, that is set and empty. */
function emptyVariable(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Blamed | undefined {
  if (UNRELATED.has(id) || container.death === undefined) return undefined;
  const { decisive } = container.reading;
  const lines = [decisive?.line ?? '', ...(decisive?.related ?? [])];
  const all = variablesThatAre('empty', facts, container);
  const found =
    all.find(({ name }) => lines.some((line) => hasWord(line, name))) ??
    (all.length === 1 && LACKS_VALUE.test(lines[0] ?? '') ? all[0] : undefined);
  if (found === undefined || says.includes('is empty') || says.includes('are empty')) return undefined;
  const { name, of, quote } = found;
  return { name, says: `its variable ${name}${of} is set, and empty`, isAbsent: true, quote };
}

/** A host with a port, behind which the program has put a port again. */
function portTwice(container: ContainerFacts): Blamed | undefined {
  const found = twoPorts(container, container.reading.decisive?.line ?? '');
  return found && { name: '', says: found.says, isAbsent: true, ...(found.quotes[0] && { quote: found.quotes[0] }) };
}

/** The only variable that the line names and that the container has of a key. */
function keyedVariable(
  { spec, path, reading, death }: ContainerFacts,
  { id, says }: RankedFinding,
): Blamed | undefined {
  const line = reading.decisive?.line ?? '';
  if (UNRELATED.has(id) || death === undefined) return undefined;
  const [only, ...more] = keyVariables(spec).filter(({ variable }) => NAMED.test(variable) && hasWord(line, variable));
  if (only === undefined || more.length > 0 || says.includes(`${only.kind} ${only.name}`)) return undefined;
  const { variable, kind, name, key, index } = only;
  return {
    name: variable,
    says: `${variable} is of ${kind} ${name}, key ${key}`,
    isAbsent: true,
    quote: { source: 'field', path: `${path}.env[${index}] (${variable})`, value: `${kind} ${name}, key ${key}` },
  };
}

/** The only variable that the line names and that a whole ConfigMap or Secret sets. */
function wholeVariable(
  { evidence }: PodFacts,
  { spec, path, reading, death }: ContainerFacts,
  { id, says }: RankedFinding,
): Blamed | undefined {
  const line = reading.decisive?.line ?? '';
  if (UNRELATED.has(id) || death === undefined) return undefined;
  const own = new Set((spec.env ?? []).map(({ name }) => name));
  const named = (spec.envFrom ?? []).flatMap(({ prefix = '', configMapRef, secretRef }, index) => {
    const kind = secretRef === undefined ? 'ConfigMap' : 'Secret';
    const name = (secretRef ?? configMapRef)?.name ?? '';
    const keys = evidence.configs.find((config) => config.kind === kind && config.name === name)?.keys ?? [];
    return keys.flatMap((key) => {
      const variable = `${prefix}${key}`;
      return NAMED.test(variable) && !own.has(variable) && hasWord(line, variable)
        ? [{ variable, kind, name, index }]
        : [];
    });
  });
  const [only, ...more] = named;
  if (only === undefined || more.length > 0 || says.includes(`${only.kind} ${only.name}`)) return undefined;
  const { variable, kind, name, index } = only;
  return {
    name: variable,
    says: `${variable} is of ${kind} ${name}`,
    isAbsent: true,
    quote: { source: 'field', path: `${path}.envFrom[${index}]`, value: `${kind} ${name}` },
  };
}

/** What names the port that the service which refused does not have. */
function portVariable({ pod }: PodFacts, container: ContainerFacts, { says }: RankedFinding): Blamed | undefined {
  const [, service, port] = /: service ([\w-]{1,63}) has no port (\d{1,5})\b/.exec(says) ?? [];
  if (service === undefined || port === undefined) return undefined;
  const namespace = pod.metadata?.namespace ?? 'default';
  const named = allPeers(container).filter(
    (peer) => peer.port === Number(port) && serviceOfHost(peer.host, namespace)?.name === service,
  );
  const [only, ...more] = [...new Set(named.map((peer) => placeOfPort(container, peer)))];
  if (only === undefined || more.length > 0) return undefined;
  return { name: only, says: `port ${port} is in its ${only}` };
}

/** A host may stand in one variable, and its port in another. */
function placeOfPort({ environment, secretVariables }: ContainerFacts, peer: SpecPeer): string {
  const all = [...environment, ...secretVariables];
  const holder = all.find(({ at }) => at === peer.at);
  const hasPort = holder === undefined || new RegExp(String.raw`:${peer.port}(?!\d)`).test(holder.value);
  const beside = hasPort ? undefined : portBeside(all, holder.name);
  return placeText(beside ?? peer);
}

/** Other words may be names of variables by accident. */
const NAMED = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** A variable that the line names, of a label or annotation that its pod does not have. */
function emptyField(
  { pod }: PodFacts,
  { reading, spec }: ContainerFacts,
  { id, says }: RankedFinding,
): Blamed | undefined {
  const { decisive, lastLine } = reading;
  const line = decisive?.line ?? lastLine ?? '';
  if (UNRELATED.has(id) || says.includes('which is empty')) return undefined;
  for (const { name } of spec.env ?? []) {
    const absent = hasWord(line, name) ? absentField(pod, spec, name) : '';
    if (absent !== '') return { name, says: `its variable ${name}${absent.replace(', which', '')}`, isAbsent: true };
  }
  // An error about an empty text is about the only one that is empty for that.
  const all = (spec.env ?? []).flatMap(({ name }) => {
    const absent = absentField(pod, spec, name);
    return absent === '' ? [] : [{ name, absent }];
  });
  const [only, ...more] = all;
  if (only === undefined || more.length > 0 || !EMPTY_TEXT.test(line)) return undefined;
  return { name: only.name, says: `its variable ${only.name}${only.absent.replace(', which', '')}`, isAbsent: true };
}

/** "invalid literal for int() with base 10: ''", 'parsing "": invalid syntax', 'For input string: ""' */
const EMPTY_TEXT = /(?:''|"")(?=[\s.,;:)]|$)|empty string|\bis empty\b|must not be (?:empty|blank)/;

/** A heap of bytes is none: "-Xmx256" lacks its unit, which the JVM does not say. */
function heapWithoutUnit(container: ContainerFacts): Blamed | undefined {
  if (!/(?:maximum|initial|java) heap|heap size/i.test(container.reading.decisive?.line ?? '')) return undefined;
  const found = heapSettings(container, 'java').find(
    ({ flag, bytes = MIN_HEAP }) => bytes < MIN_HEAP && /\d$/.test(flag),
  );
  if (found === undefined) return undefined;
  return {
    name: found.flag,
    says: `${found.flag} of its ${placeText(found)} has no unit, and so is ${found.bytes} bytes`,
    isAbsent: true,
    quote: heapQuote(container, found),
  };
}

/** No JVM starts with less, bytes. */
const MIN_HEAP = 1024 * 1024;

/** A variable of its command that nothing sets, behind a host or URL that is empty. */
function unsetVariable(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Blamed | undefined {
  const { decisive, lastLine } = container.reading;
  const line = decisive?.line ?? lastLine ?? '';
  if (UNRELATED.has(id) || container.death === undefined || !lacksHost(line)) return undefined;
  const empty = variablesThatAre('empty', facts, container).map(({ name, of }) => ({
    name,
    says: `its variable ${name}${of} is set, and empty`,
  }));
  const unset = unsetVariables(facts, container).map((name) => ({
    name,
    says: `its command uses ${name}, which nothing sets`,
  }));
  const [only, ...more] = [...empty, ...unset].filter(({ name }) => OF_PEERS.test(name));
  return only === undefined || more.length > 0 || hasWord(says, only.name) ? undefined : { ...only, isAbsent: true };
}

/** Names of variables that hold hosts and URLs. */
const OF_PEERS = /HOST|URL|URI|ADDR|SERVER|ENDPOINT|DSN|BROKER|PEER|MASTER|PRIMARY|DB\b|DATABASE/;

/** A line of code that reads a variable, in the languages that people write. */
const READS =
  /(?:\benviron(?:\.get)?[[(]|\bgetenv\(|\bprocess\.env(?:\.|\[)|\bENV(?:\.fetch)?[[(]|\bGetenv\(|\bLookupEnv\(|\benv::var\(|\$_(?:ENV|SERVER)\[)["']?([A-Za-z_][A-Za-z0-9_]{1,100})/g;
/** What an error quotes: 'abc', "abc", `abc`. */
const QUOTED = /'([^']{2,300})'|"([^"]{2,300})"|`([^`]{2,300})`/g;
/** What Kubernetes puts into every pod for each service of its namespace: REDIS_PORT=tcp://10.96.0.4:6379. */
const SERVICE_LINK = /^tcp:\/\/(?:\d{1,3}\.){3}\d{1,3}:\d{1,5}$/;
/** Values that many variables have. */
const COMMON = /^(?:true|false|yes|no|on|off|null|none|undefined|\d)$/i;

/** The variable of a setting that the program names in its own way, or where the one stands that it names. */
function ofSetting(container: ContainerFacts, { id, says }: RankedFinding): Blamed | undefined {
  const { decisive, lastLine } = container.reading;
  if (UNRELATED.has(id) || !mayBeOfValue(id) || container.death === undefined) return undefined;
  const found = [decisive?.line ?? lastLine ?? '', ...(decisive?.related ?? [])]
    .flatMap((line) => settingVariable(container.environment, line) ?? [])
    .at(0);
  if (found === undefined) return undefined;
  const { variable, setting } = found;
  const { name, at, of } = variable;
  const isNamed = hasWord(says, name);
  if (isNamed && (of === undefined || says.includes(of))) return undefined;
  return {
    name,
    says: isNamed
      ? `its variable ${name} is${ofText(variable)}`
      : `its variable ${name}${ofText(variable)} sets ${setting}`,
    isAbsent: true,
    quote: { source: 'field', path: `${container.path}.${at}`, value: of ?? 'set' },
  };
}

function blamedVariable(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): Blamed | undefined {
  const { pod } = facts;
  const { decisive } = container.reading;
  if (decisive === undefined) return undefined;
  const quoted = quotedIn(decisive.line);
  const values = [
    ...quoted,
    ...decisive.line.split(/[\s,;()]+/).filter((word) => TELLING.test(word) || OPTION.test(word)),
  ];
  const beside = readVariable(decisive) ?? readInCode(facts, container, decisive);
  // What is read beside an error of a peer need not name that.
  const read = id.startsWith('dependency-') && !OF_PEERS.test(beside ?? '') ? undefined : beside;
  const link = values.find((value) => SERVICE_LINK.test(value));
  if (link !== undefined) return ofServiceLink(facts, container, { link, code: read });
  const quotes = mayBeOfValue(id) ? variableOfValue(container, values) : undefined;
  if (quotes !== undefined) return quotes;
  const folder = folderVariable(container, values);
  if (folder !== undefined) return folder;
  if (/^(?:authentication|not-allowed|certificate|missing-data|connections)/.test(id)) return undefined;
  const naming = read === undefined ? namingVariable(container, [decisive.line, ...values], quoted) : undefined;
  if (naming !== undefined) return naming;
  // A variable that is told already is no other one that the line reads beside it.
  return read === undefined ||
    (id.startsWith('dependency-') && says.includes('its variable ')) ||
    says.includes(`lacks the environment variable ${read}`) ||
    (/credential/i.test(decisive.line) && !MAY_BE_SECRET.test(read)) ||
    (unsetText(container, read) === '' && MAY_BE_SECRET.test(read) && OF_OTHERS.test(decisive.line)) ||
    (unsetText(container, read) !== '' && hasDefaultInCode(facts, container, read))
    ? undefined
    : {
        name: read,
        says: `that line reads its variable ${read}${absentField(pod, container.spec, read) || unsetText(container, read) || valueText(container, read)}`,
        // That nothing sets it is told also where the error names it.
        ...(unsetText(container, read) === '' ? {} : { isAbsent: true }),
      };
}

/** Variables whose values nobody may see. */
const MAY_BE_SECRET = /pass|pwd|secret|token|key|cred|auth|private|salt|hash|cookie|session|dsn/i;
/** Errors of peers that no password is behind, which their clients read in the same line. */
const OF_OTHERS =
  /^(?!.*(?:auth|passw|credential|token|denied|secret|login|unauthori|forbidden)).*(?:\b(?:database|relation|table|schema|column)\b.{0,80}(?:exist|unknown|no such)|unknown database|no such database|refused|timed out|too many|no such host|not resolve|name or service)/i;
/** Characters of a value that is told. */
const MAX_VALUE = 80;

/** " (catalog:8080, of ConfigMap settings, key CATALOG_URL)", of a variable that names a peer, else its value; empty: it is a secret, or long. */
function valueText({ environment, spec }: ContainerFacts, name: string): string {
  const variable = environment.find((each) => each.name === name);
  if (variable === undefined) {
    const source = keyVariables(spec).find((each) => each.variable === name && each.kind === 'Secret');
    return source === undefined ? '' : ` (of Secret ${source.name}, key ${source.key})`;
  }
  const [peer] = environmentPeers([variable]);
  const isPlain = !MAY_BE_SECRET.test(name) && !variable.value.includes('@') && variable.value.length <= MAX_VALUE;
  // The path of a URL may be what is wrong: the number of a database, a bucket.
  const hasMore = /:\/\/[^/\s]{1,200}\/\S/.test(variable.value);
  const value =
    peer !== undefined && !(isPlain && hasMore)
      ? peerText(peer)
      : isPlain
        ? JSON.stringify(quotable(variable.value))
        : '';
  const parts = [...(value === '' ? [] : [value]), ...(variable.of === undefined ? [] : [`of ${variable.of}`])];
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`;
}

/** What an error quotes, as a value may be. */
export function quotedIn(line: string): readonly string[] {
  return [...line.matchAll(QUOTED)].flatMap(([, a, b, c]) => a ?? b ?? c ?? []);
}

/** The only variable that has one of these values as a whole. */
export function variableOfValue(container: ContainerFacts, values: readonly string[]): Blamed | undefined {
  for (const value of values.filter((each) => !COMMON.test(each))) {
    const [only, ...more] = container.environment.filter(({ value: own }) => own.trimEnd() === value);
    if (only === undefined || more.length > 0) continue;
    return {
      name: only.name,
      says: `that is the value of its variable ${only.name}${ofText(only)}`,
      isValue: true,
      quote: { source: 'field', path: `${container.path}.${only.at}`, value: quotable(value) },
    };
  }
  return undefined;
}

/** The variable that a line of code reads; of several the one that has most words in common with the error. */
function readVariable({ line, related }: DecisiveLine): string | undefined {
  const all = related.flatMap((each) => [...each.matchAll(READS)].flatMap(([, name]) => name ?? []));
  const said = line.toLowerCase();
  const commonOf = (name: string): number =>
    name
      .toLowerCase()
      .split('_')
      .filter((part) => part.length > 2 && hasWord(said, part)).length;
  return all.toSorted((a, b) => commonOf(b) - commonOf(a))[0];
}

/** A word that is a URL, a path or a name with a port. */
const TELLING = /^[a-z][\w+.-]{1,20}:\/\/\S{3,}$|^\/[\w.-]{2,}\/\S{2,}$|^[\w-]{2,}(?:\.[\w-]{2,}){1,8}(?::\d{2,5})?$/i;

/** "-Xmx2gb", "--max-connections=a" */
const OPTION = /^--?[A-Za-z][\w:.-]{2,60}(?:=\S{1,100})?$/;
/** Characters of a name that is told again. */
const MAX_NAMED = 60;
/** Characters of a value that may be a setting. */
const MAX_NAMING = 1000;

/** What etcd says of its own name, which is none of the members. */
const OF_MEMBER = /\blocal name "([^"]{1,100})" in the initial cluster\b/;
/** "etcd-0=http://kv-0.kv:2380,etcd-1=…" */
const MEMBERS = /^[\w.-]{1,100}=https?:\/\/[^,\s]{1,300}(?:,[\w.-]{1,100}=https?:\/\/[^,\s]{1,300}){0,20}$/;

/** The only variable with members of a cluster, and their names; none of them is nearly the one that is missed, which is told otherwise. */
function memberVariable(
  { environment, path }: Pick<ContainerFacts, 'environment' | 'path'>,
  missed: string,
): Blamed | undefined {
  const [only, ...more] = environment.filter(({ value }) => MEMBERS.test(value));
  if (only === undefined || more.length > 0) return undefined;
  const members = [...new Set(only.value.split(',').map((each) => each.slice(0, each.indexOf('='))))];
  if (nearNames(missed, members).length > 0) return undefined;
  return {
    name: only.name,
    says: `its variable ${only.name}${ofText(only)} names the members ${listed(members)}`,
    quote: { source: 'field', path: `${path}.${only.at}`, value: quotable(only.value) },
  };
}

/** The only variable whose value has in it what the line names: the host of a URL, the file of an option. */
function namingVariable(
  { environment, path }: ContainerFacts,
  lines: readonly string[],
  quoted: readonly string[],
): Blamed | undefined {
  const [line = '', ...words] = lines;
  const missed = OF_MEMBER.exec(line)?.[1];
  const ofMembers = missed === undefined ? undefined : memberVariable({ environment, path }, missed);
  if (ofMembers !== undefined) return ofMembers;
  const peer = peerIn(line);
  const names = [
    ...words.filter((word) => TELLING.test(word) || OPTION.test(word)),
    ...(peer.host !== undefined && peer.host.length > 3 ? [peer.host] : []),
    // What an error quotes of a longer value: "543x" of a URL.
    ...quoted.filter((word) => /^[\w.:-]{4,60}$/.test(word) && /\d/.test(word)),
  ];
  for (const name of names.map((each) => each.replace(/[.:,]+$/, ''))) {
    if (name.length < 4 || /^(?:localhost|127\.|0\.0\.0\.0)/.test(name)) continue;
    // A longer text is no setting, but a file or a script.
    const [only, ...more] = environment.filter(
      ({ value }) => value.length > name.length && value.length < MAX_NAMING && isWithin(value, name),
    );
    if (only === undefined || more.length > 0) continue;
    return {
      name: only.name,
      says: `${name.length > MAX_NAMED ? 'that' : quotable(name)} is in its variable ${only.name}${ofText(only)}`,
      quote: { source: 'field', path: `${path}.${only.at}`, value: `names ${quotable(name)}` },
    };
  }
  return undefined;
}

/** The variable with the folder of a file that the line names: /backup/prod of /backup/prod/config; the innermost of several. */
function folderVariable({ environment, path }: ContainerFacts, words: readonly string[]): Blamed | undefined {
  for (const word of words.map((each) => each.replace(/[.:,]+$/, '')).filter((each) => each.startsWith('/'))) {
    const above = environment
      .map((variable) => ({ variable, folder: variable.value.trim().replace(/\/+$/, '') }))
      .filter(({ folder }) => FOLDER.test(folder) && word.startsWith(`${folder}/`))
      .toSorted((a, b) => b.folder.length - a.folder.length);
    const [only, next] = above;
    if (only === undefined || only.folder === next?.folder) continue;
    return {
      name: only.variable.name,
      says: `${only.folder} is of its variable ${only.variable.name}${ofText(only.variable)}`,
      quote: { source: 'field', path: `${path}.${only.variable.at}`, value: only.folder },
    };
  }
  return undefined;
}

/** A folder that somebody chose for this program. */
const FOLDER =
  /^\/(?!(?:usr|etc|bin|lib|proc|dev|sys|root|home|tmp)(?:\/[\w.-]{1,60})?$)[\w.-]{1,100}(?:\/[\w.-]{1,100}){0,8}$/;

/** As a whole word of the value: "db" is none of "mydb". */
function isWithin(value: string, name: string): boolean {
  const at = value.indexOf(name);
  if (at === -1) return false;
  const edges = [value[at - 1] ?? ' ', value[at + name.length] ?? ' '];
  return edges.every((edge) => !/[\w-]/.test(edge));
}

/** ", which its pod does not set", of a variable that only its image could set. */
function unsetText({ spec }: ContainerFacts, name: string): string {
  const isSet = (spec.env ?? []).some((each) => each.name === name) || (spec.envFrom ?? []).length > 0;
  return isSet ? '' : ', which its pod does not set';
}

/** "redis.port", "redis-port", "REDIS_PORT": a setting that is named after the variable. */
const PORT_SETTING = /\b([a-z][a-z0-9]{0,40}(?:[._-][a-z0-9]{1,40}){0,4})[._-]port\b/i;

/** The specification does not set the variable, so the node set it for a service of that name. */
function ofServiceLink(
  { evidence }: PodFacts,
  container: ContainerFacts,
  { link, code }: { readonly link: string; readonly code: string | undefined },
): Blamed | undefined {
  const { spec, path, reading } = container;
  const lines = [reading.decisive?.line ?? '', ...(reading.decisive?.related ?? []), ...reading.others];
  const setting = lines.flatMap((line) => PORT_SETTING.exec(line)?.[1] ?? [])[0];
  const linked = evidence.services.find(({ clusterIPs }) =>
    clusterIPs.some((address) => link.includes(`//${address}:`)),
  );
  const named = setting ?? linked?.name;
  const read = code ?? (named === undefined ? undefined : `${named.toUpperCase().replaceAll(/[.-]/g, '_')}_PORT`);
  const service = /^([A-Z][A-Z0-9_]*?)_PORT(?:_\d+_TCP)?$/.exec(read ?? '')?.[1];
  if (read === undefined || service === undefined || spec.env?.some(({ name }) => name === read) === true)
    return undefined;
  const name = service.toLowerCase().replaceAll('_', '-');
  return {
    name: read,
    says: `its variable ${read} is set by Kubernetes for service ${name}; enableServiceLinks: false or a variable of its own prevents that`,
    isAbsent: true,
    quote: { source: 'field', path: `${path}.env`, value: `does not set ${read}` },
  };
}
