/** Rule: the decisive line of a log names a cause of a known kind; each kind is a row. */
import { anyOf, fileIn, peerIn } from '../../../log-analysis/index.ts';
import { codeTexts } from '../../facts/variables/code-variables.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { unknownSetting } from '../../facts/configs/config-files.ts';
import { claimOf, dataFolderText } from '../../facts/servers/data-folder.ts';
import { databaseFile, onlyDatabaseInCode } from '../../facts/servers/database-files.ts';
import { surePeer } from '../../facts/peers/dependencies.ts';
import { aliasInLine, aliasOf } from '../../facts/peers/host-aliases.ts';
import {
  endedByItself,
  type LastWord,
  lastWord,
  linesAround,
  propertyWord,
  rankOfWord,
} from '../../facts/words/last-words.ts';
import { libraryText } from '../../facts/files/library-places.ts';
import { LOCKED, lockBeside, lockedClaim, lockHolder, namedHolder } from '../../facts/pod/lock-holders.ts';
import { hiddenBy, ofVolumeText, volumeOf } from '../../facts/files/mounts.ts';
import { behindPeer, blameOfPeer, peerOfWord } from '../../facts/peers/peer-blame.ts';
import { withPeer } from '../../facts/peers/peer-name.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { peerText, placeText } from '../../facts/peers/spec-peers.ts';
import { NO_SUCH_OBJECT, TOO_MANY_CONNECTIONS } from '../../facts/words/sql-errors.ts';
import { isCausedBySystem } from '../../facts/words/system-errors.ts';
import { quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { argumentsOf, commandForLog, explainedEnd, saidBy, title } from './exit-code.ts';
import { recreate } from '../starts/recreate.ts';

interface SaidCause {
  readonly id: string;
  readonly rank: number;
  readonly pattern: RegExp;
  /** "container web" and then: what it means. The line follows. */
  readonly means: string;
  /** What follows the place of the data. */
  readonly rest?: string;
  /** The cause lies in the peer, of which this is said where several suffer from it. */
  readonly ofPeer?: string;
  /** Nobody answers at the peer, which what is known of its service may explain. */
  readonly isUnreached?: true;
  /** Codes of errors that may stand in a property below them. */
  readonly codes?: RegExp;
  /** Quotes its arguments, because the cause lies in them. */
  readonly showsArguments?: true;
}

/** What RabbitMQ says of a virtual host that nobody has made. */
const NO_VHOST = /\bvhost ['"]?[\w/.-]{1,100}['"]? (?:not found|does not exist)/i;

/** What fails where a program wants to keep its memory from being swapped. */
const MEMORY_LOCK = anyOf(
  /\bmlock(?:all)?\b.{0,80}(?:fail|denied|not permitted|cannot|error)/i,
  /(?:failed|unable|cannot|could not) (?:to )?lock (?:the |its |JVM )?memory\b/i,
  /\bmemory is not locked\b/i,
);

const SAID_CAUSES: readonly SaidCause[] = [
  {
    id: 'connections-exhausted',
    rank: 85,
    pattern: anyOf(
      /timeout acquiring a connection/i,
      /\bPoolTimeout\b/i,
      /could not obtain a (?:database )?connection (?:from the pool )?within/i,
      /the pool is probably full/i,
      /QueuePool limit of size/i,
      /HikariPool-\d+ - Connection is not available/i,
      /(?:connection )?pool (?:is |was )?exhausted/i,
    ),
    means: 'gets no connection any more, because all of its pool or of its peer are in use',
    ofPeer: 'gives no connection any more',
  },
  {
    id: 'connections-exhausted',
    rank: 85,
    pattern: anyOf(
      /remaining connection slots are reserved/i,
      /sorry, too many clients already/i,
      /too many connections/i,
      /max(?:imum)? number of (?:clients|connections) reached/i,
      TOO_MANY_CONNECTIONS,
    ),
    codes: TOO_MANY_CONNECTIONS,
    means: 'gets no connection any more, as its peer has too many connections, the most that it allows',
    ofPeer: 'gives no connection any more',
  },
  {
    id: 'client-certificate-required',
    rank: 87,
    pattern: anyOf(
      /no required SSL certificate was sent/i,
      /\bcertificate required\b/i,
      /client certificate (?:is )?(?:required|not (?:provided|sent|presented))/i,
      /peer did not return a certificate/i,
    ),
    means: 'shows no certificate of its own, which is demanded by its peer',
    ofPeer: 'demands a certificate of its clients',
  },
  {
    id: 'tls-mismatch',
    rank: 86,
    pattern: anyOf(
      /plain HTTP request was sent/i,
      /does not look like a TLS handshake/i,
      /(?:server|peer|it) (?:requires|wants|only (?:accepts|speaks)) (?:SSL|TLS|encryption)/i,
      /(?:insecure|unencrypted) (?:transport|connections?) (?:are |is )?(?:prohibited|not (?:allowed|accepted))/i,
    ),
    means: 'speaks plainly to a peer that wants TLS',
    ofPeer: 'wants TLS',
  },
  {
    id: 'tls-mismatch',
    rank: 86,
    pattern: anyOf(
      /wrong[ _]version[ _]number/i,
      /HTTP response to HTTPS client/i,
      /SSL is not enabled on the server/i,
      /does not support SSL/i,
      /unrecognized SSL message/i,
      /record layer failure/i,
      /http2?: server gave/i,
    ),
    means: 'wants TLS of a peer that does not speak it',
    ofPeer: 'does not speak TLS',
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
    pattern: anyOf(
      /files are incompatible with/i,
      /initialized by \S+ version/i,
      /can't handle RDB format version/i,
      /UnsupportedClassVersionError/i,
      /unsupported (?:engine|major\.minor)/i,
      /(?:is|are) not compatible with (?:this )?version/i,
      /requires a (?:newer|different) version/i,
      /created by a (?:newer|different) version/i,
    ),
    means: 'finds data or code of another version than its own',
  },
  {
    id: 'missing-module',
    rank: 86,
    pattern: anyOf(
      /cannot find (?:module|package)\b/i,
      /ModuleNotFoundError/i,
      /ImportError: /i,
      /ClassNotFoundException/i,
      /NoClassDefFoundError/i,
      /could not find or load main class/i,
      /can't locate \S+ in @INC/i,
      /cannot load such file/i,
      /class "[^"]{1,200}" not found/i,
      /loading shared librar/i,
      /cannot open shared object/i,
      /version [`']GLIBC/i,
      /error relocating/i,
      /unknown module:/i,
      /dlopen\(/i,
      /unable to access jarfile/i,
      /no such extension/i,
    ),
    means: 'lacks a module or library that it needs',
  },
  {
    id: 'corrupt-data',
    rank: 84,
    pattern: anyOf(
      /could not locate a (?:valid|required) checkpoint/i,
      /invalid (?:primary )?checkpoint record/i,
      /\bcorrupt(?:ed|ion)?\b/i,
      /(?<!migration )checksum (?:mismatch|does not match)(?! for migration)/i,
      /incorrect checksum/i,
      /bad file format/i,
      /wrong signature/i,
      /CRC mismatch/i,
      /is not a database/i,
      /unexpected end of file reading/i,
    ),
    means: 'cannot read its data',
    rest: ', which is damaged',
  },
  {
    id: 'already-running',
    rank: 86,
    pattern: LOCKED,
    means: 'finds a lock that says that another process uses its data',
  },
  {
    id: 'missing-data',
    rank: 84,
    pattern: anyOf(
      /(?:database|relation|table|schema|column|index|topic|bucket|queue|collection) ["'`]?[\w.-]{1,200}["'`]? (?:does not|doesn't) exist/i,
      /unknown (?:database|table|column)/i,
      /no such (?:(?:table|column)(?!: )|bucket|collection|topic)/i,
      /table '[^']{1,200}' doesn't exist/i,
      /NoSuchBucket/i,
      NO_VHOST,
      NO_SUCH_OBJECT,
    ),
    codes: NO_SUCH_OBJECT,
    means: 'does not find data that it needs in its peer',
    ofPeer: 'lacks data that is needed',
  },
  {
    id: 'private-key-unreadable',
    rank: 86,
    pattern: /use_PrivateKey(?:_file)?\b.{0,200}(?:DECODER routines::unsupported|no start line|PEM lib)/i,
    means: 'finds no private key that it can read in its file',
  },
  {
    id: 'memory-not-locked',
    rank: 88,
    pattern: MEMORY_LOCK,
    means:
      'may not lock its memory (mlock asks for the capability IPC_LOCK; most programs have a setting that turns it off)',
  },
  {
    id: 'no-memory',
    rank: 84,
    pattern: anyOf(
      /cannot allocate memory/i,
      /\bENOMEM\b/i,
      /not enough memory/i,
      /insufficient memory/i,
      /could not (?:map|create|allocate) .{0,60}shared memory/i,
      /failed to allocate/i,
      /could not reserve/i,
    ),
    means: 'is not given as much memory as it asks for',
    showsArguments: true,
  },
  {
    id: 'missing-data',
    rank: 84,
    pattern:
      /\b404\b.{0,120}\/apis\/[\w-]+(?:\.[\w-]+)+\/v\w+\/|no matches for kind "[^"]{1,100}" in version "[^"]{1,100}"|the server could not find the requested resource|no kind is registered for the type/i,
    means:
      'asks the API server for a kind that it does not know, as of a CustomResourceDefinition that is not installed',
  },
  {
    id: 'missing-data',
    rank: 88,
    pattern: anyOf(
      /unable to open config file: .{0,200}(?:no such file|does not exist|not found)/i,
      /Repository \S{1,300} does not exist\./i,
      /is not a valid repository\. Check repo config/i,
    ),
    means: 'finds no repository of backups where it looks for one (its name may be wrong, or nobody has made it yet)',
  },
  {
    id: 'not-implemented',
    rank: 84,
    pattern: anyOf(
      /\bUNIMPLEMENTED\b/i,
      /\bMethod not found!/i,
      /\bcode = Unimplemented\b/i,
      /\bunknown service [\w.]{2,200}/i,
      /\bunknown method [\w.]{1,100} for service\b/i,
    ),
    means: 'calls what is not there in its peer',
    ofPeer: 'does not have what is called',
  },
  {
    id: 'dependency-times-out',
    rank: 82,
    pattern: /\bE(?:HOST|NET)UNREACH\b|no route to host|network is unreachable/i,
    means: 'finds no way to its peer',
    ofPeer: 'is not to be reached',
    isUnreached: true,
  },
  {
    id: 'dependency-times-out',
    rank: 81,
    pattern: anyOf(
      /\bETIMEDOUT\b/i,
      /(?:connect\w*|connection|read|request|dial|i\/o|response|operation)\b.{0,60}tim(?:ed out|eout)/i,
      /timed out waiting for (?:a |the )?(?:connection|response|reply|answer)/i,
      // "inet:cache:11211: timed out"
      /[a-z][\w.-]{1,200}:\d{2,5}[)\]"']?:? (?:has |have )?tim(?:ed out|eout)\b/i,
      /deadline exceeded/i,
      /\btimeout of \d{1,9} ?ms exceeded/i,
      /SocketTimeoutException/i,
      /Client\.Timeout/i,
      // A pooler that has no server to give.
      /\bquery_wait_timeout\b|\bserver_login_retry\b/i,
    ),
    means: 'gets no answer from its peer in time',
    ofPeer: 'does not answer in time',
    isUnreached: true,
  },
  {
    id: 'dependency-fails',
    rank: 78,
    pattern: anyOf(
      /\b(?:answer(?:s|ed)?|respon(?:se|ds|ded)|return(?:s|ed)|got|received|status(?: ?code)?|HTTP(?: Error|\/[\d.]{1,3})?|code)[ :=]{1,3}(?:with )?(?:an? )?(?:HTTP )?(?:error:? )?(?:status )?(?:code )?[:=]? ?50[0234]\b/i,
      /\b50[0234]:? (?:Server Error|Internal Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out)\b/i,
    ),
    means: 'is answered by its peer with an error of its own',
    ofPeer: 'answers with an error of its own',
    isUnreached: true,
  },
  {
    id: 'dependency-closes',
    rank: 79,
    pattern: anyOf(
      /connection (?:was )?reset by peer/i,
      /\bECONNRESET\b/i,
      /\bsocket hang up\b/i,
      /\bRemoteDisconnected\b|remote end closed connection without response/i,
      /\bempty reply from server\b/i,
      /lost connection to .{0,30}server/i,
      /(?:server|peer|remote(?: host)?) (?:has )?closed the connection|connection (?:was )?closed by (?:the )?(?:server|peer|remote)/i,
    ),
    means: 'loses the connection to its peer',
    ofPeer: 'closes connections',
    isUnreached: true,
  },
  {
    id: 'bad-argument',
    rank: 81,
    pattern: anyOf(
      /unrecogni[sz]ed (?:arguments?|option|VM option|command)/i,
      /unknown (?:command[- ]line |long |short )?(?:flag|option|argument|command|variable)/i,
      /flag provided but not defined/i,
      /bad option/i,
      /invalid (?:option|argument|flag|choice)/i,
      /illegal option/i,
      /no such (?:option|flag)/i,
      /unexpected argument/i,
    ),
    means: 'does not understand its arguments',
    showsArguments: true,
  },
];

