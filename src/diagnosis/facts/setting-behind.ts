/** Names the setting behind an error that speaks only of what it sets: a heap, a limit of files, a port that two settings have, a bucket. Pure. */
import { fileIn } from '../../log-analysis/index.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { askedUrl } from './asked-urls.ts';
import { mistakenCode } from './code-mistakes.ts';
import { configMounts } from './config-files.ts';
import { configTexts } from './config-texts.ts';
import type { ContainerFacts } from './container-facts.ts';
import { ofText, type Variable } from './environment.ts';
import { withFirstEnds } from './first-ends.ts';
import { configsBehind } from './mounts.ts';
import type { PodFacts } from './pod-facts.ts';
import { commandText } from './spec-peers.ts';
import { hasWord, listed, quotable } from './text.ts';

interface Setting {
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** The findings; the first of each container about its end names the setting behind it, where its sentence does not. */
export function withSettingBehind(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return withFirstEnds(facts, found, (container, finding) => {
    const setting = settingBehind(facts, container, finding);
    if (setting === undefined) return finding;
    const { says, quotes } = setting;
    return { ...finding, says: `${finding.says}; ${says}`, evidence: [...finding.evidence, ...quotes] };
  });
}

function settingBehind(facts: PodFacts, container: ContainerFacts, finding: RankedFinding): Setting | undefined {
  return (
    jvmOptions(container) ??
    literalVariable(container, finding) ??
    ofCommand(container, finding) ??
    phpMemory(facts, container, finding) ??
    portTwice(container, finding) ??
    ofKind(container, finding) ??
    ofFileName(container, finding) ??
    otherProtocol(container, finding) ??
    bare(askedUrl(container, finding)) ??
    bare(mistakenCode(facts, container, finding.says)) ??
    bare(likelyMount(facts, container, finding))
  );
}

/** "$PORT", "${PORT}" in an argument. */
const SHELL_REFERENCE = /\$(?:\{([A-Z_][A-Z0-9_]{1,60})\}|([A-Z_][A-Z0-9_]{1,60}))/;
const SHELLS = /(?:^|\/)(?:sh|bash|ash|dash|zsh|ksh|busybox|envsubst|awk|gawk|mawk|perl|make)$/;

/** A variable in an argument that no shell reads, so that the program has its name instead of its value. */
function literalVariable({ spec, path }: ContainerFacts, { id }: RankedFinding): Setting | undefined {
  if (!/^(?:exit-code|bad-argument|malformed-config|missing-setting|dependency-not-resolved)$/.test(id))
    return undefined;
  const words = [...(spec.command ?? []), ...(spec.args ?? [])];
  // What one of them hands to a shell, or to a language that has such names, is expanded there, or is no reference.
  if (spec.command === undefined || words.slice(0, SHELL_WORDS).some((word) => SHELLS.test(word))) return undefined;
  const found = words.find((word) => word.length < MAX_ARGUMENT && SHELL_REFERENCE.test(word));
  const [whole = '', braced, plain] = SHELL_REFERENCE.exec(found ?? '') ?? [];
  const name = braced ?? plain;
  if (found === undefined || name === undefined || !(spec.env ?? []).some((each) => each.name === name))
    return undefined;
  return {
    says: `its argument ${quotable(found)} goes to it as it stands, as no shell reads it: Kubernetes fills in $(${name}), and not ${whole}`,
    quotes: [
      {
        source: 'field',
        path: `${path}.${(spec.command ?? []).includes(found) ? 'command' : 'args'}`,
        value: quotable(found),
      },
    ],
  };
}

/** "env", "tini", "--", "sh" */
const SHELL_WORDS = 4;
const MAX_ARGUMENT = 200;

/** What a JVM says of its options before it runs anything. */
const JVM_REFUSES =
  /heap size (?:set )?|Unrecognized (?:VM )?option|Could not create the Java Virtual Machine|initialization of VM|Conflicting collector|Invalid (?:maximum|initial|minimum) |Improperly specified VM option|Error opening zip file or JAR manifest/i;

/** The only variable with options of a JVM, behind what it says of them. */
function jvmOptions(container: ContainerFacts): Setting | undefined {
  const { reading, environment } = container;
  const lines = [reading.decisive?.line ?? '', ...(reading.decisive?.related ?? [])];
  if (!lines.some((line) => JVM_REFUSES.test(line))) return undefined;
  const named = environment.filter(({ value }) => /(?:^|\s)-(?:X|D|agent|javaagent)/.test(value.slice(0, 2000)));
  const [only, ...more] = named;
  const flags = (only?.value.match(/(?:^|\s)-(?:X\S{1,60}|javaagent:\S{1,100})/g) ?? []).map((flag) => flag.trim());
  if (only === undefined || more.length > 0 || flags.length === 0) return undefined;
  return {
    says: `its variable ${only.name}${ofText(only)} sets ${quotable(flags.slice(0, MAX_FLAGS).join(' '))}`,
    quotes: [fieldOf(container, only, flags.slice(0, MAX_FLAGS).join(' '))],
  };
}

const MAX_FLAGS = 4;

interface CommandSetting {
  readonly about: RegExp;
  readonly pattern: RegExp;
}

/** Words of a command that bound what an error says is used up. */
const OF_COMMAND: readonly CommandSetting[] = [
  {
    about: /too many open files|\bE[MN]FILE\b/i,
    pattern: /\bulimit (?:-[SH]{0,2}n|-n -[SH]) \d{1,9}|--nofile[= ]\d{1,9}(?::\d{1,9})?/,
  },
  {
    about: /resource temporarily unavailable|can't start new thread|unable to create (?:native )?thread|\bEAGAIN\b/i,
    pattern: /\bulimit -[SH]{0,2}u \d{1,9}/,
  },
  {
    about: /cannot allocate memory|\bENOMEM\b|MemoryError|bad_alloc|out of memory/i,
    pattern: /\bulimit -[SH]{0,2}[vdm] \d{1,12}/,
  },
  { about: /file (?:size|too large)|\bEFBIG\b|SIGXFSZ/i, pattern: /\bulimit -[SH]{0,2}f \d{1,12}/ },
  {
    about: /heap exhausted|heap.{0,40}(?:exhausted|full|out of)/i,
    pattern: /--dynamic-space-size[= ]\S{1,20}|--max-?heap\S{0,20}[= ]\S{1,20}/i,
  },
];

function ofCommand(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const { spec, path, reading } = container;
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 4000);
  const said = `${says}\n${reading.decisive?.line ?? ''}`;
  for (const { about, pattern } of OF_COMMAND) {
    const [found] = about.test(said) ? (pattern.exec(text) ?? []) : [];
    if (found === undefined || says.includes(found)) continue;
    const field = (spec.command ?? []).some((part) => part.includes(found)) ? 'command' : 'args';
    return {
      says: `its command sets ${quotable(found)}`,
      quotes: [{ source: 'field', path: `${path}.${field}`, value: quotable(found) }],
    };
  }
  return undefined;
}

