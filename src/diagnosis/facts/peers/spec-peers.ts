/** Finds the peers that a container's specification names: in the values of its environment and in its command. */
import { formatHost, peerIn, peersOfUrls } from '../../../log-analysis/index.ts';
import type { Container } from '../../evidence/kinds.ts';
import { environmentOf, type Variable } from '../variables/environment.ts';
import { wordsOfCommand, wordsOfScript } from './loop-text.ts';

export interface SpecPeer {
  readonly host: string;
  readonly port?: number;
  /** The port of its URL's scheme, where the URL has none. */
  readonly defaultPort?: number;
  /** Where it stands: "env[0] (DATABASE_URL)", "command". */
  readonly at: string;
  /** "ConfigMap app, key db.url"; absent: the value stands in the specification itself. */
  readonly of?: string;
}

/** Words before the peers of commands that wait: "nc -z db 5432", "pg_isready -h db -p 5432", "/dev/tcp/db/5432". */
const WAITS_FOR: readonly RegExp[] = [
  /\/dev\/(?:tcp|udp)\/([\w.-]+)\/(\d{1,5})/g,
  /\b(?:nc|ncat|telnet)\b(?: --?[\w-]+(?:[ =]\d+)?)* ([a-z][\w.-]*|\d+(?:\.\d+){3}) (\d{1,5})\b/gi,
  /\b(?:pg_isready|psql|mysqladmin|mariadb-admin|mysql|mariadb|redis-cli|valkey-cli|mongosh?)\b[^;|&]*? (?:-\w{0,3}h ?|--host[ =])([\w.-]+)(?:[^;|&]*? (?:-[pP] ?|--port[ =])(\d{1,5}))?/g,
  /\b(?:nslookup|dig|getent hosts|getent ahosts|ping(?: -\w+(?: \d+)?)*|host) ([a-z][\w-]*(?:\.[\w-]+)*)/g,
  /\bwait-?(?:for|4)[\w.-]*(?: -\w+(?: \d+)?)* ([a-z][\w-]*(?:\.[\w-]+)*):(\d{1,5})/gi,
  /\b(?:curl|wget)\b[^;|&\n]{0,100}? ([a-z][\w-]*(?:\.[\w-]+)*):(\d{2,5})\b/g,
  / --(?:bootstrap-server|broker-list|endpoints?|server|addr(?:ess)?)[ =]([a-z][\w-]*(?:\.[\w-]+)*):(\d{2,5})\b/g,
  // The languages that stand in a command: "create_connection((db, int(5432)))".
  /\b(?:connect\w{0,10}|create_connection|createConnection|TCPSocket\.(?:new|open)|fsockopen|Socket)\(\(?([a-z][\w-]*(?:\.[\w-]+)*), ?(?:int\()?(\d{2,5})\b/g,
];
/** A command that runs until something else is there. */
const WAIT_LOOP =
  /\buntil\b|\bwhile !|\bwhile \[\[? ?!|\bwhile true\b[^]*\bbreak\b|wait-?for|wait4|\bdockerize\b|\bkubectl (?:wait|rollout status)\b/i;
const MAX_PEERS = 20;

/** "DB_HOST", "PGHOST", "dbHost", "REDIS_MASTER_ADDR": names of variables that hold a host. */
const HOLDS_HOST =
  /(?:^|[._-]|PG|DB|SQL|REDIS|MONGO|MQ|KAFKA|CACHE|LDAP|SMTP)HOST(?:NAME)?$|(?:PG|POSTGRES|SQL|DB|DATABASE|REDIS|CACHE|MONGO|MQ|AMQP|KAFKA|NATS|LDAP|BROKER|QUEUE|BACKEND|UPSTREAM)\w{0,20}_(?:SERVER|ADDR|ADDRESS|ENDPOINT)$/i;
const HOLDS_HOST_IN_CAMELS = /[a-z]Host(?:[Nn]ame)?$/;
/** What stands in such a name for the host. */
const HOST_WORD = /(?:HOST(?:NAME)?|SERVER|ADDR(?:ESS)?|ENDPOINT)$/i;
/** A name, or an address that others may have. */
const HOST_VALUE = /^(?:[a-z][\w.-]*|(?!127\.|0\.)\d{1,3}(?:\.\d{1,3}){3})$/i;
const HOST_AND_PORT = /^(?:[a-z][\w-]*(?:\.[\w-]+)*|(?!127\.|0\.)\d{1,3}(?:\.\d{1,3}){3}):\d{2,5}(?:,|$)/i;

/** The peers of an environment, of the variables whose values are known. */
export function environmentPeers(environment: readonly Variable[]): readonly SpecPeer[] {
  return environment
    .flatMap(({ name, value, at, of }): readonly SpecPeer[] => {
      const place = { at, ...(of !== undefined && { of }) };
      const text = value.slice(0, 1000);
      const urls = peersIn(text, place);
      if (urls.length > 0) return urls;
      if (HOST_AND_PORT.test(text)) return peersOf(peerIn(text), place);
      if (!isOfHost(name) || !HOST_VALUE.test(text)) return [];
      const port = portVariable(environment, name)?.value;
      return [{ host: text, ...(port !== undefined && { port: Number(port) }), ...place }];
    })
    .slice(0, MAX_PEERS);
}

/** Whether a variable holds a host, as its name says. */
export function isOfHost(name: string): boolean {
  return HOLDS_HOST.test(name) || HOLDS_HOST_IN_CAMELS.test(name);
}

/** "DB_PORT", of "DB_HOST". */
export function portVariable(environment: readonly Variable[], name: string): Variable | undefined {
  const ofPort = `${name.replace(HOST_WORD, '').toLowerCase()}port`;
  const found = environment.find((other) => other.name.toLowerCase() === ofPort);
  return found !== undefined && /^\d{2,5}$/.test(found.value) ? found : undefined;
}

/** Ports that clients take of a URL without one. */
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  http: 80,
  https: 443,
  redis: 6379,
  rediss: 6379,
  postgres: 5432,
  postgresql: 5432,
  mysql: 3306,
  mariadb: 3306,
  mongodb: 27_017,
  amqp: 5672,
  amqps: 5671,
  nats: 4222,
  ldap: 389,
  ldaps: 636,
};

/** The peers of the URLs in a text. */
export function peersIn(text: string, place: Pick<SpecPeer, 'at' | 'of'>): readonly SpecPeer[] {
  return peersOfUrls(text).map(({ scheme, host, port }) => {
    // "postgresql+asyncpg"; of "mongodb+srv" and "redis+sentinel" the port is another.
    const [plain = '', driver = ''] = scheme.split('+');
    const defaultPort = /^(?:srv|sentinel|unix)$/.test(driver) ? undefined : DEFAULT_PORTS[plain];
    if (port !== undefined) return { host, port, ...place };
    return { host, ...(defaultPort !== undefined && { defaultPort }), ...place };
  });
}

/** The peers for which its command waits, with variables of its environment filled in; none for a command that only works. */
export function awaitedPeers(spec: Container, environment = environmentOf(spec)): readonly SpecPeer[] {
  const text = wordsOfCommand(spec, environment);
  const found = peersAwaited(text);
  return found.length > 0 || !WAIT_LOOP.test(text) ? found : peersOfClient(text, environment);
}

/** The peers for which a script waits; none for one that only works. */
export function peersAwaitedIn(text: string): readonly SpecPeer[] {
  return peersAwaited(wordsOfScript(text));
}

function peersAwaited(text: string): readonly SpecPeer[] {
  if (!WAIT_LOOP.test(text)) return [];
  const found = WAITS_FOR.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, host = '', port]) =>
      peersOf({ host, port: port === undefined ? undefined : Number(port) }, { at: 'command' }),
    ),
  );
  const all = [...peersIn(text, { at: 'command' }), ...found];
  return [...new Map(all.map((peer) => [peerText(peer), peer])).values()].slice(0, MAX_PEERS);
}