/** " (db:5432, by its variable DB_HOST)": the only peer of its specification, where its log names none. */
function peerOfSpec(container: ContainerFacts, word: LastWord): string {
  if (linesAround(container, word).some((line) => peerIn(line).host !== undefined)) return '';
  const peer = surePeer(container);
  return peer === undefined ? '' : ` (${peerText(peer)}, by its ${placeText(peer)})`;
}

/** Folders of libraries, which images have. */
const OF_IMAGES = /\/(?:node_modules|site-packages|dist-packages|vendor|gems|lib)\//;

/** What of the image a volume hides, where the module should be. */
function hidden(facts: PodFacts, container: ContainerFacts, { id }: SaidCause, line: string): string {
  const file = id === 'missing-module' ? fileIn(line) : undefined;
  return file === undefined || !OF_IMAGES.test(file) ? '' : hiddenBy(facts, container, file);
}

/** What is said of a program's own data, where others speak of code. */
const OF_DATA =
  /\bdata\b|database|director|\bfiles?\b|RDB|\bdump\b|checkpoint|\bWAL\b|tablespace|segment|\bindex|journal/i;

/** " in /var/lib/pg (volume d, claim pgdata)", of data that a program cannot read, where the line names no file itself. */
function dataText(facts: PodFacts, container: ContainerFacts, { id }: SaidCause, line: string): string {
  const isOfData = id === 'corrupt-data' || (id === 'version-mismatch' && OF_DATA.test(line));
  if (!isOfData) return '';
  const file = fileIn(line);
  const mounted = file === undefined ? undefined : volumeOf(facts, container, file);
  if (mounted === undefined) return file === undefined ? dataFolderText(facts, container) : '';
  const claim = claimOf(facts, mounted);
  return claim === undefined ? '' : ` in volume ${mounted.volume.name} (claim ${claim})`;
}

