/** Finds what an HTTP peer answered beside its status: the words of the body that a client printed, in HTML or JSON. Pure. */
import { maskSecrets } from './mask-secrets.ts';

/** "status code 401", "HTTP 403", "returned error: 400", "answered 502", "503 Service Unavailable", "ERROR 404: Not Found" */
const STATUS = new RegExp(
  [
    String.raw`\b(?:HTTP(?:/[\d.]{1,4})?|status(?:[ _-]?code)?|(?:error|response|status)(?: response)?(?: code| status)?|answer(?:s|ed)?|return(?:s|ed)?|respon(?:ds?|ded)|replied|got|received|code)(?: with)?(?: an?)?(?: error)?(?: code| status)?(?: of)?[:= ]{1,3}["'(]?([45]\d\d)\b(?![:.]\d)`,
    String.raw`\b([45]\d\d)\b[:\s]{0,3}(?:Bad Request|Unauthorized|Forbidden|Not Found|Method Not Allowed|Not Acceptable|Conflict|Gone|Length Required|Precondition Failed|Payload Too Large|Request Entity Too Large|Unsupported Media|Unprocessable|Too Many Requests|Internal Server Error|Not Implemented|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Client Error|Server Error|Proxy Authentication)`,
  ].join('|'),
  'i',
);

/** The status of a failed request that a line tells; undefined: it tells none. */
export function httpStatusIn(line: string): number | undefined {
  const [, a, b] = STATUS.exec(line.slice(0, MAX_LINE)) ?? [];
  const status = a ?? b;
  return status === undefined ? undefined : Number(status);
}

const MAX_LINE = 1000;
/** Lines of the end in which the body may stand. */
const LINES = 40;
const MAX_JSON = 4000;
const IN_TAGS = /<(title|h1|h2|h3|p|center|pre|b|li)\b[^<>]{0,200}>([^<>]{3,300})<\//gi;
/** What servers write into each page of theirs, which the status says as well. */
const GENERIC =
  /^(?:Error|Bad Request|Unauthorized|Authorization Required|(?:401 )?Authentication Required|Forbidden|Access Denied|Not Found|Method Not Allowed|Conflict|Internal Server Error|Bad Gateway|Service (?:Temporarily )?Unavailable|Gateway Time-?out|Too Many Requests|Request Entity Too Large|Payload Too Large|Error response|Your browser sent .{0,80}|The (?:requested URL|server encountered|document has moved)\b.{0,200}|Additionally, .{0,100}|Apologies.{0,100}|Sorry.{0,100}|You don't have permission.{0,100}|(?:nginx|openresty|apache|caddy|lighttpd|envoy|haproxy|squid)\b.{0,60}|Error code(?:: ?\d{3})?(?: explanation.{0,100})?|Message: .{0,60})\.?$/i;
const JSON_KEYS = ['error_description', 'detail', 'message', 'msg', 'reason', 'error', 'title', 'errors', 'code'];
/** Keys of a program's own log records. */
const OF_LOG = ['level', 'severity', 'lvl', 'ts', 'time', 'timestamp', '@timestamp', 'logger', 'pid', 'caller'];

/** The words of the body, secrets masked; undefined: none stands there, or it says no more than the status. */
export function answerBody(given: readonly string[]): string | undefined {
  const lines = given.slice(-LINES);
  const texts = [...htmlTexts(lines), ...lines.flatMap((line) => jsonText(line) ?? [])];
  const said = texts.map((text) => text.replace(/^(?:HTTP )?(?:Error )?[1-5]\d\d(?:[:\s-]{1,4}|$)/i, '').trim());
  const found = said.find((text) => text.length > 2 && !GENERIC.test(text));
  return found === undefined ? undefined : maskSecrets(found);
}

function htmlTexts(lines: readonly string[]): readonly string[] {
  return lines
    .filter((line) => line.includes('<') && line.length <= MAX_JSON)
    .flatMap((line) => [...line.matchAll(IN_TAGS)].map(([, , text = '']) => text.replaceAll('&#x27;', "'").trim()));
}

function jsonText(line: string): string | undefined {
  const begin = line.indexOf('{');
  const text = line.trim();
  if (begin === -1 || !text.endsWith('}') || text.length > MAX_JSON || !text.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) && !OF_LOG.some((key) => Object.hasOwn(value, key)) ? textOf(value, 0) : undefined;
  } catch {
    return undefined;
  }
}

/** "jwt expired", of {"error": "jwt expired"} and of {"errors": [{"message": "jwt expired"}]}. */
function textOf(record: Record<string, unknown>, depth: number): string | undefined {
  for (const key of JSON_KEYS) {
    const value = record[key];
    const [first] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    // One word, such as "invalid_request", says less than a sentence.
    if (typeof first === 'string' && first.trim().length > 2) return first.trim();
    const inner = isRecord(first) && depth < MAX_DEPTH ? textOf(first, depth + 1) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const MAX_DEPTH = 2;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