/** Clients that take their host of a variable when no option names it. */
const OF_LIBPQ = /\b(?:pg_isready|psql)\b/;

/** The peer of PGHOST, of a loop that asks PostgreSQL without an option for its host. */
function peersOfClient(text: string, environment: readonly Variable[]): readonly SpecPeer[] {
  return OF_LIBPQ.test(text) ? environmentPeers(environment.filter(({ name }) => /^PG(?:HOST|PORT)$/.test(name))) : [];
}

/** 'host="db"', of a program that stands in the command, or of its options. */
export const HOST_IN_CODE = /\bhost(?:name)?["']?\s?[=: ]\s?["']([a-z][\w-]*(?:\.[\w-]+)*)["']/gi;

/** The host of a command line's client: "psql -h pg -p 5433", "mosquitto_sub -h mqtt". */
const CLIENT_HOST =
  /\b(?:psql|pg_\w{1,20}|mysql\w{0,10}|mariadb(?:-\w{1,10})?|redis-cli|valkey-cli|mosquitto_[ps]ub|mongo(?:sh)?|clickhouse-client|ldap\w{3,10})\b[^;|&\n]{0,300}? (?:-h|--host)[ =]?([a-z][\w-]*(?:\.[\w-]+)*)(?:[^;|&\n]{0,100}? (?:-p|-P|--port)[ =]?(\d{2,5})\b)?/g;