const PHP_LIMIT = /Allowed memory size of \d{1,15} bytes exhausted/;
const PHP_SETTING = /\bmemory_limit\]?\s{0,4}=\s{0,4}["']?(-?\d{1,12}[KMG]?)/i;

/** The memory_limit of a command or of a file. */
function phpMemory(facts: PodFacts, container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  if (!PHP_LIMIT.test(container.reading.decisive?.line ?? '')) return undefined;
  const command = PHP_SETTING.exec([...(container.spec.command ?? []), ...(container.spec.args ?? [])].join(' '));
  if (command !== null) return { says: `its command sets memory_limit to ${command[1]}`, quotes: [] };
  const found = configTexts(facts, container).flatMap(({ at, text }) => {
    const line = text.split('\n').find((each) => PHP_SETTING.test(each) && !/^\s*;/.test(each));
    const value = line === undefined ? undefined : PHP_SETTING.exec(line)?.[1];
    return value === undefined ? [] : [{ at, value }];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0 || says.includes(only.at)) return undefined;
  const { at, value } = only;
  return {
    says: `${at}, sets memory_limit to ${value}`,
    quotes: [{ source: 'object', object: at, says: `memory_limit = ${value}` }],
  };
}

/** Two of its own variables with the port that is taken. */
function portTwice(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const port = id === 'port-in-use' ? /on port (\d{2,5})/.exec(says)?.[1] : undefined;
  if (port === undefined || / container \S+ of its pod|of its node/.test(says)) return undefined;
  const having = container.environment.filter(
    ({ name, value }) => value.trim() === port || (/PORT|ADDR|LISTEN|BIND/.test(name) && value.endsWith(`:${port}`)),
  );
  if (having.length < 2) return undefined;
  return {
    says: `its variables ${listed(having.map(({ name }) => name))} name that port both`,
    quotes: having.map((variable) => fieldOf(container, variable, variable.value)),
  };
}

/** What programs look for in a peer by a name that is theirs. */
const KINDS =
  /\b(bucket|topic|queue|vhost|exchange|database|index|collection|stream|keyspace|schema|repository|project|region|realm|tenant)\b/gi;
const OF_PEER = /^(?:missing-data|not-allowed|exit-code|authentication-refused)$/;
/** What is said of one that is not there, or not to be used. */
const IS_WRONG =
  /not (?:exist|found|known|allowed|permitted|authori[sz]ed)|n't (?:exist|find|found|know)|no such|unknown|missing|denied|invalid|NoSuch|NotFound|not_found|forbidden|\b40[34]\b/i;
const MAX_VALUE = 80;

/** The only variable named after the kind of thing that its peer does not have, where its value is not told. */
function ofKind(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!OF_PEER.test(id) || !IS_WRONG.test(line)) return undefined;
  const quoted = id === 'missing-data' ? quotedValue(container, line) : undefined;
  if (quoted !== undefined && !hasWord(says, quoted.name))
    return {
      says: `${quotable(quoted.value)} is of its variable ${quoted.name}${ofText(quoted)}`,
      quotes: [fieldOf(container, quoted, quoted.value)],
    };
  const words = line.replaceAll(/([a-z])([A-Z])/g, '$1 $2');
  const kinds = [...new Set([...words.matchAll(KINDS)].map(([kind]) => kind.toUpperCase()))];
  const named = container.environment.filter(({ name }) => kinds.some((kind) => name.split('_').includes(kind)));
  const [only, ...more] = named;
  if (only === undefined || more.length > 0 || !isPlain(only)) return undefined;
  const { name, value } = only;
  if (hasWord(says, name)) return undefined;
  return hasWord(says, value)
    ? {
        says: `${quotable(value)} is of its variable ${name}${ofText(only)}`,
        quotes: [fieldOf(container, only, value)],
      }
    : {
        says: `its variable ${name}${ofText(only)} is ${JSON.stringify(quotable(value))}`,
        quotes: [fieldOf(container, only, value)],
      };
}

/** The only variable whose whole value the line has in quotation marks. */
function quotedValue({ environment }: ContainerFacts, line: string): Variable | undefined {
  const words = new Set([...line.matchAll(/["'`]([\w.-]{3,80})["'`]/g)].flatMap(([, word]) => word ?? []));
  const [only, ...more] = environment.filter((variable) => isPlain(variable) && words.has(variable.value));
  return more.length === 0 ? only : undefined;
}

function isPlain({ name, value }: Variable): boolean {
  return (
    value !== '' &&
    value.length <= MAX_VALUE &&
    !/pass|pwd|secret|token|key|cred|url|uri|dsn/i.test(name) &&
    !/[@\s]/.test(value)
  );
}

/** The only variable whose value is a part of the name of the file that is not there: "production" of production.json. */
function ofFileName(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const file = /does not find its (?:file|folder) (\/[^\s,;:]{2,300})/.exec(says)?.[1];
  if (file === undefined) return undefined;
  const parts = new Set(file.split(/[/._]/));
  const [only, ...more] = container.environment.filter(
    (variable) => isPlain(variable) && /^[A-Za-z][\w-]{2,40}$/.test(variable.value) && parts.has(variable.value),
  );
  if (only === undefined || more.length > 0 || hasWord(says, only.name)) return undefined;
  return {
    says: `${quotable(only.value)} is its variable ${only.name}${ofText(only)}`,
    quotes: [fieldOf(container, only, only.value)],
  };
}

/** By the schemes of URLs, and by usual ports. */
const PROTOCOLS: Readonly<Record<string, string>> = {
  postgres: 'PostgreSQL',
  postgresql: 'PostgreSQL',
  mysql: 'MySQL',
  mariadb: 'MySQL',
  redis: 'Redis',
  rediss: 'Redis',
  amqp: 'AMQP',
  amqps: 'AMQP',
  mongodb: 'MongoDB',
  memcached: 'memcached',
  http: 'HTTP',
  https: 'HTTP',
  mqtt: 'MQTT',
  nats: 'NATS',
};
const OF_PORTS: Readonly<Record<number, string>> = {
  80: 'HTTP',
  443: 'HTTP',
  3000: 'HTTP',
  8000: 'HTTP',
  8080: 'HTTP',
  8443: 'HTTP',
  3306: 'MySQL',
  5432: 'PostgreSQL',
  6379: 'Redis',
  5672: 'AMQP',
  15672: 'HTTP',
  27017: 'MongoDB',
  11211: 'memcached',
  1883: 'MQTT',
  4222: 'NATS',
  9092: 'Kafka',
  2181: 'ZooKeeper',
};
const SCHEME = /^([a-z][a-z0-9]{1,20})(?:\+[a-z0-9]{1,20})?:\/\/(?:[^\s/@]{0,200}@)?[\w.-]{1,253}:(\d{2,5})\b/i;
/** What is said of a peer that does not answer as it should. */
const MISFITS =
  /protocol|handshake|packet|unexpected|invalid (?:response|reply|data|type)|bad (?:request|response|reply)|malformed|closed|reset|lost connection|timed out|timeout|EOF\b/i;

/** The only variable whose URL has the scheme of one server and the usual port of another. */
function otherProtocol(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const line = container.reading.decisive?.line ?? '';
  if (!/^(?:dependency-(?:closes|times-out)|exit-code|malformed-config)$/.test(id) || !MISFITS.test(line))
    return undefined;
  const found = container.environment.flatMap((variable) => {
    const [, scheme = '', port = ''] = SCHEME.exec(variable.value) ?? [];
    const asked = PROTOCOLS[scheme.toLowerCase()];
    const usual = OF_PORTS[Number(port)];
    return asked === undefined || usual === undefined || asked === usual ? [] : [{ variable, asked, usual, port }];
  });
  const [only, ...more] = found;
  if (only === undefined || more.length > 0 || says.includes('by its protocol')) return undefined;
  const { variable, asked, usual, port } = only;
  return {
    says: `its variable ${variable.name}${ofText(variable)} asks ${asked} by its protocol at port ${port}, which is usually that of ${usual}`,
    quotes: [fieldOf(container, variable, `${asked} at port ${port}`)],
  };
}

const MIN_LIKE = 5;

/** The only Secret or ConfigMap whose mount is called as what the error speaks of: a licence, an allowlist. */
function likelyMount(facts: PodFacts, container: ContainerFacts, { id, says }: RankedFinding): string | undefined {
  if (
    id !== 'exit-code' ||
    fileIn(container.reading.decisive?.line ?? '') !== undefined ||
    /\bof (?:ConfigMap|Secret) [a-z0-9]/.test(says)
  )
    return undefined;
  const own = commandText(container.spec).toLowerCase();
  // What it quotes is the name of something else, and that of its program stands in all of its lines.
  const line = (container.reading.decisive?.line ?? '').replaceAll(/["'`][^"'`]{1,100}["'`]/g, ' ').toLowerCase();
  const said = new Set((line.match(/[a-z]{5,40}/g) ?? []).filter((word) => !own.includes(word)));
  const like = configMounts(facts, container).flatMap((mounted) => {
    const [config, ...others] = configsBehind(mounted);
    const words = [...mounted.mountPath.split(/[^A-Za-z]+/), ...(config?.name ?? '').split('-')].map((word) =>
      word.toLowerCase(),
    );
    const isLike = words.some(
      (word) => word.length >= MIN_LIKE && [...said].some((one) => one === word || one === `${word}s`),
    );
    return config === undefined || others.length > 0 || !isLike ? [] : [{ config, at: mounted.mountPath }];
  });
  const [only, ...more] = like;
  return only === undefined || more.length > 0
    ? undefined
    : `${only.config.kind} ${only.config.name} is mounted at ${only.at}`;
}

function bare(says: string | undefined): Setting | undefined {
  return says === undefined ? undefined : { says, quotes: [] };
}

function fieldOf({ path }: ContainerFacts, { at, of }: Variable, value: string): Quote {
  return { source: 'field', path: `${path}.${at}`, value: of ?? quotable(value) };
}
