/**
 * Masks secrets in text that is quoted: user information of URLs, values of keys such as "password", tokens, keys of clouds,
 * PEM blocks and known values. Everything that quotes a log, a probe or a command line passes it. Pure.
 *
 * Patterns have bounded repetitions, so that the time is linear in the length of the text.
 */
import { MAX_KNOWN_SECRETS, MIN_KNOWN_SECRET_CHARACTERS } from './limits.ts';

export const MASK = '***';

/** Words after a key that are no secret: "(using password: YES)". */
const NO_SECRETS = new Set(
  'yes no true false null nil none undefined empty unset set missing required invalid wrong unknown incorrect must is was not cannot expired mismatch edit show get post put patch head delete'.split(
    ' ',
  ),
);

/** Words in a key that make its value a secret; the key may have other words around them: DB_PASSWORD, x-api-key. */
const SECRET_WORD =
  'passwords?|passwd|passphrase|pwd|pass|secrets?|tokens?|jwt|api[ _-]?keys?|apikeys?|access[ _-]?keys?|account[ _-]?key|shared[ _-]?access[ _-]?key|secret[ _-]?keys?|private[ _-]?keys?|encryption[ _-]?keys?|signing[ _-]?keys?|auth|authorization|credentials?|cookie|set-cookie|session[ _-]?id|sessionid|requirepass|masterauth|signature|sig';
const KEY = String.raw`[A-Za-z0-9_.-]{0,40}?(?:${SECRET_WORD})(?:[_-][A-Za-z0-9_-]{0,24})?`;
const QUOTE = String.raw`\\{0,3}["'\u0060]`;

/** key="value", key: 'value', \"key\":\"value\". */
const QUOTED_VALUE = new RegExp(
  String.raw`(?<![A-Za-z0-9])(${KEY})(${QUOTE})?([ \t]{0,4}(?:=>|:=|[=:])[ \t]{0,4})(\\{0,3})(["'\u0060])`,
  'gi',
);
/** key=value, key: value; the value ends at a blank or at a separator. */
const BARE_VALUE = new RegExp(
  String.raw`(?<![A-Za-z0-9])(${KEY})((?:${QUOTE})?(?:[ \t]{0,4}(?:=>|:=|=)[ \t]{0,4}|:[ \t]{0,4}))(?:(bearer|basic|digest|token)[ \t]{1,4})?([^\s"'\u0060,;&|(){}[\]<>\\]{1,2000})`,
  'gi',
);
/** --password VALUE, -p VALUE is too common for others. */
const FLAG_VALUE = new RegExp(
  String.raw`(?<![\w.-])(--?(?:[a-z0-9-]{0,30}-)?(?:${SECRET_WORD}|pw))[ \t]{1,4}([^\s-][^\s"']{0,2000})`,
  'gi',
);
/** Whether the value of a key of this name is a secret. */
export function isSecretKey(key: string): boolean {
  return OF_SECRETS.test(key);
}

/** What happened to a secret: "token_rejected". */
const IS_EVENT =
  /[_.-](?:rejected|refused|denied|expired|revoked|invalid|failed|failures?|errors?|mismatch|missing|not[_-]found|required|unknown)$/i;
/** The code of a failure behind it, such as "invalid_issuer" or "audience-mismatch": all of its words are of this kind, one of a failure among them. */
const OF_FAILURE = 'invalid|expired|mismatch|missing|unknown|unsupported|malformed|revoked|wrong|bad';
const OF_CODE = `${OF_FAILURE}|not|no|too|is|issuer|audience|signature|subject|format|claims?|scopes?|algorithm|kid|nonce|type|client|found|valid|yet|old|early|late|user|realm|version|token|key|password|secret|credentials?`;
const IS_CODE = new RegExp(`^(?=.*(?:${OF_FAILURE}))(?:${OF_CODE})(?:[_-](?:${OF_CODE})){0,5}$`);

