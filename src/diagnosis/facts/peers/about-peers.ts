/** Tells whether a program's words are about its peers, tell nothing at all, or are clearly about something else. Pure. */
import { anyOf, nameCount } from '../../../log-analysis/index.ts';

/** peer: it is about one that does not answer; nothing: it names no cause; other: it names something; elsewhere: its cause is no peer's. */
export type About = 'peer' | 'nothing' | 'other' | 'elsewhere';

/** What is said of nothing else. */
const UNREACHED = anyOf(
  /fetch failed/i,
  /connect\w{0,4}:? (?:to \S{1,200} )?(?:was |is )?(?:refused|failed|failure|error|time[d-]? ?out|reset|closed|lost|aborted)/i,
  /(?:can ?not|can't|could ?n[o']t|could not|unable to|failed to|failure to|error) (?:be )?(?:re)?connect/i,
  /(?:un|not )reachable|\bcan ?not reach|\bunavailable\b|not (?:be )?available|not responding|no (?:response|answer|route)/i,
  /\btime[d-]? ?outs?\b|timeout expired|deadline exceeded/i,
  /\b(?:E(?:CONN|HOST|NET)\w{3,12}|ETIMEDOUT|ENOTFOUND|EAI_\w+|EPIPE)\b/i,
  /name or service not known|name resolution|no such host|getaddrinfo/i,
  /\b50[234]\b|bad gateway|service unavailable|gateway time/i,
  /wait(?:ing|s|ed)? (?:\w+ ){0,2}(?:for|on|until)\b/i,
  /\bnot (?:\w+ )?(?:up|ready|there|started|healthy)\b|\bis (?:down|away|gone|offline)\b|\bhas gone away\b/i,
);
/** A cause that lies in the program, its files, its settings or its data, or in what the peer has answered. */
const ELSEWHERE = anyOf(
  /syntax|\bpars(?:e|ing)\b|unexpected (?:token|end|char|identifier|keyword|eof)|indentation/i,
  /no such file|\bENOENT\b|not a directory|is a directory|file not found|cannot open (?:file|shared)/i,
  /permission|denied|\bE(?:ACCES|PERM|ROFS|NOSPC|MFILE|EXIST|ISDIR)\b|read-only|no space|\bdisk\b|quota/i,
  /memory|\bheap\b|\bOOM\b|stack overflow|segmentation|core dumped/i,
  /modul|import|package|\bclass\b|librar|plugin|extension|dependency .{0,40}(?:missing|not found|version)/i,
  /undefined|null ?pointer|\bnil\b|\bNone(?:Type)?\b|not a function|has no attribute|\b(?:Type|Reference|Key|Index|Attribute|Name|Value|Assertion|ZeroDivision|NotImplemented)Error\b|IllegalState|out of range|out of bounds|overflow|assert/i,
  /invalid|illegal|malformed|missing|required|must (?:be|have|not)|unknown|unsupported|unrecogni[sz]ed|not supported|not (?:a )?valid|expected|bad (?:option|value|config)|\busage:/i,
  /certificate|x509|\bTLS\b|\bSSL\b|passw|authenti|credential|\btoken\b|unauthori[sz]ed|forbidden|\b40[0134]\b|licen[cs]e/i,
  /migrat|schema|checksum|incompatible|does(?: not|n't) exist|already (?:exists|in use|running|locked)|duplicate|violates|constraint|in use\b|locked\b/i,
  /not found|no such/i,
);
/** Words that go with anything: "startup failed", "giving up after 5 attempts". */
const MAX_VAGUE_WORDS = 14;
const OF_PEERS =
  /\bconnect|\bnetwork|\bsocket|\bupstream|\bbackend|\bdependenc(?:y|ies)\b|\bbroker|\bdatabase|\bdb\b|redis|\bcache|\bqueue|\bpeer|\bhandshake|\bping\b|\bdial|health ?check|\bremote\b/i;

/** @param line what a program said at its end, or while it is not ready; empty: it said nothing */
export function aboutPeers(line: string): About {
  if (line.trim() === '') return 'nothing';
  if (UNREACHED.test(line)) return 'peer';
  if (ELSEWHERE.test(line)) return 'elsewhere';
  if (OF_PEERS.test(line)) return 'peer';
  const isVague = nameCount(line) === 0 && line.trim().split(/\s+/).length <= MAX_VAGUE_WORDS;
  return isVague ? 'nothing' : 'other';
}
