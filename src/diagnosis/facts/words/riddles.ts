/**
 * Reads the numbers by which servers tell, without a word, that somebody speaks another protocol to them: the size that they take of a message
 * is the beginning of a request, as when 1195725856 is "GET ". Pure.
 */
import type { PodFacts } from '../pod/pod-facts.ts';
import type { RankedFinding } from '../../finding.ts';

/** What begins a message of somebody who has come to a wrong port. */
const BEGINNINGS: readonly (readonly [begin: string, what: string])[] = [
  ['GET ', 'an HTTP request'],
  ['POST', 'an HTTP request'],
  ['HEAD', 'an HTTP request'],
  ['PUT ', 'an HTTP request'],
  ['OPTI', 'an HTTP request'],
  ['PRI ', 'an HTTP/2 request'],
  ['HTTP', 'an HTTP answer'],
  ['SSH-', 'a greeting of SSH'],
  ['AMQP', 'a greeting of AMQP'],
];
/** "size = 1195725856", "Len error 1195725856", "msgLen 542393671" */
const SIZE = /\b(?:size|len(?:gth)?|msglen|frame|bytes?)\b\D{0,24}?(\d{8,10})\b/i;
/** uWSGI's own: the second and third letter, of which the lower byte comes first. */
const UWSGI = /\binvalid request block size: (\d{4,5})\b/i;

/** A lock of the only process that a container begins with. */
const OF_FIRST =
  /\b(?:held|locked|owned|used|in use|running)\b.{0,60}\b(?:pid|process(?: id)?)[ :=(]{0,3}1\b(?![\d.:])|\b(?:pid|process)[ :=(]{0,3}1\b(?![\d.:]).{0,40}\b(?:holds|is (?:still )?running|has the lock)\b/i;

/** "1195725856 is the text "GET ": an HTTP request, of somebody who takes its port for one of another protocol"; undefined: no such number. */
export function riddleIn(line: string): string | undefined {
  if (OF_FIRST.test(line))
    return 'process 1 of a container is its own main process, so that the lock is left of an earlier life';
  const uwsgi = Number(UWSGI.exec(line)?.[1]);
  if (!Number.isNaN(uwsgi)) {
    const found = BEGINNINGS.find(([begin]) => begin.charCodeAt(1) + begin.charCodeAt(2) * 256 === uwsgi);
    return found === undefined
      ? undefined
      : `${uwsgi} are letters of "${found[0].trim()}": ${found[1]} came to a socket that speaks the protocol of uwsgi (socket), where http-socket would speak HTTP`;
  }
  const size = Number(SIZE.exec(line)?.[1]);
  if (Number.isNaN(size) || size > 0xff_ff_ff_ff) return undefined;
  const bytes = [24, 16, 8, 0].map((shift) => Math.floor(size / 2 ** shift) % 256);
  const texts = [bytes, bytes.toReversed()].map((each) => String.fromCharCode(...each));
  // The record of a handshake, and its version.
  if ((bytes[0] === 0x16 && bytes[1] === 3) || (bytes[3] === 0x16 && bytes[2] === 3))
    return `${size} is the beginning of TLS, of somebody who takes its port for one with TLS`;
  const found = BEGINNINGS.find(([begin]) => texts.includes(begin));
  if (found === undefined) return undefined;
  const [begin, what] = found;
  return `${size} is the text "${begin.trim()}": ${what}, of somebody who takes its port for one of another protocol`;
}

const NO_NAME_TOLD = /: service \S{1,253} is there, but no DNS server told its name/;
const LINE_ENDS = /\bhas Windows line ends \(CR LF\)/;
const OF_DNS = /\bkube-dns\b/;

/** The findings; a name that nobody knows for the line end behind it is told so, and DNS is not blamed. */
export function withLineEnds(_facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    if (!NO_NAME_TOLD.test(finding.says) || !LINE_ENDS.test(finding.says)) return finding;
    return {
      ...finding,
      says: finding.says.replace(NO_NAME_TOLD, ': the name has a line end (CR) behind it, with which nobody has it'),
      try: finding.try.filter((command) => !OF_DNS.test(command)),
    };
  });
}

/** The findings; one that quotes such a number says what it means. */
export function withRiddles(_facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  return found.map((finding) => {
    const meaning = riddleIn(finding.says);
    return meaning === undefined ? finding : { ...finding, says: `${finding.says}; ${meaning}` };
  });
}
