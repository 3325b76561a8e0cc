/** Rule: the decisive line of a log names a cause of a known kind; each kind is a row. */
import type { ContainerFacts } from '../facts/container-facts.ts';
import { endedByItself, lastWord, rankOfWord } from '../facts/last-words.ts';
import type { PodFacts } from '../facts/pod-facts.ts';
import { quotable } from '../facts/text.ts';
import type { Quote, RankedFinding } from '../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, saidBy, title } from './exit-code.ts';

interface SaidCause {
  readonly id: string;
  readonly rank: number;
  readonly pattern: RegExp;
  /** "container web" and then: what it means. The line follows. */
  readonly means: string;
  /** Quotes its arguments, because the cause lies in them. */
  readonly showsArguments?: true;
}

const SAID_CAUSES: readonly SaidCause[] = [
  {
    id: 'tls-mismatch',
    rank: 86,
    pattern:
      /wrong[ _]version[ _]number|HTTP response to HTTPS client|SSL is not enabled on the server|does not support SSL|plain HTTP request was sent|unrecognized SSL message|record layer failure|does not look like a TLS handshake|http2?: server gave/i,
    means: 'speaks TLS to a peer that does not, or the reverse',
  },
  {
    id: 'too-many-files',
    rank: 86,
    pattern: /too many open files|\bE[MN]FILE\b|RLIMIT_NOFILE|failed to set rlimit for open files/i,
    means: 'may not open as many files as it wants',
  },
  {
    id: 'version-mismatch',
    rank: 86,
    pattern:
      /files are incompatible with|initialized by \S+ version|can't handle RDB format version|UnsupportedClassVersionError|unsupported (?:engine|major\.minor)|(?:is|are) not compatible with (?:this )?version|requires a (?:newer|different) version|created by a (?:newer|different) version/i,
    means: 'finds data or code of another version than its own',
  },
  {
    id: 'missing-module',
    rank: 86,
    pattern:
      /cannot find (?:module|package)\b|ModuleNotFoundError|ImportError: |ClassNotFoundException|NoClassDefFoundError|could not find or load main class|can't locate \S+ in @INC|cannot load such file|class "[^"]{1,200}" not found|loading shared librar|cannot open shared object|version [`']GLIBC|error relocating|unknown module:|dlopen\(|unable to access jarfile|no such extension/i,
    means: 'lacks a module or library that it needs',
  },
  {
    id: 'corrupt-data',
    rank: 84,
    pattern:
      /could not locate a (?:valid|required) checkpoint|invalid (?:primary )?checkpoint record|\bcorrupt(?:ed|ion)?\b|(?<!migration )checksum (?:mismatch|does not match)(?! for migration)|incorrect checksum|bad file format|wrong signature|CRC mismatch|is not a database|unexpected end of file reading/i,
    means: 'cannot read its data, which is damaged',
  },
  {
    id: 'already-running',
    rank: 86,
    pattern:
      /lock file "[^"]{1,300}" already exists|another (?:instance|process|server|node) .{0,60}(?:running|using)|already running|could not lock|lock DB|unable to lock|is locked by|is being used by another process/i,
    means: 'finds a lock that says that another process uses its data',
  },
  {
    id: 'missing-data',
    rank: 84,
    pattern:
      /(?:database|relation|table|schema|column|index|topic|bucket|queue|collection) ["'`]?[\w.-]{1,200}["'`]? (?:does not|doesn't) exist|unknown (?:database|table|column)|no such (?:table|column|bucket|collection|topic)|table '[^']{1,200}' doesn't exist|NoSuchBucket/i,
    means: 'does not find data that it needs in its peer',
  },
  {
    id: 'address-not-available',
    rank: 86,
    pattern: /cannot assign requested address|EADDRNOTAVAIL/i,
    means: 'cannot listen on an address that its pod does not have',
  },
  {
    id: 'no-memory',
    rank: 84,
    pattern:
      /cannot allocate memory|\bENOMEM\b|not enough memory|insufficient memory|could not (?:map|create|allocate) .{0,60}shared memory|failed to allocate|could not reserve/i,
    means: 'is not given as much memory as it asks for',
    showsArguments: true,
  },
  {
    id: 'dependency-times-out',
    rank: 81,
    pattern:
      /\bETIMEDOUT\b|\bE(?:HOST|NET)UNREACH\b|(?:connect\w*|connection|read|request|dial|i\/o|response|operation)\b.{0,60}tim(?:ed out|eout)|timed out waiting for (?:a |the )?(?:connection|response|reply|answer)|deadline exceeded|no route to host|network is unreachable|SocketTimeoutException|Client\.Timeout/i,
    means: 'gets no answer from its peer in time',
  },
  {
    id: 'bad-argument',
    rank: 81,
    pattern:
      /unrecogni[sz]ed (?:arguments?|option|VM option|command)|unknown (?:command[- ]line |long |short )?(?:flag|option|argument|command|variable)|flag provided but not defined|bad option|invalid (?:option|argument|flag|choice)|illegal option|no such (?:option|flag)|unexpected argument/i,
    means: 'does not understand its arguments',
    showsArguments: true,
  },
];

/** A setting in a file is no argument. */
const OF_A_FILE = /\bline \d+ of |\bconf file\b|\.(?:conf|cnf|cfg|ini|ya?ml|json|toml)\b/;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  return SAID_CAUSES.flatMap((cause) => finding(facts, container, cause));
};

export const saidCauses: PodRule = eachContainer(ofContainer);

function finding(facts: PodFacts, container: ContainerFacts, cause: SaidCause): readonly RankedFinding[] {
  const word = lastWord(container, cause.pattern);
  if (word === undefined || (cause.id === 'bad-argument' && OF_A_FILE.test(word.line))) return NOTHING;
  // Another limit has the same error number.
  if (cause.id === 'too-many-files' && /inotify|fsnotify|file watchers/i.test(word.line)) return NOTHING;
  const { decisive } = container.reading;
  const line = decisive?.line === word.line ? saidBy(decisive) : quotable(word.line);
  const more: readonly Quote[] = cause.showsArguments === true ? argumentsOf(container) : [];
  return [
    explainedEnd(facts, container, {
      id: cause.id,
      rank: rankOfWord(cause.rank, word),
      says: `${title(container)} ${cause.means}: ${line.replace(/\.+$/, '')}`,
      line: word.line,
      more,
      try: [commandForLog(facts, container), ...facts.commands.edit],
    }),
  ];
}
