/** Finds what stands in a host that is no part of a name: a port, a scheme, a path. No DNS server knows such a name. Pure. */
import { unresolvedHost } from '../../../log-analysis/index.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { ofText, type Variable } from '../variables/environment.ts';
import { isOfHost } from './spec-peers.ts';
import { quotable } from '../words/text.ts';

export interface HostFault {
  /** What was taken for a name: "db:5432". */
  readonly text: string;
  /** "a port stands in it (the value of its variable DB_HOST)" */
  readonly says: string;
  readonly quotes: readonly Quote[];
}

/** Lines in which only the host stands, whatever that is. Others write host and port. */
const WHOLE_HOSTS: readonly RegExp[] = [
  /\bENOTFOUND (["'`]?[^\s,;)]{1,253})/,
  /could not translate host name "([^"\n]{1,253})"/,
  /UnknownHostException: ([^\s,;]{1,253})/,
  /\blookup ([^\s,;]{1,253})(?: on \S{1,100})?: no such host/,
  /bad address ['"`]([^'"`\n]{1,253})['"`]/,
  /Unknown (?:MySQL|MariaDB) server host ['"]([^'"\n]{1,253})['"]/,
  /getaddrinfo for ([^\s,;]{1,253}) failed/,
  /curl: \(6\) Could not resolve host: ([^\s,;]{1,253})/i,
  // redis-py puts the port behind the host.
  /Error -\d{1,2} connecting to (\S{1,250}):\d{2,5}\. /,
  /^(?:ping|ssh|telnet|nc|ncat): ([^\s,;]{1,253}): (?:name or service not known|temporary failure)/i,
];
/** A host with its port, behind which a program has put a port again. */
const TWO_PORTS = /\b([a-z][\w-]{0,62}(?:\.[\w-]{1,63}){0,10}:\d{2,5}):\d{2,5}\b(?!:\d)/i;
const PORTS_REFUSED = /too many colons|nonnumeric port|invalid port|port could not be|bad port|illegal port/i;

/** What is wrong with the host that a line did not find; undefined: it may be a name, and nobody may know it. */
export function hostFault(container: ContainerFacts, line: string): HostFault | undefined {
  const whole = WHOLE_HOSTS.flatMap((pattern) => pattern.exec(line)?.[1]?.replace(/:$/, '') ?? [])[0];
  const host = unresolvedHost(line);
  const variable = variableWith(container, whole, host);
  const text = whole !== undefined && faultOf(whole) !== undefined ? whole : variable?.value;
  // A log breaks the line where the value does.
  const fault =
    text === undefined
      ? undefined
      : variable !== undefined && variable.value.endsWith('\n')
        ? 'a line end stands'
        : faultOf(text);
  if (text === undefined || fault === undefined) return undefined;
  const shown = text.trim() === text ? text : `"${text}"`;
  return {
    text: quotable(shown),
    says: `${fault} in it${variable === undefined ? '' : ` (the value of its variable ${variable.name}${ofText(variable)})`}`,
    quotes: variable === undefined ? [] : quoteOf(container, variable),
  };
}

/** "a port stands in the value of its variable DB_HOST, which is no host name with that", of a line with two ports. */
export function twoPorts(container: ContainerFacts, line: string): Omit<HostFault, 'text'> | undefined {
  const [, host] = TWO_PORTS.exec(line) ?? [];
  const found = host === undefined || !PORTS_REFUSED.test(line) ? undefined : valueThatIs(container, host);
  if (found === undefined) return undefined;
  return {
    says: `a port stands in the value of its variable ${found.name}${ofText(found)}, which is no host name with that`,
    quotes: quoteOf(container, found),
  };
}

function quoteOf({ path }: ContainerFacts, { at, value }: Variable): readonly Quote[] {
  return [{ source: 'field', path: `${path}.${at}`, value: quotable(value) }];
}

/** The variable with what the line has for a host, else the only one of a host that is none, and that the line may mean. */
function variableWith(
  container: ContainerFacts,
  whole: string | undefined,
  host: string | undefined,
): Variable | undefined {
  const same = whole === undefined ? undefined : valueThatIs(container, whole);
  if (same !== undefined) return same;
  const odd = container.environment.filter(
    ({ name, value }) =>
      isOfHost(name) && !value.includes('@') && faultOf(value) !== undefined && !isParted(whole ?? host, value),
  );
  // A program that puts a scheme before a URL asks for the host "http".
  const meant = odd.filter(
    ({ value }) =>
      host === undefined || bareOf(value) === host || (/^https?$/.test(host) && value.startsWith(`${host}://`)),
  );
  return meant.length === 1 ? meant[0] : undefined;
}

/** A program that asks for the host alone has parted it from its port. */
function isParted(whole: string | undefined, value: string): boolean {
  return whole !== undefined && faultOf(value) === A_PORT && whole === bareOf(value);
}

const A_PORT = 'a port stands';

function valueThatIs({ environment }: ContainerFacts, text: string): Variable | undefined {
  return environment.find(({ value }) => value === text) ?? environment.find(({ value }) => value.trim() === text);
}

/** "a port stands"; undefined: it may be a name, or an address. */
function faultOf(text: string): string | undefined {
  if (/^["'`]/.test(text)) return 'quotation marks stand';
  if (text.trim() !== text) return 'a blank stands';
  if (/^[a-z][a-z0-9+.-]{0,30}:\/\//i.test(text)) return 'a scheme stands';
  if (/^[^/:\s]{1,253}:\d{1,5}$/.test(text)) return A_PORT;
  return /^[a-z0-9][\w.-]{0,253}(?::\d{1,5})?\//i.test(text) ? 'a path stands' : undefined;
}

/** "db", of "http://db:80/", of '"db"', of "db ". */
function bareOf(value: string): string {
  const [, host = ''] = /^[\s"'`]*(?:[a-z][\w+.-]{0,30}:\/\/)?([\w.-]{1,253})/i.exec(value) ?? [];
  return host;
}