const OF_SECRETS = new RegExp(`^${KEY}$`, 'i');

/** SQL and configuration without separators: IDENTIFIED BY 'x', PASSWORD 'x', requirepass x, AUTH x. */
const STATEMENT_VALUE =
  /(?<!revision )\b(identified[ \t]{1,4}by|password|requirepass|masterauth|passphrase)([ \t]{1,4})(["'])([^"'\n]{1,500})\3/gi;
const DIRECTIVE_VALUE =
  /\b(requirepass|masterauth|masteruser|sentinel auth-pass \S{1,80})([ \t]{1,4})([^\s"']{1,500})/gi;
const SCHEME_VALUE = /\b(bearer|basic)([ \t]{1,4})([A-Za-z0-9+/_.~=-]{8,4000})/gi;

/** scheme://user:password@host; a password may hold a slash, but ":80/" is a port. */
const URL_USER =
  /([a-z][a-z0-9+.-]{0,30}:\/\/)(?:[^\s/?#'"<>@]{0,300}@(?:[^\s/?#'"<>@]{0,300}@)?|[^\s/:@'"<>]{0,100}:(?!\d{1,5}[/?])[^\s'"<>@]{1,300}@)/gi;
/** 'host name "ssw0rd@db"': the rest of a password with an "@" that a program took for the name of a host. */
const REST_OF_PASSWORD = /(\bhost(?: ?name)?[ =:]{1,3}["'\u0060]?)(?!\*\*\*@)[^\s"'\u0060@/]{1,200}@(?=[\w.-])/gi;
/** user:password@tcp(host:port), as data sources of Go; user/password@//host, as Oracle's. */
const SOURCE_USER = /([^\s:@'"/=]{1,100})([:/])([^\s@'"]{1,300})@(?=(?:tcp|unix|tcp6)?\(|\/\/)/g;

const PEM_BLOCK =
  /-----BEGIN ([A-Z0-9 ]{1,60})-----(?!\*\*\*)(?:(?!-----END )[^-]|-(?!----END ))*(?:-----END [A-Z0-9 ]{1,60}-----)?/g;
/** A line from the middle of a PEM block or of a key file. */
const BASE64_LINE = /(^|\n)[ \t]*[A-Za-z0-9+/]{60,}={0,2}[ \t]*(?=\n|$)/g;

const TOKENS: readonly RegExp[] = [
  /\beyJ[A-Za-z0-9_-]{6,4000}\.[A-Za-z0-9_-]{2,4000}(?:\.[A-Za-z0-9_-]{0,4000})?/g,
  /\b(?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}\b/g,
  /\bgh[pousr]_[A-Za-z0-9]{20,255}\b/g,
  /\bgithub_pat_[A-Za-z0-9_]{20,255}\b/g,
  /\bglpat-[A-Za-z0-9_-]{16,255}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{8,255}/g,
  /\bAIza[A-Za-z0-9_-]{30,60}/g,
  /\bya29\.[A-Za-z0-9_-]{10,500}/g,
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{8,255}\b/g,
  /\bsk-[A-Za-z0-9_-]{16,255}/g,
  /\bnpm_[A-Za-z0-9]{20,255}\b/g,
  /\bSG\.[A-Za-z0-9_-]{8,100}\.[A-Za-z0-9_-]{8,100}/g,
  /\bhv[sb]\.[A-Za-z0-9_-]{16,255}/g,
  /\bdop_v1_[a-f0-9]{40,80}\b/g,
];

/** What the system says of a file, whatever the file is called: "/etc/passwd: Permission denied". */
const SYSTEM_WORDS =
  /^(?:permission denied|no such file or directory|(?:is a|not a) directory|read-only file system|operation not permitted|input\/output error|text file busy|exec format error|device or resource busy|file exists|file name too long|cannot execute)\b/i;

/** The class of an error after the variable that it is about: "ENCRYPTION_KEY: ArgumentError: key must be 32 bytes". */
const ERROR_CLASS = /^(?:\w{1,60}(?:\.|::)){0,8}[A-Z]\w{0,60}(?:Error|Exception): /;

/** The name of a variable in place of its value: "password=$(DB_PASSWORD)", "password=${DB_PASSWORD}". */
const REFERENCE = /^\$(?:\([A-Z_]\w{0,60}|\{[A-Z_]\w{0,60}(?=[}:]))/i;

/**
 * The text with secrets replaced by "***". Idempotent.
 *
 * @param known values that are known to be secret; short ones are ignored
 */
export function maskSecrets(text: string, known: readonly string[] = []): string {
  let masked = withoutKnown(text, known);
  // Most texts hold nothing that these patterns begin with.
  if (masked.includes('-----BEGIN '))
    masked = masked.replace(PEM_BLOCK, (_, kind: string) => `-----BEGIN ${kind}-----${MASK}`);
  masked = masked.replace(BASE64_LINE, (all, before: string) => (isRandom(all) ? `${before}${MASK}` : all));
  if (masked.includes('@')) {
    masked = masked.replace(REST_OF_PASSWORD, (_, before: string) => `${before}${MASK}@`);
    masked = masked.replace(URL_USER, (_, scheme: string) => `${scheme}${MASK}@`).replace(SOURCE_USER, `${MASK}@`);
  }
  masked = maskBare(maskQuoted(masked))
    .replace(FLAG_VALUE, (all, flag: string, value: string) =>
      NO_SECRETS.has(value.toLowerCase()) ? all : `${flag} ${MASK}`,
    )
    .replace(STATEMENT_VALUE, (_, word: string, gap: string, quote: string) => `${word}${gap}${quote}${MASK}${quote}`)
    .replace(DIRECTIVE_VALUE, (_, word: string, gap: string) => `${word}${gap}${MASK}`)
    .replace(SCHEME_VALUE, (_, word: string, gap: string) => `${word}${gap}${MASK}`);
  for (const token of TOKENS) masked = masked.replace(token, MASK);
  return masked;
}

function isRandom(text: string): boolean {
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);
}

function maskBare(text: string): string {
  return text.replace(BARE_VALUE, (...match) => {
    const [all, key, separator, scheme, value, at] = match as [string, string, string, string?, string?, number?];
    const end = (at ?? 0) + all.length;
    const before = text.slice(Math.max(0, (at ?? 0) - 40), at);
    const said = text.slice(end - (value ?? '').length, end + 62);
    if (separator === ': ' && (SYSTEM_WORDS.test(said) || ERROR_CLASS.test(said) || OF_BACKEND.test(said))) return all;
    if (
      (IS_EVENT.test(key) && IS_CODE.test(value ?? '')) ||
      REFERENCE.test(said) ||
      isPortOf(before, key, separator, value ?? '')
    )
      return all;
    if (isStatus(key, separator, value ?? '', text.slice(end, end + 2))) return all;
    if (isProse(value ?? '', separator, text.slice(end, end + 2)) || isPathOf(before, key, separator, value ?? ''))
      return all;
    return `${key}${separator}${scheme === undefined ? '' : `${scheme} `}${MASK}`;
  });
}

/** Words before a host: "is refused by auth:8080", "dial tcp auth:8080". */
const BEFORE_HOST =
  /\b(?:(?:refused|answered|closed|reset) by|connect(?:ing|ion)? to|waits? for|waiting for|asks|reach|dial(?:ing)? tcp|peer|from|service|host|upstream|backend|server) $/i;

/** Ends of names that a host has less often than a secret has. */
const OF_SECRET =
  /(?:pass(?:word|wd|phrase)?s?|pwd|secrets?|tokens?|jwt|keys?|cookie|sig(?:nature)?|requirepass|masterauth)$/i;

/** "http://auth:8080/session": the port of a host that is called so. A password would have an "@" after it, and is masked by now. */
function isPortOf(before: string, key: string, separator: string, value: string): boolean {
  if (separator !== ':' || !/^\d{2,5}(?:[/?#].*|[.:,;)]{0,2})$/.test(value)) return false;
  return /:\/\/(?:\*{3}@)?$/.test(before) || (!OF_SECRET.test(key) && BEFORE_HOST.test(before));
}

/** "GET /orders with a fresh token: 401 signature verification failed": the status with which a token is refused. */
function isStatus(key: string, separator: string, value: string, after: string): boolean {
  return /token$/i.test(key) && separator === ': ' && /^40[0-3]$/.test(value) && /^ [A-Za-z]/.test(after);
}

/** "refuses its credentials: Server accounts/acc1 is DOWN" */
const OF_BACKEND = /^Server \S{1,50} is (?:DOWN|UP)\b/;

/** Who says what comes after it. */
const SPEAKERS = /^(?:curl|wget|git|ssh|scp|psql|mysql|mariadb|fatal|error|warning|panic):$/i;

/** Whether what stands after a key is prose: "token: }", "password: must not be empty", "reading secret: connection refused". */
function isProse(value: string, separator: string, after: string): boolean {
  if (value.startsWith(MASK)) return true;
  if (NO_SECRETS.has(value.replace(/[.!?:]+$/, '').toLowerCase())) return true;
  if (separator.trim().endsWith('=')) return false;
  // "refuses its credentials: curl: (22) The requested URL returned error: 401"
  if (separator.endsWith(' ') && SPEAKERS.test(value)) return true;
  return value.length <= 2 || (separator.endsWith(' ') && /^[a-z]+[:,.]?$/.test(value) && /^ [a-z]/.test(after));
}

/** "cannot open file with secret: /etc/app/secret": the path of a file, and not what is in it. */
function isPathOf(before: string, key: string, separator: string, value: string): boolean {
  return (
    separator === ': ' &&
    /\b(?:files?|open|read|load|find)\b/i.test(`${before} ${key}`) &&
    /^\/[a-z][\w.-]{0,60}(?:\/[\w.-]{1,60}){1,10}$/.test(value)
  );
}

/** The text without values that are known to be secret; nothing else is masked. */
export function withoutKnown(text: string, known: readonly string[]): string {
  let masked = text;
  const values = known
    .filter((value) => value.length >= MIN_KNOWN_SECRET_CHARACTERS)
    .toSorted((a, b) => b.length - a.length)
    .slice(0, MAX_KNOWN_SECRETS);
  for (const value of values) masked = masked.replaceAll(value, MASK);
  return masked;
}

/** Replaces quoted values up to the quote that closes them, or to the end of the line. */
function maskQuoted(text: string): string {
  let out = '';
  let from = 0;
  QUOTED_VALUE.lastIndex = 0;
  for (let match = QUOTED_VALUE.exec(text); match !== null; match = QUOTED_VALUE.exec(text)) {
    const begin = match.index + match[0].length;
    const end = endOfQuoted(text, begin, match[5] ?? '"', (match[4] ?? '').length);
    const value = text.slice(begin, end);
    out += text.slice(from, begin) + (value === '' || NO_SECRETS.has(value.toLowerCase()) ? value : MASK);
    from = end;
    QUOTED_VALUE.lastIndex = Math.max(end, begin);
  }
  return out + text.slice(from);
}

/** The index of the closing quote, or of the backslashes that escape it as the opening one was; else of the line's end. */
function endOfQuoted(text: string, begin: number, quote: string, escapes: number): number {
  for (let index = begin; index < text.length; index++) {
    const char = text[index];
    if (char === '\n') return index;
    if (char === '\\' && escapes === 0) index += 1;
    else if (char === quote && text.slice(index - escapes, index) === '\\'.repeat(escapes)) return index - escapes;
  }
  return text.length;
}
