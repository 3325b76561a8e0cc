/** Finds the peers that a container's specification names: in the values of its environment and in its command. */
import { formatHost, peerIn, urlPeers } from '../../log-analysis/index.ts';
import type { Container } from '../evidence/kinds.ts';

export interface SpecPeer {
  readonly host: string;
  readonly port?: number;
  /** Where it stands: "env[0] (DATABASE_URL)", "command". */
  readonly at: string;
}

/** Words before the peers of commands that wait: "nc -z db 5432", "pg_isready -h db -p 5432", "/dev/tcp/db/5432". */
const WAITS_FOR: readonly RegExp[] = [
  /\/dev\/(?:tcp|udp)\/([\w.-]+)\/(\d{1,5})/g,
  /\b(?:nc|ncat|telnet)\b(?: -\w+(?: \d+)?)* ([a-z][\w.-]*|\d+(?:\.\d+){3}) (\d{1,5})\b/gi,
  /\b(?:pg_isready|psql|mysqladmin|mariadb-admin|mysql|redis-cli)\b[^;|&]*? -h ?([\w.-]+)(?:[^;|&]*? -[pP] ?(\d{1,5}))?/g,
  /\b(?:nslookup|dig|getent hosts|getent ahosts|ping(?: -\w+(?: \d+)?)*|host) ([a-z][\w-]*(?:\.[\w-]+)*)/g,
  /\bwait-?(?:for|4)[\w.-]*(?: -\w+(?: \d+)?)* ([a-z][\w-]*(?:\.[\w-]+)*):(\d{1,5})/gi,
];
/** A command that runs until something else is there. */
const WAIT_LOOP =
  /\buntil\b|\bwhile !|\bwhile \[\[? ?!|\bwhile true\b[^]*\bbreak\b|wait-?for|wait4|\bdockerize\b|\bkubectl (?:wait|rollout status)\b/i;
const MAX_PEERS = 20;

/** The peers of its environment, of the variables with a value in the specification. */
export function environmentPeers(spec: Container): readonly SpecPeer[] {
  return (spec.env ?? [])
    .flatMap(({ name, value = '' }, index): readonly SpecPeer[] => {
      const at = `env[${index}] (${name})`;
      const text = value.slice(0, 1000);
      const urls = urlPeers(text);
      if (urls.length > 0) return urls.map((peer) => ({ ...peer, at }));
      if (/^[a-z][\w-]*(?:\.[\w-]+)*:\d{2,5}(?:,|$)/i.test(text)) return peersOf(peerIn(text), at);
      // "DB_HOST" with "DB_PORT"
      if (!/(?:^|_)HOST(?:NAME)?$/.test(name) || !/^[a-z][\w.-]*$/i.test(text)) return [];
      const port = spec.env?.find((other) => other.name === name.replace(/HOST(?:NAME)?$/, 'PORT'))?.value;
      return [{ host: text, ...(/^\d{2,5}$/.test(port ?? '') && { port: Number(port) }), at }];
    })
    .slice(0, MAX_PEERS);
}

/** The peers for which its command waits, with variables of its own environment filled in; none for a command that only works. */
export function awaitedPeers(spec: Container): readonly SpecPeer[] {
  const text = commandText(spec);
  if (!WAIT_LOOP.test(text)) return [];
  const found = WAITS_FOR.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap(([, host = '', port]) =>
      peersOf({ host, port: port === undefined ? undefined : Number(port) }, 'command'),
    ),
  );
  return [...urlPeers(text).map((peer) => ({ ...peer, at: 'command' })), ...found].slice(0, MAX_PEERS);
}

/** 'host="db"', of a program that stands in the command, or of its options. */
const HOST_IN_CODE = /\bhost(?:name)?["']?\s?[=: ]\s?["']([a-z][\w-]*(?:\.[\w-]+)*)["']/gi;

/** The peers in the URLs of its command and the hosts that it sets, with variables of its own environment filled in. */
export function commandPeers(spec: Container): readonly SpecPeer[] {
  const text = commandText(spec);
  const hosts = [...text.matchAll(HOST_IN_CODE)].flatMap(([, host = '']) => peersOf({ host }, 'command'));
  return [...urlPeers(text).map((peer) => ({ ...peer, at: 'command' })), ...hosts].slice(0, MAX_PEERS);
}

/** The object of kubectl wait, or the file that its command waits for. */
export function awaitedThing(spec: Container): string | undefined {
  const text = commandText(spec);
  if (!WAIT_LOOP.test(text)) return undefined;
  const object = /\bkubectl\b[^;|&]*? (?:wait|rollout status)\b[^;|&]*? ((?:[a-z]+\/)[\w.-]+)/.exec(text)?.[1];
  return object ?? /(?:\btest|\[\[?)(?: !)? -[a-z] ["']?(\/[^\s"';\]]{1,200})/.exec(text)?.[1];
}

export function commandText({ command, args, env }: Container): string {
  const text = [...(command ?? []), ...(args ?? [])].join(' ').slice(0, 4000);
  const values = new Map((env ?? []).map(({ name, value }) => [name, value]));
  return text.replace(/\$(?:\((\w+)\)|\{(\w+)\}|(\w+))/g, (whole, a?: string, b?: string, c?: string) => {
    return values.get(a ?? b ?? c ?? '') ?? whole;
  });
}

/** "db:5432" */
export function peerText({ host, port }: Pick<SpecPeer, 'host' | 'port'>): string {
  return formatHost(host, port);
}

function peersOf({ host, port }: { readonly host?: string; readonly port?: number }, at: string): readonly SpecPeer[] {
  return host === undefined || host === '' ? [] : [{ host, ...(port !== undefined && { port }), at }];
}