/** "Loading private key from file: /tls/stunnel.pem" */
const KEY_FILE = /private key (?:from )?(?:file)?:? {0,2}["']?(\/[^\s"':]{1,300})/i;

/** " /tls/stunnel.pem in volume t (Secret tunnel)" */
function keyFileText(facts: PodFacts, container: ContainerFacts, { id }: SaidCause, line: string): string {
  if (id !== 'private-key-unreadable') return '';
  const file = fileIn(line) ?? container.lines.toReversed().flatMap((each) => KEY_FILE.exec(each)?.[1] ?? [])[0];
  if (file === undefined) return '';
  const mounted = volumeOf(facts, container, file);
  return ` ${file}${mounted === undefined ? '' : ` in volume ${mounted.volume.name}${ofVolumeText(mounted)}`}`;
}

/** The file that the lock is about: that of the line, else the only database file that its specification or its own code names. */
function lockedFile(facts: PodFacts, container: ContainerFacts, line: string): string | undefined {
  if (!/\bdatabase\b/i.test(line)) return undefined;
  return fileIn(line) ?? databaseFile(facts, container)?.file ?? onlyDatabaseInCode(codeTexts(facts, container));
}

const LIBRARY = /\b(lib[\w+.-]{1,80}\.so(?:\.\d{1,6}){0,3}): cannot open shared object/;

const CALLED = /["'`](\/[a-z][\w.]{1,120}\.[A-Z]\w{0,60}\/[A-Z]\w{0,60})["'`]/g;

/** " (its code calls /geo.v2.Geo/Locate)" */
function calledText(facts: PodFacts, container: ContainerFacts, { id }: SaidCause, line: string): string {
  if (id !== 'not-implemented') return '';
  const all = codeTexts(facts, container).flatMap(({ lines }) =>
    lines.flatMap((each) => [...each.matchAll(CALLED)].flatMap(([, path]) => path ?? [])),
  );
  const [only, ...more] = new Set(all);
  return only === undefined || more.length > 0 || line.includes(only) ? '' : ` (its code calls ${only})`;
}

/** " (libshop.so.1 lies in /opt/shop/lib …)" */
function libraryPlaceText(facts: PodFacts, container: ContainerFacts, { id }: SaidCause, line: string): string {
  const name = id === 'missing-module' ? LIBRARY.exec(line)?.[1] : undefined;
  const text = name === undefined ? undefined : libraryText(facts, container, name);
  return text === undefined ? '' : ` (${name} ${text})`;
}

/** What a peer says, unless the system has said something else before it was asked. */
const OF_PEERS: ReadonlySet<string> = new Set(['missing-data', 'dependency-times-out', 'not-implemented']);

/** Redis names the command that a client sent. */
const OF_A_PEER = /\bERR unknown (?:sub)?command\b|\bReplyError\b/;
/** What the system says of a call (EINVAL), and nobody of an argument of the program. */
const OF_SYSTEM = /(?::|\)) Invalid argument(?:$|[.)]| at |, )/;
/** A setting in a file is no argument. */
const OF_A_FILE = /\bline \d+ of |\bconf file\b|\.(?:conf|cnf|cfg|ini|ya?ml|json|toml)\b/;