/** "--replicaof cache-primary 6379" */
const REPLICA_OF = /(?:^|\s)--(?:replicaof|slaveof)[ =]["']?([a-z][\w.-]{0,200})["']? ["']?(\d{2,5})\b/g;
/** '("smtp", 25)', of a program that stands in the command; '("ok", 200)' is an answer. */
export const TUPLE_IN_CODE =
  /\(\(?["']((?!localhost["'])[a-z][\w-]*(?:\.[\w-]+)*)["'], ?((?!(?:20[0-6]|30[0-8]|40[0-9]|41[0-8]|42[2-9]|451|50[0-8])\b)\d{2,5})\b/gi;

/** The peers in the URLs of its command and the hosts that it sets, with variables of its environment filled in. */
export function commandPeers(spec: Container, environment = environmentOf(spec)): readonly SpecPeer[] {
  const text = commandText(spec, environment);
  const hosts = [...text.matchAll(HOST_IN_CODE)].flatMap(([, host = '']) => peersOf({ host }, { at: 'command' }));
  const others = [CLIENT_HOST, TUPLE_IN_CODE, REPLICA_OF].flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, host = '', port]) =>
      peersOf({ host, ...(port !== undefined && { port: Number(port) }) }, { at: 'command' }),
    ),
  );
  return [...peersIn(text, { at: 'command' }), ...hosts, ...others].slice(0, MAX_PEERS);
}

/** The object of kubectl wait, or the file that its command waits for. */
export function awaitedThing(spec: Container): string | undefined {
  const text = commandText(spec);
  if (!WAIT_LOOP.test(text)) return undefined;
  const object = /\bkubectl\b[^;|&]*? (?:wait|rollout status)\b[^;|&]*? ((?:[a-z]+\/)[\w.-]+)/.exec(text)?.[1];
  return object ?? /(?:\btest|\[\[?)(?: !)? -[a-z] ["']?(\/[^\s"';\]]{1,200})/.exec(text)?.[1];
}

/** Its command and arguments, with the variables filled in whose values are known. */
export function commandText(spec: Container, environment = environmentOf(spec)): string {
  const text = [...(spec.command ?? []), ...(spec.args ?? [])].join(' ').slice(0, 4000);
  const values = new Map(environment.map(({ name, value }) => [name, value]));
  return text.replace(/\$(?:\((\w+)\)|\{(\w+)\}|(\w+))/g, (whole, a?: string, b?: string, c?: string) => {
    return values.get(a ?? b ?? c ?? '') ?? whole;
  });
}

/** "command", "variable DB_HOST", "variable DB_HOST of ConfigMap app, key host": where the peer is named. */
export function placeText({ at, of }: Pick<SpecPeer, 'at' | 'of'>): string {
  const variable = variableOf(at);
  return `${variable === undefined ? at : `variable ${variable}`}${of === undefined ? '' : ` of ${of}`}`;
}

/** "DB_HOST", of a place that is a variable. */
export function variableOf(at: string): string | undefined {
  return /^env(?:From)?\[\d+\] \((.*)\)$/.exec(at)?.[1];
}

/** "db:5432" */
export function peerText({ host, port }: Pick<SpecPeer, 'host' | 'port'>): string {
  return formatHost(host, port);
}

function peersOf(
  { host, port }: { readonly host?: string; readonly port?: number },
  place: Pick<SpecPeer, 'at' | 'of'>,
): readonly SpecPeer[] {
  return host === undefined || host === '' ? [] : [{ host, ...(port !== undefined && { port }), ...place }];
}
