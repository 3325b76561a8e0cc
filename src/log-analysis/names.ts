/** The names in a line that decide: peers, files, ports. Pure. */
import { whole } from './any-of.ts';

export interface Peer {
  readonly host?: string;
  readonly port?: number;
}

const ADDRESS = String.raw`(?:\d{1,3}\.){3}\d{1,3}`;
const ADDRESS_6 = String.raw`(?:[\da-f]{0,4}:){2,7}[\da-f]{0,4}`;
const NAME = String.raw`[a-z0-9](?:[a-z0-9._-]{0,200}[a-z0-9])?`;
/** "dial tcp 10.0.0.1:5432", "connect to db:5432", "http://db:80/", "[::1]:5432", "::1:5432". */
const PEER = new RegExp(
  String.raw`(?:^|[\s/@"'\u0060(=[<>,]|\b(?:ipv[46]|inet6?|tcp[46]?):)(?:(${ADDRESS})|\[?(${ADDRESS_6})\]?|(${NAME}))\]?:(\d{2,5})(?![\d:.]*\d:)\b(?!\.\d)`,
  'gi',
);
/** 'host "db" (10.0.0.1) port 5432', "remote host (10.0.0.1)", 'server at "127.0.0.1", port 5432', "host='db', port=80". */
const HOST = new RegExp(
  String.raw`(?:\bhost(?:name)?|\(2\) for|server at|server on|remote host|connect to(?: MySQL server on| server on| server at)?|MySQL server on|connecting to|connection to)[:=]? *["'\u0060(]*(${ADDRESS}|${ADDRESS_6}|${NAME})["'\u0060)]*`,
  'i',
);
const PORT = /\bport(?: number)?["']?[ :=]+["']?(\d{2,5})\b/i;
/** "('0.0.0.0', 8000)", "host='db', port=80". */
const TUPLE = /\(['"]([\w.:-]{1,253})['"], ?(\d{2,5})\)|host=['"]([\w.:-]{1,253})['"], ?port=(\d{2,5})/g;
/** "10.96.0.10#53", "Do53:10.96.0.10@53": as tools and libraries of DNS write it. */
const DNS_SERVER = new RegExp(String.raw`\b(${ADDRESS})[#@](\d{2,5})\b`, 'g');
const NO_HOSTS = whole(
  /the/i,
  /a/i,
  /an/i,
  /and/i,
  /or/i,
  /but/i,
  /that/i,
  /this/i,
  /which/i,
  /running/i,
  /name/i,
  /server/i,
  /host/i,
  /hostname/i,
  /port/i,
  /to/i,
  /on/i,
  /at/i,
  /by/i,
  /in/i,
  /is/i,
  /not/i,
  /remote/i,
  /local/i,
  /failed/i,
  /refused/i,
  /error/i,
  /with/i,
  /connection/i,
  /target/i,
  /terminated/i,
  /closed/i,
  /disconnected/i,
  /has/i,
  /had/i,
  /was/i,
  /could/i,
  /did/i,
  /does/i,
  /may/i,
  /must/i,
  /unreachable/i,
  /for/i,
  /socket/i,
  /any/i,
  /all/i,
  /\d+/i,
);
const NO_PEERS = whole(
  /line/i,
  /column/i,
  /port/i,
  /tcp/i,
  /udp/i,
  /https?/i,
  /error/i,
  /code/i,
  /status/i,
  /pid/i,
  /at/i,
  /[\d-]+T?\d*/i,
  /.*\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|conf|cfg|cnf|ya?ml|json|toml|ini|xml|c|h|cc|cpp|kt|sh|pl|pm|exs?|erl)/i,
);

/** What people call a peer, which may be its name, too: quoted, or where only a name stands. */
const KINDS_OF_PEERS = whole(
  /redis/i,
  /mysql/i,
  /postgres/i,
  /postgresql/i,
  /database/i,
  /broker/i,
  /upstream/i,
  /peer/i,
  /master/i,
  /primary/i,
  /replica/i,
  /leader/i,
);

/** A proxy names beside the one behind it the client, and the host that the client asked for: 'upstream: "http://10.0.0.7:80/", host: "shop"'. */
const BEHIND_PROXY = /, upstream: "([^"\s]{1,300})"/;