const ofContainer: ContainerRule = (facts, container) => {
  if (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)) return NOTHING;
  return SAID_CAUSES.flatMap((cause) => finding(facts, container, cause));
};

export const saidCauses: PodRule = eachContainer(ofContainer);

/** Whether the system refused the lock's file, so that nobody else need have the lock. */
function isDenied({ reading: { decisive } }: ContainerFacts, line: string): boolean {
  return [line, decisive?.line ?? '', ...(decisive?.related ?? [])].some((each) => DENIED.test(each));
}

const DENIED = /AccessDenied|permission denied|\bEACCES\b|read-only file system|no space left/i;

/** Lines at the end of a log that may name who has a lock. */
const HOLDER_LINES = 20;

function finding(facts: PodFacts, container: ContainerFacts, cause: SaidCause): readonly RankedFinding[] {
  const word =
    lastWord(container, cause.pattern) ??
    (cause.codes === undefined ? undefined : propertyWord(container, cause.codes));
  if (word === undefined || (cause.id === 'bad-argument' && (OF_A_FILE.test(word.line) || OF_A_PEER.test(word.line))))
    return NOTHING;
  if (cause.id === 'bad-argument' && OF_SYSTEM.test(word.line)) return NOTHING;
  if (cause.id === 'bad-argument' && unknownSetting(facts, container, word.line) !== undefined) return NOTHING;
  if (OF_PEERS.has(cause.id) && isCausedBySystem(word.line, word.match)) return NOTHING;
  if (cause.pattern === LOCKED && isDenied(container, word.line)) return NOTHING;
  if (cause.id === 'no-memory' && MEMORY_LOCK.test(word.line)) return NOTHING;
  // Other lines may tell of what it answers itself.
  if (cause.id === 'dependency-fails' && container.reading.decisive?.line !== word.line) return NOTHING;
  // Another limit has the same error number.
  if (cause.id === 'too-many-files' && /inotify|fsnotify|file watchers/i.test(word.line)) return NOTHING;
  const { decisive } = container.reading;
  const line = decisive?.line === word.line ? saidBy(decisive) : quotable(word.line);
  const holder = cause.pattern === LOCKED ? lockHolder(facts, container) : undefined;
  const more: readonly Quote[] = cause.showsArguments === true ? argumentsOf(container) : (holder?.quotes ?? []);
  const locked = cause.pattern === LOCKED ? lockedFile(facts, container, word.line) : undefined;
  const held =
    holder?.says ??
    (cause.pattern === LOCKED
      ? namedHolder(facts, [word.line, ...container.lines.slice(-HOLDER_LINES)]) || lockBeside(facts, container, locked)
      : '');
  const who = held === '' ? '' : `; ${held}`;
  const alias =
    cause.ofPeer === undefined
      ? undefined
      : (aliasInLine(facts, word.line) ?? aliasOf(facts, peerOfWord(container, word)?.host));
  // Nobody asks the Service of a name to which the pod gives an address itself.
  const about =
    alias !== undefined ? ` (${alias.says})` : cause.isUnreached === true ? behindPeer(facts, container, word) : '';
  const blames =
    cause.ofPeer === undefined || alias !== undefined
      ? undefined
      : blameOfPeer(facts, container, word, cause.ofPeer, cause.isUnreached);
  const means = withPeer(cause.means, facts, container, word);
  const told = explainedEnd(facts, container, {
    id: cause.id,
    rank: rankOfWord(cause.rank, word),
    says: `${title(container)} ${means}${cause.ofPeer === undefined || means !== cause.means ? '' : peerOfSpec(container, word)}${about}${keyFileText(facts, container, cause, word.line)}${dataText(facts, container, cause, word.line)}${locked === undefined || word.line.includes(locked) ? '' : ` (${locked})`}${cause.rest ?? ''}${libraryPlaceText(facts, container, cause, word.line)}${hidden(facts, container, cause, word.line)}${calledText(facts, container, cause, word.line)}${cause.pattern === LOCKED && holder === undefined ? lockedClaim(facts, container, word.line) : ''}: ${line.replace(/\.+$/, '')}${who}`,
    line: word.line,
    more: alias === undefined ? more : [...more, alias.quote],
    try: [...recreate(facts, holder?.pods ?? []), commandForLog(facts, container), ...facts.commands.edit],
  });
  return [blames === undefined ? told : { ...told, blames }];
}
