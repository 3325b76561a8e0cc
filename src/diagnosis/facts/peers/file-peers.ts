/** Finds the peers that the files of a container name which it has of ConfigMaps and Secrets: configurations and scripts. Pure. */
import { peerIn } from '../../../log-analysis/index.ts';
import type { Container, Pod } from '../../evidence/kinds.ts';
import type { ConfigEvidence } from '../../evidence/pod-evidence.ts';
import { usedBy } from '../configs/config-references.ts';
import { HOST_IN_CODE, peersAwaitedIn, peersIn, type SpecPeer, TUPLE_IN_CODE } from './spec-peers.ts';

/** "host: db", "db.host = db", "DB_HOST=db" */
const HOST_SETTING =
  /^\s*["']?[\w.-]{0,60}?(?:host(?:name)?|server|addr(?:ess)?)["']?\s*[:=]\s*["']?([a-z][\w-]*(?:\.[\w-]+)*)(?::(\d{2,5}))?["']?[,;]?\s*$/i;
const PORT_SETTING = /^\s*["']?[\w.-]{0,60}?port["']?\s*[:=]\s*["']?(\d{2,5})["']?[,;]?\s*$/i;
/** Settings that name a peer in one word with its port: "server s1 api:8080 check", "connect = redis:6379", "server api:8080;", "targets: ['api:9090']". */
const WORD_BEFORE =
  /\b(?:server|backend|upstream|targets?|connect|peer|address|host|broker|nodes?|seeds?|endpoints?|proxy|reverse_proxy|proxy_pass|fastcgi_pass|uwsgi_pass|grpc_pass|forward|relay(?:host)?|master|primary|remote|dest(?:ination)?|bootstrap[._-]servers|(?:in)?secure_channel|aio\.\w*channel|grpc\.(?:dial|newclient|clientconnection)|fortarget|forchannel|create_connection|telnet|socket)\b/i;
const HOST_WITH_PORT =
  /(?:^|[\s"'=,[@(])((?!(?:localhost|(?:\w{0,20}-?)?(?:port|timeout|interval|ttl|size|limit|max|min|retries|status|code|line|pid))\b)[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,8}):(\d{2,5})(?=[\s"',;\])/]|$)/gi;
/** "replicaof redis-main 6379", "cache_peer parent-proxy parent 3128 0", "sentinel monitor shop redis-main 6379 2" */
const TWO_WORDS =
  /^\s{0,40}(?:(?:replicaof|slaveof)|cache_peer|sentinel monitor [\w.-]{1,60}) ([a-z][\w.-]{0,200})(?: parent| sibling)? (\d{2,5})\b/i;
/** Those whom resolvers ask: "resolver 10.96.0.10 valid=5s;", "server=/cluster.local/10.96.0.10#5353", "forward-addr: 10.96.0.10@53", "forward . 10.96.0.10" */
const ASKS_DNS =
  /^\s*(?:resolver|nameserver|forward-addr:|forward \S{1,60}|forwarders \{|server=(?:\/\S{0,200}\/)?)\s*((?:\d{1,3}\.){3}\d{1,3})(?:[#@:](\d{2,5}))?(?=[\s;}]|$)/i;
/** "shop = host=pg port=5432 dbname=shop" */
const PAIRS = /(?:^|[\s"'])host=([a-z][\w.-]{0,200})(?:[^\n]{0,200}?\bport=(\d{2,5}))?/i;
/** 'environ.get("DB_HOST", "postgres")', 'process.env.REDIS_HOST || "redis"' */
const HOST_BY_DEFAULT =
  /\b[A-Z][A-Z0-9_]{0,40}HOST(?:NAME)?["']?\]?\s{0,2}(?:,|\|\||\?\?|\bor\b)\s{0,2}["']((?!localhost["'])[a-z][\w-]*(?:\.[\w-]+)*)["']/g;
/** 'new mysqli("db", $user', 'pymysql.connect("db",', 'TCPSocket.new("mail",' */
const HOST_FIRST =
  /\b(?:mysqli(?:_real_connect|_connect)?|(?:pymysql|MySQLdb|mariadb|asyncpg|redis|pymongo)\.\w{1,20}|fsockopen|TCPSocket\.(?:new|open)|Net::(?:SMTP|HTTP|IMAP)\.(?:new|start))\(\s{0,4}(?:\$\w{1,40}\s{0,4},\s{0,4})?["']((?!localhost["'])[a-z][\w-]*(?:\.[\w-]+)*)["']/g;
/** "spawnSync('psql', ['-h', 'finance-db', …])" */
const HOST_OPTION = /["'](?:-h|--host)["'],\s?["']((?!localhost["'])[a-z][\w-]*(?:\.[\w-]+)*)["']/g;
/** Lines around that of a host in which its port is looked for, the likeliest first. */
const NEAR = [1, -1, 2, -2];
/** Certificates, keys and what only documents. */
const NO_CONFIGURATION = /\.(?:crt|pem|key|pub|md|html?|css)$/i;
/** Where a program listens itself. */
const LISTENS = /listen|bind|\b0\.0\.0\.0\b|server_name/i;
const IS_ITSELF = /^(?:localhost|127\.|0\.0\.0\.0|::1?$)/;
const MAX_PEERS = 20;
/** Characters of a script that are searched for waits. */
const MAX_SCRIPT = 8000;

/** Without those of its own pod. */
export function filePeers(pod: Pod, container: Container, configs: readonly ConfigEvidence[]): readonly SpecPeer[] {
  const used = usedBy(pod, container).filter(({ asVariable }) => !asVariable);
  const keys = new Set(used.map(({ kind, name }) => `${kind} ${name}`));
  const found = [...keys].flatMap((of) => {
    const config = configs.find(({ kind, name }) => `${kind} ${name}` === of);
    return Object.entries(config?.texts ?? config?.addresses ?? {}).flatMap(([key, text]) =>
      NO_CONFIGURATION.test(key) ? [] : peersOf(text).map((peer) => ({ ...peer, at: `${of}, key ${key}` })),
    );
  });
  return found.filter(({ host }) => !IS_ITSELF.test(host)).slice(0, MAX_PEERS);
}

type Peer = Pick<SpecPeer, 'host' | 'port' | 'defaultPort'>;

function peersOf(text: string): readonly Peer[] {
  const lines = text.split('\n');
  const script = text.startsWith('#!') ? peersAwaitedIn(text.slice(0, MAX_SCRIPT)) : [];
  const awaited = script.filter(({ host }) => !host.startsWith('$'));
  if (awaited.length > 0) return awaited;
  return lines.flatMap((line, index): readonly Peer[] => {
    if (/^\s*(?:#|\/\/|;)/.test(line) || LISTENS.test(line)) return [];
    const urls = peersIn(line, { at: '' });
    if (urls.length > 0) return urls;
    const [, asked, askedPort] = ASKS_DNS.exec(line) ?? [];
    if (asked !== undefined) return [withPort(asked, askedPort ?? '53')];
    const [, host, ownPort] = HOST_SETTING.exec(line) ?? [];
    if (host !== undefined) return [withPort(host, ownPort ?? portNear(lines, index))];
    const [, two, twoPort] = TWO_WORDS.exec(line) ?? PAIRS.exec(line) ?? [];
    if (two !== undefined) return [withPort(two, twoPort)];
    const words = WORD_BEFORE.test(line) ? [...line.matchAll(HOST_WITH_PORT)] : [];
    if (words.length > 0) return words.map(([, named = '', port]) => withPort(named, port));
    const tuples = [...line.matchAll(TUPLE_IN_CODE)].map(([, named = '', port]) => withPort(named, port));
    if (tuples.length > 0) return tuples;
    const inCode = [HOST_IN_CODE, HOST_BY_DEFAULT, HOST_FIRST, HOST_OPTION].flatMap((pattern) =>
      [...line.matchAll(pattern)].flatMap(([, named]) => named ?? []),
    );
    const port = inCode.length === 0 ? '' : String(peerIn(line).port ?? '');
    return inCode.map((named) => withPort(named, port));
  });
}

/** In a line of the same block, which has the same indentation. */
function portNear(lines: readonly string[], index: number): string | undefined {
  const indent = indentOf(lines[index] ?? '');
  const near = NEAR.map((offset) => lines[index + offset] ?? '').filter((line) => indentOf(line) === indent);
  return near.flatMap((line) => PORT_SETTING.exec(line)?.[1] ?? [])[0];
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function withPort(host: string, port: string | undefined): Peer {
  return /^\d{2,5}$/.test(port ?? '') ? { host, port: Number(port) } : { host };
}
