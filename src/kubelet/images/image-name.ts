/** Image references as users write them: [registry/]path[:tag][@digest]. Pure. */

export interface ImageName {
  /** "docker.io" when the user names none. */
  readonly registry: string;
  /** With "library/" where Docker Hub implies it. */
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const DOMAIN =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?$/;
const PATH_PART = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^[\w][\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
const MAX_NAME_LENGTH = 255;

/** `undefined`: not a valid reference (upstream: distribution's ParseNormalizedNamed). */
export function parseImageName(text: string): ImageName | undefined {
  const at = text.indexOf('@');
  const digest = at < 0 ? undefined : text.slice(at + 1);
  const tagged = at < 0 ? text : text.slice(0, at);
  const colon = tagged.lastIndexOf(':');
  const hasTag = colon > tagged.lastIndexOf('/');
  const tag = hasTag ? tagged.slice(colon + 1) : undefined;
  const name = hasTag ? tagged.slice(0, colon) : tagged;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  // As Docker: without a dot or a port, and not "localhost", the first part belongs to the path.
  const explicit = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  const registry = explicit ? first : 'docker.io';
  const rest = explicit ? name.slice(slash + 1) : name;
  const normal = registry === 'index.docker.io' ? 'docker.io' : registry;
  const path = normal === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  const valid =
    DOMAIN.test(registry) &&
    path.split('/').every((part) => PATH_PART.test(part)) &&
    path.length <= MAX_NAME_LENGTH &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  return valid ? { registry: normal, path, tag, digest } : undefined;
}

/** The name for the runtime: with ":latest" if there is neither tag nor digest; otherwise as written. */
export function withDefaultTag(text: string, name: ImageName): string {
  return name.tag === undefined && name.digest === undefined ? `${text}:latest` : text;
}

/** With registry, path and tag spelled out, as runtimes list it: "docker.io/library/busybox:latest". `undefined`: no valid name. */
export function fullImageName(text: string): string | undefined {
  const name = parseImageName(text);
  if (name === undefined) return undefined;
  const { registry, path, tag, digest } = name;
  return digest === undefined ? `${registry}/${path}:${tag ?? 'latest'}` : `${registry}/${path}@${digest}`;
}
