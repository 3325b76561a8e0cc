/** Finds the peers that the files of a container name which it has of ConfigMaps and Secrets: configurations and scripts. Pure. */
import { peerIn } from '../../log-analysis/index.ts';
import type { Container, Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence } from '../evidence/pod-evidence.ts';
import { usedBy } from './config-references.ts';
import { HOST_IN_CODE, peersAwaitedIn, peersIn, type SpecPeer } from './spec-peers.ts';

/** "host: db", "db.host = db", "DB_HOST=db" */
const HOST_SETTING =
  /^\s*["']?[\w.-]{0,60}?(?:host(?:name)?|server|addr(?:ess)?)["']?\s*[:=]\s*["']?([a-z][\w-]*(?:\.[\w-]+)*)(?::(\d{2,5}))?["']?,?\s*$/i;
const PORT_SETTING = /^\s*["']?[\w.-]{0,60}?port["']?\s*[:=]\s*["']?(\d{2,5})["']?,?\s*$/i;
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
    const [, host, ownPort] = HOST_SETTING.exec(line) ?? [];
    if (host !== undefined) return [withPort(host, ownPort ?? portNear(lines, index))];
    const inCode = [...line.matchAll(HOST_IN_CODE)].flatMap(([, named]) => named ?? []);
    return inCode.map((named) => withPort(named, String(peerIn(line).port ?? '')));
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