/** The last HOST:PORT of the line, as in "dial tcp A->B", else "host … port …". No time of the day is taken for one. */
/** "git@store: Permission denied (publickey)." */
const REFUSED_BY_SSH = /(?:^|\s)[\w.-]{1,64}@([a-z0-9][\w.-]{0,200}): Permission denied \(/i;

export function peerIn(given: string): Peer {
  const line = BEHIND_PROXY.exec(given)?.[1] ?? given;
  const last = peersIn(line).at(-1);
  if (last !== undefined) return last;
  const ssh = REFUSED_BY_SSH.exec(line)?.[1];
  if (ssh !== undefined) return { host: ssh };
  const port = PORT.exec(line)?.[1];
  return { host: hostIn(line), port: port === undefined ? undefined : Number(port) };
}

function peersIn(line: string): readonly { readonly host: string; readonly port: number }[] {
  const tuples = [...line.matchAll(TUPLE)]
    .filter((match) => !isOwnEnd(line, match.index))
    .map(([, a, b, c, d]) => ({ host: a ?? c ?? '', port: Number(b ?? d) }));
  const plain = [...line.matchAll(PEER)].flatMap(([, v4, v6, name, port]) => {
    const host = v4 ?? (v6 === undefined || isAddress6(v6) ? v6 : '') ?? name ?? '';
    return host === '' || NO_PEERS.test(host) ? [] : [{ host, port: Number(port) }];
  });
  const servers = [...line.matchAll(DNS_SERVER)].map(([, host = '', port]) => ({ host, port: Number(port) }));
  return [...servers, ...plain, ...tuples];
}

/** "laddr=('10.2.0.8', 59826)": the client's own end of a connection. */
function isOwnEnd(line: string, index: number): boolean {
  return /\b(?:laddr|local(?:_?addr(?:ess)?)?|sockname|from)=$/.test(line.slice(Math.max(0, index - 20), index));
}

/** A time, as in "[31/Jan/2026:12:00:09", is none. */
function isAddress6(text: string): boolean {
  return text.includes('::') || text.split(':').length === 8;
}

/** What stands behind a word that says which database or queue is meant. */
const PURPOSE =
  /^ (?:database|db|data ?store|schema|queue|cache|broker|server|cluster|service|backend|store|storage|instance|replica|topic|stream|api|bus|exchange|index|pool|gateway|system|endpoint)s?\b(?![-.:]\w)/i;

/** 'connection to server at "db"': the first word after such words that is a host. */
function hostIn(line: string): string | undefined {
  let from = 0;
  for (let match = HOST.exec(line); match !== null; match = HOST.exec(line.slice(from))) {
    const [whole, host = ''] = match;
    // "connection to redis" names no host, and 'host "redis"' does.
    const isQuoted = /["'`]\)?$/.test(whole);
    const after = line.slice(from + match.index + whole.length);
    // "connect to orders database" tells what it is for, and not where.
    const isPurpose = !isQuoted && /^[a-z]+$/i.test(host) && PURPOSE.test(after);
    if (host !== '' && !NO_HOSTS.test(host) && !isPurpose && (isQuoted || !KINDS_OF_PEERS.test(host))) return host;
    from += match.index + 4;
  }
  return undefined;
}

const UNRESOLVED_HOST: readonly RegExp[] = [
  // mosquitto: "Unable to connect (Lookup error.). (broker:1883)"
  /\(lookup error\.?\)\.? \(([\w.-]{1,253}):\d{1,5}\)/i,
  // "cannot resolve peer kafka-1.kafka"
  /\bresolv(?:e|ing) (?:[a-z]+ ){1,3}["'`(]?([a-z][\w-]{0,62}(?:\.[a-z][\w-]{0,62}){1,10})/i,
  /\bserver can't find ([\w.-]{1,253}?):? /i,
  /\bhost lookup: ["']?([\w.-]{1,253})/i,
  /lookup ([\w.-]{1,253})/i,
  /UnknownHostException: ([\w.-]{1,253})/,
  /\bhost(?:name)?=['"]([\w.-]{1,253})/,
  /((?!failed\b|error\b)[a-z\d](?:[\w-]{0,62})(?:\.[\w-]{1,63}){1,10}):? (?:name or service not known|temporary failure|name does not resolve)/i,
  /(?:bad address|bad host ?name|unknown host:?|ENOTFOUND|EAI_AGAIN|translate host name|resolve(?: host(?:name)?| address)?:?|address for|not find host(?:name)?|getaddrinfo for|name resolution for|invalid address:?) ['"`(]?([\w.-]{1,253})/i,
  /([a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,10}) could not be resolved\b/i,
  /host not found in (?:upstream|resolver)? ?["']([\w.-]{1,253})/i,
  /(?:host name|resolve(?: the)? hostname|host) ["'(]?([\w.-]{1,253})/i,
  /['"]([\w.-]{1,253})['"]:? (?:name or service|temporary failure|name does not resolve)/i,
  /getaddrinfo\(?:? ?["']?([\w.-]{1,253})/i,
  /([\w-]{1,63}(?:\.[\w-]{1,63}){0,10}):? (?:name or service not known|temporary failure|name does not resolve)/i,
  /@([\w.-]{1,253})[:/]/,
  /(?:reach|connect(?:ing)? to|dial) ["'(]?([a-z][\w-]{0,62}(?:\.[a-z][\w-]{1,62}){1,10})\b/i,
  /([a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,10}):\d{2,5}\b/i,
];

export const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|scala|kt|clj|cs|c|cc|cpp|h|exs?|erl|hs|lua|pl)$/i;

/** The name that was not resolved. */
export function unresolvedHost(given: string): string | undefined {
  // The rest of a password with an "@" stands before the host.
  const line = given.replace(/(["'`])[^\s"'`@]{1,200}@(?=[\w.-])/g, '$1');
  for (const pattern of UNRESOLVED_HOST) {
    const host = pattern.exec(line)?.[1]?.replace(/\.+$/, '');
    if (host === undefined || host === '' || NO_HOSTS.test(host) || SOURCE_FILE.test(host)) continue;
    if (
      !/^(?:failed|failure|error|getaddrinfo|name|not|service|temporary|addrinfo|address|information|unknown|in|E(?:NOTFOUND|AI_[A-Z]+|CONN[A-Z]+))$/i.test(
        host,
      )
    )
      return host;
  }
  return undefined;
}

/** An absolute path after a blank, a quotation mark or similar: "2026/11/22" is none. */
const FILE =
  /(?:^|['"`\s(=[]|<(?!\/[\w-]{1,30}>)|: ?|\bfile:\/\/)(\/[\w@%+=.,~#-]{1,255}(?:\/[\w@%+=.,~#-]{1,255}){0,40}\/?)/;

/** Ruby's place before its error. */
const RUBY_PLACE = /^\S{1,300}:\d+:in [`'][^']{0,200}': /;

/** "/src/main.rs:4:33", "/app/read.py, line 3": where in its code a program complains. */
const CODE_PLACE =
  /\/[\w@%+=.,~#/-]{1,300}\.(?:[cm]?[jt]sx?|py|go|rs|rb|php|java|scala|kt|clj|cs|c|cc|cpp|h|exs?|erl|hs|lua|p[lm])(?::\d+(?::\d+)?|["']?,? (?:on )?line \d+)(?![\w/])/g;

/** The text with blanks in the stead of such places, which are no files that it is about. */
export function withoutCodePlaces(text: string): string {
  return text.replace(CODE_PLACE, (place) => ' '.repeat(place.length));
}

/** What a call writes that takes one file to another: "copyfile '/a/x' -> '/b/x'". */
const TARGET = /\b(?:copyfile|rename|link|symlink) '\/[^']{1,300}' -> '(\/[^']{1,300})'/;

/** The absolute path nearest before a place in the text, else the first after it: "open() "/a" failed (no such file) in /b:3". */
export function fileNear(text: string, place: number): string | undefined {
  const target = TARGET.exec(text)?.[1];
  if (target !== undefined) return target;
  const begin = RUBY_PLACE.exec(text)?.[0].length ?? 0;
  const all = [...text.matchAll(new RegExp(FILE, 'g'))].filter(({ index }) => index >= begin);
  const after = all.find(({ index }) => index >= place);
  // "not found: /a" names it at once.
  const next =
    after !== undefined &&
    after.index - place < 32 &&
    /: ?["']?$/.test(text.slice(place, after.index + 2).replace(/\/.*$/, ''))
      ? after
      : undefined;
  const before = next ?? all.findLast(({ index }) => index < place);
  const isOfShell = /^\S{1,300}: (?:line )?\d+: /.test(text) && all.length > 1 && before === all[0];
  return fileIn((isOfShell ? all[1] : (before ?? after))?.[0] ?? '');
}

/** The first absolute path of the text, without the punctuation after it. */
export function fileIn(text: string): string | undefined {
  // A shell names its script first.
  const file = FILE.exec(text.replace(RUBY_PLACE, '').replace(/^\S{1,300}: (?:line )?\d+: /, ''))?.[1]?.replace(
    /[.,:]+$/,
    '',
  );
  return file === undefined || file === '/' || /^\/\d+$/.test(file) ? undefined : file;
}

/** Files of a line that are looked at. */
const MAX_FILES = 4;

/** The absolute paths of the text, without the punctuation after them, each once. */
export function filesIn(text: string): readonly string[] {
  const all = [...text.matchAll(new RegExp(FILE, 'g'))].flatMap(([found]) => fileIn(found) ?? []);
  return [...new Set(all)].slice(0, MAX_FILES);
}

/** "*:6379", "[::]:80", ":8080", "port 80", "('0.0.0.0', 8000)". */
const LISTEN_PORT = /(?:\bport["']?[ :=]+|[\])*]:|(?:^|[\s"'(]):|, )(\d{2,5})\b(?![.:]\d)/i;

/** "app.listen(8080)", "TCPServer(8080, site)" */
const LISTEN_CALL = /\b\w*(?:listen|bind|serve|server|start)\w*\((?!\d+, ?0x)[^()]{0,60}?\b(\d{2,5})\b/i;

/** The port on which a program could not listen. */
export function listenPort(given: string): number | undefined {
  // The arguments of a system call: "bind(3, 0x7ffac2a5afe8, 16)".
  const line = given.replace(/\(\d{1,5}, ?0x[^()]{1,60}\)/, '()');
  const port =
    peersIn(line).at(-1)?.port ?? Number((LISTEN_PORT.exec(line) ?? LISTEN_CALL.exec(line))?.[1] ?? Number.NaN);
  return Number.isNaN(port) || port === 0 || port > 65_535 ? undefined : port;
}

/** "DATABASE_URL": a name in capitals with an underscore; the codes of errors are none. */
const CAPITALS =
  /\b(?!(?:E|ERR|ERROR|ER|SSL|TLS|SQLITE|DB|HY|HTTP|STATUS|X509|CURLE?|RUST|SIG)_)[A-Z][A-Z0-9]*_[A-Z0-9_]{2,}\b/;

/** How many names that decide the line holds, at most three. */
export function nameCount(line: string): number {
  const quoted = /["'`‘“][\w./:@ ${}%<>-]{2,}["'`’”]/.test(line.replace(/thread ["'][^"']*["']/i, ''));
  return Math.min(3, worldNames(line) + (quoted || CAPITALS.test(line) ? 1 : 0));
}

/** How many of a peer and a file the line names: things outside of the program, unlike the names of its own parts. */
export function worldNames(line: string): number {
  return (peerIn(line).host === undefined ? 0 : 1) + (fileIn(line) === undefined ? 0 : 1);
}

const URL_PEER =
  /\b([a-z][a-z0-9+.-]{1,30}):\/\/(?:[^\s/@"'`]{0,300}@)?(\[[\da-f:]{2,40}\]|[\w-]{1,63}(?:\.[\w-]{1,63}){0,10})(?::(\d{1,5}))?/gi;

/** What stands before the address of a page that explains an error. */
const HELP_BEFORE =
  /\b(?:see|visit|docs?|documentation|background on this error at|more info\w*|details|help|troubleshoot\w*|refer to|read)\b[^:/]{0,40}:? ?$/i;

/** The hosts of the URLs in a text, with their ports where they are written; pages that explain an error are no peers. */
export function urlPeers(text: string): readonly { readonly host: string; readonly port?: number }[] {
  return peersOfUrls(text).map(({ host, port }) => ({ host, ...(port !== undefined && { port }) }));
}

export interface UrlPeer {
  readonly scheme: string;
  readonly host: string;
  readonly port?: number;
}

/** Likewise, with the schemes of the URLs. */
export function peersOfUrls(text: string): readonly UrlPeer[] {
  const all = [...text.matchAll(URL_PEER)].filter(
    ({ index }) => !HELP_BEFORE.test(text.slice(Math.max(0, index - 80), index)),
  );
  return all.map(([, scheme = '', host = '', port]) => ({
    scheme: scheme.toLowerCase(),
    host: host.replace(/^\[|\]$/g, ''),
    ...(port !== undefined && { port: Number(port) }),
  }));
}

/** "db:5432", "[::1]:80", "db" */
export function formatHost(host: string, port: number | undefined): string {
  if (port === undefined) return host;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
