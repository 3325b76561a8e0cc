/** Finds the path that a proxy asks those behind it for, and requests without TLS to ports for it, in the files of a container. Pure. */
import type { ContainerFacts } from '../pod/container-facts.ts';
import { configTexts } from '../configs/config-texts.ts';
import type { PodFacts } from '../pod/pod-facts.ts';

/** HAProxy, Caddy, Varnish, NGINX Plus, Traefik and Envoy; the first group is the path. */
const CHECKS: readonly RegExp[] = [
  /^\s*option\s+httpchk\s+(?:(?:GET|HEAD|OPTIONS|POST)\s+)?(\/\S{0,200})/i,
  /^\s*http-check\s+send\b.{0,80}\buri\s+(\/\S{0,200})/i,
  /^\s*health_uri\s+(\/\S{0,200})/,
  /^\s*\.url\s*=\s*"(\/[^"]{0,200})"/,
  /^\s*health_check\b.{0,100}\buri=(\/[^\s;]{0,200})/,
];
/** "healthCheck:", "health_checks:", below which a path stands. */
const BLOCK = /^\s*-?\s*(?:healthCheck|health_checks?|http_health_check)\s*:/;
const PATH_BELOW = /^\s*-?\s*path\s*:\s*["']?(\/[^\s"']{0,200})/;
const LINES_BELOW = 12;
const COMMENT = /^\s*(?:#|\/\/|;)/;
/** A peer at a port that servers mostly have for TLS; the first groups are host and port. */
const PLAIN: readonly RegExp[] = [
  /\b(?:proxy_pass|fetch|url|upstream|backend|target|endpoint)\b["']?[\s:=]{1,4}["']?http:\/\/([\w.-]{1,200}):(443|8443|9443)\b/i,
  /^\s*reverse_proxy\s(?:.{0,100}\s)?(?:http:\/\/)?([\w][\w.-]{0,200}):(443|8443|9443)\b/,
  /^\s*server\s+\S{1,60}\s+([\w.-]{1,200}):(443|8443|9443)\b(?!.{0,200}\bssl\b)/,
];
/** What makes Caddy and NGINX ask with TLS all the same. */
const WITH_TLS =
  /^\s*transport http\b.{0,40}|^\s*tls(?:_insecure_skip_verify|_server_name|_trusted_ca_certs)?\b|proxy_ssl\b|\bssl\s+verify\b/m;

export interface FilePlace {
  /** "ConfigMap lb, key haproxy.cfg, line 14" */
  readonly at: string;
}

/** The only path for which the files of a container ask others; undefined: none, or several. */
export function healthCheckOf(
  facts: PodFacts,
  container: ContainerFacts,
): (FilePlace & { readonly path: string }) | undefined {
  const found = configTexts(facts, container).flatMap(({ at, text }) =>
    checksIn(text).map(({ path, line }) => ({ at: `${at}, line ${line + 1}`, path })),
  );
  return new Set(found.map(({ path }) => path)).size === 1 ? found[0] : undefined;
}

function checksIn(text: string): readonly { readonly path: string; readonly line: number }[] {
  const lines = text.split('\n');
  return lines.flatMap((given, line) => {
    if (COMMENT.test(given)) return [];
    const path = CHECKS.flatMap((pattern) => pattern.exec(given.slice(0, 500))?.[1] ?? [])[0];
    if (path !== undefined) return [{ path, line }];
    if (!BLOCK.test(given)) return [];
    const below = lines.slice(line + 1, line + 1 + LINES_BELOW).findIndex((each) => PATH_BELOW.test(each));
    const named = PATH_BELOW.exec(lines[line + 1 + below] ?? '')?.[1];
    return below === -1 || named === undefined ? [] : [{ path: named, line: line + 1 + below }];
  });
}

/** The peer that a file asks in plain HTTP at a port for TLS; undefined: none, or it may ask with TLS. */
export function plainPeerOf(
  facts: PodFacts,
  container: ContainerFacts,
): (FilePlace & { readonly host: string; readonly port: number }) | undefined {
  for (const { at, text } of configTexts(facts, container)) {
    if (WITH_TLS.test(text)) continue;
    for (const [line, given] of text.split('\n').entries()) {
      const [, host, port] = COMMENT.test(given)
        ? []
        : (PLAIN.map((pattern) => pattern.exec(given.slice(0, 500))).find((match) => match !== null) ?? []);
      if (host !== undefined && port !== undefined) return { at: `${at}, line ${line + 1}`, host, port: Number(port) };
    }
  }
  return undefined;
}
