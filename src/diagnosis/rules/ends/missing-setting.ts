/** Rule: a program says that it does not find a variable or a file of its configuration. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { onlyAbsentFile } from '../../facts/files/absent-files.ts';
import { endedByItself, type LastWord, lastWord, quoteLine, rankOfWord } from '../../facts/words/last-words.ts';
import { configsBehind, filledBy, folderLikeFile, placeOf } from '../../facts/files/mounts.ts';
import { absentField } from '../../facts/pod/pod-fields.ts';
import { keptFrom } from '../../facts/variables/not-handed-on.ts';
import { listed, quotable } from '../../facts/words/text.ts';
import { fileNear, withoutCodePlaces } from '../../../log-analysis/index.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { isUnreadable } from '../../facts/files/volume-modes.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';
import { aboutContent, hasItNow, isScriptThere } from './file-there.ts';
import { socketLookedFor } from '../peers/local-socket.ts';
import { userFields } from './permissions.ts';

/** Only names in capitals count as variables; other keys belong to a program's own settings. */
const VARIABLES: readonly RegExp[] = [
  /\b[Ee]nv(?:ironment)? ?var(?:iable)?s?\b.*?\b([A-Z][A-Z0-9_]{2,})\b.*\b(?:not set|unset|missing|required|undefined|empty)\b/,
  /\b(?:[Mm]issing|[Rr]equired|[Uu]ndefined|[Uu]nset|not set)\b.*\b[Ee]nv(?:ironment)? ?var(?:iable)?s?\b[^A-Za-z]*([A-Z][A-Z0-9_]{2,})\b/,
  /\b[Tt]he ([A-Z][A-Z0-9]*_[A-Z0-9_]+) environment variable is not\b/,
  /\benv(?:ironment)?[ -]?var(?:iable)?s?\b.{0,40}?\b(?:not found|not (?:been )?(?:set|provided|given|defined)|is missing|required|empty)\b[^A-Za-z]{0,6}([A-Z][A-Z0-9_]{2,})\b/i,
  /\b(?:[Mm]ust|[Nn]eed to|[Hh]ave to|[Ss]hould|[Pp]lease|MUST|PLEASE) (?:also )?(?:[Ss]pecify|[Ss]et|[Pp]rovide|[Dd]efine|[Pp]ass|SET)\b(?! settings\.).{0,80}?\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b/,
  /\bno such variable\b.*\benv\(([A-Z][A-Z0-9_]{2,})\)/,
  /\b[Ee]nv(?:ironment)? ?var(?:iable)? not found: ([A-Z][A-Z0-9_]{2,})\b/,
  /\bkey not found: "([A-Z][A-Z0-9]*_[A-Z0-9_]+)"/,
  /^KeyError: '([A-Z][A-Z0-9]*_[A-Z0-9_]+)'/,
  /\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b[:]? (?:must (?:be set|not be empty)|is not set|is required|is not defined|not set|unset|undefined|parameter not set|unbound variable)/,
  /^(?:\S+: )?line \d+: ([A-Z][A-Z0-9_]*): (?:unbound variable|parameter (?:not set|null or not set)|must be set)/,
  /^\S+: \d+: ([A-Z][A-Z0-9_]*): (?:parameter not set|must be set)/,
];
const NO_FILE = anyOf(
  /no such file/i,
  /ENOENT/i,
  /FileNotFound/i,
  /NoSuchFile/i,
  /(?:can't|cannot|could not|couldn't|unable to) find\b/i,
  /does not exist/i,
  /not found\b/i,
  /\bfile is missing\b/i,
  /failed opening required/i,
  /(?:unable to|cannot|can't|could not) (?:open|read|find) (?:the )?config/i,
);
/** Lines about files that are programs or libraries, which other rules explain. */
const NO_SETTING =
  /no usable temporary directory|shared librar|shared object|cannot find (?:module|package)|jarfile|cannot find symbol|:\d+: error: |permission denied|read-only|denied/i;

const IS_FOLDER = /\bEISDIR\b|\bis a directory\b|IsADirectoryError|illegal operation on a directory/i;

/** "start.sh: line 3: MAIL_URL: required", of ${MAIL_URL:?required}. */
const OF_SHELL =
  /^(?:\S{1,200}: )?(?:line )?\d+: ([A-Z][A-Z0-9_]*): (?!.*(?:[Nn]ot found|[Nn]o such file|[Pp]ermission denied|[Cc]annot execute))\S.{0,200}$/;

/** The variable that a shell says it must have; undefined: it says no such thing. */
export function shellVariable(container: ContainerFacts): LastWord | undefined {
  return container.death?.exitCode === 127 ? lastWord(container, OF_SHELL) : undefined;
}

const ofContainer: ContainerRule = (facts, container) => {
  const required = endedByItself(container) ? shellVariable(container) : undefined;
  if (required !== undefined) return [missingVariable(facts, container, required)];
  // Other rules explain these exit codes better.
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  const folder = folderForFile(facts, container);
  if (folder !== undefined) return [folder];
  const variable = VARIABLES.flatMap((pattern) => lastWord(container, pattern) ?? []);
  const [word] = variable.toSorted((a, b) => a.fromEnd - b.fromEnd);
  return word === undefined ? missingFile(facts, container) : [missingVariable(facts, container, word)];
};

export const missingSetting: PodRule = eachContainer(ofContainer);

function missingVariable(facts: PodFacts, container: ContainerFacts, word: LastWord): RankedFinding {
  const name = word.match[1] ?? '';
  const kept = keptFrom(container, name);
  if (kept !== undefined)
    return explainedEnd(facts, container, {
      id: 'missing-setting',
      rank: rankOfWord(80, word),
      says: `${title(container)} does not find its variable ${name}: ${kept}: ${quotable(word.line).replace(/\.+$/, '')}`,
      line: word.line,
      more: references(container, name),
      try: facts.commands.edit,
    });
  return explainedEnd(facts, container, {
    id: 'missing-setting',
    rank: rankOfWord(80, word),
    says: `${title(container)} lacks the environment variable ${name}${absentField(facts.pod, container.spec, name)}${ofServiceText(facts, name) || instead(container, name)}`,
    line: word.line,
    more: references(container, name),
    try: facts.commands.edit,
  });
}

/** "DB_SERVICE_HOST", "DB_PORT_5432_TCP_ADDR" */
const OF_SERVICE =
  /^([A-Z][A-Z0-9_]*?)_(?:SERVICE_(?:HOST|PORT)(?:_\w{1,60})?|PORT_\d{1,5}_(?:TCP|UDP)(?:_\w{1,10})?)$/;

/** What Kubernetes sets for the services that a pod finds at its start, unless it is told not to. */
function ofServiceText({ pod }: PodFacts, name: string): string {
  const service = OF_SERVICE.exec(name)?.[1]?.toLowerCase().replaceAll('_', '-');
  if (service === undefined) return '';
  return pod.spec?.enableServiceLinks === false
    ? `, which Kubernetes would set for service ${service}, if its pod had not enableServiceLinks: false`
    : `, which Kubernetes sets for a service ${service} of its namespace that is there before the pod`;
}

/** "; it has SMTP_HOSTNAME", or that a prefix is put before the keys of its envFrom. */
function instead({ spec }: ContainerFacts, wanted: string): string {
  const own = (spec.env ?? []).map(({ name }) => name);
  const like = own.filter(
    (name) => name !== wanted && (name.startsWith(wanted) || wanted.startsWith(name) || isReordered(name, wanted)),
  );
  if (like.length > 0) return `; it has ${listed(like)}`;
  const prefixed = (spec.envFrom ?? []).flatMap(({ prefix, configMapRef, secretRef }) => {
    const source =
      configMapRef === undefined ? `Secret ${secretRef?.name ?? ''}` : `ConfigMap ${configMapRef.name ?? ''}`;
    return prefix === undefined || prefix === '' || !wanted.startsWith(prefix) ? [] : [`${source} (${prefix})`];
  });
  return prefixed.length === 0 ? '' : `; its envFrom puts a prefix before each key of ${listed(prefixed)}`;
}

/** DATABASE_HOST for DB_HOST: all words but one are the same. */
function isReordered(name: string, wanted: string): boolean {
  const [a, b] = [name, wanted].map((text) => text.split('_')) as [string[], string[]];
  return (
    a.length > 1 &&
    a.length === b.length &&
    a.filter((word, at) => word !== b[at]).length === 1 &&
    a[0]?.[0] === b[0]?.[0]
  );
}

/** A whole ConfigMap or Secret is mounted where the program reads a file: its mount lacks a subPath. */
function folderForFile(facts: PodFacts, container: ContainerFacts): RankedFinding | undefined {
  const word = lastWord(container, IS_FOLDER);
  if (word === undefined) return undefined;
  const mounted = folderLikeFile(facts, container);
  const named = fileNear(word.line, word.match.index);
  if (mounted === undefined || (named !== undefined && named !== mounted.mountPath)) return undefined;
  const configs = configsBehind(mounted);
  const of = listed(configs.map(({ kind, name }) => `${kind} ${name}`));
  return explainedEnd(facts, container, {
    id: 'mount-mismatch',
    rank: rankOfWord(88, word),
    says: `${title(container)} reads ${mounted.mountPath} as a file, but it is a directory: ${of} is mounted there as a whole, without a subPath`,
    line: word.line,
    more: configs.map(({ quote }) => quote),
    try: facts.commands.edit,
  });
}

/** Quotes the source of the variable, which may be optional; values are not quoted. */
function references({ path, spec }: ContainerFacts, variable: string): readonly Quote[] {
  return (spec.env ?? []).flatMap(({ name, valueFrom }, index): readonly Quote[] =>
    name === variable && valueFrom !== undefined
      ? [{ source: 'field', path: `${path}.env[${index}]`, value: JSON.stringify(valueFrom) }]
      : [],
  );
}

/** "/app/shop.json" of "could not find a shop.json file in /app". */
function fileInFolder(line: string): string | undefined {
  const found =
    /\b(?:find|found|locate|no) (?:an? |the |any )?["'`]?([\w-]{1,60}(?:\.[\w-]{1,12}){1,3})["'`]? (?:file )?(?:was )?(?:found )?in ["'`]?(\/[\w./@-]{1,255})/i.exec(
      line,
    );
  return found === null ? undefined : `${(found[2] ?? '').replace(/[/.]+$/, '')}/${found[1]}`;
}

function missingFile(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const word = lastWord(container, NO_FILE);
  // The system says so of a script, too, whose interpreter is not there: the rule about starts tells them apart.
  if (word !== undefined && /^exec \S{1,300}: no such file or directory$/.test(word.line)) return NOTHING;
  // No image is meant to have the socket of a server that runs elsewhere.
  if (socketLookedFor(facts, container) !== undefined) return NOTHING;
  const header = word === undefined ? null : HEADER.exec(word.line);
  if (word !== undefined && header !== null) return [missingHeader(facts, container, word, header)];
  if (word === undefined || NO_SETTING.test(word.line)) return NOTHING;
  const named = fileInFolder(word.line) ?? fileNear(withoutCodePlaces(word.line), word.match.index);
  const absent = named === undefined && OF_SYSTEM.test(word.line) ? onlyAbsentFile(facts, container) : undefined;
  const file = named ?? absent?.file;
  if (file === undefined || (named !== undefined && isAboutOther(word.line, named))) return NOTHING;
  // Another rule tells of one that is there, and that its user may not read.
  if (isUnreadable(facts, container, file) || isScriptThere(facts, container, word, file)) return NOTHING;
  const content = aboutContent(facts, container, word, file);
  if (content !== undefined) return [content];
  // A file with the number of a line is there: it is the place of the error.
  if (
    word.line.includes(file) &&
    /^["']?(?::\d|\[\d|,? (?:on |at )?line \d)/.test(word.line.slice(word.line.indexOf(file) + file.length)) &&
    !OF_SYSTEM.test(word.line)
  )
    return NOTHING;
  if (file.startsWith(TOKEN_FOLDER)) return [missingToken(facts, container, word)];
  const { where, quotes } = placeOf(facts, container, file);
  const denied = deniedBefore(container, file);
  if (denied !== undefined)
    return [
      explainedEnd(facts, container, {
        id: 'permission-denied',
        rank: rankOfWord(84, word),
        says: `${title(container)} does not find its file ${file}, as it may not write ${denied.file}`,
        line: word.line,
        more: [quoteLine(container, denied.line), ...userFields(facts, container), ...quotes],
        try: [commandForLog(facts, container), ...facts.commands.edit],
      }),
    ];
  return [
    explainedEnd(facts, container, {
      id: 'missing-setting',
      rank: rankOfWord(80, word),
      says: `${title(container)} does not find its file ${file}${absent === undefined ? ' ' : `, which ${absent.namedBy} names, `}${where}${filledBy(facts, container, file)}${hasItNow(facts, container, file)}${absent === undefined ? '' : `, which has ${absent.has}`}`,
      line: word.line,
      more: quotes,
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
}

const DENIED_FILE =
  /(?:EACCES|EROFS|permission denied|read-only file system)[^/]{0,80}["'`]?(\/[\w.@+-]+(?:\/[\w.@+-]+)*)/i;

/** The file or folder beside, above or below another one that it was not allowed to make: so the other one is not there. */
function deniedBefore(
  { lines }: ContainerFacts,
  file: string,
): { readonly file: string; readonly line: string } | undefined {
  const folder = file.slice(0, file.lastIndexOf('/') + 1);
  if (folder.length < 2) return undefined;
  for (const line of lines) {
    const other = DENIED_FILE.exec(line)?.[1];
    if (other !== undefined && other !== file && (other.startsWith(folder) || folder.startsWith(`${other}/`)))
      return { file: other, line };
  }
  return undefined;
}

/** What a compiler says of a header that it does not find. */
const HEADER = /(\/?[\w./-]{1,300}):\d+:\d+: fatal error: ([\w./+-]{1,200}): No such file/;

function missingHeader(
  facts: PodFacts,
  container: ContainerFacts,
  word: LastWord,
  [, source, header]: RegExpExecArray,
): RankedFinding {
  return explainedEnd(facts, container, {
    id: 'missing-setting',
    rank: rankOfWord(80, word),
    says: `${title(container)} does not find the header ${header}, which ${source} includes`,
    line: word.line,
    try: [commandForLog(facts, container), ...facts.commands.edit],
  });
}

/** Where the node puts the token of a pod's service account. */
const TOKEN_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

function missingToken(facts: PodFacts, container: ContainerFacts, word: LastWord): RankedFinding {
  const { automountServiceAccountToken: own, serviceAccountName: account = 'default' } = facts.pod.spec ?? {};
  const quote: Quote = {
    source: 'field',
    path: 'spec.automountServiceAccountToken',
    value: own === undefined ? 'not set' : String(own),
  };
  const where = own === false ? 'in its pod' : 'there';
  return explainedEnd(facts, container, {
    id: 'missing-setting',
    rank: rankOfWord(84, word),
    says: `${title(container)} has no token of its service account ${account}: automountServiceAccountToken is false ${where}`,
    line: word.line,
    more: [quote],
    try: [facts.commands.kubectl('get', `serviceaccount/${account}`, '-o', 'yaml'), ...facts.commands.edit],
  });
}

/** The words of systems about files, which need no second look. */
const OF_SYSTEM = /no such file|ENOENT|FileNotFound|NoSuchFile|\bfile is missing\b/i;
/** What is not found is something within the file: "unknown: option intervall does not exist in /etc/a.conf". */
const WITHIN =
  /\b(?:options?|fields?|keys?|sections?|directives?|settings?|parameters?|variables?|propert(?:y|ies)|plugins?|columns?|tables?|(?:prepared )?statements?|cursors?|sequences?|views?|extensions?|users?|roles?|groups?|delimiters?|types?|class(?:es)?|functions?|methods?|symbols?|commands?|hosts?|hostnames?|schemas?|databases?|index(?:es)?|attributes?|elements?|targets?|upstreams?|backends?|clusters?|zones?|services?|blocks?|entr(?:y|ies))\b[^/]{0,60}(?:not found\b|does not exist|(?:cannot|can't|could not) find)|(?:find|locate) (?:[\w-]{1,30} )?["'`]?[\w:.-]{1,200}["'`]? in\b/i;
const PARSES = /\b(?:pars(?:e|ing)|unmarshal\w*|decod(?:e|ing)|syntax)\b/i;

/** Whether the line says that something else than this file is missing. */
function isAboutOther(line: string, file: string): boolean {
  if (OF_SYSTEM.test(line)) return false;
  const rest = line.replace(file, '');
  return WITHIN.test(rest) || PARSES.test(rest);
}
