/** Knows what the system or a peer refuses that no program can do without, whatever else it does. Pure. */
import { anyOf } from './any-of.ts';

const REFUSED = anyOf(
  /permission denied/i,
  /not permitted/i,
  /read-only file system/i,
  /no space left/i,
  /no such file or directory/i,
  /too many open files/i,
  /cannot allocate memory/i,
  /connection refused/i,
  /\bREADONLY\b|read[- ]only replica|\bMISCONF\b|\bOOM command not allowed\b/i,
  /name or service not known|could not resolve host|no such host/i,
  /authentication failed|access denied for user|WRONGPASS|NOAUTH|\bAccess ?Denied\b|\b401 unauthori[sz]ed\b|\b403 forbidden\b/i,
  /\bNoSuchBucket\b|\b(?:relation|table|database) ["'\w.]{1,100} does(?:n't| not) exist|unknown (?:database|table)|no such (?:table|database|bucket|queue|topic)\b/i,
  /\bconnection (?:was |is )?blocked\b|\bblocked connection\b|ConnectionBlocked/i,
  // Work of a kind that it does not know at all
  /\bunregistered (?:task|job)\b|\bno (?:handler|consumer|processor|worker) (?:is |was )?(?:registered|found|defined|configured) for\b|\bunknown (?:task|job|message|event) (?:type|name|kind)\b|\buninitialized constant\b|\bNo such job\b/i,
  // Servers that end their own workers
  /\bWORKER TIMEOUT\b|\bHARAKIRI\b|\bexecution timed out \([\d.]+ sec\), terminating|Terminating timed out worker/i,
  /certificate (?:has expired|verify failed|verification failed)|x509: /i,
);

/** Whether it is such a refusal; faults of business may come as often as they like. */
export function isRefusal(text: string): boolean {
  return REFUSED.test(text);
}
