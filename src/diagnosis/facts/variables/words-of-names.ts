/** Names the variables whose values are words of a file that is not there, or the port that is taken. Pure. */
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText } from './environment.ts';
import { fieldOf, isPlain, type Setting } from '../configs/setting.ts';
import { hasWord, listed, quotable } from '../words/text.ts';

/** The only variable whose value is a part of the name of the file that is not there: "production" of production.json. */
export function wordOfFile(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  const file = /does not find its (?:file|folder) (\/[^\s,;:]{2,300})/.exec(says)?.[1];
  if (file === undefined) return undefined;
  const parts = new Set(file.split(/[/._]/));
  const [only, ...more] = container.environment.filter(
    (variable) => isPlain(variable) && /^[A-Za-z][\w-]{2,40}$/.test(variable.value) && parts.has(variable.value),
  );
  if (only === undefined || more.length > 0 || hasWord(says, only.name)) return undefined;
  return {
    says: `${quotable(only.value)} is its variable ${only.name}${ofText(only)}`,
    quotes: [fieldOf(container, only, only.value)],
  };
}

/** Two of its own variables with the port that is taken. */
export function sharedPort(container: ContainerFacts, { id, says }: RankedFinding): Setting | undefined {
  const port = id === 'port-in-use' ? /on port (\d{2,5})/.exec(says)?.[1] : undefined;
  if (port === undefined || / container \S+ of its pod|of its node/.test(says)) return undefined;
  const having = container.environment.filter(
    ({ name, value }) => value.trim() === port || (/PORT|ADDR|LISTEN|BIND/.test(name) && value.endsWith(`:${port}`)),
  );
  if (having.length < 2) return undefined;
  return {
    says: `its variables ${listed(having.map(({ name }) => name))} name that port both`,
    quotes: having.map((variable) => fieldOf(container, variable, variable.value)),
  };
}

/** What is said of an address that lacks its port. */
const LACKS_PORT =
  /AddrParse(?:Error)?\b|invalid socket address|missing port in address|(?:lacks|without|no) (?:a )?port\b/i;

/** The only variable with an address to listen at that has no port. */
export function withoutPort(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  if (!LACKS_PORT.test(container.reading.decisive?.line ?? '')) return undefined;
  const [only, ...more] = container.environment.filter(
    ({ name, value }) =>
      /ADDR|BIND|LISTEN/.test(name) && /^(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|\*|[a-z][\w.-]{0,100})$/i.test(value),
  );
  if (only === undefined || more.length > 0 || hasWord(says, only.name)) return undefined;
  return {
    says: `its variable ${only.name}${ofText(only)} is ${JSON.stringify(quotable(only.value))}, which has no port`,
    quotes: [fieldOf(container, only, only.value)],
  };
}

/** What clients of HTTP say of a URL that begins with its host. */
const LACKS_SCHEME =
  /\bUriFormatException\b|\bInvalid UR[IL]\b|\bERR_INVALID_URL\b|\bno scheme supplied\b|\b(?:missing|unsupported|no) protocol(?: scheme)?\b|\bmissing (?:an? )?['"]?(?:http|scheme)\b|\bMalformedURLException\b|\brelative URL\b|\bOnly absolute URLs\b|\bURI is not absolute\b/i;

/** The only variable with a URL that has no scheme, behind an error that does not quote it. */
export function withoutScheme(container: ContainerFacts, { says }: RankedFinding): Setting | undefined {
  if (!LACKS_SCHEME.test(container.reading.decisive?.line ?? '')) return undefined;
  const [only, ...more] = container.environment.filter(
    ({ name, value }) =>
      /(?:^|_)(?:URL|URI|ENDPOINT|BASE|HREF|LINK)(?:_|$)/.test(name) &&
      /^(?!\w+:\/\/)[a-z][\w.-]{1,200}(?::\d{1,5})?(?:\/\S{0,300})?$/i.test(value),
  );
  if (only === undefined || more.length > 0 || hasWord(says, only.name)) return undefined;
  return {
    says: `its variable ${only.name}${ofText(only)} is ${JSON.stringify(quotable(only.value))}, which has no scheme such as http://`,
    quotes: [fieldOf(container, only, only.value)],
  };
}

const LOCK_TIMEOUT = /lock(?: wait)? time ?out|LockNotAvailable|could not obtain lock on|deadlock detected/i;
const OF_TABLE =
  /\b(?:alter table(?: if exists)?(?: only)?|truncate(?: table)?|drop table(?: if exists)?|lock table|update|delete from|insert into|create (?:unique )?index(?: concurrently)?(?: if not exists)? [\w"]{1,80} on) ["'`]?((?!set\b|only\b)[a-z_][\w.]{1,80})/gi;

/** The only table that a statement of its command, or of its files, is about, behind a lock that it did not get. */
export function tableWanted(
  texts: readonly string[],
  container: ContainerFacts,
  { says }: RankedFinding,
): Setting | undefined {
  if (!LOCK_TIMEOUT.test(container.reading.decisive?.line ?? '')) return undefined;
  const all = new Set(
    texts.flatMap((text) => [...text.matchAll(OF_TABLE)].map(([, table = '']) => table.toLowerCase())),
  );
  const [only, ...more] = all;
  if (only === undefined || more.length > 0 || hasWord(says.toLowerCase(), only)) return undefined;
  return { says: `its statement is about table ${quotable(only)}, which another session holds`, quotes: [] };
}
