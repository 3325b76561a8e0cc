/** Names the URL that a command asks, where what it says of the answer names none: "curl: (22) The requested URL returned error: 404". Pure. */
import { urlPeers } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { commandText } from './spec-peers.ts';
import { quotable } from '../words/text.ts';

const URL = /\bhttps?:\/\/[^\s"'`;|&<>()\\]{3,300}/g;
/** An answer, or none, of a server of HTTP. */
const OF_HTTP =
  /\bcurl: \(\d{1,2}\)|\bwget: |\bHTTP(?:\/\d(?:\.\d)?)? ?(?:error|status|code)?:? ?[45]\d\d\b|\b(?:status|error|code|returned|answered|ERROR)[: =]{1,3}[45]\d\d\b/i;
/** curl -L, -fsSL, --location: it follows where an answer sends it. */
const FOLLOWS =
  /\bcurl\b[^;|&\n]{0,300}\s(?:-[A-Za-z]{0,10}L[A-Za-z]{0,10}|--location)\b|\bwget\b|allow_redirects|follow_redirects/;

/** "its command asks http://billing:8080/api/v1/export", of the only URL of its command; undefined: the sentence has it, or there are several. */
export function askedUrl(
  { spec, environment, reading, again }: ContainerFacts,
  { id, says }: RankedFinding,
): string | undefined {
  // A part of a server does not fail by what its script asks.
  if (again?.isStanding === true) return undefined;
  const line = reading.decisive?.line ?? reading.lastLine ?? '';
  const [only, ...more] = urlsIn(commandText(spec, environment));
  if (only === undefined || more.length > 0 || says.includes(only)) return undefined;
  if (/\$[({]?\w/.test(only)) return undefined;
  const away =
    id.startsWith('dependency-') && FOLLOWS.test(commandText(spec, environment)) ? redirected(only, says) : undefined;
  if (away !== undefined) return `its command asks ${quotable(only)}, whose answer sends it to ${away}`;
  return OF_HTTP.test(line) ? `its command asks ${quotable(only)}` : undefined;
}

/** The peer that refused, where the URL has another one, and neither is a proxy. */
function redirected(url: string, says: string): string | undefined {
  const [asked] = urlPeers(url);
  const [, host, port] = /(?:refused by|no answer from) ([\w.-]{1,253}):(\d{2,5})\b/.exec(says) ?? [];
  if (asked === undefined || host === undefined || port === undefined) return undefined;
  const own = asked.port ?? (url.startsWith('https') ? 443 : 80);
  return host === asked.host && String(own) !== port ? `${host}:${port}` : undefined;
}

function urlsIn(text: string): readonly string[] {
  return [...new Set((text.match(URL) ?? []).map((url) => url.replace(/[.,]+$/, '')))];
}
