/** Pull secrets: from dockerconfigjson and dockercfg to the credentials that fit an image (upstream: pkg/credentialprovider). Pure. */
import type { Secret } from '../../api/index.ts';
import type { RegistryAuth } from '../../cri/index.ts';
import { decodeText } from '../../lib/index.ts';
import { base64Bytes } from '../base64.ts';
import type { ImageName } from './image-name.ts';

export interface RegistryCredential {
  /** Host, with a port and a path prefix if the secret has them; a host part may be "*". */
  readonly registry: string;
  readonly auth: RegistryAuth;
}

const CONFIG_JSON_TYPE = 'kubernetes.io/dockerconfigjson';
const CFG_TYPE = 'kubernetes.io/dockercfg';
const HUB = 'index.docker.io';

/** The credentials in one secret; none for another type or malformed content. */
export function credentialsOf(secret: Secret): readonly RegistryCredential[] {
  if (secret.type === CONFIG_JSON_TYPE) {
    const config = parsed(secret.data?.['.dockerconfigjson']);
    return isRecord(config) ? entries(config['auths']) : [];
  }
  return secret.type === CFG_TYPE ? entries(parsed(secret.data?.['.dockercfg'])) : [];
}

/** Credentials for `image`, the most specific registry first. */
export function matchingCredentials(
  credentials: readonly RegistryCredential[],
  image: ImageName,
): readonly RegistryAuth[] {
  const host = image.registry === 'docker.io' ? HUB : image.registry;
  return credentials
    .filter(({ registry }) => matches(registry, host, image.path))
    .toSorted((a, b) => (a.registry < b.registry ? 1 : a.registry > b.registry ? -1 : 0))
    .map(({ auth }) => auth);
}

function entries(auths: unknown): RegistryCredential[] {
  if (!isRecord(auths)) return [];
  return Object.entries(auths).flatMap(([key, value]) => {
    const auth = isRecord(value) ? authOf(value) : undefined;
    // No server address, as upstream: containerd reads one as a URL, and fails on "host:port".
    return auth === undefined ? [] : [{ registry: registryKey(key), auth }];
  });
}

function authOf(entry: Readonly<Record<string, unknown>>): RegistryAuth | undefined {
  const text = (name: string): string | undefined => (typeof entry[name] === 'string' ? entry[name] : undefined);
  const identityToken = text('identitytoken');
  const registryToken = text('registrytoken');
  const tokens = { ...(identityToken && { identityToken }), ...(registryToken && { registryToken }) };
  const decoded = decodeText(base64Bytes(text('auth') ?? ''));
  const colon = decoded.indexOf(':');
  const username = text('username') ?? (colon > 0 ? decoded.slice(0, colon) : undefined);
  const password = text('password') ?? (colon > 0 ? decoded.slice(colon + 1).replace(/\0+$/, '') : undefined);
  if (username !== undefined && password !== undefined) return { username, password, ...tokens };
  return Object.keys(tokens).length > 0 ? tokens : undefined;
}

/** "https://index.docker.io/v1/" is "index.docker.io". */
function registryKey(key: string): string {
  const bare = key.replace(/^https?:\/\//, '').replace(/\/+$/, '');
  const trimmed = bare.replace(/\/v[12]$/, '');
  return trimmed === 'docker.io' || trimmed === 'registry-1.docker.io' ? HUB : trimmed;
}

function matches(registry: string, host: string, path: string): boolean {
  const slash = registry.indexOf('/');
  const wantedHost = slash < 0 ? registry : registry.slice(0, slash);
  const wantedPath = slash < 0 ? '' : registry.slice(slash + 1);
  return hostMatches(wantedHost, host) && (wantedPath === '' || path === wantedPath || path.startsWith(wantedPath));
}

/** Part by part; "*" stands for one part or a piece of it, ports must be equal. */
function hostMatches(pattern: string, host: string): boolean {
  const [patternName, patternPort] = splitPort(pattern);
  const [hostName, hostPort] = splitPort(host);
  const patterns = patternName.split('.');
  const parts = hostName.split('.');
  if (patternPort !== hostPort || patterns.length !== parts.length) return false;
  return patterns.every((each, index) => partMatches(each, parts[index] ?? ''));
}

function splitPort(host: string): [string, string | undefined] {
  const match = /^(.*?)(?::(\d+))?$/.exec(host);
  return [match?.[1] ?? host, match?.[2]];
}

function partMatches(pattern: string, part: string): boolean {
  if (!pattern.includes('*')) return pattern === part;
  const pieces = pattern.split('*').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('[^.]*')}$`).test(part);
}

function parsed(base64: string | undefined): unknown {
  if (base64 === undefined) return undefined;
  try {
    return JSON.parse(decodeText(base64Bytes(base64)));
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
